//! Posted costs.

use std::time::Duration;

use dpsda_node::stream::{Arrival, CostReply, GivenCost};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::client::{FORM, posting, read, start};
use crate::sample;

/// Takes rounds in their order from 1, until `last`.
fn learner(mut from: mpsc::Receiver<Arrival>, last: u64) {
    tokio::spawn(async move {
        let mut next = 1;
        while let Some(arrival) = from.recv().await {
            let answer = match arrival.round {
                _ if next > last => CostReply::Over,
                Some(round) if round < next => CostReply::Duplicate(next),
                Some(round) if round > next && !matches!(arrival.cost, GivenCost::Samples(_)) => {
                    CostReply::Early(next)
                }
                _ => {
                    next += 1;
                    CostReply::Taken { round: next - 1, skipped: 0 }
                }
            };
            let _ = arrival.answer.unwrap().send(answer);
        }
    });
}

#[tokio::test]
async fn every_line_is_answered_and_the_status_is_the_worst_of_all() {
    let (to, from) = mpsc::channel(1);
    learner(from, 5);
    let board = sample::running();
    let malformed = board.now().stream.malformed;
    let server = start(&board, Some(to)).await;
    let good = server.post("{\"t\": 1, \"x\": [[1, 2, 3]], \"y\": [1]}\n{}").await;
    assert_eq!(good.status, 200);
    assert_eq!(good.lines(), [json!({"line": 1, "t": 1, "taken": 1}), json!({"line": 2, "taken": 2})]);
    let again = server.post("{\"t\": 1}\n\n{\"t\": 3}\n").await;
    assert_eq!(again.status, 409);
    assert_eq!(
        again.lines(),
        [json!({"line": 1, "duplicate": 1, "next": 3}), json!({"line": 3, "t": 3, "taken": 3})]
    );
    let mixed = server.post("{\"x\": [[1]], \"y\": [1]}\n{}\n").await;
    assert_eq!(mixed.status, 400);
    let want = [
        json!({"line": 1, "malformed": "sample 1 has 1 numbers, expected 3"}),
        json!({"line": 2, "taken": 4}),
    ];
    assert_eq!(mixed.lines(), want);
    let long = server.post(&format!("{}\n{{}}\n", "7".repeat(100 * FORM.longest()))).await;
    assert_eq!(long.status, 413);
    assert!(long.lines()[0]["malformed"].as_str().unwrap().contains("longer than"));
    assert_eq!(long.lines()[1], json!({"line": 2, "taken": 5}));
    let over = server.post("{}").await;
    assert_eq!((over.status, over.lines()), (409, vec![json!({"line": 1, "over": true})]));
    assert_eq!(server.post("").await.status, 200);
    assert_eq!(board.now().stream.malformed, malformed + 2);
}

#[tokio::test]
async fn a_gradient_names_its_round_and_one_for_a_round_that_has_not_begun_is_refused() {
    let (to, from) = mpsc::channel(1);
    learner(from, 5);
    let board = sample::running();
    let server = start(&board, Some(to)).await;
    let taken =
        server.post("{\"t\": 1, \"gradient\": [0.5, -1]}\n{\"t\": 2, \"gradient\": {\"1\": 2}}").await;
    assert_eq!(taken.status, 200);
    assert_eq!(
        taken.lines(),
        [json!({"line": 1, "t": 1, "taken": 1}), json!({"line": 2, "t": 2, "taken": 2})]
    );
    let early = server.post("{\"t\": 12, \"gradient\": [0.5, -1]}").await;
    assert_eq!((early.status, early.lines()), (409, vec![json!({"line": 1, "early": 12, "next": 3})]));
    let late = server.post("{\"t\": 2, \"gradient\": [0.5, -1], \"public\": [1, 1]}").await;
    assert_eq!((late.status, late.lines()), (409, vec![json!({"line": 1, "duplicate": 2, "next": 3})]));
    for (line, words) in [
        ("{\"gradient\": [0.5, -1]}", "\"t\" is missing"),
        ("{\"t\": 3, \"gradient\": [0.5]}", "\"gradient\" has 1 numbers, expected 2"),
        ("{\"t\": 3, \"gradient\": [0.5, NaN]}", "JSON has no NaN"),
        ("{\"t\": 3, \"gradient\": [1, 1], \"x\": [[1, 2, 3]]}", "in one line"),
    ] {
        let answer = server.post(line).await;
        let malformed = answer.lines()[0]["malformed"].as_str().unwrap().to_owned();
        assert!(answer.status == 400 && malformed.contains(words), "{line}: {answer:?}");
    }
    let last = server.post("{\"t\": 3, \"gradient\": {}}").await;
    assert_eq!(last.lines(), [json!({"line": 1, "t": 3, "taken": 3})], "what was refused has used no round");
}

#[tokio::test]
async fn lines_may_come_in_chunks_that_end_anywhere() {
    let (to, from) = mpsc::channel(1);
    learner(from, 99);
    let server = start(&sample::running(), Some(to)).await;
    let head =
        "POST /costs HTTP/1.1\r\nHost: [::1]:80\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks: String = "{\"t\": 1}\n{\"t\": 2}".chars().map(|c| format!("1\r\n{c}\r\n")).collect();
    let answer = server.say(&format!("{head}{chunks}0\r\n\r\n")).await;
    assert_eq!(
        answer.lines(),
        [json!({"line": 1, "t": 1, "taken": 1}), json!({"line": 2, "t": 2, "taken": 2})]
    );
}

#[tokio::test]
async fn beyond_some_thousand_lines_answers_are_counted_together() {
    let (to, from) = mpsc::channel(1);
    learner(from, 5000);
    let answer = start(&sample::running(), Some(to)).await.post(&"{}\n".repeat(6000)).await;
    let lines = answer.lines();
    assert_eq!((answer.status, lines.len()), (409, 4097));
    let all = json!({"lines": 6000, "taken": 5000, "duplicate": 0, "early": 0, "stale": 0, "over": 1000, "malformed": 0, "long": 0});
    assert_eq!(lines[4096], json!({ "all": all }));
}

#[tokio::test]
async fn while_the_node_does_not_learn_the_sender_waits_and_others_are_answered() {
    let (to, mut from) = mpsc::channel(1);
    let server = start(&sample::running(), Some(to)).await;
    let mut stream = server.connect().await;
    let head =
        "POST /costs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    let line = format!("{{}}{}\n", " ".repeat(200));
    let mut written = 0;
    while timeout(Duration::from_millis(300), stream.write_all(line.as_bytes())).await.is_ok() {
        written += line.len();
        // What the system's own socket buffers take, and no more.
        assert!(written < 100_000_000, "nothing holds it back");
    }
    assert!(timeout(Duration::from_millis(100), stream.read_u8()).await.is_err(), "it has no answer yet");
    assert_eq!(server.get("/healthz").await.status, 200);
    let first = from.recv().await.unwrap();
    assert!(timeout(Duration::from_millis(100), from.recv()).await.is_err(), "one line at a time");
    first.answer.unwrap().send(CostReply::Taken { round: 1, skipped: 0 }).unwrap();
    assert!(from.recv().await.is_some());
}

#[tokio::test]
async fn when_the_node_stops_the_sender_is_told() {
    let (to, mut from) = mpsc::channel(1);
    let server = start(&sample::running(), Some(to)).await;
    let mut stream = server.connect().await;
    stream.write_all(posting("{\"t\": 7}\n{}").as_bytes()).await.unwrap();
    let _unanswered = from.recv().await.unwrap();
    server.stop.send(()).unwrap();
    let answer = read(&mut stream).await;
    assert_eq!((answer.status, answer.lines()), (503, vec![json!({"line": 1, "t": 7, "stopped": true})]));
    server.ended.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_node_without_an_http_stream_says_so_and_so_does_one_without_a_driver() {
    let answer = start(&sample::running(), None).await.post("{}").await;
    assert!(answer.status == 404 && answer.body.contains("takes no costs over HTTP"), "{answer:?}");
    let (to, from) = mpsc::channel(1);
    drop(from);
    let gone = start(&sample::running(), Some(to)).await.post("{}").await;
    assert_eq!((gone.status, gone.lines()), (503, vec![json!({"line": 1, "stopped": true})]));
}
