//! What a node needs to turn arriving costs into functions.

use std::ops::Range;
use std::sync::Arc;

use dpsda::Blocks;
use dpsda::features::Scaling;
use dpsda::loss::Loss;
use dpsda::objective::two_point::{Feedback, direction};
use dpsda::objective::{Batch, Objective};
use dpsda::rng::{Purpose, Seed};
use dpsda_config::RunConfig;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::given::{GivenGradient, GivenValues, Zero};
use super::{EstimateDigest, GivenCost, SampleCost};

/// The point at which a node wants the gradient of a round's cost: a function of released values.
///
/// It does not change while its round lasts, unless the node restarts. What peers send meanwhile counts from the next round on.
#[derive(Debug, Clone, PartialEq)]
pub struct Estimate {
    /// The round.
    pub t: u64,
    /// The epoch of the node.
    pub epoch: u64,
    /// T: the number of rounds. No cost is taken from round T on.
    pub rounds: u64,
    /// The first coordinate of the node's own block, and the first after it.
    pub block: [usize; 2],
    /// All coordinates of the point.
    pub estimate: Vec<f64>,
    /// With two-point feedback: the two points at which the cost is evaluated.
    pub points: Option<[Vec<f64>; 2]>,
}

impl Estimate {
    /// Names this estimate. A line that repeats it is taken for this estimate only. It is computed when somebody asks.
    pub fn at(&self) -> EstimateDigest {
        EstimateDigest::of(self.t, &self.estimate)
    }
}

impl Serialize for Estimate {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Self { t, epoch, rounds, block, estimate, points } = self;
        let mut fields = to.serialize_struct("Estimate", 6 + usize::from(points.is_some()))?;
        fields.serialize_field("t", t)?;
        fields.serialize_field("epoch", epoch)?;
        fields.serialize_field("rounds", rounds)?;
        fields.serialize_field("block", block)?;
        fields.serialize_field("at", &self.at())?;
        fields.serialize_field("estimate", estimate)?;
        if let Some(points) = points {
            fields.serialize_field("points", points)?;
        }
        fields.end()
    }
}

/// How one node reads the costs that arrive.
#[derive(Clone)]
pub struct CostTerms {
    me: usize,
    blocks: Arc<Blocks>,
    horizon: u64,
    /// The loss of samples and what is done to their features, if the run has samples.
    samples: Option<(Arc<dyn Loss>, Scaling)>,
    feedback: Feedback,
    seed: Seed,
}

impl CostTerms {
    /// The terms of node `me` in an experiment.
    pub fn of(run: &RunConfig, me: usize) -> Self {
        Self {
            me,
            blocks: run.spec.shared_blocks(),
            horizon: run.split.rounds,
            samples: run.problem.samples().map(|own| (Arc::clone(&own.loss), own.scaling.clone())),
            feedback: run.spec.feedback(),
            seed: run.seed_of(0),
        }
    }

    /// The number of coordinates of a decision.
    pub(crate) fn dim(&self) -> usize {
        self.blocks.dim()
    }

    fn block(&self) -> Range<usize> {
        self.blocks.range(self.me)
    }

    /// What a program needs to know of round `t`, where the node's estimate is `y`.
    pub(crate) fn estimate(&self, t: u64, epoch: u64, y: &[f64]) -> Estimate {
        let Range { start, end } = self.block();
        Estimate {
            t,
            epoch,
            rounds: self.horizon,
            block: [start, end],
            estimate: y.to_vec(),
            points: self.points(t, y),
        }
    }

    /// The two points of two-point feedback, as the learner computes them.
    fn points(&self, t: u64, y: &[f64]) -> Option<[Vec<f64>; 2]> {
        let Feedback::TwoPoint { probe } = self.feedback else { return None };
        let block = self.block();
        let e = direction(block.len(), &mut self.seed.stream(Purpose::Direction, self.me as u64, t));
        let point = |side: f64| {
            let mut point = y.to_vec();
            let own = point.iter_mut().skip(block.start);
            own.zip(&e).for_each(|(x, e)| *x += side * e);
            point
        };
        Some([point(probe), point(-probe)])
    }

    /// Shows an arrived cost of round `t` as a function. `y` is the node's estimate.
    pub(crate) fn reveal<T>(
        &self,
        cost: &GivenCost,
        t: u64,
        y: &[f64],
        see: impl FnOnce(&dyn Objective) -> T,
    ) -> T {
        match (cost, &self.samples) {
            (GivenCost::Samples(SampleCost { samples, rows }), Some((loss, scaling))) if !rows.is_empty() => {
                match scaling.apply(Arc::clone(samples)) {
                    Ok(samples) => see(&Batch { samples: &samples, rows, loss: &**loss }),
                    Err(_) => see(&Zero(self.dim())), // the form of a line has as many numbers as there are bounds
                }
            }
            (GivenCost::Samples(_), _) => see(&Zero(self.dim())),
            (GivenCost::Gradient { own, public, .. }, _) => {
                see(&GivenGradient { dim: self.dim(), block: self.block(), own, public })
            }
            (GivenCost::Values { values, .. }, _) => match self.points(t, y) {
                Some(points) => see(&GivenValues { points: &points, values: *values }),
                None => see(&Zero(self.dim())), // the form of a line refuses values without two-point feedback
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use dpsda::features::{Dense, Samples};
    use dpsda::loss::Squared;

    use super::*;

    #[test]
    fn lines_carry_raw_features_and_the_node_scales_them() {
        let bounds = Scaling::between_each(vec![0.0, 10.0, -1.0], vec![2.0, 20.0, 1.0]).unwrap();
        let terms = CostTerms {
            me: 0,
            blocks: Arc::new(Blocks::even(4, 2).unwrap()),
            horizon: 9,
            samples: Some((Arc::new(Squared), bounds.intercept(true))),
            feedback: Feedback::Gradient,
            seed: Seed::new(1),
        };
        let features = Dense::new(vec![2.0, 15.0, 0.5, 0.0, 99.0, 0.0], 3).unwrap();
        let samples = Arc::new(Samples::new(features, vec![0.0, 0.0]).unwrap());
        let value = |row| {
            let cost = GivenCost::Samples(SampleCost { samples: Arc::clone(&samples), rows: vec![row] });
            let x = [1.0, 10.0, 100.0, 1000.0];
            terms.reveal(&cost, 0, &x, |f| {
                assert_eq!(f.dim(), 4);
                f.value(&x)
            })
        };
        assert_eq!([value(0), value(1)], [1051.0 * 1051.0, 1009.0 * 1009.0]);
    }
}
