//! A small web server with chosen answers, for tests.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// How one request is answered.
pub(super) enum Answer {
    /// With everything, whatever was asked for.
    Whole(Vec<u8>),
    /// With the range that was asked for.
    Range(Vec<u8>),
    /// With everything, but the connection ends after this many bytes.
    Torn(Vec<u8>, usize),
    /// With the range, but the connection ends after this many bytes.
    TornRange(Vec<u8>, usize),
    /// With a range that starts elsewhere.
    WrongRange(Vec<u8>),
    /// With nothing but a status.
    Status(u16),
}

/// Answers one request after the other, each on a connection of its own.
pub(super) struct Server {
    port: u16,
    ranges: Arc<Mutex<Vec<String>>>,
    thread: JoinHandle<()>,
}

impl Server {
    pub(super) fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let ranges = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&ranges);
        let thread = thread::spawn(move || {
            for answer in answers {
                let (stream, _) = listener.accept().unwrap();
                let range = asked(&stream);
                seen.lock().unwrap().push(range.clone());
                give(stream, &range, answer);
            }
        });
        Self { port, ranges, thread }
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/f", self.port)
    }

    /// The ranges asked for, empty for none, once all answers are given.
    pub(super) fn ranges(self) -> Vec<String> {
        self.thread.join().unwrap();
        self.ranges.lock().unwrap().clone()
    }
}

/// Reads a request, and says which range it asks for.
fn asked(stream: &TcpStream) -> String {
    let lines = BufReader::new(stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
    let range = |line: String| line.to_lowercase().strip_prefix("range: ").map(str::to_owned);
    lines.filter_map(range).last().unwrap_or_default()
}

fn give(mut stream: TcpStream, range: &str, answer: Answer) {
    let start = range.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap_or(0);
    let (status, shift, content, most) = match answer {
        Answer::Whole(content) => (200, 0, content, usize::MAX),
        Answer::Torn(content, most) => (200, 0, content, most),
        Answer::Range(content) => (206, start, content, usize::MAX),
        Answer::TornRange(content, most) => (206, start, content, most),
        Answer::WrongRange(content) => (206, start + 1, content, usize::MAX),
        Answer::Status(status) => (status, 0, Vec::new(), 0),
    };
    let (last, body) = (content.len().saturating_sub(1), &content[shift..]);
    let range = match status {
        206 => format!("Content-Range: bytes {shift}-{last}/{}\r\n", content.len()),
        _ => String::new(),
    };
    let head =
        format!("HTTP/1.1 {status} -\r\nConnection: close\r\nContent-Length: {}\r\n{range}\r\n", body.len());
    // A client that hangs up is part of some tests.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body[..most.min(body.len())]));
}
