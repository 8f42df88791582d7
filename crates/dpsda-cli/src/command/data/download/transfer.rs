//! One transfer: the bytes that a server sends, appended to a file.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dpsda_data::cached::Download;
use ureq::Agent;
use ureq::http::{StatusCode, header};

/// How a transfer can end early.
pub(super) enum Broken {
    /// The server has no such file, or there is no server: asking again does not help.
    Refused(String),
    /// It broke off, and may be resumed.
    Off(String),
    /// This machine's disk failed.
    Disk(io::Error),
}

/// Waits for a server as long as a slow line needs, and not longer.
pub(super) fn agent() -> Agent {
    let config = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_resolve(Some(Duration::from_secs(10)))
        .timeout_connect(Some(Duration::from_secs(15)))
        .timeout_recv_response(Some(Duration::from_secs(30)))
        .timeout_per_read(Some(Duration::from_secs(30)))
        .user_agent(concat!("dpsda/", env!("CARGO_PKG_VERSION")));
    config.build().into()
}

/// Appends the missing bytes. If the server cannot resume, the download starts again from the beginning.
pub(super) fn transfer(
    agent: &Agent,
    what: Download,
    have: u64,
    file: &mut File,
    done: &AtomicU64,
) -> Result<(), Broken> {
    let mut request = agent.get(what.from);
    if have > 0 {
        request = request.header(header::RANGE, format!("bytes={have}-"));
    }
    let mut response = request.call().map_err(|e| Broken::Refused(e.to_string()))?;
    let starts =
        |range: &str| range.strip_prefix("bytes ").is_some_and(|r| r.starts_with(&format!("{have}-")));
    let range = response.headers().get(header::CONTENT_RANGE).and_then(|value| value.to_str().ok());
    match response.status() {
        StatusCode::PARTIAL_CONTENT if have > 0 && range.is_some_and(starts) => {}
        StatusCode::OK => restart(file, done)?,
        StatusCode::PARTIAL_CONTENT | StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => {
            restart(file, done)?;
            return Err(Broken::Off("the server cannot resume it".to_owned()));
        }
        status => return Err(Broken::Refused(format!("the server says {status}"))),
    }
    let mut body = response.body_mut().as_reader();
    let mut chunk = vec![0; 1 << 16];
    loop {
        let n = body.read(&mut chunk).map_err(|e| Broken::Off(e.to_string()))?;
        if n == 0 {
            break;
        }
        file.write_all(&chunk[..n]).map_err(Broken::Disk)?;
        if done.fetch_add(n as u64, Ordering::Relaxed) + n as u64 > what.bytes {
            restart(file, done)?;
            return Err(Broken::Refused(format!(
                "the server sent more than the expected {} bytes",
                what.bytes
            )));
        }
    }
    if done.load(Ordering::Relaxed) < what.bytes {
        return Err(Broken::Off("the server stopped".to_owned()));
    }
    Ok(())
}

fn restart(file: &mut File, done: &AtomicU64) -> Result<(), Broken> {
    done.store(0, Ordering::Relaxed);
    file.set_len(0).and_then(|()| file.rewind()).map_err(Broken::Disk)
}
