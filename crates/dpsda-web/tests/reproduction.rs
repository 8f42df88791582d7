//! A book and what was measured become a page: numbers stand beside each other, statements are decided, text stays text.

#![allow(clippy::unwrap_used, reason = "helpers of tests stand outside #[test]")]

use dpsda_web::Series;
use dpsda_web::reproduction::{PaperBook, RunRow};
use serde_json::{Value, json};

#[path = "synthetic/book.rs"]
mod book;
use book::{BOOK, report, row, series};

const NONE: f64 = f64::INFINITY;

/// The book with another statement in place of its own.
fn with(statement: &str) -> String {
    let (before, rest) = BOOK.split_once("[[section.statement]]").unwrap();
    let (_, after) = rest.split_once("[[note]]").unwrap();
    format!("{before}[[section.statement]]\nfiles = ['x']\nby = ['fitness']\n{statement}\n[[note]]{after}")
}

/// What is decided about a statement.
fn decided(statement: &str, rows: &[RunRow], points: Series) -> Value {
    report(&with(statement), rows.to_vec(), points).1["statements"][0].clone()
}

fn verdict(statement: &str, rows: &[RunRow]) -> Value {
    decided(statement, rows, Series::default())["verdict"].clone()
}

const AHEAD: &str = "check = ['ahead']\nwho = ['a']\nthan = ['b']";

#[test]
fn a_statement_holds_fails_or_is_not_decided() {
    let (low, high) = ([1.0, 2.0, 1.5], [3.0, 3.5, 4.0]);
    let rows = |a: &[f64], b: &[f64]| [row(0, "a", 1.0, a), row(1, "b", 1.0, b)];
    assert_eq!(verdict(AHEAD, &rows(&low, &high)), "holds");
    assert_eq!(verdict(AHEAD, &rows(&high, &low)), "does not hold");
    assert_eq!(verdict(AHEAD, &rows(&low, &high)[..1]), "not decided", "a row is missing");
    assert_eq!(verdict(AHEAD, &rows(&low, &high[..2])), "not decided", "two trials");
    let said = decided(AHEAD, &rows(&low, &high), Series::default());
    assert_eq!(said["claim"], "Cost on data, as printed: A is ahead of B at level 1.");
    assert_eq!(
        said["figures"],
        json!(["level 1: A 1.500 ± 0.500 (1.000 to 2.000); B 3.500 ± 0.500 (3.000 to 4.000): \
                apart by two standard errors, one standard deviation, ranges"])
    );
}

#[test]
fn one_or_two_trials_decide_nothing_and_say_so() {
    for (values, why) in [(&[1.0][..], "1 trial has no deviation"), (&[1.0, 1.1], "2 trials, fewer than 3")] {
        let rows = [row(0, "a", 1.0, values), row(1, "b", 1.0, &[9.0, 9.1, 9.2])];
        let figures = decided(AHEAD, &rows, Series::default())["figures"].clone();
        assert_eq!(figures.as_array().unwrap().last().unwrap(), &json!(format!("Not decided: {why}.")));
    }
}

#[test]
fn every_check_decides_by_its_own_rule() {
    let noisy = |level: f64, values: &[f64]| row(0, "a", level, values);
    let order = "check = ['worse-with-noise']\nwho = ['a']";
    let (small, near, large) = ([1.0, 1.1, 1.2], [1.1, 1.2, 1.3], [5.0, 5.1, 5.2]);
    assert_eq!(verdict(order, &[noisy(NONE, &small), noisy(1.0, &large)]), "holds");
    assert_eq!(verdict(order, &[noisy(NONE, &large), noisy(1.0, &small)]), "does not hold");
    assert_eq!(verdict(order, &[noisy(NONE, &small), noisy(1.0, &near)]), "not decided", "bands touch");

    let behind = "check = ['not-behind']\nwho = ['a']\nthan = ['b']";
    let rows = |a: &[f64], b: &[f64]| [row(0, "a", NONE, a), row(1, "b", NONE, b)];
    assert_eq!(verdict(behind, &rows(&near, &small)), "holds", "within two standard errors");
    assert_eq!(verdict(behind, &rows(&large, &small)), "does not hold");

    let goal = |goal: f64| format!("check = ['reaches']\nwho = ['a']\ngoal = {goal}\nclaim = 'g'");
    let half = [noisy(NONE, &[0.5, 0.5, 0.5])];
    assert_eq!(verdict(&goal(50.0), &half), "holds");
    assert_eq!(verdict(&goal(50.1), &half), "does not hold");

    let differs = "check = ['differs']\nclaim = 'd'";
    assert_eq!(verdict(differs, &[noisy(1.0, &[0.0]), noisy(NONE, &[0.1])]), "holds", "one is enough");
    assert_eq!(verdict(differs, &[noisy(1.0, &[0.0])]), "does not hold");

    let most = "check = ['at-most']\nclaim = 'm'\ngoal = 2.0\nshown = '{{who}} {{level}}: {{fitness}}'";
    let said = decided(most, &[noisy(1.0, &[1.0])], Series::default());
    assert_eq!(said["verdict"], "not decided", "no runs were played");
    assert_eq!(said["figures"], json!(["A level 1: 1.000", "Not decided: 0 runs per world, fewer than 10."]));

    let points = |power: f64| -> Vec<(f64, f64)> {
        (1..60).map(|t| (f64::from(t), 2.0 * f64::from(t).powf(power))).collect()
    };
    let falls = |power| {
        let rows = [noisy(NONE, &small)];
        decided("check = ['falls']\nwho = ['a']", &rows, series(&[(0, &points(power))]))
    };
    assert_eq!(falls(-0.5)["verdict"], "holds");
    assert!(falls(-0.5)["figures"][0].as_str().unwrap().contains("falls as T^-0.50"));
    assert_eq!(falls(0.5)["verdict"], "does not hold");
}

#[test]
fn the_papers_number_stands_once_beside_ours_under_a_line_that_names_the_subject() {
    let rows =
        vec![row(0, "a", 1.0, &[78.0]), row(1, "a", NONE, &[80.0, 82.0]), row(2, "floor", 1.0, &[7.0])];
    let (page, _) = report(BOOK, rows.clone(), Series::default());
    let table = page.split("<table").nth(1).unwrap();
    for text in [
        "<th scope=\"colgroup\" colspan=\"1\"></th><th scope=\"colgroup\" colspan=\"2\" class=\"group\">cost</th>",
        "<th scope=\"col\">setting</th><th scope=\"col\" class=\"n\">paper</th>",
        "<th scope=\"rowgroup\" colspan=\"3\"><span>A · level 1</span></th>",
        "<td class=\"n printed\">94.77</td><td class=\"n\">81.00 ± 1.41<small>80.00 to 82.00</small></td>",
        "<td class=\"n printed\">90.00</td><td class=\"n\">78.00</td>",
        "<td class=\"n\"></td><td class=\"n\">7.00</td>",
    ] {
        assert!(table.contains(text), "{text}\n{table}");
    }
    let by_level = BOOK.replace("columns = [\"setting\", \"paper\"", "columns = [\"level\", \"paper\"");
    let (page, _) = report(&by_level, rows, Series::default());
    let table = page.split("<table").nth(1).unwrap();
    assert_eq!(table.matches("<span>A</span>").count(), 1, "one line for all levels of an algorithm");
    assert!(table.contains("<td>non-private</td>") && table.contains("<td>level 1</td>"));
}

#[test]
fn a_departure_is_read_off_the_facts_and_brings_its_reason() {
    let told = |algorithm: &str, facts: &[(&'static str, &str)]| {
        let facts = facts.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        let rows = vec![RunRow { facts, ..row(0, algorithm, 1.0, &[1.0]) }];
        let (page, json) = report(BOOK, rows, Series::default());
        (page, json["rows"][0]["departures"].clone())
    };
    assert_eq!(told("a", &[("rounds", "60"), ("algorithm", "a"), ("weights", "uniform")]).1, json!([]));
    let (page, departures) = told("a", &[("rounds", "30")]);
    assert_eq!(departures, json!(["30 rounds"]));
    assert!(page.contains("<td>our steps<small>30 rounds</small></td>"));
    assert!(page.contains("<dt>30 rounds</dt><dd>The paper has 60 rounds.</dd>"));
    let (page, departures) = told("a", &[("algorithm", "a"), ("weights", "other"), ("rounds", "60")]);
    assert_eq!(departures, json!(["other weights"]));
    assert!(page.contains("<dt>weights</dt><dd>Not uniform.</dd>"));
    let other = [("algorithm", "b"), ("weights", "other"), ("rounds", "60")];
    assert_eq!(told("b", &other).1, json!([]), "the paper does not say which weights b has");
}

/// The figure of a page.
fn figure(book: &str, runs: &[(i64, &[(f64, f64)])]) -> String {
    let rows = [("a", NONE), ("b", NONE), ("floor", NONE), ("a", 1.0)];
    let rows = rows.iter().zip(0..).map(|((name, level), run)| row(run, name, *level, &[1.0])).collect();
    let (page, _) = report(book, rows, series(runs));
    page.split("<figure>").nth(1).unwrap().split("</figure>").next().unwrap().to_owned()
}

#[test]
fn a_line_is_cut_where_a_log_axis_has_no_place_for_it() {
    let html = figure(BOOK, &[(0, &[(1.0, 2.0), (2.0, 1.0), (3.0, -1.0), (4.0, 2.0), (5.0, 3.0)])]);
    assert_eq!(
        html.matches("class=\"line\" d=\"M").count(),
        1 + 2,
        "the sample in the legend, and two pieces"
    );
    assert!(!html.contains("NaN") && !html.contains("inf"));
    assert!(html.contains(">cost (log)</text>") && html.contains(">round T</text>"));
}

#[test]
fn a_figure_without_a_point_says_so() {
    for points in [&[][..], &[(1.0, f64::NAN)]] {
        assert!(figure(BOOK, &[(0, points)]).contains("Nothing was recorded"));
    }
}

#[test]
fn no_two_lines_of_a_panel_differ_in_colour_alone() {
    let points: &[(f64, f64)] = &[(1.0, 2.0), (2.0, 3.0)];
    let runs = [(0, points), (1, points), (2, points), (3, points)];
    for (panels, lines) in [("algorithms", 3), ("levels", 2)] {
        let book = BOOK.replace("panels = \"algorithms\"", &format!("panels = \"{panels}\""));
        let html = figure(&book, &runs);
        assert_eq!(html.matches("<g class=\"run").count(), lines);
        assert_eq!(html.matches("stroke-dasharray=\"7 4\"").count(), 2, "in the panel and in the legend");
        assert_eq!(html.matches("stroke-dasharray").count(), 2);
    }
    let html = figure(BOOK, &runs);
    assert!(html.find("run floor").unwrap() < html.find("<g class=\"run\"").unwrap(), "under the others");
}

#[test]
fn every_section_is_linked_with_its_verdicts_counted_and_an_overview_has_every_statement() {
    let more = format!(
        "{AHEAD}\n[[section.statement]]\nfiles = ['x']\nby = ['fitness']\ncheck = ['differs']\nclaim = 'd'"
    );
    let rows = vec![row(0, "a", 1.0, &[1.0, 1.1, 1.2]), row(1, "b", 1.0, &[5.0, 5.1, 5.2])];
    let (page, json) = report(&with(&more), rows, Series::default());
    assert!(page.contains(
        "<a href=\"#one\">One</a><span class=\"counts\"><span class=\"verdict holds\">2 hold</span></span>"
    ));
    assert!(
        page.contains("Of 2 statements, the paper&#39;s and ours, 2 hold, 0 do not, and 0 cannot be decided")
    );
    assert!(page.contains("<p>One. d</p>") && page.contains("<p>d</p>"));
    assert_eq!(json["statements"].as_array().unwrap().len(), 2);
    assert!(page.contains("dpsda tune experiments/paper/x.toml -s rules=1 --by online --steps 0.1,1"));
    let (page, _) = report(BOOK, vec![], Series::default());
    assert!(page.contains("No experiment of this section was finished."));
}

#[test]
fn an_unknown_key_is_told_the_nearest_one_and_a_target_the_known_ones() {
    for (wrong, right) in [("captoin = \"Both", "caption"), ("tabel]", "table")] {
        let text = BOOK.replace(&wrong.replace("captoin", "caption").replace("tabel", "table"), wrong);
        let error = PaperBook::read(&text).unwrap_err().to_string();
        let word = wrong.split([' ', ']']).next().unwrap();
        assert!(error.contains(&format!("unknown key `{word}`")), "{error}");
        assert!(error.contains(&format!("did you mean `{right}`?")), "{error}");
    }
    let error = PaperBook::read(&BOOK.replace("title = \"One\"\n", "")).unwrap_err().to_string();
    assert!(error.contains("title"), "{error}");
    let error = PaperBook::read(BOOK).unwrap().targets(&["noe".into()]).unwrap_err().to_string();
    assert!(error.contains("did you mean `one`?"), "{error}");
}

#[test]
fn a_reproduction_is_one_page_that_fetches_nothing_and_keeps_text_text() {
    let evil = "</script><script>window.hacked=1</script><img src=x onerror='window.hacked=1'>{{script}}";
    let mut text = BOOK.replace("'", "");
    for word in [
        "Theirs and ours",
        "Both.",
        "One",
        "Table 1",
        "Over ",
        "Both numbers",
        "A figure",
        "What to see.",
        "Cost",
        "Everywhere.",
    ] {
        text = text.replace(&format!("\"{word}"), &format!("\"{evil}"));
    }
    let facts = [("rounds", evil.to_owned())].into();
    let rows = vec![RunRow { facts, ..row(0, "a", NONE, &[1.0, 2.0]) }, row(1, evil, NONE, &[1.0])];
    let (page, _) = report(&text, rows.clone(), series(&[(0, &[(1.0, 2.0), (2.0, 1.0)])]));
    assert_eq!((page.matches("<script").count(), page.matches("</script").count()), (1, 1));
    assert_eq!(page.matches("<img").count(), 0);
    assert!(page.contains("default-src 'none'") && !page.contains("http://") && !page.contains("https://"));
    assert_eq!(page, report(&text, rows, series(&[(0, &[(1.0, 2.0), (2.0, 1.0)])])).0, "same bytes");
}
