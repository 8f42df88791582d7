//! Short names of swept keys: as much of the end of a key as tells it apart.

use dpsda::metric::{self, algorithm};

/// A column of the page that tells runs of several folders apart.
pub(crate) const FOLDER: &str = "folder";

/// The column of the summary that is about a key: `level` for `privacy.level`.
pub(crate) fn column_of(key: &str) -> Option<&'static str> {
    metric::all().of_key(key)?.column_name()
}

/// A key in words, without its table: `delay rounds` for `network.delay.rounds`. The paper's label stays a `privacy level`.
pub(crate) fn words(key: &str) -> String {
    let name = key.split_once('.').map_or(key, |(_, name)| name);
    if name == "level" { key } else { name }.replace(['.', '_'], " ")
}

/// `privacy.level` becomes `level`. `network.delay.rounds` becomes `delay.rounds`, because `rounds` is T. Where two
/// algorithms sweep their `step`, each keeps its name: `dpps.step`.
pub(crate) fn short<'a>(key: &'a str, swept: &[&str]) -> &'a str {
    if let Some(column) = column_of(key)
        && key.ends_with(column)
    {
        return key.get(key.len() - column.len()..).unwrap_or(key);
    }
    let taken = |name: &str| {
        [algorithm::LISTING.name, FOLDER, "seed"].contains(&name)
            || metric::all().iter().any(|metric| {
                let heading = metric.column.as_ref().map(|column| column.heading.as_ref());
                metric.column_name() == Some(name) || heading == Some(name)
            })
            || swept.iter().any(|other| *other != key && ends_with(other, name))
    };
    let mut starts: Vec<usize> = key.match_indices('.').map(|(at, _)| at + 1).collect();
    starts.reverse();
    starts.into_iter().filter_map(|at| key.get(at..)).find(|name| !taken(name)).unwrap_or(key)
}

/// Whether the last words of a dotted key are these.
fn ends_with(key: &str, name: &str) -> bool {
    key.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_as_short_as_no_column_and_no_other_key_allows() {
        let swept =
            ["network.delay.rounds", "algorithm.dpsda-c.links", "algorithm.dpsda-ps.links", "network.graph"];
        let names = swept.map(|key| short(key, &swept));
        assert_eq!(names, ["delay.rounds", "dpsda-c.links", "dpsda-ps.links", "graph"]);
    }

    #[test]
    fn a_key_that_a_column_repeats_has_the_name_of_the_column() {
        let swept = ["privacy.level", "algorithm.dpps.level", "rounds", "privacy.mechanism"];
        assert_eq!(swept.map(|key| short(key, &swept)), ["level", "dpps.level", "rounds", "mechanism"]);
        assert_eq!((column_of("network.delay.rounds"), column_of("rounds")), (None, Some("rounds")));
    }

    #[test]
    fn a_key_that_ends_another_stays_whole_and_odd_keys_are_names_too() {
        assert_eq!(short("a.b", &["a.b", "x.a.b"]), "a.b");
        assert_eq!(short("x.a.b", &["a.b", "x.a.b"]), "x.a.b");
        assert_eq!((short("", &[]), short(".", &["."]), short("seed", &["seed"])), ("", "", "seed"));
    }
}
