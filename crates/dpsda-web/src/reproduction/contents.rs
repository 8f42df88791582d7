//! The contents of the page: a line a section, with how many of its claims hold.

use super::{Block, Section, Statement, Verdict, blocks::class};
use crate::text::escape;

/// The sections as links, each with its verdicts counted.
pub(super) fn contents(sections: &[Section]) -> String {
    if sections.is_empty() {
        return String::new();
    }
    format!("<ol class=\"contents\">{}</ol>", sections.iter().map(entry).collect::<String>())
}

fn entry(section: &Section) -> String {
    let claims: Vec<&Statement> = section
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Statements(list) => Some(list),
            _ => None,
        })
        .flatten()
        .collect();
    let counts: String = [
        (Verdict::Holds, "hold", "holds"),
        (Verdict::Fails, "do not hold", "does not hold"),
        (Verdict::Open, "not decided", "not decided"),
    ]
    .into_iter()
    .filter_map(|(verdict, many, one)| {
        let count = claims.iter().filter(|s| s.verdict == verdict).count();
        let word = if count == 1 { one } else { many };
        (count > 0).then(|| format!("<span class=\"verdict {}\">{count} {word}</span>", class(verdict)))
    })
    .collect();
    format!(
        "<li><a href=\"#{}\">{}</a><span class=\"counts\">{counts}</span></li>",
        escape(&section.id),
        escape(&section.title)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_is_linked_with_its_verdicts_counted_over_all_its_lists() {
        let list = |verdicts: &[Verdict]| {
            let one = |verdict: &Verdict| Statement { claim: "c".into(), verdict: *verdict, figures: vec![] };
            Block::Statements(verdicts.iter().map(one).collect())
        };
        let decided = Section {
            id: "a".into(),
            title: "A & B".into(),
            blocks: vec![
                list(&[Verdict::Holds, Verdict::Holds]),
                Block::Text("between".into()),
                list(&[Verdict::Fails, Verdict::Holds]),
            ],
        };
        let html = contents(&[decided, Section { id: "b".into(), title: "B".into(), blocks: vec![] }]);
        assert!(html.contains("<a href=\"#a\">A &amp; B</a>"));
        assert!(
            html.contains(">3 hold</span>")
                && html.contains(">1 does not hold</span>")
                && !html.contains("decided")
        );
        assert!(html.contains("<a href=\"#b\">B</a><span class=\"counts\"></span>"));
        assert_eq!(contents(&[]), "");
    }
}
