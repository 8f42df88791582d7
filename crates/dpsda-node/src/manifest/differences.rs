//! The differences between two manifests, for their operators.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest as _, Sha256};

use super::Manifest;
use crate::identity::hex;

/// At most this many differences are shown: anybody may have written the other manifest.
const SHOWN: usize = 64;
/// At most this many characters of a key or a value are shown.
const LONGEST: usize = 200;

/// The differences between two manifests, one line per key, for operators.
pub fn differences(ours: &Manifest, theirs: &Manifest) -> Vec<String> {
    let (mut a, mut b) = (BTreeMap::new(), BTreeMap::new());
    for (manifest, keys) in [(ours, &mut a), (theirs, &mut b)] {
        let table = toml::Table::try_from(manifest).unwrap_or_default();
        flatten("", &toml::Value::Table(table), keys);
        // An experiment that is TOML is compared key by key.
        if let Ok(experiment) = manifest.experiment.parse::<toml::Table>() {
            keys.remove("experiment");
            flatten("experiment", &toml::Value::Table(experiment), keys);
        }
    }
    let all: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
    let line = |key: &&String| {
        let (ours, theirs) = (a.get(*key), b.get(*key));
        let shown = |value: Option<&String>| value.cloned().unwrap_or_else(|| "nothing".into());
        (ours != theirs).then(|| format!("{key}: {} here, {} there", shown(ours), shown(theirs)))
    };
    let mut different = all.iter().filter_map(line);
    let mut lines: Vec<String> = different.by_ref().take(SHOWN).collect();
    if different.next().is_some() {
        lines.push("and more".into());
    }
    if lines.is_empty() && ours != theirs {
        return vec!["experiment: the same keys, written differently (comments, order or spaces)".into()];
    }
    lines
}

fn flatten(name: &str, value: &toml::Value, into: &mut BTreeMap<String, String>) {
    let below = |key: &str| if name.is_empty() { cut(key) } else { cut(&format!("{name}.{key}")) };
    match value {
        toml::Value::Table(table) => table.iter().for_each(|(key, value)| flatten(&below(key), value, into)),
        toml::Value::Array(list) if list.iter().any(toml::Value::is_table) => {
            list.iter().enumerate().for_each(|(k, value)| flatten(&below(&k.to_string()), value, into));
        }
        value => _ = into.insert(name.to_owned(), cut(&value.to_string())),
    }
}

/// Shortens long text and adds a digest of all of it, so that texts that differ still differ when shortened.
fn cut(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let first: String = text.chars().take(LONGEST / 4).collect();
    format!("{first}… ({} bytes, {})", text.len(), hex(&Sha256::digest(text)[..4]))
}
