//! The table: order, columns, and that nothing is cut without a sign.

use crate::{
    assert_no_overflow,
    driver::{DESKTOP, PHONE, look},
    synthetic,
};

#[test]
fn the_table_sorts_both_ways_and_shows_all_columns_on_demand() {
    look("table", &[synthetic::dense()], DESKTOP, async |page| {
        let column = "const i = [...document.querySelectorAll('#summary th')].findIndex(th => th.dataset.key === 'regret_per_round');
            return [...document.querySelectorAll('#summary tbody tr')].map(r => Number(r.cells[i].dataset.v))";
        let values = async || -> Vec<f64> {
            page.js(column).await.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
        };
        let before = values().await;
        assert_eq!(before.len(), 16);
        page.click("th[data-key='regret_per_round'] button").await;
        assert!(values().await.is_sorted());
        page.click("th[data-key='regret_per_round'] button").await;
        assert!(values().await.iter().rev().is_sorted());
        page.click("th[data-key='regret_per_round'] button").await;
        assert_eq!(values().await, before);
        let hidden = "return document.querySelector('th[data-key=mechanism]').offsetWidth";
        assert_eq!(page.js(hidden).await, 0);
        page.click("#all-columns").await;
        assert!(page.js(hidden).await.as_u64().unwrap() > 0);
        assert_no_overflow(page).await;
    });
}

#[test]
fn the_brief_table_fits_a_desktop_and_an_edge_with_more_behind_it_shows() {
    let classes = "return document.querySelector('.wide').className";
    look("table-cue", &[synthetic::dense()], DESKTOP, async |page| {
        let fits = "const s = document.querySelector('.scroll'); return s.scrollWidth - s.clientWidth";
        assert_eq!(page.js(fits).await, 0);
        assert_eq!(page.js(classes).await, "wide");
        page.click("#all-columns").await;
        // The mark follows the table's size one frame later.
        page.js("return new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))").await;
        assert_eq!(page.js(classes).await, "wide more-right");
        let bar = "const s = document.querySelector('.scroll'); return s.offsetHeight - s.clientHeight - 2";
        assert!(page.js(bar).await.as_u64() > Some(5), "the scrollbar takes its place");
        page.js(
            "const s = document.querySelector('.scroll'); s.scrollLeft = 1e6; return new Promise((done) => setTimeout(done, 100))",
        )
        .await;
        assert_eq!(page.js(classes).await, "wide more-left");
    });
    look("table-phone", &[synthetic::dense()], PHONE, async |page| {
        assert_eq!(page.js(classes).await, "wide more-right");
        page.js("document.querySelector('.wide').scrollIntoView()").await;
    });
}

#[test]
fn a_sweep_of_seeds_has_a_column_and_a_role_in_the_charts() {
    look("seeds", &[synthetic::swept("seed", [1, 2])], DESKTOP, async |page| {
        let width = "return document.querySelector('th[data-key=seed]').offsetWidth";
        assert!(page.js(width).await.as_u64() > Some(0));
        let dashes = "return [...document.querySelectorAll('.keys .dash')].map(d => d.textContent)";
        assert_eq!(page.js(dashes).await, serde_json::json!(["seed 1", "seed 2"]));
        assert!(page.text(".meta").await.contains("seeds 1, 2"));
    });
}

#[test]
fn a_claim_shows_its_first_words_and_opens_to_the_rest() {
    look("claim", &[synthetic::dense()], DESKTOP, async |page| {
        let rest = "return document.querySelector('#summary details').offsetHeight";
        assert_eq!(page.text("#summary details summary").await, "unbounded…");
        let closed = page.js(rest).await.as_u64();
        page.click("#summary details summary").await;
        assert!(page.js(rest).await.as_u64() > closed.map(|h| h + 10));
        let title = "return document.querySelector('#summary details').title";
        assert_eq!(page.js(title).await, "unbounded (no clip)");
    });
}
