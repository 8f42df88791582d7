//! The file to start from of a cost that brings no experiment: its keys, and what they mean.

use std::fmt::Write as _;

use dpsda::catalog::Listing;
use dpsda::cost::Build;

const NETWORK: &str = r#"
# [set]                       # where decisions must lie; leave it out if the cost has a set of its own
# kind  = "box"
# lower = 0.0
# upper = 1.0

[network]
nodes = 2                     # they share the decision vector, one block each
graph = "complete"

[algorithm]
name = ["dpsda-r", "dpcda"]
step = 1.0                    # c in alpha(t) = c / sqrt(t+1)
"#;

/// Keys stand behind `#`, because nobody but the user knows their values.
pub(super) fn file(cost: &Listing<Build>) -> String {
    let Listing { name, about, keys, .. } = cost;
    let mut text = format!(
        "# {name}: {about}.\n# Remove the # before the keys that you need, and give them values. `dpsda check` says what is \
         missing.\n\nrules  = 2                    # the version of defaults and words: this file runs the same in later \
         releases\ntitle  = \"{name}\"\n# rounds = 100                # T; needed if nothing else says when the run ends\n\n\
         [problem]\ncost = \"{name}\"\n"
    );
    let width = keys.iter().map(|key| key.name.len()).max().unwrap_or(0);
    for key in *keys {
        let _ = writeln!(text, "# {:width$} =   # {}", key.name, key.about);
    }
    text + NETWORK
}

#[cfg(test)]
mod tests {
    use dpsda::cost::expert::LISTING;

    #[test]
    fn every_key_is_named_and_the_rest_is_toml() {
        let text = super::file(&LISTING);
        let table: toml::Table = text.parse().unwrap();
        assert_eq!(table["problem"]["cost"].as_str(), Some(LISTING.name));
        for key in LISTING.keys {
            assert!(text.lines().any(|line| line.starts_with(&format!("# {} ", key.name))), "{}", key.name);
        }
    }
}
