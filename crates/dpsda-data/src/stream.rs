//! Samples that arrive while nodes run.

use std::sync::Arc;

use dpsda::catalog::{Key, Listing};
use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::rng::Seed;
use dpsda::{Error, Keys};

use super::{Build, Draw, MAX_FEATURES, Source};

/// This member.
pub const LISTING: Listing<Build> = Listing {
    name: "stream",
    about: "for nodes only: costs arrive during the run, on standard input or over HTTP",
    keys: &[Key { name: "features", about: "how many features" }],
    build,
};

/// A source that knows its features, but has no samples yet.
struct StreamSource {
    none: Arc<Samples>,
}

fn build(keys: &Keys<'_>, _: &dyn Fn(&str) -> Result<Vec<u8>, Error>) -> Result<Box<dyn Source>, Error> {
    let dim = keys.count("features", 1)?;
    let dim = dim.ok_or_else(|| Error::missing(keys.name("features"), "how many features a sample has"))?;
    if dim > u64::from(MAX_FEATURES) {
        return Err(keys.bad("features", format!("expected at most {MAX_FEATURES}")));
    }
    let features = Box::new(Dense::new(Vec::new(), dim as usize)?);
    Ok(Box::new(StreamSource { none: Arc::new(Samples { features, labels: Vec::new() }) }))
}

impl Source for StreamSource {
    fn dim(&self) -> usize {
        self.none.features.dim()
    }

    /// More than anybody will send.
    fn len(&self) -> Option<usize> {
        Some(1 << 40)
    }

    fn sha256(&self) -> Option<&str> {
        None
    }

    /// Labels are checked when they arrive.
    fn labels(&self) -> Result<(), Error> {
        Ok(())
    }

    fn ready(&self) -> Result<(), Error> {
        let remedy = "its samples arrive while nodes run, so there is nothing to simulate (use other data here, or run it \
                      with dpsda node)";
        Err(Error::value("problem.data", format!("{:?}", LISTING.name), remedy))
    }

    fn draw(&self, _: Seed, _: usize, _: usize, _: bool) -> Draw {
        Draw { samples: Arc::clone(&self.none), train: Vec::new(), test: Vec::new() }
    }
}
