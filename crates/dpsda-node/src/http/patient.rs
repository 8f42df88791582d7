//! A connection that ends when its reader takes no byte for 30 seconds.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

const PATIENCE: Duration = Duration::from_secs(30);

/// A stream that ends when nothing can be written to it for too long.
pub(super) struct Patient<S> {
    stream: S,
    /// The timer that runs while nothing can be written.
    stuck: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, stuck: None }
    }

    fn unless_stuck<T>(&mut self, cx: &mut Context<'_>, poll: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if poll.is_ready() {
            self.stuck = None;
            return poll;
        }
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep_until(Instant::now() + PATIENCE)));
        stuck.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let poll = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.unless_stuck(cx, poll)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_stuck_reader_is_disconnected_and_a_slow_one_is_not() {
        let (ours, mut theirs) = duplex(8);
        let mut ours = Patient::new(ours);
        let slow = tokio::spawn(async move {
            for _ in 0..10 {
                tokio::time::sleep(PATIENCE / 2).await;
                theirs.read_exact(&mut [0; 8]).await.unwrap();
            }
            theirs // stays open, and reads no more
        });
        ours.write_all(&[0; 80]).await.unwrap();
        let start = Instant::now();
        assert_eq!(ours.write_all(&[0; 80]).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() >= PATIENCE);
        drop(slow);
    }
}
