//! The page in a real browser: it draws, its switches work, it fits a phone, and hostile names stay names.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests stand outside #[test]")]

use dpsda_web::RunFolder;

#[path = "../../../dpsda-node/tests/http/sample.rs"]
mod board;
#[path = "../../../dpsda-web/tests/synthetic/book.rs"]
mod book;
mod curves;
mod driver;
mod legend;
mod node;
mod reproduction;
#[path = "../../../dpsda-web/tests/synthetic/run.rs"]
mod synthetic;
mod table;

use driver::{DESKTOP, PHONE, Page, Screen, look};

const HEADLINE: &str = "figure[data-measure='regret_per_round']";

async fn lines(page: &Page, figure: &str) -> u64 {
    page.count(&format!("{figure} path.line")).await
}

/// The path of one run's line in the headline.
async fn path(page: &Page, cell: usize) -> String {
    let css = format!("{HEADLINE} .run[data-cell='{cell}'] path.line");
    page.js(&format!("return document.querySelector(\"{css}\").getAttribute('d')")).await.to_string()
}

async fn assert_no_overflow(page: &Page) {
    let width = page.js("return [document.documentElement.scrollWidth, innerWidth]").await;
    assert!(width[0].as_u64() <= width[1].as_u64(), "wider than the window: {width}");
}

#[test]
fn every_run_has_a_line_in_every_chart_and_bands_around_it() {
    look("desktop", &[synthetic::dense()], DESKTOP, async |page| {
        for measure in
            ["regret_per_round", "averaged_regret_per_round", "fitness", "accuracy_progressive", "messages"]
        {
            let figure = format!("figure[data-measure='{measure}']");
            assert_eq!(lines(page, &figure).await, 16, "{measure}");
            assert_eq!(page.count(&format!("{figure} .panel")).await, 4, "one panel per level");
        }
        assert_eq!(page.count(&format!("{HEADLINE} path.band")).await, 16);
        assert_eq!(page.count(&format!("{HEADLINE} path.guide")).await, 4);
        assert_eq!(page.count("path[d*='NaN'], path[d*='Infinity'], path[d='']").await, 0);
        assert_eq!(page.count("svg[role='img'] > title").await, page.count("svg[role='img']").await);
        assert_no_overflow(page).await;
    });
}

#[test]
fn the_figure_against_a_swept_key_is_readable_on_a_desktop_and_on_a_phone() {
    for (name, screen, class) in [("against", DESKTOP, "broad"), ("against-phone", PHONE, "narrow")] {
        look(name, &[synthetic::dense()], screen, async |page| {
            let shown = "return [...document.querySelectorAll('#against figure > svg')].filter(s => s.getBoundingClientRect().width > 0).map(s => s.getAttribute('class'))";
            assert_eq!(page.js(shown).await, serde_json::json!([class]));
            let small = format!("const s = document.querySelector('#against svg.{class}'); const box = s.getBoundingClientRect();
                const texts = [...s.querySelectorAll('text')].map(t => t.getBoundingClientRect());
                return [Math.min(...texts.map(t => t.height)) >= 10, texts.every(t => t.right <= box.right + 0.5)]");
            assert_eq!(page.js(&small).await, serde_json::json!([true, true]), "{class}");
        });
    }
}

#[test]
fn axes_turn_from_log_to_linear_and_regret_from_per_round_to_cumulative() {
    look("linear", &[synthetic::dense()], DESKTOP, async |page| {
        let log = path(page, 0).await;
        page.click(&format!("{HEADLINE} [data-switch='logY']")).await;
        let linear = path(page, 0).await;
        assert_ne!(log, linear);
        page.click(&format!("{HEADLINE} [data-switch='logY']")).await;
        assert_eq!(path(page, 0).await, log);
        page.click(&format!("{HEADLINE} [data-switch='cumulative']")).await;
        assert_ne!(path(page, 0).await, log);
        assert_eq!(page.text(&format!("{HEADLINE} h3")).await, "Regret");
        assert!(page.text(&format!("{HEADLINE} figcaption")).await.contains("proportional to √t"));
    });
}

#[test]
fn colour_and_panels_trade_places() {
    look("swap", &[synthetic::dense()], DESKTOP, async |page| {
        assert_eq!(page.text(&format!("{HEADLINE} text.name")).await, "level ∞");
        page.click("#swap").await;
        assert_eq!(page.text(&format!("{HEADLINE} text.name")).await, "dpsda-c");
        assert_eq!(page.count(".keys button").await, 4);
        assert_eq!(page.text(".keys button").await, "level ∞");
        assert_eq!(lines(page, HEADLINE).await, 16);
    });
}

#[test]
fn a_run_that_a_key_does_not_matter_to_is_in_every_panel_and_neutral_among_its_colours() {
    look("graphs", &[synthetic::graphs()], DESKTOP, async |page| {
        let titles = "return [...document.querySelectorAll(\"figure[data-measure='regret_per_round'] text.name\")].map(t => t.textContent)";
        assert_eq!(
            page.js(titles).await,
            serde_json::json!(["graph ring", "graph grid", "graph geometric", "graph complete"])
        );
        assert_eq!(page.count(&format!("{HEADLINE} .panel .run[data-cell='12']")).await, 4);
        assert_eq!(lines(page, HEADLINE).await, 12 + 4);
        assert!(
            page.text(&format!("{HEADLINE} figcaption")).await.contains("dpcda: the same in every panel.")
        );
        page.click(".keys button[data-label='dpcda']").await;
        assert_eq!(lines(page, HEADLINE).await, 12);
        assert!(!page.text(&format!("{HEADLINE} figcaption")).await.contains("dpcda"));

        page.click("#swap").await;
        let legend = "return [...document.querySelectorAll('.keys button')].map(b => b.textContent)";
        assert_eq!(
            page.js(legend).await,
            serde_json::json!(["graph ring", "graph grid", "graph geometric", "graph complete", "dpcda"])
        );
        let neutral = ".run.floor[data-cell='12'][style='--c:var(--floor)']";
        assert_eq!(page.count(&format!("{HEADLINE} {neutral}")).await, 1);
        assert_eq!(page.count(".keys button[data-label='dpcda'] svg.floor").await, 1);
        assert_eq!(lines(page, HEADLINE).await, 13);
        page.click(".keys button[data-label='dpcda']").await;
        assert_eq!(lines(page, HEADLINE).await, 12);
        let row = "const at = (key) => [...document.querySelectorAll('#summary th')].findIndex(th => th.dataset.key === key);
            const cells = document.querySelector('#summary tr[data-cell=\"12\"]').cells;
            return ['algorithm', 'network.graph'].map(key => cells[at(key)]).map(td => [td.dataset.v, td.querySelectorAll('.swatch').length])";
        assert_eq!(page.js(row).await, serde_json::json!([["dpcda", 1], ["", 0]]));
    });
}

#[test]
fn a_run_that_a_held_key_does_not_matter_to_is_shown_at_every_value_of_it() {
    let swept = |name: &str| {
        let mut run = RunFolder { name: name.into(), ..synthetic::dense() };
        for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate().take(12) {
            entry["settings"]["network.nodes"] = (7 + i / 4).into();
        }
        run
    };
    look("held-everywhere", &[swept("one"), swept("two")], DESKTOP, async |page| {
        for (value, own) in [("=7", 8), ("=9", 8), ("*", 24)] {
            page.js(&format!("const s = [...document.querySelectorAll('.controls label')].find(l => l.textContent.startsWith('nodes'))
                .querySelector('select'); s.value = '{value}'; s.dispatchEvent(new Event('change'))")).await;
            assert_eq!(lines(page, HEADLINE).await, own + 8, "nodes {value}");
        }
        let options = "return [...document.querySelectorAll('.controls option')].some(o => o.textContent.includes('–'))";
        assert_eq!(page.js(options).await, false);
    });
}

#[test]
fn bands_that_come_near_zero_do_not_stretch_a_log_axis() {
    let mut run = synthetic::tiny();
    run.series.rows = [(1.0, 1.0, 9.0), (2.0, 1.38, 8.0), (3.0, 2.0, 2.1), (4.0, 1.0, 1.2)]
        .iter()
        .flat_map(|&(t, a, b)| [(0.0, a, t), (1.0, b, t)])
        .map(|(trial, v, t)| [0.0, trial, t, 1.0, v].map(Some).to_vec())
        .collect();
    look("log-band", &[run], DESKTOP, async |page| {
        assert_eq!(page.count(&format!("{HEADLINE} path.band")).await, 1);
        // In round 2 the band's lower end is 0.009. The lowest mean, 1.1, lies at most a factor 3 above the bottom: ticks say where the axis ends.
        let ends = format!(
            "const p = document.querySelector(\"{HEADLINE} .panel svg\");
            return [...p.querySelectorAll('text[text-anchor=end]')].map(t => Number(t.textContent)).filter(v => v < 1.1 / 3)"
        );
        assert_eq!(page.js(&ends).await, serde_json::json!([]));
        let span = format!(
            "const box = (s) => document.querySelector(\"{HEADLINE} \" + s).getBBox();
            return box('path.line').height / box('path.band').height"
        );
        assert!(page.js(&span).await.as_f64().unwrap() > 0.4, "the line has its share of the height");
    });
}

#[test]
fn the_arrow_keys_walk_through_the_rounds_and_say_the_values() {
    look("keys", &[synthetic::dense()], DESKTOP, async |page| {
        page.keys(&format!("{HEADLINE} .panel"), "\u{e014}\u{e014}").await;
        assert!(page.text(".tip b").await.starts_with("round 2"));
        assert_eq!(page.count(".tip div").await, 4);
        assert!(page.text("[aria-live]").await.contains("dpsda-r 0."));
        assert_eq!(page.count(&format!("{HEADLINE} .marks circle")).await, 16);
    });
}

#[test]
fn the_slider_moves_the_network_from_round_to_round_and_union_shows_all_links() {
    look("network", &[synthetic::dense()], DESKTOP, async |page| {
        let links =
            "return [...document.querySelectorAll('.graph path.link')].map(p => p.getAttribute('d')).join()";
        let first = page.js(links).await;
        page.keys(".graph input", "\u{e014}").await;
        assert_ne!(page.js(links).await, first);
        assert!(page.text(".graph output").await.starts_with("round 1 (of a period of 4): 3 links"));
        page.click(".graph .tools button:last-child").await;
        assert!(page.text(".graph output").await.starts_with("union"));
        assert_eq!(
            page.count(".graph[data-network='0'] path.link").await,
            11,
            "1-5 and 5-1 are one undirected link"
        );
        assert_eq!(page.count(".graph[data-network='1'] path.head").await, 3, "arrows of a directed round");
    });
}

#[test]
fn a_phone_shows_everything_without_sideways_scrolling() {
    look("phone", &[synthetic::dense()], PHONE, async |page| {
        assert_no_overflow(page).await;
        assert_eq!(lines(page, HEADLINE).await, 16);
    });
    look("phone-hostile", &[synthetic::hostile(), synthetic::dense()], PHONE, async |page| {
        assert_no_overflow(page).await
    });
}

#[test]
fn dark_follows_the_system_and_the_button_overrules_it() {
    let background = "return getComputedStyle(document.body).backgroundColor";
    look("dark", &[synthetic::dense()], Screen { dark: true, ..DESKTOP }, async |page| {
        let dark = page.js(background).await;
        page.click("#theme").await;
        let light = page.js(background).await;
        assert_eq!((dark.as_str(), light.as_str()), (Some("rgb(21, 23, 26)"), Some("rgb(253, 252, 250)")));
        page.click("#theme").await;
        assert_eq!(page.js(background).await, dark);
    });
}

#[test]
fn hostile_names_are_shown_and_not_run() {
    look("hostile", &[synthetic::hostile()], DESKTOP, async |page| {
        assert_eq!(page.js("return window.hacked ?? null").await, serde_json::Value::Null);
        assert_eq!(page.count("img").await, 0);
        assert!(page.text("h1").await.contains("</script><script>window.hacked=1"));
        page.click("#swap").await;
        assert_eq!(page.js("return window.hacked ?? null").await, serde_json::Value::Null);
    });
}

#[test]
fn a_comparison_draws_every_folder_and_tells_them_apart_by_dashes() {
    let other = RunFolder { name: "other".into(), ..synthetic::dense() };
    look("comparison", &[synthetic::dense(), other], DESKTOP, async |page| {
        assert_eq!(lines(page, HEADLINE).await, 32);
        assert_eq!(page.count(&format!("{HEADLINE} path.line[stroke-dasharray]")).await, 16);
        assert_no_overflow(page).await;
    });
}

#[test]
fn a_key_without_a_role_is_held_at_one_value_until_all_are_asked_for() {
    let swept = |name: &str| {
        let mut run = RunFolder { name: name.into(), ..synthetic::dense() };
        for (i, entry) in run.manifest["runs"].as_array_mut().unwrap().iter_mut().enumerate() {
            entry["settings"]["network.nodes"] = (7 + i / 8).into();
        }
        run
    };
    look("held", &[swept("one"), swept("two")], DESKTOP, async |page| {
        assert_eq!(lines(page, HEADLINE).await, 16);
        let all = "const s = [...document.querySelectorAll('.controls label')].find(l => l.textContent.startsWith('nodes'))
            .querySelector('select'); s.value = '*'; s.dispatchEvent(new Event('change'))";
        page.js(all).await;
        assert_eq!(lines(page, HEADLINE).await, 32);
    });
}

#[test]
fn one_run_with_one_trial_has_a_line_without_a_band_and_nothing_at_all_is_no_error() {
    look("tiny", &[synthetic::tiny()], DESKTOP, async |page| {
        assert_eq!((lines(page, HEADLINE).await, page.count("path.band").await), (1, 0));
        assert!(page.text("figcaption").await.contains("One trial"));
    });
    look("empty", &[synthetic::empty()], DESKTOP, async |page| {
        assert_eq!(page.count("figure").await, 0);
        assert!(page.text("#curves").await.contains("No curves were recorded."));
    });
}
