//! In which order rows are read and mixed, so that each is read and written once and little is copied.

use std::collections::BTreeSet;

/// What the nodes mix in one round, in place. A row may be mixed when all rows that its node hears have been read. A mixed row is no
/// longer what its node said. So if others still need that, it is kept aside.
pub(super) struct MixOrder {
    /// The weights (12) (20) of those that each node hears, and of itself, in order.
    pub(super) shares: Vec<Vec<(usize, f64)>>,
    /// All rows, some at a time.
    pub(super) steps: Vec<MixingStep>,
    /// Each row's place among those that are read.
    pub(super) places: Vec<usize>,
    /// How many rows are kept aside at once, at most.
    pub(super) kept: usize,
}

/// Some rows are read, then some are mixed.
pub(super) struct MixingStep {
    pub(super) read: Vec<usize>,
    pub(super) mixed: Vec<MixedRow>,
}

/// A row that is mixed in place.
pub(super) struct MixedRow {
    pub(super) node: usize,
    pub(super) from: Vec<(RowPlace, f64)>,
    /// Where it is kept as it was before.
    pub(super) keep: Option<usize>,
}

/// Where the row stands that a node has said.
#[derive(Clone, Copy)]
pub(super) enum RowPlace {
    /// It is not yet mixed.
    Panel(usize),
    /// Among those that are kept aside.
    Kept(usize),
}

impl MixOrder {
    /// With these weights; so many rows are read at a time.
    pub(super) fn new(shares: Vec<Vec<(usize, f64)>>, together: usize) -> Self {
        let (order, together) = (order(&shares), together.max(1));
        let mut places = vec![0; order.len()];
        order.iter().enumerate().for_each(|(place, i)| places[*i] = place);
        let ready = |i: &usize| shares[*i].iter().fold(places[*i], |last, (j, _)| last.max(places[*j]));
        let mut later = order.clone();
        later.sort_by_key(ready); // stable: the order says how to go on
        let mut aside = Aside::new(&shares);
        let mut later = later.into_iter().peekable();
        let mut steps = Vec::new();
        for (k, read) in order.chunks(together).enumerate() {
            let (end, mut mixed) = (k * together + read.len(), Vec::new());
            while let Some(node) = later.next_if(|i| ready(i) < end) {
                mixed.push(aside.mix(node, &shares[node]));
            }
            steps.push(MixingStep { read: read.to_vec(), mixed });
        }
        let kept = aside.places;
        Self { shares, steps, places, kept }
    }
}

/// From each node to one that it hears, as long as there are new ones: the row of the next node was just read.
fn order(shares: &[Vec<(usize, f64)>]) -> Vec<usize> {
    let (mut order, mut seen) = (Vec::with_capacity(shares.len()), vec![false; shares.len()]);
    for start in 0..shares.len() {
        let mut next = Some(start).filter(|i| !seen[*i]);
        while let Some(i) = next {
            seen[i] = true;
            order.push(i);
            next = shares[i].iter().map(|(j, _)| *j).find(|j| !seen[*j]);
        }
    }
    order
}

/// Which rows are kept aside while rows are mixed.
struct Aside {
    /// How many nodes that hear this one have not mixed yet.
    needed: Vec<usize>,
    /// Where its row is.
    at: Vec<RowPlace>,
    free: BTreeSet<usize>,
    places: usize,
}

impl Aside {
    fn new(shares: &[Vec<(usize, f64)>]) -> Self {
        let mut needed = vec![0; shares.len()];
        shares.iter().flatten().for_each(|(j, _)| needed[*j] += 1);
        Self {
            needed,
            at: (0..shares.len()).map(RowPlace::Panel).collect(),
            free: BTreeSet::new(),
            places: 0,
        }
    }

    fn mix(&mut self, node: usize, share: &[(usize, f64)]) -> MixedRow {
        let from = share.iter().map(|(j, a)| (self.at[*j], *a)).collect();
        share.iter().for_each(|(j, _)| self.needed[*j] -= 1);
        let keep = (self.needed[node] > 0).then(|| {
            self.free.pop_first().unwrap_or_else(|| {
                self.places += 1;
                self.places - 1
            })
        });
        if let Some(place) = keep {
            self.at[node] = RowPlace::Kept(place);
        }
        for (j, _) in share {
            if let (0, RowPlace::Kept(place)) = (self.needed[*j], self.at[*j]) {
                self.free.insert(place);
            }
        }
        MixedRow { node, from, keep }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::{Complete, ErdosRenyi, Exponential, PaperFig2, Topology};
    use crate::rng::Seed;

    fn shares(topology: &dyn Topology, t: u64) -> Vec<Vec<(usize, f64)>> {
        let heard = topology.graph(t).heard();
        heard.into_iter().map(|of| of.into_iter().map(|j| (j, 0.5 + j as f64)).collect()).collect()
    }

    /// How many rows are kept aside.
    fn same(topology: &dyn Topology, t: u64, together: usize) -> usize {
        let mixing = MixOrder::new(shares(topology, t), together);
        let said: Vec<f64> = (0..topology.nodes()).map(|i| (i as f64).sin()).collect();
        let (mut rows, mut kept, mut read) = (said.clone(), vec![f64::NAN; mixing.kept], Vec::new());
        for step in &mixing.steps {
            read.extend_from_slice(&step.read);
            for row in &step.mixed {
                assert!(mixing.shares[row.node].iter().all(|(j, _)| read.contains(j)));
                let of = |place: &RowPlace| match place {
                    RowPlace::Panel(j) => rows[*j],
                    RowPlace::Kept(place) => kept[*place],
                };
                let sum = row.from.iter().map(|(place, a)| a * of(place)).sum();
                if let Some(place) = row.keep {
                    kept[place] = rows[row.node];
                }
                rows[row.node] = sum;
            }
        }
        for (i, share) in mixing.shares.iter().enumerate() {
            assert_eq!(rows[i], share.iter().map(|(j, a)| a * said[*j]).sum::<f64>(), "node {i}");
            assert_eq!(read[mixing.places[i]], i);
        }
        mixing.kept
    }

    #[test]
    fn rows_are_mixed_in_place_as_if_all_were_mixed_at_once() {
        for together in [1, 3, 8, 100] {
            for t in 0..5 {
                same(&PaperFig2, t, together);
                same(&ErdosRenyi::new(31, 0.1, Seed::new(1)).unwrap(), t, together);
                same(&Complete::new(9).unwrap(), t, together);
                assert!(same(&Exponential::new(64).unwrap(), t, together) <= 1);
                assert!(same(&Exponential::new(64).unwrap().graph(t).undirected(), t, together) <= 3);
            }
        }
    }
}
