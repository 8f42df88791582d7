//! One file per command.

pub(crate) mod audit;
pub(crate) mod check;
pub(crate) mod cluster;
pub(crate) mod completions;
pub(crate) mod data;
pub(crate) mod ledger;
pub(crate) mod list;
pub(crate) mod manifest;
pub(crate) mod new;
pub(crate) mod node;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod run;
pub(crate) mod tune;
