//! The legend: it hides and shows, and many names stay names.

use dpsda_web::RunFolder;

use crate::{
    HEADLINE, assert_no_overflow,
    driver::{DESKTOP, PHONE, Screen, look},
    lines, synthetic,
};

/// A run of sixteen algorithms.
fn many() -> RunFolder {
    let mut run = synthetic::dense();
    for i in 0..16 {
        let name = format!("algorithm-{i}");
        run.manifest["runs"][i]["algorithm"] = name.clone().into();
        run.manifest["runs"][i]["settings"] = serde_json::json!({"algorithm.name": name});
        run.manifest["runs"][i]["network"] = 0.into();
        run.summary[i]["algorithm"] = name.into();
    }
    run
}

#[test]
fn a_click_in_the_legend_hides_a_line_and_another_shows_it_again() {
    look("legend", &[synthetic::dense()], DESKTOP, async |page| {
        page.click(".keys button[data-label='dpsda-ps']").await;
        assert_eq!(lines(page, HEADLINE).await, 12);
        assert_eq!(page.count(".keys button[aria-pressed='false']").await, 1);
        page.click(".keys button[data-label='dpsda-ps']").await;
        assert_eq!(lines(page, HEADLINE).await, 16);
    });
}

#[test]
fn sixteen_algorithms_look_like_sixteen_in_the_legend_the_panels_and_the_table() {
    look("many", &[many()], DESKTOP, async |page| {
        for of in [".keys button svg", "#summary .swatch svg", "figure[data-measure='regret_per_round'] .run"]
        {
            let looks = format!(
                "return new Set([...document.querySelectorAll(\"{of}\")].map(s => s.getAttribute('style') + s.firstChild.getAttribute('stroke-dasharray'))).size"
            );
            assert_eq!(page.js(&looks).await, 16, "{of}");
        }
        assert_no_overflow(page).await;
    });
}

#[test]
fn a_legend_of_sixteen_covers_no_name_no_chart_and_leaves_most_of_a_low_window() {
    let apart = "const all = [...document.querySelectorAll('.keys button')].map(b => b.getBoundingClientRect());
        return all.length === 16 && all.every((a, i) => a.right <= innerWidth && all.every((b, j) => i === j
            || a.right <= b.left + 0.5 || b.right <= a.left + 0.5 || a.bottom <= b.top + 0.5 || b.bottom <= a.top + 0.5))";
    for (name, screen) in [("many-low", Screen { height: 420, ..DESKTOP }), ("many-phone", PHONE)] {
        look(name, &[many()], screen, async |page| {
            assert_eq!(page.js(apart).await, true, "{name}");
            let below = "return document.querySelector('.controls').getBoundingClientRect().bottom
                <= document.querySelector('#curves figure').getBoundingClientRect().top";
            assert_eq!(page.js(below).await, true, "{name}");
            // On a phone the bar scrolls away; elsewhere it stays, and must leave room.
            let share = "const bar = document.querySelector('.controls');
                return getComputedStyle(bar).position === 'static' || bar.offsetHeight <= 0.36 * innerHeight";
            assert_eq!(page.js(share).await, true, "{name}");
            assert_no_overflow(page).await;
        });
    }
}
