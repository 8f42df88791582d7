//! Puts a driver together from its parts.

use tokio::time::{Instant, timeout};

use super::course::Course;
use super::keeper::Keeper;
use super::notes::Notes;
use super::outlet::Outlet;
use super::{Driver, DriverError, FAREWELL, Parts, Tempo};
use crate::config::Output;
use crate::identity::hex;

/// A driver that has carried out its machine's first instructions.
pub(super) async fn start(parts: Parts) -> Result<Driver, DriverError> {
    let now = Instant::now();
    let outlet = match open(parts.output.as_ref(), &hex(&parts.manifest.digest()[..8])) {
        Ok(outlet) => outlet,
        Err(trouble) => {
            let _ = timeout(FAREWELL, parts.transport.close()).await;
            return Err(trouble);
        }
    };
    let here = (parts.machine.epoch(), parts.machine.round());
    if let Some((epoch, round)) = outlet.as_ref().and_then(|outlet| outlet.ahead(here)) {
        tracing::warn!(
            epoch,
            round,
            "the log of decisions is ahead of this node: decisions already in it are not written again"
        );
    }
    let keeper = match parts.on_disk {
        true => Keeper::thread(parts.store).map_err(DriverError::Thread)?,
        false => Keeper::here(parts.store),
    };
    let members = parts.manifest.member.len();
    let Tempo { wait, ask, in_step, .. } = parts.tempo;
    let hold = if in_step { wait.max(ask) } else { ask };
    let mut driver = Driver {
        keeper,
        storing: false,
        transport: parts.transport,
        events: parts.events,
        source: parts.source,
        costs: parts.costs,
        asked: parts.asked,
        horizon: parts.horizon,
        outlet,
        held: (members > 1 && !hold.is_zero()).then_some(now + hold),
        away: (0..members).filter(|member| *member != parts.me).collect(),
        tempo: parts.tempo,
        course: Course::new(&*parts.machine, parts.horizon),
        notes: Notes::new(parts.board, parts.manifest, &*parts.machine),
        machine: parts.machine,
        pending: None,
        answering: None,
        skipped: 0,
        due: now,
        late: (u64::MAX, now),
        done: None,
    };
    driver.follow(parts.first);
    Ok(driver)
}

fn open(output: Option<&Output>, manifest: &str) -> Result<Option<Outlet>, DriverError> {
    match output {
        None => Ok(None),
        Some(Output::Stdout) => Outlet::stdout(manifest).map(Some).map_err(DriverError::Thread),
        Some(Output::File(path)) => {
            let unfit = |error| DriverError::Decisions { path: path.display().to_string(), error };
            Outlet::file(path, manifest).map(Some).map_err(unfit)
        }
    }
}
