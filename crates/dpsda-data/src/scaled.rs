//! Samples whose features are scaled, or have a constant beside them.

use std::sync::Arc;

use dpsda::Error;
use dpsda::features::{Samples, Scaling};
use dpsda::rng::Seed;

use super::{Draw, Source};

/// Another source with a scaling. Stored samples are scaled once, drawn ones in every trial.
pub(super) struct ScaledSource {
    source: Arc<dyn Source>,
    scaling: Scaling,
    /// The stored samples before and after.
    stored: (Arc<Samples>, Arc<Samples>),
}

impl ScaledSource {
    /// `source`, with `scaling` applied to every example.
    pub(super) fn new(source: Arc<dyn Source>, scaling: Scaling) -> Result<Self, Error> {
        // A source that stores samples gives all of them in every draw.
        let before = source.draw(Seed::default(), 0, 0, false).samples;
        let after = scaling.apply(Arc::clone(&before))?;
        Ok(Self { source, scaling, stored: (before, after) })
    }
}

impl Source for ScaledSource {
    fn dim(&self) -> usize {
        self.scaling.dim(self.source.dim())
    }

    fn len(&self) -> Option<usize> {
        self.source.len()
    }

    fn sha256(&self) -> Option<&str> {
        self.source.sha256()
    }

    fn labels(&self) -> Result<(), Error> {
        self.source.labels()
    }

    fn ready(&self) -> Result<(), Error> {
        self.source.ready()
    }

    fn draw(&self, seed: Seed, train: usize, test: usize, shuffle: bool) -> Draw {
        let drawn = self.source.draw(seed, train, test, shuffle);
        let (before, after) = &self.stored;
        let samples = if Arc::ptr_eq(before, &drawn.samples) {
            Arc::clone(after)
        } else {
            self.scaling
                .apply(drawn.samples)
                .expect("it fits: `new` applied it to samples of the same source")
        };
        Draw { samples, ..drawn }
    }
}
