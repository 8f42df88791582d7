//! A server on a free port, and a minimal client that can send any bytes.

use std::net::SocketAddr;
use std::time::Duration;

use dpsda_node::board::Board;
use dpsda_node::http::serve;
use dpsda_node::lines::{Form, SampleForm, SlopeForm};
use dpsda_node::stream::Arrival;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

pub const FORM: Form = Form {
    samples: Some(SampleForm { dim: 3, batch: 2, classifies: true }),
    slope: Some(SlopeForm { block: 2, two_point: false }),
};

/// A server that runs until it is told to stop.
pub struct Server {
    pub addr: SocketAddr,
    pub stop: oneshot::Sender<()>,
    pub ended: JoinHandle<std::io::Result<()>>,
}

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The body, one JSON value per line.
    pub fn lines(&self) -> Vec<Value> {
        self.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

pub async fn start(board: &Board, costs: Option<mpsc::Sender<Arrival>>) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let costs = costs.map(|to| (FORM, to));
    let ended = tokio::spawn(serve(listener, board.clone(), costs, stopped));
    Server { addr, stop, ended }
}

impl Server {
    pub async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.addr).await.unwrap()
    }

    /// Sends a text and reads until the server closes the connection.
    pub async fn say(&self, bytes: &str) -> Answer {
        let mut stream = self.connect().await;
        stream.write_all(bytes.as_bytes()).await.unwrap();
        read(&mut stream).await
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.say(&format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).await
    }

    pub async fn post(&self, body: &str) -> Answer {
        self.say(&posting(body)).await
    }
}

pub fn posting(body: &str) -> String {
    let length = body.len();
    let head = "POST /costs HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\nContent-Length";
    format!("{head}: {length}\r\n\r\n{body}")
}

/// Reads everything, for at most ten seconds. Chunks are joined.
pub async fn read(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    let whole = tokio::time::timeout(Duration::from_secs(10), stream.read_to_end(&mut bytes)).await;
    whole.expect("the answer has no end").unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
    let head = head.to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let body = if head.contains("transfer-encoding: chunked") { whole_of(body) } else { body.to_owned() };
    Answer { status, head, body }
}

fn whole_of(mut chunks: &str) -> String {
    let mut out = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap();
        out += &rest[..length];
        chunks = rest[length..].strip_prefix("\r\n").unwrap();
    }
    out
}
