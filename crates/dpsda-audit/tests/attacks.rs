//! The attacks that the paper names, against its own order and against ours.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::ops::ControlFlow;

use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::loss::squared::Squared;
use dpsda::rng::{Purpose, Seed};
use dpsda::{Error, Keys};
use dpsda_audit::Arena;
use dpsda_audit::attack::{DataStream, Inversion, Membership, inversion, membership};
use dpsda_config::{ResolvedData, Resolver, RunConfig};
use rand::RngExt;

const FEATURES: usize = 6;
const ROUNDS: u64 = 12;

struct Nowhere;

impl Resolver for Nowhere {
    fn read(&self, path: &str) -> Result<String, Error> {
        Err(Error::data(path, "there are no files here"))
    }

    fn data(&self, _: &str, _: &Keys<'_>) -> Result<ResolvedData, Error> {
        Ok(ResolvedData { dim: FEATURES, samples: None, handle: 0 })
    }
}

fn arena(algorithm: &str, privacy: &str, set: &str, rounds: u64) -> Arena {
    let text = format!(
        "rounds = {ROUNDS}\n[problem]\nloss = 'squared'\ndata = 'none'\n[set]\n{set}\n[network]\nnodes = 3\n\
         graph = 'complete'\n[algorithm]\nname = '{algorithm}'\n[privacy]\n{privacy}\n"
    );
    let (run, _) = RunConfig::read(&text.parse().unwrap(), &Nowhere).unwrap();
    Arena::of(&run, rounds)
}

fn samples() -> Samples {
    let mut stream = Seed::default().stream(Purpose::Data, 0, 0);
    let rows = 40;
    let values = (0..rows * FEATURES).map(|_| stream.random::<f64>() - 0.5).collect();
    let labels = (0..rows).map(|_| 2.0 * stream.random::<f64>() - 1.0).collect();
    Samples { features: Box::new(Dense::new(values, FEATURES).unwrap()), labels }
}

fn stream(samples: &Samples) -> DataStream<'_> {
    DataStream { samples, loss: &Squared, rows: (0..ROUNDS as usize).collect(), batch: 1 }
}

const PAPER: &str = "mechanism = 'laplace'\nlevel = 0.2\nnoise = 'all'\ndecide = 'private'";
const OURS: &str = "mechanism = 'discrete-laplace'\nepsilon = 1.0\nclip = 1.0";
const BOX: &str = "kind = 'box'\nlower = -500.0\nupper = 500.0";

fn inverted(algorithm: &str, privacy: &str, set: &str) -> Vec<Inversion> {
    let samples = samples();
    inversion(&arena(algorithm, privacy, set, ROUNDS), &stream(&samples), 1).unwrap()
}

#[test]
fn the_papers_order_gives_every_gradient_away_to_rounding() {
    for algorithm in ["dpsda-c", "dpsda-ps"] {
        let found = inverted(algorithm, PAPER, BOX);
        let [messages, decisions] = found[..] else { panic!("two views") };
        assert!(messages.exact < 0.01, "messages alone are noised: {messages:?}");
        assert!(decisions.exact == 1.0 && decisions.error < 1e-9, "{algorithm} {decisions:?}");
        assert!(decisions.inactive > 0.9 && decisions.cosine > 1.0 - 1e-9, "{algorithm} {decisions:?}");
        assert!(decisions.example.unwrap() > 1.0 - 1e-9, "and with it the example: {decisions:?}");
    }
}

#[test]
fn a_decision_reveals_less_where_the_projection_is_active() {
    let tight = "kind = 'box'\nlower = -0.01\nupper = 0.01";
    let found = inverted("dpsda-c", PAPER, tight)[1];
    assert!(found.inactive < 0.2, "{found:?}");
}

#[test]
fn our_order_reveals_no_gradient() {
    for algorithm in ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"] {
        for found in inverted(algorithm, OURS, BOX) {
            assert!(found.exact == 0.0 && found.error > 0.5, "{algorithm} {found:?}");
            assert!(found.cosine.abs() < 0.4 && found.example.unwrap() < 0.8, "{algorithm} {found:?}");
        }
    }
}

fn found_member(algorithm: &str, privacy: &str) -> Membership {
    let samples = samples();
    let arena = arena(algorithm, privacy, BOX, 4);
    membership(&arena, &stream(&samples), 30, 1, (2000, 7), &|_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn the_papers_order_reveals_membership() {
    for algorithm in ["dpsda-c", "dpsda-ps"] {
        let found = found_member(algorithm, PAPER);
        assert!(found.accuracy == 1.0 && found.found == 1.0, "{algorithm} {found:?}");
        assert!(found.statistic.starts_with("gradient solved"), "{found:?}");
    }
}

#[test]
fn our_order_reveals_no_more_of_membership_than_the_claim_allows() {
    for algorithm in ["dpsda-c", "dpsda-ps", "dpsda-r", "dpcda"] {
        let found = found_member(algorithm, OURS);
        // Six standard deviations of the share of 2,000 answers.
        let doubt = 6.0 * (0.25 / 2000.0_f64).sqrt();
        assert!(found.accuracy <= Membership::ceiling(1.0, 0.0) + doubt, "{algorithm} {found:?}");
        let most = 1.0_f64.exp() * (found.wrongly + 6.0 * (found.wrongly.max(0.01) / 1000.0).sqrt());
        assert!(found.found <= most + doubt, "{algorithm} {found:?}");
    }
}

#[test]
fn without_noise_everything_is_revealed() {
    let found = found_member("dpsda-r", "mechanism = 'none'");
    assert_eq!((found.accuracy, found.found), (1.0, 1.0), "{found:?}");
    assert!(inverted("dpsda-r", "mechanism = 'none'", BOX).iter().all(|found| found.exact == 1.0));
}
