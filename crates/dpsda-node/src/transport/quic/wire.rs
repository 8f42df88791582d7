//! One message on one stream: its length in four bytes, then the message, then the end.

use std::sync::Arc;

use iroh::endpoint::{ReadExactError, ReadToEndError, RecvStream, SendStream, VarInt, WriteError};
use tokio::sync::Semaphore;

use crate::frame::Refusal;

/// Bytes of the length.
pub(super) const HEADER: usize = 4;

/// Messages that one peer may have under way at a time.
pub(super) const STREAMS: u32 = 32;

/// Bytes that may be under way before a greeting.
pub(super) const UNGREETED: u32 = 4096;

/// Bytes as QUIC counts them.
pub(super) fn window(bytes: usize) -> VarInt {
    VarInt::try_from(bytes as u64).unwrap_or(VarInt::MAX)
}

/// Why a connection or a stream was ended. For people who read traces; nothing depends on it.
pub(super) mod code {
    pub(crate) const UNKNOWN_KEY: u32 = 1;
    pub(crate) const OTHER_MANIFEST: u32 = 2;
    pub(crate) const REPLACED: u32 = 3;
    pub(crate) const REFUSED: u32 = 4;
    pub(crate) const ABANDONED: u32 = 5;
}

/// Writes a message. The caller resets the stream if it does not wait for the end of this: a stream that is only dropped would
/// end properly, and half a message would look like a whole one.
pub(super) async fn write(stream: &mut SendStream, message: &[u8]) -> Result<(), WriteError> {
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    stream.write_all(&length.to_le_bytes()).await?;
    stream.write_all(message).await?;
    stream.finish().map_err(|_| WriteError::ClosedStream)
}

/// What came of reading a message.
pub(super) enum Read {
    Whole(Vec<u8>),
    /// The sender gave it up, or is gone.
    Lost,
    Refused(Refusal),
}

/// Reads a message of at most `longest` bytes. A longer one is stopped at its length, and none of it is read. `room` is how much
/// of one peer may be in memory at a time.
pub(super) async fn read(stream: &mut RecvStream, longest: usize, room: &Arc<Semaphore>) -> Read {
    let mut header = [0; HEADER];
    match stream.read_exact(&mut header).await {
        Ok(()) => {}
        Err(ReadExactError::FinishedEarly(_)) => return Read::Refused(Refusal::Malformed),
        Err(ReadExactError::ReadError(_)) => return Read::Lost,
    }
    let length = u32::from_le_bytes(header);
    if length as usize > longest {
        let _ = stream.stop(VarInt::from_u32(code::REFUSED)); // it fails if the sender has given up
        return Read::Refused(Refusal::TooLarge);
    }
    let Ok(_room) = room.acquire_many(length).await else { return Read::Lost };
    match stream.read_to_end(length as usize).await {
        Ok(message) if message.len() == length as usize => Read::Whole(message),
        Ok(_) => Read::Refused(Refusal::Malformed),
        Err(ReadToEndError::TooLong) => {
            let _ = stream.stop(VarInt::from_u32(code::REFUSED));
            Read::Refused(Refusal::TooLarge)
        }
        Err(ReadToEndError::Read(_)) => Read::Lost,
    }
}
