//! Curves that must not say more than the trials do: lost trials, bands at their bounds, lone points.

use dpsda_web::RunFolder;

use crate::{
    HEADLINE,
    driver::{DESKTOP, Page, look},
    lines, synthetic,
};

const COST: &str = "figure[data-measure='fitness']";

#[test]
fn a_curve_ends_where_a_trial_is_lost_and_the_caption_says_so() {
    look("diverging", &[synthetic::diverging()], DESKTOP, async |page| {
        for (figure, first) in [(HEADLINE, 12), (COST, 11)] {
            assert_eq!(page.count(&format!("{figure} path.end")).await, 1);
            assert_eq!(page.count(&format!("{figure} .run[data-cell='3'] path.end")).await, 1);
            let caption = page.text(&format!("{figure} figcaption")).await;
            assert!(caption.contains(&format!("dpsda-c at level 0.2 before round {first}")), "{caption}");
            assert!(caption.contains("the remaining trials are not averaged"), "{caption}");
        }
        // The line of the run that goes on reaches the right edge; the other stops at round 10 of 60.
        let right = async |cell: u8| -> f64 {
            let script = format!(
                "const b = document.querySelector(\"{COST} .run[data-cell='{cell}'] path.line\").getBBox(); return b.width"
            );
            page.js(&script).await.as_f64().unwrap()
        };
        let part = right(3).await / right(7).await;
        assert!((part - 9.0 / 59.0).abs() < 0.01, "{part}");
        // After the end, the tip has no value for it.
        page.keys(&format!("{COST} .panel:nth-child(4)"), "\u{e010}").await;
        assert!(page.text(".tip").await.contains("dpsda-cended"));
        let disagreement = page.text("figure[data-measure='disagreement'] figcaption").await;
        assert!(!disagreement.contains("early"));
    });
}

#[test]
fn costs_beyond_all_bounds_are_drawn_without_an_error() {
    let mut run = synthetic::diverging();
    for row in run.series.rows.iter_mut().filter(|r| r[0] == Some(3.0)) {
        let t = row[2].unwrap();
        row[3] = Some(10f64.powf(-5.0 + 313.0 * t / 60.0));
    }
    look("huge", &[run], DESKTOP, async |page| {
        assert_eq!(lines(page, COST).await, 16);
        assert_eq!(page.count("path[d*='NaN'], path[d*='Infinity'], line[y1='NaN']").await, 0);
    });
}

/// Two trials of one run, the first at `a`, the second at `b`, in one column.
fn two(column: &str, values: &[(f64, f64)]) -> RunFolder {
    let mut run = synthetic::tiny();
    run.series.columns = ["run", "trial", "t", column].map(String::from).to_vec();
    run.series.rows = values
        .iter()
        .enumerate()
        .flat_map(|(i, &(a, b))| {
            [(0.0, a), (1.0, b)].map(|(trial, v)| vec![Some(0.0), Some(trial), Some(i as f64 + 1.0), Some(v)])
        })
        .collect();
    run
}

/// The values at the lower and upper end of the first band, read off the axis by its ticks.
async fn reach(page: &Page) -> (f64, f64) {
    let script = "const svg = document.querySelector('.panel svg'), b = svg.querySelector('path.band').getBBox();
        const ticks = [...svg.querySelectorAll('text[text-anchor=end]')].map(t => [Number(t.getAttribute('y')),
            Number(t.textContent.replace('\u{2212}', '-').replace(' %', ''))]);
        const [[y0, v0], [y1, v1]] = [ticks[0], ticks.at(-1)], at = (y) => v0 + (y - y0) * (v1 - v0) / (y1 - y0);
        return [at(b.y + b.height), at(b.y)]";
    let ends = page.js(script).await;
    (ends[0].as_f64().unwrap(), ends[1].as_f64().unwrap())
}

#[test]
fn bands_stop_at_what_a_value_can_be_and_regret_may_be_negative() {
    let near = |a: f64, b: f64| (a - b).abs() < 0.02 * b.abs().max(1.0);
    // Means 5 and 6, standard deviations 7.1 and 8.5.
    look("floor", &[two("disagreement", &[(0.0, 10.0), (0.0, 12.0)])], DESKTOP, async |page| {
        let (low, high) = reach(page).await;
        assert!(near(low, 0.0) && near(high, 6.0 + 72f64.sqrt()), "{low} to {high}");
    });
    look("ceiling", &[two("accuracy_progressive", &[(1.0, 0.0), (1.0, 0.8)])], DESKTOP, async |page| {
        let (low, high) = reach(page).await;
        assert!(near(low, 0.0) && (high - 100.0).abs() < 1.5, "{low} to {high}");
    });
    look("no-floor", &[two("regret_per_round", &[(-5.0, 5.0), (-6.0, 5.0)])], DESKTOP, async |page| {
        let (low, _) = reach(page).await;
        assert!(low < -7.0, "{low}");
    });
}

#[test]
fn bands_lie_below_all_lines_and_the_run_in_focus_has_the_only_strong_one() {
    look("lit", &[synthetic::dense()], DESKTOP, async |page| {
        let below = format!(
            "const p = document.querySelector(\"{HEADLINE} .panel svg\"), all = [...p.querySelectorAll('.band, .line')];
            return all.findLastIndex(e => e.matches('.band')) < all.findIndex(e => e.matches('.line'))"
        );
        assert_eq!(page.js(&below).await, true);
        let strong = format!(
            "return [...document.querySelectorAll(\"{HEADLINE} .panel:first-child .shade\")]
            .filter(g => Number(getComputedStyle(g.firstChild).fillOpacity) > 0.2).map(g => Number(g.dataset.cell))"
        );
        assert_eq!(page.js(&strong).await, serde_json::json!([]));
        // Down: the line that is highest at the end, then the next.
        page.keys(&format!("{HEADLINE} .panel"), "\u{e015}").await;
        assert_eq!(page.js(&strong).await, serde_json::json!([4]));
        page.keys(&format!("{HEADLINE} .panel"), "\u{e015}").await;
        assert_eq!(page.js(&strong).await, serde_json::json!([0]));
        assert!(page.text(".tip div.on").await.starts_with("dpsda-c"));
        page.js("document.querySelector(\".keys button[data-label='dpsda-r']\").focus()").await;
        assert_eq!(page.js(&strong).await, serde_json::json!([8]));
        page.js("document.activeElement.blur()").await;
        assert_eq!(page.js(&strong).await, serde_json::json!([]));
    });
}

#[test]
fn a_single_round_is_said_and_not_drawn() {
    let mut run = synthetic::dense();
    run.series.rows.retain(|r| r[2] == Some(1.0));
    look("one-round", &[run], DESKTOP, async |page| {
        assert_eq!((page.count(".panel").await, page.count(&format!("{HEADLINE} .value")).await), (0, 16));
        assert_eq!(page.count(&format!("{HEADLINE} .values")).await, 4, "one list per level");
        assert!(page.text(&format!("{HEADLINE} .value")).await.contains(" ± "));
        assert!(page.text(&format!("{HEADLINE} figcaption")).await.contains("Only round 1 has a value"));
        page.click(".keys button[data-label='dpsda-ps']").await;
        assert_eq!(page.count(&format!("{HEADLINE} .value")).await, 12);
        let switches =
            "return [...document.querySelectorAll(\"[data-switch^='log']\")].some(b => b.offsetWidth > 0)";
        assert_eq!(page.js(switches).await, false);
    });
    let mut run = synthetic::tiny();
    run.series.rows.retain(|r| r[2] == Some(5.0));
    look("one-point", &[run], DESKTOP, async |page| {
        assert_eq!(page.count("figure").await, 0);
        let said = "In round 5, the only one with a value: regret per round 0.2, average cost 0.4.";
        assert_eq!(page.text("#curves .note").await, said);
    });
}

#[test]
fn ticks_of_rounds_are_whole_and_a_line_of_two_points_has_dots() {
    look("few", &[two("disagreement", &[(1.0, 2.0), (2.0, 4.0)])], DESKTOP, async |page| {
        let ticks = "return [...document.querySelectorAll('.panel svg text[text-anchor=middle]')].map(t => t.textContent)";
        assert_eq!(page.js(ticks).await, serde_json::json!(["0", "1", "2"]));
        assert_eq!(page.count(".run circle.dot").await, 2);
    });
}

#[test]
fn bounds_are_drawn_beside_their_lines_when_asked_for() {
    let mut run = synthetic::dense();
    run.series.columns.extend(["regret_bound".into(), "theorem1".into()]);
    run.series.rows.iter_mut().for_each(|row| {
        let t = row[2].unwrap_or(1.0);
        row.extend([Some(900.0 / t.sqrt()), Some(300.0 / t.sqrt())]);
    });
    look("bounds", &[run], DESKTOP, async |page| {
        let bounds = format!("{HEADLINE} .bound path");
        assert_eq!(page.count(&bounds).await, 0, "not unless asked");
        page.click(&format!("{HEADLINE} [data-switch='bounds']")).await;
        assert_eq!((page.count(&bounds).await, lines(page, HEADLINE).await), (32, 16));
        assert!(page.text(&format!("{HEADLINE} figcaption")).await.contains("Theorem 1 along the run"));
        // The axis has made room: every bound is above every line, and inside its panel.
        let inside = format!(
            "const top = (s) => Math.min(...[...document.querySelectorAll(\"{HEADLINE} \" + s)].map(p => p.getBBox().y)); \
             return [top('.bound path') >= 0, top('.bound path') < top('.run path.line')]"
        );
        assert_eq!(page.js(&inside).await, serde_json::json!([true, true]));
        page.click(".keys button[data-label='dpsda-ps']").await;
        assert_eq!(page.count(&bounds).await, 24, "hidden with their lines");
        page.click(&format!("{HEADLINE} [data-switch='bounds']")).await;
        assert_eq!(page.count(&bounds).await, 0);
    });
}
