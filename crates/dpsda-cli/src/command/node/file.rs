//! Checks of a node's file, before any of it is used.

use std::io::ErrorKind;
use std::path::Path;

use dpsda_config::sweep;
use dpsda_node::config::KEYS;
use dpsda_node::manifest::Manifest;
use toml::Table;

use crate::command::manifest::apart;
use crate::failure::Failure;
use crate::folder;

/// The top-level keys of an experiment.
const EXPERIMENT: [&str; 12] = [
    "dynamic",
    "rules",
    "title",
    "seed",
    "rounds",
    "trials",
    "record",
    "problem",
    "set",
    "network",
    "algorithm",
    "privacy",
];

pub(super) fn text(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    if path.is_dir() {
        let inside = path.join("node.toml");
        return Err(Failure::Input(format!(
            "{name} is a folder: give its node.toml (dpsda node {})",
            inside.display()
        )));
    }
    folder::text(path).map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            Failure::Input(format!("{name}: {e} (`dpsda node init DIR` writes DIR/node.toml to start from)"))
        }
        _ => Failure::Input(format!("{name}: {e} (give the TOML file of a node)")),
    })
}

/// Checks that every table at the top is `[node]` or belongs to an experiment.
pub(super) fn tables(text: &str, file: &Path) -> Result<(), Failure> {
    let table: Table = text
        .parse()
        .map_err(|e: toml::de::Error| Failure::Syntax(e.to_string().trim_end().to_owned()).in_file(file))?;
    let Some((key, value)) =
        table.iter().find(|(key, _)| *key != "node" && !EXPERIMENT.contains(&key.as_str()))
    else {
        return Ok(());
    };
    let what = if value.is_table() { "table" } else { "key" };
    let meant = match key.as_str() {
        "nodes" if value.as_table().is_some_and(|table| !table.keys().any(|key| is_own(key))) => {
            Some("node.peers".to_owned())
        }
        "nodes" => Some("node".to_owned()),
        "manifest" if value.is_table() => {
            return Err(Failure::Input(format!(
                "{}: this is a manifest (give the file of a node, which names it: dpsda node node.toml)",
                file.display()
            )));
        }
        key => is_own(key).then(|| format!("node.{key}")),
    };
    let remedy = match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => "the keys of a node stand in [node] (`dpsda list node` shows them)".into(),
    };
    Err(Failure::Input(format!("{}: unknown {what} `{key}`: {remedy}", file.display())))
}

fn is_own(key: &str) -> bool {
    KEYS.iter().any(|known| known.name == key)
}

/// Checks that only its owner can read the key.
pub(crate) fn secret(path: &Path) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let Ok(found) = std::fs::metadata(path) else { return Ok(()) }; // reading it will report the error
        let mode = found.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            let name = path.display();
            return Err(Failure::Input(format!(
                "{name}: other users of this host can read this key, its mode is {mode:03o} (chmod 600 {name})"
            )));
        }
    }
    let _ = path;
    Ok(())
}

/// If the file also holds an experiment, it must be the manifest's.
pub(super) fn agrees(text: &str, manifest: &Manifest, file: &Path) -> Result<(), Failure> {
    let own = sweep::parse(text, &[])?;
    let lines = if own.is_empty() { Vec::new() } else { apart(own, manifest)? };
    if lines.is_empty() {
        return Ok(());
    }
    let lines = lines.join("\n  ");
    let remedy = "remove the experiment from the file, or have the members sign a manifest with it";
    Err(Failure::Input(format!(
        "{}: the experiment here is not the manifest's ({remedy}):\n  {lines}",
        file.display()
    )))
}
