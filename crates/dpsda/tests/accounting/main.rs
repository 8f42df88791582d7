//! Claims about privacy accounting: it agrees with other accountants and with closed forms, is never below the truth,
//! and keeps its laws. The fixtures are made by `make.py`; `cargo xtask test python` makes them again.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod dp_accounting;
mod exact;
mod laws;
mod opendp;
mod rows;
