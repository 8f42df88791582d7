//! The page of a reproduction: it fits, its tables scroll in their own boxes and say so, its contents count.

use dpsda_web::reproduction::{
    Block, Book, Cell, Figure, Head, Ink, Line, Panel, Point, Row, Scale, Section, Statement, Table, Verdict,
    page,
};

use crate::{
    assert_no_overflow,
    driver::{DESKTOP, PHONE, look_at},
};

/// A section with a long and wide table, a figure of two panels, and a claim.
fn book() -> Book {
    let head = |label: &str, numbers| Head { label: label.into(), numbers, group: String::new() };
    let cell = |text: String| Cell { text, small: "from the least to the most".into(), printed: false };
    let row = |k: usize| {
        let whom = |text: &str| Cell {
            text: if k.is_multiple_of(6) { text.into() } else { String::new() },
            ..Cell::default()
        };
        let mut cells =
            vec![whom("DPSDA-C"), whom("level 1"), cell("done right, best step for accuracy".into())];
        cells.extend((0..14).map(|i| cell(format!("{i}.25 ± 1.92"))));
        Row { first: k.is_multiple_of(6), cells }
    };
    let mut heads = vec![head("algorithm", false), head("level", false), head("setting", false)];
    heads.extend((0..14).map(|_| head("last model", true)));
    let line = |k: u8| Line {
        name: format!("line {k}"),
        ink: Ink::Hue(k),
        dashed: false,
        points: (1..9)
            .map(|t| Point { t: f64::from(t), value: f64::from(t + i32::from(k)), band: None })
            .collect(),
    };
    let panel = |title: &str| Panel {
        title: title.into(),
        lines: (0..7).map(line).collect(),
        marks: vec![(7.5, "something is revealed".into())],
    };
    let figure = Figure {
        title: "A figure".into(),
        caption: "What to see.".into(),
        across: Scale { label: "round T".into(), log: true },
        up: Scale { label: "regret per round".into(), log: true },
        panels: vec![panel("directed: DPSDA-PS, DPPS and DPSR"), panel("level 1")],
    };
    let claim = |verdict| Statement { claim: "It is so.".into(), verdict, figures: vec!["1 > 0".into()] };
    let blocks = vec![
        Block::Figure(figure),
        Block::Table(Table { caption: "Both numbers".into(), heads, rows: (0..60).map(row).collect() }),
        Block::Statements(vec![claim(Verdict::Holds), claim(Verdict::Fails)]),
    ];
    Book {
        title: "Theirs and ours".into(),
        sections: vec![Section { id: "one".into(), title: "One".into(), blocks }],
        ..Book::default()
    }
}

#[test]
fn a_wide_table_scrolls_in_its_own_box_and_its_edges_say_that_there_is_more() {
    for (name, screen) in [("book", DESKTOP), ("book-phone", PHONE)] {
        look_at(name, &page(&book()), screen, async |page| {
            assert_no_overflow(page).await;
            let wide = "return document.querySelector('.wide').className";
            assert_eq!(page.js(wide).await, "wide more-right more-below", "{name}");
            // Far down and to the right, the heads and the column that tells rows apart are still there.
            let seen = "const box = document.querySelector('.scroll');
                box.scrollTop = 700; box.scrollLeft = 400;
                const at = (e) => e.getBoundingClientRect(), frame = at(box);
                const head = at(box.querySelector('thead')), first = at(box.querySelectorAll('tbody tr')[20].cells[0]);
                const whom = at([...box.querySelectorAll('.whom span')].find(s => at(s).top > head.bottom));
                return [Math.abs(head.top - frame.top) < 4, Math.abs(first.left - frame.left) < 4, whom.left >= frame.left,
                    first.width < 0.5 * frame.width]";
            assert_eq!(page.js(seen).await, serde_json::json!([true, true, true, true]), "{name}");
            let end = "const box = document.querySelector('.scroll'); box.scrollTop = box.scrollLeft = 1e6;
                return new Promise((done) => setTimeout(() => done(document.querySelector('.wide').className), 100))";
            assert_eq!(page.js(end).await, "wide more-left", "{name}");
        });
    }
}

#[test]
fn words_of_a_figure_stay_inside_it_and_are_large_enough_to_read() {
    for (name, screen) in [("figure", DESKTOP), ("figure-phone", PHONE)] {
        look_at(name, &page(&book()), screen, async |page| {
            let inside = "return [...document.querySelectorAll('.panels svg')].flatMap(s => {
                const box = s.getBoundingClientRect();
                return [...s.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]).filter(([, t]) =>
                    t.left < box.left - 0.5 || t.right > box.right + 0.5 || t.top < box.top - 0.5 || t.bottom > box.bottom + 0.5
                    || Math.min(t.width, t.height) < (t.width < 9 ? 5 : 10)).map(([text]) => text);
            })";
            assert_eq!(page.js(inside).await, serde_json::json!([]), "{name}");
        });
    }
}

#[test]
fn the_contents_count_verdicts_and_lead_to_sections() {
    look_at("contents", &page(&book()), PHONE, async |page| {
        assert_eq!(page.text(".contents li").await, "One1 holds1 does not hold");
        page.click(".contents a").await;
        assert_eq!(page.js("return location.hash").await, "#one");
    });
}
