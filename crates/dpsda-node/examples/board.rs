//! The page of a node that does not exist, with made-up values, on a free port.
//!
//!     cargo run -p dpsda-node --example board

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    unreachable_pub,
    dead_code,
    reason = "for people to look at"
)]

#[path = "../tests/http/sample.rs"]
mod sample;

use std::time::Duration;

#[tokio::main]
async fn main() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("http://{}/", listener.local_addr().unwrap());
    let board = sample::running();
    let live = board.clone();
    tokio::spawn(async move {
        for second in 1_u32.. {
            live.change(|now| {
                now.rate = 1500.0 + 60.0 * (f64::from(second) / 4.0).sin() + f64::from(second * 37 % 50);
                now.round += now.rate as u64;
                now.uptime += 1.0;
            });
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    });
    dpsda_node::http::serve(listener, board, None, std::future::pending::<()>()).await.unwrap();
}
