//! Panics of the engine over a damaged file: they are expected, and what is wrong is said in words. So they are not printed.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// What this gives; nothing if it panics, of which nobody hears.
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
    fn what_panics_gives_nothing_and_is_heard_again_afterwards() {
        assert_eq!(catch(|| 7), Some(7));
        assert_eq!(catch(|| if QUIET.get() { panic!("never seen") } else { 7 }), None);
        assert!(!QUIET.get());
    }
}
