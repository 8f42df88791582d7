//! Hostile requests.

use std::time::{Duration, Instant};

use dpsda_node::http::serve;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::client::{read, start};
use crate::sample;

#[tokio::test]
async fn a_name_that_is_not_of_this_host_is_refused_before_anything_is_shown() {
    let server = start(&sample::running(), None).await;
    for hosts in [
        "Host: evil.example\r\n",
        "Host: localhost.evil.example\r\n",
        "Host: 127.0.0.1.evil.example:80\r\n",
        "Host: \r\n",
        "",
        "Host: localhost\r\nHost: evil.example\r\n",
    ] {
        for path in ["/", "/status", "/decision", "/metrics", "/page.js", "/nowhere"] {
            let answer =
                server.say(&format!("GET {path} HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n")).await;
            assert!([400, 403].contains(&answer.status), "{hosts:?} {path}: {answer:?}");
            assert!(!answer.body.contains("berlin"));
        }
    }
    let absolute = "GET http://evil.example/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(server.say(absolute).await.status, 403);
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080"] {
        let answer =
            server.say(&format!("GET /status HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n")).await;
        assert_eq!(answer.status, 200, "{host}");
    }
}

#[tokio::test]
async fn a_page_of_another_site_cannot_post() {
    let (to, mut from) = mpsc::channel(1);
    let server = start(&sample::running(), Some(to)).await;
    let post = async |origin: &str| {
        let head =
            format!("POST /costs HTTP/1.1\r\nHost: localhost\r\nOrigin: {origin}\r\nConnection: close\r\n");
        server.say(&format!("{head}Content-Type: text/plain\r\nContent-Length: 0\r\n\r\n")).await.status
    };
    for origin in
        ["http://evil.example", "https://localhost.evil.example", "null", "file://", "localhost", ""]
    {
        assert_eq!(post(origin).await, 403, "{origin}");
    }
    for origin in ["http://localhost:8080", "http://127.0.0.1", "https://[::1]:1"] {
        assert_eq!(post(origin).await, 200, "{origin}");
    }
    assert!(from.try_recv().is_err());
}

#[tokio::test]
async fn headers_without_end_are_cut_off() {
    let server = start(&sample::running(), None).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ").await.unwrap();
    let mut written = 0;
    while stream.write_all(&[b'x'; 4096]).await.is_ok() {
        written += 4096;
        assert!(written < 50_000_000, "the server never stops reading");
    }
    let many: String = (0..5000).map(|k| format!("X-{k}: 1\r\n")).collect();
    let mut stream = server.connect().await;
    let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").as_bytes()).await;
    let mut answer = Vec::new();
    let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await.unwrap();
    assert!(answer.is_empty() || answer.starts_with(b"HTTP/1.1 431"), "{}", String::from_utf8_lossy(&answer));
}

#[tokio::test]
async fn silent_and_idle_connections_are_closed_and_make_room_for_others() {
    let server = start(&sample::running(), None).await;
    let mut slow = Vec::new();
    let some = ["", "GET / HTTP/1.1\r\nHost: loc", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"];
    for said in some.iter().cycle().take(64) {
        let mut stream = server.connect().await;
        stream.write_all(said.as_bytes()).await.unwrap();
        slow.push(stream);
    }
    let start = Instant::now();
    let mut waiting = server.connect().await;
    waiting
        .write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await
        .unwrap();
    assert!(timeout(Duration::from_secs(2), waiting.readable()).await.is_err(), "there is no room");
    let answered = timeout(Duration::from_secs(20), waiting.readable()).await;
    assert!(answered.is_ok() && start.elapsed() < Duration::from_secs(15));
    assert_eq!(read(&mut waiting).await.status, 200);
}

#[tokio::test]
async fn short_requests_are_answered_however_many_wait_for_decisions() {
    let server = start(&sample::running(), None).await;
    let mut waiting = Vec::new();
    for k in 0..60 {
        let mut stream = server.connect().await;
        let path = ["/decisions", "/decision?after=999999999", "/estimate?after=999999999"][k % 3];
        stream.write_all(format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").as_bytes()).await.unwrap();
        waiting.push(stream);
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    let busy = server.get("/decisions").await;
    assert!(busy.status == 503 && busy.head.contains("retry-after"), "{busy:?}");
    assert_eq!(server.get("/healthz").await.status, 200);
    drop(waiting);
    tokio::time::sleep(Duration::from_millis(300)).await;
    let mut stream = server.connect().await;
    stream.write_all(b"GET /decisions HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut head = [0; 15];
    timeout(Duration::from_secs(5), stream.read_exact(&mut head)).await.unwrap().unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK", "closed connections have made room");
}

#[tokio::test]
async fn bytes_that_are_not_http_end_only_their_connection() {
    let server = start(&sample::running(), None).await;
    for bytes in [
        &b"\0\0\0\0\0\0\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let mut stream = server.connect().await;
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        let _ = timeout(Duration::from_secs(5), stream.read_to_end(&mut answer)).await.unwrap();
    }
    assert_eq!(server.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn an_address_that_other_hosts_can_reach_is_refused() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let error = serve(listener, sample::running(), None, std::future::pending::<()>()).await.unwrap_err();
    assert!(error.to_string().contains("ssh -L"), "{error}");
}
