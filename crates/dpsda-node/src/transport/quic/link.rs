//! A QUIC connection as a link. Each message is one stream: its length in four bytes, then the message, then the end.

use iroh::endpoint::{Connection, ReadExactError, ReadToEndError, RecvStream, SendStream, VarInt};

use crate::frame::Refusal;
use crate::transport::link::{Incoming, Link, Lost, Parting, Unread};

/// Bytes of the length.
pub(super) const HEADER: usize = 4;

/// Messages that one peer may have in flight at a time.
pub(super) const STREAMS: u32 = 32;

/// Bytes that may be in flight before the greeting.
pub(super) const UNGREETED: u32 = 4096;

/// A number of bytes as a QUIC integer.
pub(super) fn window(bytes: usize) -> VarInt {
    VarInt::try_from(bytes as u64).unwrap_or(VarInt::MAX)
}

/// Why a connection or a stream was ended. Only for people who read traces.
pub(super) mod code {
    pub(crate) const LEAVING: u32 = 0;
    pub(crate) const UNKNOWN_KEY: u32 = 1;
    pub(crate) const OTHER_MANIFEST: u32 = 2;
    pub(crate) const REPLACED: u32 = 3;
    pub(crate) const REFUSED: u32 = 4;
    pub(crate) const ABANDONED: u32 = 5;
}

/// A connection.
pub(super) struct QuicLink {
    pub(super) connection: Connection,
    /// Bytes of the longest message.
    pub(super) longest: usize,
}

impl QuicLink {
    async fn write(&self, message: &[u8]) -> Result<Outgoing, Lost> {
        let mut outgoing =
            Outgoing { stream: self.connection.open_uni().await.map_err(|_| Lost)?, whole: false };
        let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
        // One write: each takes the connection's lock and wakes its task.
        let all = [&length.to_le_bytes()[..], message].concat();
        outgoing.stream.write_chunk(all.into()).await.map_err(|_| Lost)?;
        outgoing.whole = outgoing.stream.finish().is_ok();
        if outgoing.whole { Ok(outgoing) } else { Err(Lost) }
    }
}

impl Link for QuicLink {
    type Incoming = QuicIncoming;

    async fn send(&self, message: &[u8]) -> Result<(), Lost> {
        self.write(message).await.map(|_| ())
    }

    async fn deliver(&self, message: &[u8]) -> Result<(), Lost> {
        let outgoing = self.write(message).await?;
        outgoing.stream.stopped().await.map(|_| ()).map_err(|_| Lost)
    }

    /// Streams are accepted in the order in which they were opened.
    async fn next(&self) -> Option<QuicIncoming> {
        let stream = self.connection.accept_uni().await.ok()?;
        Some(QuicIncoming { stream, length: 0 })
    }

    fn greeted(&self) {
        self.connection.set_receive_window(window(2 * self.longest));
    }

    fn close(&self, why: Parting) {
        let code = match why {
            Parting::Stranger => code::UNKNOWN_KEY,
            Parting::OtherManifest => code::OTHER_MANIFEST,
            Parting::Replaced => code::REPLACED,
            Parting::NoGreeting | Parting::Silent => code::REFUSED,
            Parting::Leaving => code::LEAVING,
        };
        self.connection.close(VarInt::from_u32(code), why.words().as_bytes());
    }
}

/// An outgoing message. A stream that is only dropped would end normally, and half a message would look like a whole one.
struct Outgoing {
    stream: SendStream,
    whole: bool,
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        if !self.whole {
            let _ = self.stream.reset(VarInt::from_u32(code::ABANDONED)); // fails only if the stream has already ended
        }
    }
}

/// An incoming message.
pub(super) struct QuicIncoming {
    stream: RecvStream,
    length: usize,
}

impl Incoming for QuicIncoming {
    async fn length(&mut self) -> Result<usize, Unread> {
        let mut header = [0; HEADER];
        match self.stream.read_exact(&mut header).await {
            Ok(()) => {}
            Err(ReadExactError::FinishedEarly(_)) => return Err(Unread::Refused(Refusal::Malformed)),
            Err(ReadExactError::ReadError(_)) => return Err(Unread::Lost),
        }
        self.length = u32::from_le_bytes(header) as usize;
        Ok(self.length)
    }

    async fn bytes(&mut self) -> Result<Vec<u8>, Unread> {
        match self.stream.read_to_end(self.length).await {
            Ok(message) => Ok(message),
            Err(ReadToEndError::TooLong) => Err(Unread::Refused(Refusal::TooLarge)),
            Err(ReadToEndError::Read(_)) => Err(Unread::Lost),
        }
    }
}

impl Drop for QuicIncoming {
    fn drop(&mut self) {
        let _ = self.stream.stop(VarInt::from_u32(code::REFUSED)); // fails if all was read, or if the sender has given up
    }
}
