//! Privacy in plain words: every run's statement, said once for all the runs that share it.

use serde_json::Value;

use crate::{
    Run,
    cells::{self, Cell, describe},
    text::{escape, label},
};

/// Sentences, whether they are warnings, and the runs they hold for.
struct Statement<'a> {
    sentences: Vec<String>,
    warnings: Vec<String>,
    cells: Vec<&'a Cell>,
}

/// One block per folder.
pub(crate) fn section(runs: &[Run], all: &[Cell]) -> String {
    let mut html = String::new();
    for (folder, run) in runs.iter().enumerate() {
        let here: Vec<&Cell> = all.iter().filter(|c| c.folder == folder).collect();
        let statements = grouped(run, &here);
        if statements.is_empty() {
            continue;
        }
        if runs.len() > 1 {
            html.push_str(&format!("<h3>{}</h3>", escape(&run.name)));
        }
        html.push_str(&folder_block(&statements, &here));
    }
    html
}

fn folder_block(statements: &[Statement<'_>], here: &[&Cell]) -> String {
    // What every run says is said first, and once.
    let shared = match statements {
        [first, rest @ ..] if !rest.is_empty() => {
            let common = |s: &&String| rest.iter().all(|other| other.sentences.contains(s));
            first.sentences.iter().filter(common).cloned().collect()
        }
        _ => Vec::new(),
    };
    let mut html = String::from("<div class=\"statements\">");
    if !shared.is_empty() {
        html.push_str(&block("Every run", &shared, &[]));
    }
    for s in statements {
        let own: Vec<String> = s.sentences.iter().filter(|x| !shared.contains(x)).cloned().collect();
        if !own.is_empty() || !s.warnings.is_empty() {
            html.push_str(&block(&describe(&s.cells, here), &own, &s.warnings));
        }
    }
    html + "</div>"
}

fn block(who: &str, sentences: &[String], warnings: &[String]) -> String {
    let lines = |list: &[String], class: &str| -> String {
        list.iter().map(|s| format!("<p{class}>{}</p>", escape(s))).collect()
    };
    format!(
        "<div class=\"statement\"><h4>{}</h4><div>{}{}</div></div>\n",
        escape(who),
        lines(sentences, ""),
        lines(warnings, " class=\"warning\"")
    )
}

fn grouped<'a>(run: &Run, here: &[&'a Cell]) -> Vec<Statement<'a>> {
    let mut groups: Vec<Statement<'a>> = Vec::new();
    for (entry, cell) in cells::list(&run.manifest, "runs").iter().zip(here) {
        let texts = |key| cells::list(entry, key).iter().map(label).collect::<Vec<String>>();
        let (sentences, warnings) = (texts("privacy"), texts("warnings"));
        if sentences.is_empty() && warnings.is_empty() {
            continue;
        }
        match groups.iter_mut().find(|g| g.sentences == sentences && g.warnings == warnings) {
            Some(group) => group.cells.push(cell),
            None => groups.push(Statement { sentences, warnings, cells: vec![cell] }),
        }
    }
    groups
}

/// How many different warnings the `runs` or `networks` of some folders carry.
pub(crate) fn warnings(runs: &[Run], of: &str) -> usize {
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
    fn a_folder_without_statements_has_no_block() {
        assert_eq!(section(&[Run::default()], &[]), "");
        assert_eq!(warnings(&[Run::default()], "runs"), 0);
    }
}
