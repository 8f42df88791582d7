//! The page as text: what every reader must find on it, with or without a script.

#![allow(clippy::unwrap_used, reason = "helpers of tests stand outside #[test]")]

use dpsda_web::{RunFolder, picture, report};
use serde_json::json;

#[path = "synthetic/run.rs"]
mod synthetic;

/// The page without its script and data: what is left when scripts are off.
fn still(html: &str) -> &str {
    html.split("<script type=\"application/json\"").next().unwrap()
}

#[test]
fn the_same_run_gives_the_same_bytes() {
    assert_eq!(report(&[synthetic::dense()]), report(&[synthetic::dense()]));
    assert_eq!(picture(&synthetic::dense()), picture(&synthetic::dense()));
}

#[test]
fn without_scripts_the_title_table_certificate_privacy_and_configuration_are_there() {
    let page = report(&[synthetic::dense()]);
    let page = still(&page);
    for text in [
        "<h1>Mushroom on a changing graph</h1>",
        "dpsda 0.1.0 · seed 1 · 16 runs",
        "7 nodes · 60 rounds · 5 trials · mushroom",
        "<noscript>",
        "<table id=\"summary\">",
        "<dt>connected in every window of</dt><dd>4 rounds</dd>",
        "Only messages are protected; decisions are not.",
        "<span class=\"h\">[privacy]</span>",
        "sha256 5f5f5f",
    ] {
        assert!(page.contains(text), "{text}");
    }
    assert_eq!(page.matches("<tr").count(), 17);
}

#[test]
fn a_swept_key_that_does_not_matter_to_a_run_has_no_value_there_not_even_a_dash() {
    let page = report(&[synthetic::graphs()]);
    let data = page.split("<script type=\"application/json\"").nth(1).unwrap();
    assert!(data.contains(r#""keys":{"algorithm":"dpcda"}"#));
    assert!(still(&page).contains("graph ring, grid, geometric, complete · 7 nodes"));
    assert!(!page.contains("\"–\"") && !page.contains(">–<"));
}

#[test]
fn the_page_asks_the_network_for_nothing() {
    let page = report(&[synthetic::dense(), synthetic::tiny()]);
    for word in ["http://", "https://", "@import", "url(", " src=", "<link"] {
        // The name of the SVG namespace is not an address that is fetched.
        let rest = page.replace("http://www.w3.org/2000/svg", "");
        assert!(!rest.contains(word), "{word}");
    }
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn hostile_strings_stay_text_wherever_they_come_from() {
    let page = report(&[synthetic::hostile(), synthetic::hostile()]);
    assert_eq!(page.matches("<script").count(), 2, "the data and the one script of the page");
    assert_eq!(page.matches("</script").count(), 2);
    assert_eq!(page.matches("<img").count(), 0);
    assert_eq!(page.matches("<!--").count(), 0);
    assert!(page.contains("&lt;/script&gt;&lt;script&gt;window.hacked=1"));
    assert!(page.contains("{{script}}"), "a placeholder in a title is only text");
}

#[test]
fn an_interrupted_run_says_so_and_a_whole_one_does_not() {
    assert!(still(&report(&[synthetic::empty()])).contains("This run was interrupted."));
    assert!(!still(&report(&[synthetic::dense()])).contains("interrupted."));
}

#[test]
fn what_a_run_warns_of_stands_under_the_title_also_without_scripts() {
    let mut run = synthetic::dense();
    run.manifest["warnings"] = json!(["run 3: the cost of trial 1 became infinite in round 11"]);
    let page = report(&[run]);
    let page = still(&page);
    let at = |text: &str| page.find(text).unwrap_or(usize::MAX);
    let warning = at("<p class=\"warning\">run 3: the cost of trial 1 became infinite in round 11</p>");
    assert!(at("<h1>") < warning && warning < at("<nav"));
}

#[test]
fn a_trial_that_diverges_takes_its_run_out_of_the_means_and_no_other() {
    let page = report(&[synthetic::diverging()]);
    let data = page.split("<script type=\"application/json\"").nth(1).unwrap();
    // Cost, and the two regrets at their next checkpoint.
    assert_eq!((data.matches("\"ends\":11").count(), data.matches("\"ends\":12").count()), (1, 2));
    assert!(picture(&synthetic::diverging()).contains("a line ends where a trial diverges"));
}

#[test]
fn a_sweep_of_rounds_does_not_contradict_itself() {
    let page = report(&[synthetic::swept("rounds", [10, 20])]);
    let (head, rest) = page.split_once("<nav").unwrap();
    assert!(head.contains("7 nodes · 10, 20 rounds · 5 trials"));
    assert!(!head.contains("rounds 10") && !head.contains("· 10 rounds"));
    assert!(rest.contains("<th scope=\"col\" data-key=\"rounds\""));
}

#[test]
fn a_swept_quantity_is_linked_and_drawn_before_the_curves_and_names_after_them() {
    let order = |page: &str| {
        let at = |text: &str| page.find(text).unwrap();
        (at("href=\"#against\"") < at("href=\"#curves\""), at("id=\"against\"") < at("id=\"curves\""))
    };
    assert_eq!(order(&report(&[synthetic::dense()])), (true, true));
    assert_eq!(order(&report(&[synthetic::graphs()])), (false, false));
    assert!(!report(&[synthetic::tiny()]).contains("#against\""));
}

#[test]
fn a_swept_key_that_ends_like_a_column_is_named_apart_from_it_everywhere() {
    let mut run = synthetic::dense();
    for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate() {
        entry["settings"] = json!({"algorithm.name": entry["algorithm"], "network.delay.rounds": i % 4});
        run.summary[i]["network.delay.rounds"] = (i % 4).into();
    }
    let page = report(&[run]);
    assert!(page.contains("<th scope=\"col\" data-key=\"network.delay.rounds\" data-name=\"delay.rounds\""));
    assert!(page.contains("· delay.rounds 0, 1, 2, 3 · level"));
    assert!(page.contains(r#""delay.rounds":"3""#) && !page.contains(r#""rounds":"3""#));
}

#[test]
fn a_comparison_names_every_folder_and_folds_every_configuration() {
    let other = RunFolder { name: "other".into(), ..synthetic::dense() };
    let page = report(&[synthetic::dense(), other, synthetic::tiny()]);
    let page = still(&page);
    assert!(page.contains("Comparison of 3 run folders"));
    assert_eq!(page.matches("<details class=\"folder\">").count(), 3);
    assert_eq!(page.matches("<td data-v=\"other\">").count(), 16);
}

#[test]
fn no_shape_of_manifest_or_summary_breaks_the_page() {
    let odd = [
        json!(null),
        json!([]),
        json!("text"),
        json!({"runs": 3, "networks": [null, 1, {"rounds": 7}], "data": [null]}),
        json!({"runs": [null, {"settings": [1], "network": -1, "privacy": {}}], "title": 5, "trials": "many"}),
    ];
    for manifest in odd {
        let run = RunFolder {
            manifest: manifest.clone(),
            summary: vec![manifest, json!({"run": 0.5})],
            ..synthetic::tiny()
        };
        assert!(report(std::slice::from_ref(&run)).ends_with("</html>\n"));
        assert!(picture(&run).ends_with("</svg>\n"));
    }
    assert!(report(&[]).contains("No runs"));
}
