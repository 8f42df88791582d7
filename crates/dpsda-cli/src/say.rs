//! Output: results on standard output, everything else on standard error.

use std::io::{self, Write as _};

/// A result.
pub(crate) fn out(text: &str) -> io::Result<()> {
    writeln!(io::stdout().lock(), "{text}")
}

/// A remark. If standard error is closed, it is dropped.
pub(crate) fn aside(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
