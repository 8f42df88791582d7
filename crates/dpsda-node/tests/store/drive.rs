//! A disk that loses its power, or fails, at a given operation.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use dpsda::rng::{Purpose, Seed};
use rand::RngExt;
use redb::StorageBackend;

#[derive(Debug, Clone)]
enum Op {
    Write(u64, Vec<u8>),
    Length(u64),
}

impl Op {
    fn on(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Write(at, data) => {
                let (at, end) = (*at as usize, *at as usize + data.len());
                bytes.resize(bytes.len().max(end), 0); // if the length it was written at is lost
                bytes[at..end].copy_from_slice(data);
            }
            Self::Length(len) => bytes.resize(*len as usize, 0),
        }
    }
}

#[derive(Debug, Default)]
struct State {
    /// The content that a reader sees.
    now: Vec<u8>,
    /// The content that survives a loss of power.
    durable: Vec<u8>,
    /// The operations since the last sync, in order.
    pending: Vec<Op>,
    done: u64,
    fails: Option<u64>,
    /// Whether it works again after one failure.
    heals: bool,
}

/// A disk in memory. Clones share one disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drive {
    state: Arc<Mutex<State>>,
    /// Whether it tracks what is synced. Otherwise it is only memory.
    careful: bool,
}

impl Drive {
    pub(crate) fn memory() -> Self {
        Self::default()
    }

    pub(crate) fn with(bytes: Vec<u8>) -> Self {
        let state = State { now: bytes.clone(), durable: bytes, ..State::default() };
        Self { state: Arc::new(Mutex::new(state)), careful: true }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Every operation fails, starting with the `n`th from now.
    pub(crate) fn fails_after(&self, n: u64) {
        let mut state = self.state();
        state.fails = Some(state.done + n);
    }

    /// The `n`th operation from now fails, and no other.
    pub(crate) fn fails_once_after(&self, n: u64) {
        self.fails_after(n);
        self.state().heals = true;
    }

    pub(crate) fn len(&self) -> u64 {
        self.state().now.len() as u64
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.state().now.clone()
    }

    /// The content that was synced.
    pub(crate) fn synced(&self) -> Vec<u8> {
        self.state().durable.clone()
    }

    /// The content after power returns: everything that was synced, and any part of the rest, sector by sector.
    pub(crate) fn after_power_loss(&self, seed: u64) -> Vec<u8> {
        let mut rng = Seed::new(seed).stream(Purpose::Outage, 0, 0);
        let state = self.state();
        let mut bytes = state.durable.clone();
        let share = [0.0, 0.5, 0.9, 1.0][rng.random_range(0..4)];
        for op in &state.pending {
            let Op::Write(at, data) = op else {
                op.on(&mut bytes);
                continue;
            };
            for (k, sector) in data.chunks(512).enumerate() {
                if rng.random::<f64>() < share {
                    Op::Write(at + 512 * k as u64, sector.to_vec()).on(&mut bytes);
                }
            }
        }
        bytes
    }

    fn attempt(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.state();
        state.done += 1;
        match state.fails {
            Some(at) if state.done == at || state.done > at && !state.heals => {
                Err(io::Error::other("the disk is gone"))
            }
            _ => Ok(state),
        }
    }

    fn change(&self, op: Op) -> io::Result<()> {
        let mut state = self.attempt()?;
        op.on(&mut state.now);
        if self.careful {
            state.pending.push(op);
        }
        Ok(())
    }
}

impl StorageBackend for Drive {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state();
        let from = state.now.get(offset as usize..offset as usize + out.len());
        out.copy_from_slice(from.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.change(Op::Length(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.attempt()?;
        let pending = std::mem::take(&mut state.pending);
        pending.iter().for_each(|op| op.on(&mut state.durable));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.change(Op::Write(offset, data.to_vec()))
    }
}
