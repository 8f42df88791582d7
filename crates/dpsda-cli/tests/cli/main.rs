//! The command line as its users meet it.

mod commands;
mod desk;
mod interrupt;
mod outputs;
mod reference;
mod sweep;
mod wrong_input;
