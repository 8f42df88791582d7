//! What follows from the graph of a round, kept where graphs repeat.

use std::sync::Arc;

use crate::network::Topology;

/// Longer periods are not kept.
const LONGEST: u64 = 64;

/// One value for every graph of a period.
pub(super) struct Repeated<T> {
    period: Option<u64>,
    kept: Vec<Option<Arc<T>>>,
}

impl<T> Repeated<T> {
    pub(super) fn new(topology: &dyn Topology) -> Self {
        let period = topology.period().filter(|period| (1..=LONGEST).contains(period));
        Self { period, kept: vec![None; period.unwrap_or(0) as usize] }
    }

    /// That of round `t`, which `make` computes.
    pub(super) fn of(&mut self, t: u64, make: impl FnOnce() -> T) -> Arc<T> {
        let place = self.period.and_then(|period| self.kept.get_mut((t % period) as usize));
        match place {
            Some(kept) => Arc::clone(kept.get_or_insert_with(|| Arc::new(make()))),
            None => Arc::new(make()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{ErdosRenyi, PaperFig2};
    use crate::rng::Seed;

    #[test]
    fn each_graph_of_a_period_is_asked_for_once() {
        let asked = |topology: &dyn Topology| {
            let (mut repeated, mut asked) = (Repeated::new(topology), 0);
            for t in 0..20 {
                let graph = repeated.of(t, || {
                    asked += 1;
                    topology.graph(t)
                });
                assert_eq!(*graph, topology.graph(t));
            }
            asked
        };
        assert_eq!(asked(&PaperFig2), 4);
        assert_eq!(asked(&ErdosRenyi::new(7, 0.5, Seed::new(1)).unwrap()), 20);
    }
}
