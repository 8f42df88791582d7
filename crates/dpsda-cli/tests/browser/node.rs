//! The page of a running node, from the node itself: it stays current, says when nobody answers, and fits a phone.

use std::time::Duration;

use dpsda_node::board::{Board, Health};
use tokio::sync::oneshot;

use crate::{
    assert_no_overflow, board,
    driver::{DESKTOP, PHONE, Page, Screen, visit},
};

/// Shows a board on a free port as long as `claim` runs. `claim` may end it earlier.
fn shown(name: &str, board: &Board, screen: Screen, claim: impl AsyncFnOnce(&Page, oneshot::Sender<()>)) {
    let (stop, stopped) = oneshot::channel::<()>();
    let (port, ports) = std::sync::mpsc::channel();
    let shown = board.clone();
    let server = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            port.send(listener.local_addr().unwrap().port()).unwrap();
            dpsda_node::http::serve(listener, shown, None, stopped).await.unwrap();
        });
    });
    let address = format!("http://127.0.0.1:{}/", ports.recv().unwrap());
    visit(name, &address, screen, async move |page| claim(page, stop).await);
    server.join().unwrap();
}

/// Waits until a text is there, five seconds at most.
async fn comes(page: &Page, css: &str, words: &str) {
    for _ in 0..100 {
        if page.text(css).await.contains(words) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{css} never said {words:?}, but {:?}", page.text(css).await);
}

#[test]
fn a_nodes_page_stays_current_and_keeps_what_is_selected() {
    let board = board::running();
    shown("node", &board, DESKTOP, async |page, _stop| {
        assert!(page.text("h1").await.contains("berlin"));
        assert_eq!(page.text(".health").await, "running");
        assert_eq!(page.count("#live table tbody tr").await, 6 + 2);
        page.js("getSelection().selectAllChildren(document.querySelector('dd code'))").await;
        board.change(|now| (now.round, now.health) = (987_654, Health::Exhausted));
        comes(page, ".tiles", "987,654").await;
        assert_eq!(page.text(".health").await, "exhausted");
        comes(page, "#live", "rounds per second").await;
        assert_eq!(page.count(".curve path").await, 2, "the pace is drawn");
        assert_eq!(
            page.js("return String(getSelection())").await,
            "7f3a".repeat(16),
            "the selection is still there"
        );
        assert_no_overflow(page).await;
        page.click("#theme").await;
    });
}

#[test]
fn a_node_that_does_not_answer_is_said_not_to() {
    shown("node-silent", &board::running(), DESKTOP, async |page, stop| {
        assert_eq!(page.js("return document.getElementById('silence').hidden").await, true);
        stop.send(()).unwrap();
        comes(page, "#silence", "has not answered since").await;
        assert_eq!(page.js("return document.getElementById('silence').hidden").await, false);
        assert!(page.text("h1").await.contains("berlin"), "what was known stays");
    });
}

#[test]
fn a_nodes_page_fits_a_phone_and_hostile_names_stay_names() {
    shown("node-phone", &board::running(), PHONE, async |page, _stop| assert_no_overflow(page).await);
    shown("node-hostile", &board::hostile(), PHONE, async |page, _stop| {
        assert_eq!(page.js("return window.hacked ?? null").await, serde_json::Value::Null);
        assert!(page.text("h1").await.contains("</script><img src=x"));
        assert_eq!(page.count("img").await, 0);
        assert_no_overflow(page).await;
    });
}
