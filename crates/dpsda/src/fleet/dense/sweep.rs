//! A sweep over the duals of all nodes: noised and mixed in place, and on the way read for the margins of a batch.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use fearless_simd::dispatch;

use super::DenseFleet;
use super::mixing::MixOrder;
use super::sums::mix_row;
use crate::fleet::fit::sized;
use crate::learner::settle;
use crate::network::Degree;
use crate::objective::margins::Margins;
use crate::objective::{Batch, BatchRows};
use crate::privacy::plan::Coverage;
use crate::rng::Stream;
use crate::wide;

/// What the noise on coordinates of others is drawn from.
pub(super) enum Streams {
    /// They are not noised.
    None,
    /// The streams of this round, each of which is read in one go.
    Once(u64),
    /// One per node, read panel by panel.
    Each(Vec<Stream>),
}

impl DenseFleet {
    /// The weights (12) (20) of round `t`, and how to mix with them.
    pub(super) fn mixing(&mut self, t: u64) -> Arc<MixOrder> {
        let (topology, weights, nodes) = (&self.topology, &self.weights, self.nodes.len());
        let together = self.together;
        self.mixing.of(t, || {
            let graph = sized(topology.graph(t), nodes);
            let degrees = graph.degrees();
            let row = |(i, mut heard): (usize, Vec<usize>)| {
                heard.sort_unstable();
                let sorted: Vec<Degree> = heard.iter().map(|j| degrees[*j]).collect();
                let mut row = vec![0.0; heard.len()];
                weights.row(degrees[i], &sorted, &mut row);
                if weights.row_stochastic() {
                    settle(&mut row, heard.iter().position(|j| *j == i).unwrap_or_default());
                }
                heard.into_iter().zip(row).collect()
            };
            MixOrder::new(graph.heard().into_iter().enumerate().map(row).collect(), together)
        })
    }

    /// Whether duals can be read for the margins of this batch while they are mixed. It pays where few rows are read again for every
    /// few nodes, and all columns are in one panel.
    pub(super) fn reads_along(&self, batch: &Batch<'_>) -> bool {
        let features = &batch.samples.features;
        let all = self.decided.is_none() && self.duals.columns().count() == 1;
        // In the published order, other noise may depend on what is released after the sweep.
        let any_order = !self.published() || self.in_pieces;
        all && any_order && batch.rows.len() < self.together && !features.is_sparse()
    }

    /// What the noise of round `t` on coordinates of others is drawn from.
    pub(super) fn streams(&self, t: u64) -> Streams {
        if self.plan.coverage() == Coverage::Own {
            return Streams::None;
        }
        match self.duals.columns().count() {
            1 => Streams::Once(t),
            _ => Streams::Each(self.nodes.iter().map(|node| node.guard.foreign_stream(t)).collect()),
        }
    }

    /// (4) (11) (12) (20). In the published order what nodes have released since is not added yet. If there are margins, those of
    /// the duals before are added to them, in the order in which rows are read.
    pub(super) fn sweep(
        &mut self,
        t: u64,
        mixing: &MixOrder,
        mut margins: Option<(&BatchRows<'_>, &mut Margins)>,
    ) {
        let published = self.published();
        let mut streams = self.streams(if published { t + 1 } else { t });
        for columns in self.duals.columns() {
            self.kept.resize(mixing.kept * columns.len(), 0.0);
            let mut place = 0;
            for step in &mixing.steps {
                if let Some((rows, margins)) = &mut margins {
                    self.add_margins(rows, &step.read, place, margins);
                    place += step.read.len();
                }
                if !published {
                    step.read.iter().for_each(|i| self.publish(*i, &columns, &mut streams));
                }
                for row in &step.mixed {
                    let (panel, kept) = (self.duals.panel(&columns), &mut self.kept);
                    dispatch!(wide::level(), simd => mix_row(simd, row, columns.len(), panel, kept));
                    if published {
                        self.noise_others(row.node, &columns, &mut streams);
                    }
                }
            }
        }
    }

    /// Adds the margins of these nodes, of which the first stands at this place.
    fn add_margins(&self, rows: &BatchRows<'_>, nodes: &[usize], place: usize, margins: &mut Margins) {
        let scratch = RefCell::new(Vec::new());
        let write = |k: usize, columns: Range<usize>, to: &mut [f64]| {
            self.write_estimate(nodes[k - place], &columns, &mut scratch.borrow_mut(), to);
        };
        margins.add(rows, &self.plan.ends, place..place + nodes.len(), &write);
    }

    /// (4) (11) in these columns of one dual.
    fn publish(&mut self, i: usize, columns: &Range<usize>, streams: &mut Streams) {
        let own = self.blocks.range(i);
        self.nodes[i].add_share(self.duals.row(i, columns), columns, &own);
        self.noise_others(i, columns, streams);
    }

    /// (11) in these columns of one dual.
    pub(super) fn noise_others(&mut self, i: usize, columns: &Range<usize>, streams: &mut Streams) {
        let own = self.blocks.range(i);
        let dual = self.duals.row(i, columns);
        let node = &mut self.nodes[i];
        match streams {
            Streams::None => {}
            Streams::Once(t) => {
                let mut stream = node.guard.foreign_stream(*t);
                node.noise_others(dual, columns, &own, &mut stream);
            }
            Streams::Each(streams) => node.noise_others(dual, columns, &own, &mut streams[i]),
        }
    }

    /// (4) at all nodes.
    pub(super) fn add_shares(&mut self) {
        for columns in self.duals.columns() {
            for ((i, own), node) in self.blocks.iter().enumerate().zip(&self.nodes) {
                node.add_share(self.duals.row(i, &columns), &columns, &own);
            }
        }
    }

    /// (21)
    fn mix_weights(&mut self, shares: &[Vec<(usize, f64)>]) {
        if self.weights.row_stochastic() {
            return; // in DPSDA-C they stay 1, exactly
        }
        let mixed =
            |row: &Vec<(usize, f64)>| row.iter().fold(0.0, |sum, (j, a)| sum + a * self.nodes[*j].weight);
        let weights: Vec<f64> = shares.iter().map(mixed).collect();
        self.nodes.iter_mut().zip(weights).for_each(|(node, weight)| node.weight = weight);
    }

    /// What follows when the duals are mixed.
    pub(super) fn settle(&mut self, t: u64, mixing: &MixOrder) {
        self.mix_weights(&mixing.shares);
        if self.published() {
            self.add_shares();
        } else {
            for node in &mut self.nodes {
                if let Some(secret) = &node.pending {
                    node.seen = secret.unprotected(&mut node.ledger); // n u_i of (12) (20)
                }
            }
        }
        self.over = Some(t);
        self.decide(t);
    }
}
