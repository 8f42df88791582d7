//! The command line as its users meet it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod audit;
mod before;
mod commands;
mod costs_page;
mod data;
mod desk;
mod interrupt;
mod ledger;
mod outputs;
mod readme;
mod reference;
mod reproduce;
mod sample;
mod sweep;
mod tune;
mod wrong_input;
