//! `dpsda node init`: a key and a file to start from.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use dpsda_node::identity::Identity;

use crate::command::manifest::is_name;
use crate::failure::Failure;
use crate::say;

const STARTER: &str = include_str!("../../../assets/node.toml");

pub(crate) fn init(dir: &Path, name: Option<&str>) -> Result<(), Failure> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let whole = std::path::absolute(dir)?; // `.` has a name too
            whole.file_name().map_or_else(|| "node".into(), |name| name.to_string_lossy().into_owned())
        }
    };
    if !is_name(&name) {
        return Err(Failure::Input(format!(
            "{name:?}: a member's name has no spaces and no = (give another folder, or a name with --name)"
        )));
    }
    let unfit = |path: &Path, e: std::io::Error| Failure::Input(format!("{}: {e}", path.display()));
    fs::create_dir_all(dir).map_err(|e| {
        let what = if dir.is_file() { "it is a file".to_owned() } else { e.to_string() };
        let remedy = "a node needs its own folder: give one that exists or can be made";
        Failure::Input(format!("{}: {what} ({remedy}, e.g. dpsda node init alice)", dir.display()))
    })?;
    let (key, file) = (dir.join("node.key"), dir.join("node.toml"));
    if file.exists() {
        return Err(Failure::Input(format!(
            "{} exists: it is not overwritten (give another folder)",
            file.display()
        )));
    }
    let identity = Identity::generate().map_err(|e| Failure::Io(e.to_string()))?;
    identity.write(&key).map_err(|e| Failure::Input(e.to_string()))?;
    let mut new =
        fs::OpenOptions::new().write(true).create_new(true).open(&file).map_err(|e| unfit(&file, e))?;
    new.write_all(STARTER.as_bytes())?;
    say::out(&format!(
        "wrote {} (secret: anyone who has it can act as this node) and {}\n\nFor `dpsda manifest make`:\n\n  --member {name}={}",
        key.display(),
        file.display(),
        identity.public()
    ))?;
    Ok(())
}
