//! The two inputs of the auditor, a specification built in code and a file, and what both refuse.
#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "planted/field.rs"]
mod field;

use std::ops::ControlFlow;

use dpsda::features::Samples;
use dpsda::features::dense::Dense;
use dpsda::learner::{Algorithm, Links, Rule};
use dpsda::loss::squared::Squared;
use dpsda::network::delay::FixedDelay;
use dpsda::network::outage::OwnOutage;
use dpsda::prelude::*;
use dpsda_audit::attack::{DataStream, inversion, membership};
use dpsda_audit::audit::{AuditOptions, AuditedNodes, honest};
use dpsda_audit::canary::Canary;
use dpsda_audit::{Arena, Game, Honest, Unfinished, View, one_run};
use field::{FIELD, Field};

fn go(_: u64) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The specification of [`FIELD`], in code.
fn spec(algorithm: impl Into<Algorithm>) -> Spec {
    Spec::new(Blocks::even(FIELD.features, FIELD.nodes).unwrap())
        .set(Free)
        .graph(Complete::new(FIELD.nodes).unwrap())
        .algorithm(algorithm)
        .privacy(Privacy::epsilon(FIELD.epsilon).clip(1.0).mechanism(DiscreteLaplace))
        .batch(3)
        .rounds(FIELD.rounds)
}

/// How often the guess about each node's event was right, and how often wrong.
fn counts(arena: &Arena) -> Vec<(u64, u64)> {
    let game = Game { arena, host: &Honest, canary: Canary::AtTheClip, event: 1, seed: 11 };
    let measured = game.nodes(400, &go).unwrap().into_iter().map(|scores| scores.measure(arena.delta()));
    measured.map(|measured| measured.counts.unwrap()).map(|(more, less)| (more.hits, less.hits)).collect()
}

#[test]
fn a_specification_in_code_and_a_file_give_the_same_figures() {
    let expected = [
        ("dpsda-r", [(140, 45), (130, 54)]),
        ("dpsda-c", [(99, 38), (120, 51)]),
        ("dpsda-ps", [(99, 38), (120, 51)]), // on two nodes that hear each other both average alike
    ];
    for (algorithm, expected) in expected {
        let code = spec(Algorithm::named(algorithm).unwrap()).check().unwrap();
        let code = Arena::new(&code, FIELD.rounds).unwrap();
        let file = Field { algorithm, ..FIELD }.arena();
        assert_eq!(code.claim(), file.claim());
        assert_eq!(counts(&code), counts(&file), "{algorithm}");
        assert_eq!(
            counts(&file),
            expected,
            "{algorithm}: the same seed gives the same figures, in every version"
        );
    }
}

#[test]
fn a_specification_that_cannot_be_played_is_refused_by_the_name_of_its_method() {
    let steps = Step { rule: Rule::Coordinate, ..Step::decaying(1.0) };
    for (spec, words) in [
        (spec(Relay).loss(OwnOutage::new(|t, _, _| t != 1)), "loss = unnoticed: the audit plays"),
        (spec(Relay).delay(FixedDelay::new(2).unwrap()), "delay = up to 2 rounds: the audit plays"),
        (spec(PushSum).links(Links::RunningSums), "links = RunningSums: the audit reads single shares"),
        (spec(Relay).step(steps), "step = one per coordinate: the audit can compute"),
        (
            spec(Relay).set(Ball::new(1.0).unwrap()).step(Step::auto()),
            "step = automatic: the audit can compute",
        ),
        (
            spec(Algorithm::named("dpdola").unwrap()).privacy(Privacy::level(1.0).mechanism(Laplace)),
            "algorithm = \"dpdola\": a baseline promises nothing",
        ),
    ] {
        let checked = spec.check().map_err(|error| error.to_string()).unwrap();
        let error = Arena::new(&checked, 3).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(words), "{error}");
        assert!(Arena::game(&checked).is_err());
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let arena = Arena::game(&spec(Relay).check().unwrap()).unwrap();
    let error = one_run(&arena, View::Node(2), 1).unwrap_err().to_string();
    assert_eq!(error, "node = 2: there are 2 nodes (use 0 to 1)");
    let options = AuditOptions { nodes: AuditedNodes::One(7), ..AuditOptions::default() };
    assert!(matches!(honest(&arena, &options, &go), Err(Unfinished::Failed(_))));
    assert!(matches!(
        honest(&arena, &AuditOptions::default(), &|_| ControlFlow::Break(())),
        Err(Unfinished::Stopped)
    ));

    let cancels = Privacy::epsilon(2.0).delta(1e-5).clip(1.0).mechanism(Tree);
    let tree = Arena::game(&spec(Relay).privacy(cancels).check().unwrap()).unwrap();
    let error = one_run(&tree, View::All, 1).unwrap_err().to_string();
    assert!(error.starts_with("mechanism = \"tree\": this noise is correlated"), "{error}");

    let samples = |features: usize| Samples {
        features: Box::new(Dense::new(vec![0.5; 4 * features], features).unwrap()),
        labels: vec![1.0; 4],
    };
    let (narrow, fitting) = (samples(3), samples(4));
    let data = |samples, rows| DataStream { samples, loss: &Squared, rows, batch: 1 };
    let error = inversion(&arena, &data(&narrow, vec![0, 1]), 1).unwrap_err().to_string();
    assert_eq!(error, "samples = of 3 features: the nodes decide 4 coordinates together");
    let attack = |rows, other, event| membership(&arena, &data(&fitting, rows), other, event, (10, 1), &go);
    for (rows, other, event, words) in [
        (vec![0, 4, 1], 3, 0, "rows = 4: there are 4 samples, counted from 0"),
        (vec![0, 1, 2], 9, 0, "rows = 9: there are 4 samples, counted from 0"),
        (vec![0, 1, 2], 3, 3, "event = 3: the data end before this round (choose an earlier one)"),
    ] {
        assert_eq!(attack(rows, other, event).unwrap_err().to_string(), words);
    }
    assert!(attack(vec![0, 1, 2], 3, 1).is_ok());
}
