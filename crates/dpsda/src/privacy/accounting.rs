//! placeholder
pub mod zcdp;
