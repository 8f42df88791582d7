//! Online accuracy: every sample is first used to test, then to learn.

use super::{Better, Build, Curve, Metric, Unit};
use crate::catalog::Listing;
use crate::objective::Batch;

/// `accuracy_progressive`
pub const LISTING: Listing<Build> = Listing {
    name: "accuracy_progressive",
    about: "Online accuracy: the share of samples classified correctly before they were learned from.",
    keys: &[],
    build: || {
        Metric::mean(|round| round.mean(|x| round.f.linear().map_or(f64::NAN, |batch| hits(&batch, x))))
            .when(|start| start.classifies)
            .label("Online accuracy")
            .heading("online acc.\u{a0}%")
            .unit(Unit::Share)
            .better(Better::Higher)
            .main()
            .terminal("online", 7)
            .curve(
                Curve::new(
                    "Share of samples so far that were classified correctly before they were learned from.",
                )
                .at_least(0.0)
                .at_most(1.0),
            )
    },
};

/// The share of a batch that `x` classifies correctly.
fn hits(f: &Batch<'_>, x: &[f64]) -> f64 {
    let samples = f.samples;
    let right = |row: &&usize| (samples.features.dot(**row, x) > 0.0) == (samples.labels[**row] > 0.0);
    f.rows.iter().filter(right).count() as f64 / f.rows.len() as f64
}
