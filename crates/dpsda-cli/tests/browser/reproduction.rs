//! The page of a reproduction: it fits, its tables scroll in their own boxes and say so, its contents count.

use crate::{
    assert_no_overflow,
    book::{BOOK, report, row, series},
    driver::{DESKTOP, PHONE, look_at},
};

/// A page with a long and wide table, a figure of two panels, and two claims.
fn page() -> String {
    let names: Vec<String> = (0..7).map(|k| format!("line-{k}")).collect();
    let mut text = BOOK.replace("levels = [inf, 1.0]", "levels = [inf, 4.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1]");
    let columns: Vec<String> = (0..14).map(|k| format!("\"ours-{k}\"")).collect();
    text = text.replace("\"paper\", \"ours\"", &columns.join(", "));
    let column =
        |k: usize| format!("ours-{k} = {{ label = \"last model\", value = \"fitness\", places = 2 }}\n");
    text = text.replace("[panels]", &((0..14).map(column).collect::<String>() + "[panels]"));
    let algorithm = |name: &String| format!("[[algorithm]]\nname = \"{name}\"\nhue = {}\n", &name[5..]);
    text = text.replace("[measure]", &(names.iter().map(algorithm).collect::<String>() + "[measure]"));
    let panels = ["directed: DPSDA-PS, DPPS and DPSR", "level 1"]
        .map(|title| format!("{{ title = \"{title}\", who = {names:?}, levels = [inf] }}"));
    text = text.replace(
        "algorithms = [{ title = \"p\", who = [\"a\", \"b\", \"floor\"], levels = [inf] }]",
        &format!("algorithms = [{}]", panels.join(", ")),
    );
    text =
        text.replace("panels = \"algorithms\"", "panels = \"algorithms\"\nmark = \"something is revealed\"");
    text = text
        .replace("ours = \"our steps\"", "event = 7")
        .replace("\"as printed\"", "\"done right, best step for accuracy\"");
    text = text.replace("log = [\"up\"]", "log = [\"across\", \"up\"]");
    let claim =
        "[[section.statement]]\nfiles = ['x']\ncheck = ['differs']\nby = ['fitness']\nclaim = 'It is so.'\n";
    text = text.replace("[[note]]", &format!("{claim}[[note]]"));
    let levels = [f64::INFINITY, 4.0, 3.0, 2.0, 1.0, 0.5, 0.2, 0.1];
    let each = names
        .iter()
        .zip(0..)
        .flat_map(|(name, run)| levels.map(|level| row(run, name, level, &[1.25, 3.17])));
    let rows = each.chain([row(8, "a", 1.0, &[2.0, 2.1, 2.2]), row(9, "b", 1.0, &[1.0, 1.1, 1.2])]).collect();
    let points = |k: i64| -> Vec<(f64, f64)> { (1..9).map(|t| (t as f64, (t + k) as f64)).collect() };
    let points: Vec<(i64, Vec<(f64, f64)>)> = (0..7).map(|k| (k, points(k))).collect();
    let points: Vec<(i64, &[(f64, f64)])> = points.iter().map(|(run, points)| (*run, &points[..])).collect();
    report(&text, rows, series(&points)).0
}

#[test]
fn a_wide_table_scrolls_in_its_own_box_and_its_edges_say_that_there_is_more() {
    for (name, screen) in [("book", DESKTOP), ("book-phone", PHONE)] {
        look_at(name, &page(), screen, async |page| {
            assert_no_overflow(page).await;
            let wide = "return document.querySelector('.wide').className";
            assert_eq!(page.js(wide).await, "wide more-right more-below", "{name}");
            // Far down and to the right, the heads and the column that tells rows apart are still there.
            let seen = "const box = document.querySelector('.scroll');
                box.scrollTop = 700; box.scrollLeft = 400;
                const at = (e) => e.getBoundingClientRect(), frame = at(box);
                const head = at(box.querySelector('thead')), first = at(box.querySelectorAll('tbody tr:not(.whom)')[20].cells[0]);
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
        look_at(name, &page(), screen, async |page| {
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
    look_at("contents", &page(), PHONE, async |page| {
        assert_eq!(page.text(".contents li:nth-child(2)").await, "One1 holds1 not decided");
        page.click(".contents li:nth-child(2) a").await;
        assert_eq!(page.js("return location.hash").await, "#one");
    });
}
