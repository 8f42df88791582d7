//! A link over any two byte streams that keep their order: TCP, Unix sockets, pipes, TLS. A message is sent as its length in four
//! bytes and then its bytes.
//!
//! Messages follow each other on one stream, so a message that is refused or left incomplete ends the link. The nodes then dial
//! again.

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{Mutex, OwnedMutexGuard, watch};

use super::link::{Incoming, Link, Lost, Parting, Unread};

/// A link over a reader and a writer.
pub struct Pipe<R, W> {
    /// None if the start of the next message is no longer known.
    reader: Arc<Mutex<Option<R>>>,
    writer: Mutex<W>,
    /// Whether the link has ended. The session then drops it, and both streams with it.
    closed: watch::Sender<bool>,
}

impl<R, W> Pipe<R, W> {
    /// Over these two.
    pub fn new(reader: R, writer: W) -> Self {
        Self {
            reader: Arc::new(Mutex::new(Some(reader))),
            writer: Mutex::new(writer),
            closed: watch::Sender::new(false),
        }
    }

    async fn closed(&self) {
        let _ = self.closed.subscribe().wait_for(|closed| *closed).await;
    }
}

impl<R, W> Link for Pipe<R, W>
where
    R: AsyncRead + Unpin + Send + 'static,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Incoming = Piped<R>;

    async fn send(&self, message: &[u8]) -> Result<(), Lost> {
        let mut writer = self.writer.lock().await;
        if *self.closed.borrow() {
            return Err(Lost);
        }
        let length = u32::try_from(message.len()).map_err(|_| Lost)?;
        let mut begun = Begun { closed: &self.closed, whole: false };
        tokio::select! {
            written = async {
                writer.write_all(&length.to_le_bytes()).await?;
                writer.write_all(message).await?;
                writer.flush().await
            } => written?,
            () = self.closed() => return Err(Lost),
        }
        begun.whole = true;
        Ok(())
    }

    async fn next(&self) -> Option<Piped<R>> {
        let begun = async {
            let mut reader = Arc::clone(&self.reader).lock_owned().await; // waits until the message before is read
            let mut header = [0; 4];
            reader.as_mut()?.read_exact(&mut header).await.ok()?;
            Some(Piped { reader, length: u32::from_le_bytes(header) as usize, whole: false })
        };
        tokio::select! {
            begun = begun => begun,
            () = self.closed() => None,
        }
    }

    fn close(&self, _why: Parting) {
        self.closed.send_replace(true);
    }
}

/// A message that is being written. If writing ends early, the link ends too.
struct Begun<'a> {
    closed: &'a watch::Sender<bool>,
    whole: bool,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if !self.whole {
            self.closed.send_replace(true);
        }
    }
}

/// An incoming message.
pub struct Piped<R> {
    reader: OwnedMutexGuard<Option<R>>,
    length: usize,
    whole: bool,
}

impl<R: AsyncRead + Unpin + Send + 'static> Incoming for Piped<R> {
    async fn length(&mut self) -> Result<usize, Unread> {
        Ok(self.length)
    }

    async fn bytes(&mut self) -> Result<Vec<u8>, Unread> {
        let reader = self.reader.as_mut().ok_or(Unread::Lost)?;
        let mut bytes = Vec::new();
        if reader.take(self.length as u64).read_to_end(&mut bytes).await? < self.length {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        self.whole = true;
        Ok(bytes)
    }
}

impl<R> Drop for Piped<R> {
    fn drop(&mut self) {
        if !self.whole {
            *self.reader = None; // the start of the next message is not known
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{DuplexStream, ReadHalf, WriteHalf, duplex, split};

    use super::*;

    type Half = Pipe<ReadHalf<DuplexStream>, WriteHalf<DuplexStream>>;

    fn pair() -> (Half, Half) {
        let (a, b) = duplex(64);
        let end = |stream| {
            let (reader, writer) = split(stream);
            Pipe::new(reader, writer)
        };
        (end(a), end(b))
    }

    async fn read(end: &Half) -> Option<Vec<u8>> {
        let mut incoming = end.next().await?;
        let length = incoming.length().await.ok()?;
        incoming.bytes().await.ok().filter(|bytes| bytes.len() == length)
    }

    #[tokio::test]
    async fn messages_arrive_whole_and_in_order_both_ways() {
        let (a, b) = pair();
        for length in [0, 1, 63, 64, 1000] {
            let message = vec![7; length];
            let (sent, heard) = tokio::join!(a.send(&message), read(&b));
            assert_eq!((sent, heard), (Ok(()), Some(message.clone())));
            let (sent, heard) = tokio::join!(b.send(&message), read(&a));
            assert_eq!((sent, heard), (Ok(()), Some(message)));
        }
    }

    #[tokio::test]
    async fn an_incomplete_message_ends_the_link() {
        let (a, b) = pair();
        let given_up = tokio::time::timeout(std::time::Duration::from_millis(10), a.send(&[1; 1000])).await;
        assert!(given_up.is_err());
        assert_eq!((a.send(&[2]).await, read(&a).await), (Err(Lost), None));
        drop(a);
        assert_eq!((read(&b).await, read(&b).await), (None, None));
    }

    #[tokio::test]
    async fn a_message_that_is_not_read_ends_the_link() {
        let (a, b) = pair();
        a.send(&[1; 10]).await.unwrap();
        a.send(&[2; 10]).await.unwrap();
        drop(b.next().await.unwrap());
        assert!(b.next().await.is_none());
    }

    #[tokio::test]
    async fn a_closed_link_ends_on_both_sides() {
        let (a, b) = pair();
        a.send(&[1]).await.unwrap();
        a.close(Parting::Leaving);
        assert_eq!((a.send(&[2]).await, read(&a).await), (Err(Lost), None));
        drop(a);
        assert_eq!((read(&b).await, read(&b).await), (Some(vec![1]), None), "it was sent before");
    }
}
