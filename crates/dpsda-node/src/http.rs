//! The node's HTTP server, on a loopback address of its host: it shows the state of the node and takes costs.
//!
//! Every user of this host may read what it shows. If the node takes costs over HTTP, every user may also post them. Pages of
//! other sites cannot do either through a browser on this host (`guard.rs`). Everything has a limit: connections, the size and
//! time of headers, the bytes of a line, and requests that stay open.

mod ask;
mod costs;
mod guard;
mod page;
mod patient;

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::{Method, StatusCode, Uri};
use axum::middleware;
use axum::routing::{get, post};
use dpsda::Error;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::task::JoinSet;

use crate::board::Board;
use crate::lines::Form;
use crate::stream::Arrival;
use patient::Patient;

/// Connections open at the same time. Further ones wait until one ends.
const CONNECTIONS: usize = 64;
/// Requests open at the same time that wait for decisions or estimates. Further ones are told to try again later, so that `/healthz` always
/// answers.
const WATCHERS: usize = 40;
/// Requests open at the same time that post costs. Each keeps at most one line in memory.
const POSTS: usize = 8;
/// How long a request may take to send its headers, and how long a connection may be idle.
const HEADERS: Duration = Duration::from_secs(10);
/// Bytes of a request before its body.
const HEADER_BYTES: usize = 16 * 1024;
/// How long open requests may take to end when the node stops.
const FAREWELL: Duration = Duration::from_secs(2);
/// Seconds of history that the page shows.
const PAST: usize = 300;

const PATHS: &str =
    "/, /healthz, /status, /decision, /decision?after=ROUND, /decisions, /estimate, /estimate?after=ROUND, \
                     /metrics, and POST /costs";

/// Refuses addresses that other hosts can reach: this server has no encryption and no login.
pub fn loopback(addr: SocketAddr) -> Result<(), Error> {
    if addr.ip().to_canonical().is_loopback() {
        return Ok(());
    }
    let remedy = "other hosts could reach this address, and the server is plain HTTP without passwords: listen on 127.0.0.1 or \
                  [::1], and reach it from other hosts by an SSH tunnel (ssh -L 8080:127.0.0.1:PORT HOST) or a reverse proxy \
                  with TLS and a login";
    Err(Error::value("node.http", format!("\"{addr}\""), remedy))
}

/// Everything that answers need.
struct Desk {
    board: Board,
    costs: Option<(Form, mpsc::Sender<Arrival>)>,
    posts: Semaphore,
    watchers: Arc<Semaphore>,
    stopping: watch::Receiver<bool>,
    /// The page's own clock. The driver writes the board's clock, and the driver may be stuck.
    began: Instant,
    past: Mutex<VecDeque<Moment>>,
}

/// The rate of the node at one time.
#[derive(Clone, Copy)]
struct Moment {
    seconds: f64,
    rate: f64,
}

impl Desk {
    /// Returns when the node stops.
    async fn stopped(&self) {
        let _ = self.stopping.clone().wait_for(|stopping| *stopping).await;
    }

    fn remember(&self) {
        let (seconds, rate) = (self.began.elapsed().as_secs_f64(), self.board.now().rate);
        let mut past = self.past.lock().unwrap_or_else(PoisonError::into_inner);
        past.push_back(Moment { seconds, rate });
        let over = past.len().saturating_sub(PAST);
        past.drain(..over);
    }

    fn past(&self) -> Vec<Moment> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }
}

/// Answers requests until `stop` is ready, then ends open requests. `costs` is where posted costs go, if the node takes costs
/// over HTTP. Fails only if the listener's address is not a loopback address.
pub async fn serve(
    listener: TcpListener,
    board: Board,
    costs: Option<(Form, mpsc::Sender<Arrival>)>,
    stop: impl Future,
) -> io::Result<()> {
    loopback(listener.local_addr()?).map_err(io::Error::other)?;
    let (stopping, told) = watch::channel(false);
    let desk = Arc::new(Desk {
        board,
        costs,
        posts: Semaphore::new(POSTS),
        watchers: Arc::new(Semaphore::new(WATCHERS)),
        stopping: told,
        began: Instant::now(),
        past: Mutex::default(),
    });
    let routes = routes(Arc::clone(&desk));
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let mut open = JoinSet::new();
    let mut second = tokio::time::interval(Duration::from_secs(1));
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            _ = &mut stop => break,
            _ = second.tick() => desk.remember(),
            Some(_) = open.join_next() => {}
            (stream, place) = accept(&listener, &room) => {
                let (routes, desk) = (routes.clone(), Arc::clone(&desk));
                open.spawn(async move {
                    converse(stream, routes, &desk).await;
                    drop(place);
                });
            }
        }
    }
    drop(listener);
    let _ = stopping.send(true);
    let _ = tokio::time::timeout(FAREWELL, async { while open.join_next().await.is_some() {} }).await;
    Ok(()) // requests still open are dropped with the set
}

/// The next connection, once there is room for it.
async fn accept(
    listener: &TcpListener,
    room: &Arc<Semaphore>,
) -> (TcpStream, tokio::sync::OwnedSemaphorePermit) {
    loop {
        let Ok(place) = Arc::clone(room).acquire_owned().await else {
            return std::future::pending().await; // cannot happen: the semaphore is never closed
        };
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                tracing::warn!("http: a connection could not be accepted: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await; // out of file descriptors, most likely
            }
        }
    }
}

/// All requests of one connection.
async fn converse(stream: TcpStream, routes: Router, desk: &Desk) {
    let _ = stream.set_nodelay(true);
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADERS)
            .max_header_size(HEADER_BYTES)
            .max_buf_size(4 * HEADER_BYTES)
            .serve_connection(TokioIo::new(Patient::new(stream)), TowerToHyperService::new(routes))
    );
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = desk.stopped() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!("http: a connection ended early: {error}");
    }
}

fn routes(desk: Arc<Desk>) -> Router {
    Router::new()
        .route("/", get(page::whole))
        .route("/page.css", get(page::style))
        .route("/page.js", get(page::script))
        .route("/healthz", get(ask::healthz))
        .route("/status", get(ask::status))
        .route("/decision", get(ask::decision))
        .route("/decisions", get(ask::decisions))
        .route("/estimate", get(ask::estimate))
        .route("/metrics", get(ask::metrics))
        .route("/costs", post(costs::post))
        .fallback(nowhere)
        .method_not_allowed_fallback(otherwise)
        .layer(middleware::from_fn(guard::guard))
        .with_state(desk)
}

async fn nowhere() -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, format!("not found; the paths are {PATHS}\n"))
}

async fn otherwise(method: Method, uri: Uri) -> (StatusCode, String) {
    let right = if uri.path() == "/costs" { "POST" } else { "GET" };
    (StatusCode::METHOD_NOT_ALLOWED, format!("{} takes {right}, not {method}\n", uri.path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_accepted() {
        for good in ["127.0.0.1:80", "127.9.9.9:0", "[::1]:8080", "[::ffff:127.0.0.1]:1"] {
            assert_eq!(loopback(good.parse().unwrap()), Ok(()), "{good}");
        }
        for bad in
            ["0.0.0.0:80", "[::]:80", "10.0.0.1:80", "192.168.1.1:80", "[fe80::1]:80", "[::ffff:10.0.0.1]:1"]
        {
            let error = loopback(bad.parse().unwrap()).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("node.http = \"{bad}\":")) && error.contains("ssh -L"),
                "{error}"
            );
        }
    }
}
