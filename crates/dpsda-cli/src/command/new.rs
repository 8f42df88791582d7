//! `dpsda new`

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

use crate::failure::Failure;
use crate::say;

const STARTER: &str = include_str!("../../assets/starter.toml");

pub(crate) fn new(file: &Path) -> Result<(), Failure> {
    if file == Path::new("-") {
        return Ok(say::out(STARTER.trim_end())?);
    }
    let refuse = |e: std::io::Error| match e.kind() {
        std::io::ErrorKind::AlreadyExists => {
            Failure::Input(format!("{} exists and is not overwritten (give another name)", file.display()))
        }
        _ => Failure::Input(format!("{} cannot be written: {e}", file.display())),
    };
    let mut new = OpenOptions::new().write(true).create_new(true).open(file).map_err(refuse)?;
    new.write_all(STARTER.as_bytes())?;
    Ok(say::out(&format!("wrote {0}\ntry: dpsda check {0} && dpsda run {0}", file.display()))?)
}
