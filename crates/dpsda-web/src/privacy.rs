//! Privacy in plain words: each statement once, with the runs it holds for.

use dpsda::metric::{mechanism, run};
use serde_json::Value;

use crate::{
    RunFolder,
    cells::{self, ListedRun, describe},
    html::paragraph,
    text::{escape, label},
};

/// Sentences, warnings, and the runs they hold for.
struct PrivacyStatement<'a> {
    sentences: Vec<String>,
    warnings: Vec<String>,
    cells: Vec<&'a ListedRun>,
}

/// One block per folder.
pub(crate) fn section(runs: &[RunFolder], all: &[ListedRun]) -> String {
    let mut html = String::new();
    for (folder, run) in runs.iter().enumerate() {
        let here: Vec<&ListedRun> = all.iter().filter(|c| c.folder == folder).collect();
        let statements = grouped(run, &here);
        if statements.is_empty() {
            continue;
        }
        if runs.len() > 1 {
            html.push_str(&format!("<h3>{}</h3>", escape(&run.name)));
        }
        html.push_str(&folder_block(run, &statements, &here));
    }
    html
}

fn folder_block(run: &RunFolder, statements: &[PrivacyStatement<'_>], here: &[&ListedRun]) -> String {
    let mut html = String::from("<div class=\"statements\">");
    let mut said: Vec<String> = Vec::new();
    let everybody: Vec<&PrivacyStatement<'_>> = statements.iter().collect();
    let noised: Vec<&PrivacyStatement<'_>> = statements.iter().filter(|s| noised(run, s)).collect();
    // First the sentences that all runs share, then those that all noised runs share, then the rest.
    for (who, group) in [("Every run", &everybody), ("For every noised run", &noised)] {
        let sentences = common(&group.iter().map(|s| s.sentences.as_slice()).collect::<Vec<_>>(), &said);
        let warnings = common(&group.iter().map(|s| s.warnings.as_slice()).collect::<Vec<_>>(), &said);
        if !sentences.is_empty() || !warnings.is_empty() {
            html.push_str(&block(who, &sentences, &warnings));
        }
        said.extend(sentences.into_iter().chain(warnings));
    }
    for s in statements {
        let own = |list: &[String]| list.iter().filter(|x| !said.contains(x)).cloned().collect::<Vec<_>>();
        let (sentences, warnings) = (own(&s.sentences), own(&s.warnings));
        if !sentences.is_empty() || !warnings.is_empty() {
            html.push_str(&block(&describe(&s.cells, here), &sentences, &warnings));
        }
    }
    html + "</div>"
}

/// Sentences that all of several lists have and that were not said yet. A single list shares nothing.
fn common(lists: &[&[String]], said: &[String]) -> Vec<String> {
    match lists {
        [first, rest @ ..] if !rest.is_empty() => {
            let shared = |s: &&String| !said.contains(s) && rest.iter().all(|other| other.contains(s));
            first.iter().filter(shared).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether every run of a statement adds noise, by its row of the summary.
fn noised(run: &RunFolder, statement: &PrivacyStatement<'_>) -> bool {
    statement.cells.iter().all(|cell| {
        let row = run
            .summary
            .iter()
            .find(|row| row.get(run::LISTING.name).and_then(Value::as_i64) == Some(cell.run));
        row.and_then(|row| row.get(mechanism::LISTING.name)?.as_str())
            .is_some_and(|name| !matches!(name, "" | "none"))
    })
}

fn block(who: &str, sentences: &[String], warnings: &[String]) -> String {
    let lines =
        |list: &[String], class: &str| -> String { list.iter().map(|text| paragraph(class, text)).collect() };
    format!(
        "<div class=\"statement\"><h4>{}</h4><div>{}{}</div></div>\n",
        escape(who),
        lines(sentences, ""),
        lines(warnings, "warning")
    )
}

fn grouped<'a>(run: &RunFolder, here: &[&'a ListedRun]) -> Vec<PrivacyStatement<'a>> {
    let mut groups: Vec<PrivacyStatement<'a>> = Vec::new();
    for (entry, cell) in cells::list(&run.manifest, "runs").iter().zip(here) {
        let texts = |key| cells::list(entry, key).iter().map(label).collect::<Vec<String>>();
        let (sentences, warnings) = (texts("privacy"), texts("warnings"));
        if sentences.is_empty() && warnings.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|g| g.sentences == sentences && g.warnings == warnings) {
            Some(group) => group.cells.push(cell),
            None => groups.push(PrivacyStatement { sentences, warnings, cells: vec![cell] }),
        }
    }
    groups
}

/// How many different warnings the `runs` or `networks` of some folders have.
pub(crate) fn warnings(runs: &[RunFolder], of: &str) -> usize {
    let mut distinct: Vec<&Value> = Vec::new();
    let entries = runs.iter().flat_map(|run| cells::list(&run.manifest, of));
    for warning in entries.flat_map(|entry| cells::list(entry, "warnings")) {
        if !distinct.contains(&warning) {
            distinct.push(warning);
        }
    }
    distinct.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cells::cells, synthetic};

    #[test]
    fn a_sentence_shared_by_runs_is_said_once() {
        let runs = [synthetic::dense()];
        let html = section(&runs, &cells(&runs));
        assert_eq!(html.matches("Only messages are protected").count(), 1);
        assert_eq!(html.matches("<h4>Every run</h4>").count(), 1);
        assert_eq!(html.matches("no clip").count(), 3, "one warning per noisy level");
    }

    #[test]
    fn what_every_noised_run_says_is_said_once_and_the_others_keep_to_themselves() {
        let mut run = synthetic::dense();
        for i in 0..16 {
            let entry = &mut run.manifest["runs"][i];
            entry["privacy"] = match i % 4 {
                0 => serde_json::json!(["Nothing is noised."]),
                k => serde_json::json!([
                    format!("Noise of scale {k}."),
                    "The noise is idealised.",
                    "Nobody is safe."
                ]),
            };
            entry["warnings"] =
                if i % 4 == 0 { serde_json::json!([]) } else { serde_json::json!(["no clip"]) };
        }
        let runs = [run];
        let html = section(&runs, &cells(&runs));
        let block = "<h4>For every noised run</h4><div><p>The noise is idealised.</p><p>Nobody is safe.</p>\
                     <p class=\"warning\">no clip</p></div>";
        assert!(html.contains(block), "{html}");
        assert_eq!((html.matches("idealised").count(), html.matches("no clip").count()), (1, 1));
        for own in ["Noise of scale 1.", "Noise of scale 2.", "Noise of scale 3.", "Nothing is noised."] {
            assert!(html.contains(&format!("</h4><div><p>{own}</p></div>")), "{own}");
        }
    }

    #[test]
    fn a_folder_without_statements_has_no_block() {
        assert_eq!(section(&[RunFolder::default()], &[]), "");
        assert_eq!(warnings(&[RunFolder::default()], "runs"), 0);
    }
}
