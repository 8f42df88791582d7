//! Hides the engine's panics over a damaged file. They are expected, and the store reports the damage as an error.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs a function and returns its value, or nothing if it panics. The panic is not printed.
pub(super) fn catch<T>(run: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                before(info);
            }
        }));
    });
    QUIET.set(true);
    let caught = catch_unwind(AssertUnwindSafe(run)).ok();
    QUIET.set(false);
    caught
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caught_panic_gives_nothing_and_later_panics_are_printed_again() {
        assert_eq!(catch(|| 7), Some(7));
        assert_eq!(catch(|| if QUIET.get() { panic!("never seen") } else { 7 }), None);
        assert!(!QUIET.get());
    }
}
