//! All GET requests.

use std::time::{Duration, Instant};

use dpsda_node::board::{Decision, Health};
use dpsda_node::stream::{Estimate, EstimateDigest};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::sync::mpsc;

use crate::client::start;
use crate::prometheus::parse;
use crate::sample;

#[tokio::test]
async fn health_is_one_word_and_a_status() {
    let board = sample::running();
    let server = start(&board, None).await;
    for (health, status, word) in [
        (Health::Starting, 503, "starting\n"),
        (Health::Running, 200, "ok\n"),
        (Health::Exhausted, 200, "ok\n"),
        (Health::Finished, 200, "ok\n"),
        (Health::Stopping, 503, "stopping\n"),
        (Health::Failed, 500, "failed\n"),
    ] {
        board.change(|now| now.health = health);
        let answer = server.get("/healthz").await;
        assert_eq!((answer.status, answer.body.as_str()), (status, word));
    }
}

#[tokio::test]
async fn status_has_who_now_and_the_budget_in_epsilons() {
    let board = sample::running();
    let status = start(&board, None).await.get("/status").await;
    assert!(status.head.contains("content-type: application/json"));
    let all = status.json();
    assert_eq!(
        (&all["who"]["node"], &all["now"]["round"], &all["now"]["health"]),
        (&"berlin".into(), &123_456.into(), &"running".into())
    );
    let peers = all["now"]["peers"].as_array().unwrap();
    assert_eq!(peers.len() + 1, board.who().members.len());
    assert!(peers.iter().all(|peer| peer["name"] != "berlin"), "no node is its own peer");
    let of = |k: usize| &all["budget"][k];
    assert_eq!((&of(0)["of"], &of(0)["limit"]), (&"event".into(), &1.0.into()));
    let number = |name: &str| of(0)[name].as_f64().unwrap();
    assert!((number("epsilon") + number("left") - 1.0).abs() < 1e-9);
    // Charges are added up in rho, so that is what the share is of.
    let whole = dpsda::privacy::accounting::zcdp::rho(1.0, 1e-5);
    assert!((number("left_share") - (1.0 - 0.012 / whole)).abs() < 1e-6, "{}", of(0));
    assert_eq!((&of(1)["epsilon"], &of(1)["limit"]), (&0.5.into(), &serde_json::Value::Null));
    assert_eq!(
        (&of(2)["epsilon"], &of(2)["left"], &of(2)["left_share"]),
        (&"inf".into(), &0.0.into(), &0.0.into())
    );
}

#[tokio::test]
async fn a_decision_is_the_latest_or_the_next_after_a_round() {
    let board = sample::running();
    let server = start(&board, None).await;
    assert_eq!(server.get("/decision").await.json()["round"], 123_456);
    assert_eq!(server.get("/decision?after=5").await.json()["round"], 123_456);
    let (asked, later) = (Instant::now(), board.clone());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(200)).await;
        later.decide(Decision { round: 123_456, epoch: 2, block: vec![] }); // the same again is no later one
        tokio::time::sleep(Duration::from_millis(200)).await;
        later.decide(Decision { round: 123_457, epoch: 2, block: vec![0.25] });
    });
    let next = server.get("/decision?after=123456").await;
    assert_eq!(next.json(), serde_json::json!({"round": 123_457, "epoch": 2, "block": [0.25]}));
    assert!(asked.elapsed() >= Duration::from_millis(400));
    for bad in ["after=-1", "after=", "before=1", "after=1&x=2"] {
        let answer = server.get(&format!("/decision?{bad}")).await;
        assert!(answer.status == 400 && answer.body.contains("?after=ROUND"), "{bad}: {answer:?}");
    }
}

#[tokio::test]
async fn before_the_first_decision_there_is_none() {
    let board = dpsda_node::board::Board::new(sample::running().who().clone());
    let server = start(&board, None).await;
    let answer = server.get("/decision").await;
    assert_eq!((answer.status, answer.body.as_str()), (404, "no decision yet\n"));
    let answer = server.get("/estimate").await;
    assert_eq!((answer.status, answer.body.as_str()), (404, "no estimate yet\n"));
}

#[tokio::test]
async fn an_estimate_carries_its_round_and_its_block_to_the_bit_and_can_be_waited_for() {
    let board = sample::running();
    let server = start(&board, None).await;
    let now = server.get("/estimate").await.json();
    assert_eq!(
        (&now["t"], &now["epoch"], &now["rounds"], &now["block"]),
        (&123_456.into(), &2.into(), &500_000.into(), &serde_json::json!([3, 5]))
    );
    let numbers: Vec<u64> =
        now["estimate"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap().to_bits()).collect();
    assert_eq!(numbers, (0..7).map(|k| (f64::from(k) / 3.0).to_bits()).collect::<Vec<_>>());
    let at = now["at"].as_str().unwrap();
    assert!(at.len() == 16 && EstimateDigest::parse(at).is_some(), "{at}");
    assert!(now.get("points").is_none(), "only two-point feedback has two points");
    let (asked, later) = (Instant::now(), board.clone());
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let points = Some([vec![0.5], vec![-0.5]]);
        later.expect(Estimate {
            t: 123_457,
            epoch: 2,
            rounds: 500_000,
            block: [0, 1],
            estimate: vec![0.0],
            points,
        });
    });
    let next = server.get("/estimate?after=123456").await;
    assert_eq!((&next.json()["t"], &next.json()["points"][1][0]), (&123_457.into(), &(-0.5).into()));
    assert!(asked.elapsed() >= Duration::from_millis(300));
    let answer = server.get("/estimate?after=x").await;
    assert!(answer.status == 400 && answer.body.contains("?after=ROUND"), "{answer:?}");
}

#[tokio::test]
async fn decisions_stream_from_now_on_and_end_when_the_node_stops() {
    let board = sample::running();
    let server = start(&board, None).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /decisions HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut lines = BufReader::new(stream).lines();
    let mut next = async || loop {
        let line = lines.next_line().await.unwrap()?;
        if line.starts_with('{') {
            return serde_json::from_str::<serde_json::Value>(&line).unwrap()["round"].as_u64();
        }
        if line.is_empty() {
            return Some(0); // the head has ended, or a chunk
        }
    };
    assert_eq!(next().await, Some(0));
    for round in [200_000, 200_003] {
        board.decide(Decision { round, epoch: 2, block: vec![1.0] });
        assert_eq!(next().await, Some(round));
        assert_eq!(next().await, Some(0));
    }
    server.stop.send(()).unwrap();
    while next().await.is_some() {}
    tokio::time::timeout(Duration::from_secs(3), server.ended).await.unwrap().unwrap().unwrap();
}

#[tokio::test]
async fn metrics_read_as_prometheus_reads_them() {
    let answer = start(&sample::running(), None).await.get("/metrics").await;
    assert!(answer.head.contains("content-type: text/plain; version=0.0.4"));
    let all = parse(&answer.body);
    let value = |series: &str| *all.get(series).unwrap_or_else(|| panic!("no {series} in {:#?}", all.keys()));
    assert_eq!(value("dpsda_round"), 123_456.0);
    assert_eq!(value("dpsda_releases_total"), 123_460.0);
    assert_eq!(value("dpsda_health{state=\"running\"}"), 1.0);
    assert_eq!(value("dpsda_health{state=\"failed\"}"), 0.0);
    assert_eq!(value("dpsda_spent_epsilon{of=\"lifetime\"}"), f64::INFINITY);
    assert_eq!(value("dpsda_budget_epsilon{of=\"event\"}"), 1.0);
    assert_eq!(value("dpsda_peer_connected{peer=\"dublin\"}"), 0.0);
    assert_eq!(value("dpsda_peer_heard_total{peer=\"geneva\"}"), 121_006.0);
    assert_eq!(value("dpsda_refused_total{peer=\"strangers\",reason=\"unknown key\"}"), 1204.0);
    assert_eq!(value("dpsda_stream_malformed_total"), 1.0);
    assert_eq!(value("dpsda_store_seconds"), 0.000_812);
    assert!(!all.contains_key("dpsda_budget_epsilon{of=\"person\"}"), "no limit, no series");
    assert!(!all.contains_key("dpsda_peer_connected{peer=\"berlin\"}"), "it is no peer of its own");
}

#[tokio::test]
async fn hostile_names_break_neither_metrics_nor_the_page_nor_status() {
    let server = start(&sample::hostile(), None).await;
    let all = parse(&server.get("/metrics").await.body);
    let escaped = sample::HOSTILE.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n");
    let series = format!("dpsda_refused_total{{peer=\"{escaped}\",reason=\"{escaped}\"}}");
    assert_eq!(all.get(&series), Some(&2.0), "the same reason twice is one series");
    let page = server.get("/").await.body;
    assert!(!page.contains("<img") && !page.contains("</script><"), "{page}");
    assert!(page.contains("{{node}}"), "inserted text is not filled in again");
    assert_eq!(server.get("/status").await.json()["who"]["node"], sample::HOSTILE);
}

#[tokio::test]
async fn a_halted_node_is_healthy_and_its_page_says_what_is_wrong() {
    let board = sample::running();
    board.change(|now| (now.health, now.unwritten) = (Health::Halted, 3));
    let server = start(&board, None).await;
    assert_eq!(server.get("/healthz").await.status, 200);
    let page = server.get("/").await.body;
    for words in ["halted", "It no longer releases anything", "3 decisions could not be written"] {
        assert!(page.contains(words), "{words}");
    }
}

#[tokio::test]
async fn the_page_shows_the_state_and_loads_nothing_from_other_sites() {
    let server = start(&sample::running(), None).await;
    let page = server.get("/").await;
    assert_eq!(page.status, 200);
    for words in [
        "berlin",
        "running",
        "123,456",
        "1,512",
        "One event",
        "dublin",
        "away",
        "25,456",
        "bad signature",
        "48.1\u{a0}MB",
    ] {
        assert!(page.body.contains(words), "{words}");
    }
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"));
    assert!(
        !page.head.contains("unsafe") && !page.body.contains("style=\"") && !page.body.contains("\" on"),
        "nothing inline"
    );
    let (style, script) = (server.get("/page.css").await, server.get("/page.js").await);
    assert!(style.head.contains("text/css") && script.head.contains("text/javascript"));
    for text in [&page.body, &style.body, &script.body] {
        for elsewhere in ["http:", "https:", "url(", "@import", "\"//"] {
            assert!(!text.contains(elsewhere), "{elsewhere}");
        }
    }
    let link = |text: &str| {
        text.split("href=\"").skip(1).map(|t| t.split('"').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    for path in link(&page.body).iter().filter(|path| *path != "data:,") {
        assert_eq!(server.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn unknown_paths_name_the_known_ones_and_wrong_methods_the_right_one() {
    let server = start(&sample::running(), Some(mpsc::channel(1).0)).await;
    let lost = server.get("/metric").await;
    assert!(lost.status == 404 && lost.body.contains("/metrics"), "{lost:?}");
    let wrong = server.get("/costs").await;
    assert!(
        wrong.status == 405 && wrong.body.contains("POST") && wrong.head.contains("allow: post"),
        "{wrong:?}"
    );
    let put = server
        .say("PUT /status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        .await;
    assert_eq!(put.status, 405);
}
