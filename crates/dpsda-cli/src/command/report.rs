//! `dpsda report`

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::{folder, say};

pub(crate) fn report(dirs: &[PathBuf], out: Option<&Path>) -> Result<(), Failure> {
    let runs = dirs.iter().map(|dir| folder::read(dir)).collect::<Result<Vec<_>, _>>()?;
    let page = dpsda_web::report(&runs);
    let target = match (out, dirs) {
        (Some(out), _) => out.to_owned(),
        (None, [one]) => one.join("report.html"),
        _ => PathBuf::from("comparison.html"),
    };
    folder::replace(&target, page.as_bytes())
        .map_err(|e| Failure::Io(format!("{}: {e}", target.display())))?;
    Ok(say::out(&target.display().to_string())?)
}
