//! What a swept key is called where there is little room: as much of its end as tells it apart.

use crate::columns::COLUMNS;

/// The column of the summary that says again what a key was set to: `level` for `privacy.level`.
pub(crate) fn column_of(key: &str) -> Option<&str> {
    match key {
        "algorithm.name" => Some("algorithm"),
        "rounds" | "trials" => Some(key),
        _ => key
            .strip_prefix("privacy.")
            .filter(|end| matches!(*end, "level" | "epsilon" | "delta" | "mechanism")),
    }
}

/// `privacy.level` is `level`; but `network.delay.rounds` is `delay.rounds`, for `rounds` is T, and where two
/// algorithms sweep their `step` each of the two is named: `dpps.step`.
pub(crate) fn short<'a>(key: &'a str, swept: &[&str]) -> &'a str {
    if let Some(column) = column_of(key)
        && key.ends_with(column)
    {
        return key.get(key.len() - column.len()..).unwrap_or(key);
    }
    let taken = |name: &str| {
        matches!(name, "algorithm" | "folder" | "seed")
            || COLUMNS.iter().any(|c| c.key == name || c.label == name)
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
