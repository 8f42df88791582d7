//! A wrong specification is an error that names the argument, the value found, and what would be right.

use dpsda::learner::{ALGORITHMS, Links, Rule, Style};
use dpsda::network::delay::FixedDelay;
use dpsda::network::outage::Bernoulli;
use dpsda::network::weights::{self, MetropolisWeights, UniformWeights};
use dpsda::objective::two_point::Feedback;
use dpsda::prelude::*;
use dpsda::privacy::clip::Norm;
use dpsda::privacy::mechanism::{Ideal, Order};
use dpsda::privacy::plan::{Arithmetic, Budget, Decide, Extent};
use dpsda::privacy::{Mechanism, Price};
use dpsda::rng::Stream;
use dpsda::set::{Product, Psi};

/// A specification in which nothing is wrong.
fn right() -> Spec {
    Spec::new(Blocks::even(14, 7).unwrap())
        .set(Ball::new(1.0).unwrap())
        .graph(PaperFig2)
        .algorithm(Relay)
        .rounds(10)
}

fn named(name: &str) -> Algorithm {
    Algorithm::named(name).unwrap()
}

fn half(seed: u64) -> Bernoulli {
    Bernoulli::new(0.5, Seed::new(seed)).unwrap()
}

fn coordinate() -> Step {
    Step { c: 1.0, rule: Rule::Coordinate }
}

/// Asserts that `check` and `fleet` refuse it, for this argument and with these words.
fn refused(spec: Spec, argument: &str, words: &str) {
    let Err(error) = spec.check() else { panic!("{argument}: {words:?} was expected, and it passes") };
    assert_eq!(error.key(), Some(argument), "{error}");
    assert!(error.to_string().contains(words), "{error}");
    assert_eq!(spec.fleet(Seed::new(1)).err(), Some(error));
}

#[test]
fn nothing_is_wrong_with_what_is_right() {
    right().check().unwrap();
    right().algorithm(Central).check().unwrap();
    // A learner that sees everything needs no network.
    Spec::new(Blocks::even(2, 1).unwrap()).set(Free).algorithm(Central).rounds(1).check().unwrap();
    right().step(coordinate()).check().unwrap();
    right().set(Ball::new(1.0).unwrap()).step(Step::auto()).check().unwrap();
    right().set(Simplex::default()).algorithm(Central).step(Step::auto()).check().unwrap();
    right().algorithm(Circulation).links(Links::RunningSums).check().unwrap();
}

#[test]
fn what_is_missing_is_named() {
    let blocks = || Blocks::even(14, 7).unwrap();
    refused(Spec::new(blocks()).set(Free).graph(PaperFig2).rounds(1), "algorithm", "e.g. .algorithm(");
    refused(Spec::new(blocks()).graph(PaperFig2).algorithm(Relay).rounds(1), "set", "e.g. .set(");
    refused(Spec::new(blocks()).set(Free).algorithm(Relay).rounds(1), "graph", "e.g. .graph(");
    refused(Spec::new(blocks()).set(Free).graph(PaperFig2).algorithm(Relay), "rounds", "rounds = 0");
}

#[test]
fn sizes_and_numbers_that_mean_nothing_are_refused() {
    refused(right().graph(Ring::new(3).unwrap()), "graph", "graph = 3 nodes: there are 7 blocks");
    refused(right().rounds(0), "rounds", "rounds = 0: expected a whole number of at least 1");
    refused(right().batch(0), "batch", "batch = 0: expected");
    for variance in [-1.0, f64::NAN, f64::INFINITY] {
        refused(right().gradient_error(variance), "gradient_error", "expected a variance");
    }
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(right().step(Step::decaying(c)), "step", "expected a finite number above 0, such as 1.0");
    }
    for probe in [0.0, -0.1, 1e7, f64::NAN] {
        refused(right().feedback(Feedback::TwoPoint { probe }), "probe", "a distance from 1e-6 to 1e6");
    }
    let four = Blocks::even(4, 2).unwrap();
    let balls = (0..2).map(|_| Box::new(Ball::new(1.0).unwrap()) as Box<dyn ConvexSet>).collect();
    let error = right().set(Product::new(balls, four).unwrap()).check().map(|_| ()).unwrap_err();
    assert!(error.key().is_some(), "a set of other blocks: {error}");
}

#[test]
fn weights_and_links_that_do_not_fit_the_algorithm_are_refused() {
    let push = weights::PushSumWeights;
    refused(right().algorithm(Circulation).weights(push), "weights", "dpsda-c needs rows that sum to one");
    refused(right().algorithm(PushSum).weights(MetropolisWeights), "weights", "use \"push-sum\"");
    refused(
        right().algorithm(named("dpdola")).weights(UniformWeights),
        "weights",
        "rows and columns that sum to one",
    );
    // Running sums split what a sender has.
    let sums = right().algorithm(Circulation).links(Links::RunningSums);
    refused(sums.weights(UniformWeights), "weights", "columns must sum to one, and these do not");
}

#[test]
fn steps_that_a_set_or_an_algorithm_cannot_take_are_refused() {
    let only = "step.rule = Coordinate: only dpsda-r and dpcda know";
    refused(right().algorithm(Circulation).step(coordinate()), "step.rule", only);
    refused(
        right().set(Simplex::new(Psi::Entropic)).step(coordinate()),
        "step.rule",
        "one step for all coordinates (use Rule::Decaying)",
    );
}

#[test]
fn automatic_steps_that_have_no_ground_are_refused() {
    let ball = || right().set(Ball::new(1.0).unwrap()).step(Step::auto());
    for name in ["dpsda-c", "dpsda-ps", "dpsr", "osp"] {
        let words = format!("only dpsda-r and dpcda have automatic steps, and {name} does not (use a number");
        refused(ball().algorithm(named(name)), "step", &words);
    }
    let reach = "step = \"auto\": automatic steps need the largest distance in the set";
    refused(ball().set(Free), "step", reach);
    refused(ball().set(Cuboid::new(0.0, f64::INFINITY).unwrap()), "step", reach);
    refused(ball().set(Simplex::new(Psi::Entropic)), "step", reach);
    let own = Mechanism::ideal("own", Norm::L2, |_: Order<f64>| Quiet);
    let unknown =
        "automatic steps need the law of the noise, and \"own\" does not state its variances (use a number";
    refused(ball().privacy(Privacy::level(1.0).mechanism(own)), "step", unknown);
}

/// Noise of a user, who does not say how loud it is.
struct Quiet;

impl Ideal for Quiet {
    fn perturb(&mut self, _value: &mut [f64], _stream: &mut Stream) {}

    fn cost(&self, _moved: f64, _times: u64) -> Price {
        Price::Unbounded
    }
}

#[test]
fn what_a_model_per_node_has_no_answer_to_is_refused() {
    for name in ["dpdola", "dpps", "dpsr", "osp", "dp-osp", "dp-wb", "doda"] {
        let spec = || right().algorithm(named(name));
        refused(spec().delay(FixedDelay::new(2).unwrap()), "delay", "no answer to late messages");
        refused(spec().feedback(Feedback::TwoPoint { probe: 0.1 }), "feedback", "learns from gradients");
        if matches!(name, "dpsr" | "dp-wb") {
            let never = "needs links that are always there";
            refused(spec().loss(half(1)), "loss", never);
            refused(spec().outage(half(1)), "outage", never);
            let random = Varying::new(7, |t| PaperFig2.graph(t)).unwrap(); // it might repeat, and says nothing of it
            refused(spec().graph(random), "graph", "runs on one fixed graph");
        } else {
            refused(spec().loss(half(1)), "loss", "messages that vanish unnoticed");
            spec().outage(half(1)).check().unwrap();
        }
    }
}

#[test]
fn privacy_that_means_nothing_is_refused() {
    let laplace = || Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
    let with = |privacy| right().privacy(privacy);
    for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let asked = Privacy::epsilon(epsilon).clip(1.0).mechanism(DiscreteLaplace);
        refused(with(asked), "epsilon", "expected a number of at least 1e-6 (in a file, inf: no noise)");
    }
    for level in [0.0, -1.0, f64::NAN] {
        refused(with(Privacy::level(level).mechanism(Laplace)), "level", "or inf for no noise");
    }
    for delta in [0.0, 1.0, -0.1, f64::NAN] {
        refused(with(laplace().delta(delta)), "delta", "above 0 and below 1");
    }
    for clip in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        refused(with(laplace().clip(clip)), "clip", "the largest norm of an event's gradient");
    }
    refused(with(laplace().clip(1e15)), "clip", "the coarsest grid, 2^-0, has room for");
    refused(with(laplace().grid(53)), "grid", "at most 52");
    refused(with(laplace().grid(0)), "grid", "less than one unit");
    refused(with(laplace().grid(50)), "grid", "too many units of 2^-50 (use at most 48)");
}

#[test]
fn privacy_that_nothing_can_give_is_refused() {
    let with = |privacy| right().privacy(privacy);
    let gauss = || Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteGaussian);
    let silent = Privacy::epsilon(1.0).clip(1.0).mechanism(Mechanism::none());
    refused(with(silent), "epsilon", "without noise there is none");
    refused(with(gauss()), "epsilon", "only at a delta (set e.g. delta = 1e-5)");
    refused(with(Privacy::epsilon(1.0).mechanism(Laplace)), "clip", "no epsilon exists without a bound");
    refused(with(Privacy::level(1.0).mechanism(DiscreteLaplace)), "clip", "exact noise needs a bound");
    refused(with(Privacy::level(1.0).mechanism(Laplace).examples()), "clip", "each with a bound");
    let average = |privacy| right().algorithm(Circulation).privacy(privacy);
    refused(average(gauss().delta(1e-5).decide(Decide::Private)), "epsilon", "use decide = \"published\"");
    let private = Privacy::level(1.0).clip(1.0).mechanism(Laplace).examples().decide(Decide::Private);
    refused(average(private), "adjacency", "one example disturbs the gradients of all later examples");
    refused(average(gauss().delta(1e-5).mechanism(Toeplitz)), "mechanism", "use it with dpsda-r or dpcda");
    let grid = |asked: Privacy| average(asked.arithmetic(Arithmetic::Grid));
    refused(grid(gauss().delta(1e-5)).weights(UniformWeights), "arithmetic", "not as \"uniform\"");
    refused(grid(Privacy::level(1.0).clip(1.0).mechanism(Laplace)), "arithmetic", "noise is not on a grid");
    // A baseline promises nothing.
    for (asked, argument) in [
        (gauss().delta(1e-5), "epsilon"),
        (Privacy::level(1.0).clip(1.0).mechanism(Laplace), "clip"),
        (Privacy::level(1.0).mechanism(DiscreteLaplace), "mechanism"),
        (Privacy::level(1.0).mechanism(Laplace).examples(), "adjacency"),
    ] {
        refused(
            right().algorithm(named("dpdola")).privacy(asked),
            argument,
            "a baseline noises what it sends",
        );
    }
}

/// A user who asks for a level or an epsilon expects noise. To run without noise is a choice of its own.
#[test]
fn a_level_or_an_epsilon_without_a_mechanism_is_refused_by_every_algorithm() {
    let algorithms = ALGORITHMS.iter().map(|a| a.name).filter(|name| *name != "dpcda");
    for spec in algorithms.map(|name| right().set(Free).algorithm(named(name))).chain([right()]) {
        let with = |privacy| spec.clone().privacy(privacy);
        let words = "level = 0.5: a level needs a mechanism that adds the noise (e.g. .mechanism(";
        refused(with(Privacy::level(0.5)), "level", words);
        refused(with(Privacy::level(0.5).clip(1.0).grid(8)), "level", words);
        refused(
            with(Privacy::epsilon(0.5).clip(1.0)),
            "epsilon",
            "epsilon = 0.5: an epsilon needs a mechanism",
        );
        for silent in [
            Privacy::none(),
            Privacy::level(f64::INFINITY),
            Privacy::level(0.5).mechanism(Mechanism::none()),
            Privacy::level(f64::INFINITY).mechanism(Laplace),
        ] {
            assert!(with(silent).check().unwrap().plan().asked().is_silent());
        }
    }
    let blocks = Blocks::even(14, 7).unwrap();
    let extent = Extent { style: Style::Relay, blocks: &blocks, rounds: 1, batch: 1 };
    assert_eq!(Plan::new(Privacy::level(0.5), &extent).unwrap_err().key(), Some("level"));
}

#[test]
fn budgets_that_mean_nothing_or_cannot_hold_are_refused() {
    let only = Budget::default();
    let with =
        |budget| right().privacy(Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).budget(budget));
    for limit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        for (budget, argument) in [
            (Budget { event: Some(limit), ..only }, "budget.event"),
            (Budget { person: Some(limit), events_per_person: Some(2), ..only }, "budget.person"),
            (Budget { lifetime: Some(limit), ..only }, "budget.lifetime"),
        ] {
            refused(with(budget), argument, "expected an epsilon: a finite number above 0");
        }
    }
    refused(with(Budget { person: Some(1.0), ..only }), "budget.events_per_person", "needs it");
    refused(with(Budget { event: Some(0.5), ..only }), "budget.event", "the run would spend 1.0");
    let lifetime = Budget { lifetime: Some(5.0), ..only };
    refused(with(lifetime), "budget.lifetime", "the run would spend 10.0");
    with(lifetime).metered().check().unwrap(); // a host asks before every release
    refused(right().privacy(Privacy::none().budget(lifetime)), "budget.lifetime", "nothing bounds");
    for name in ["oda-c", "oda-ps", "doda", "osp"] {
        refused(with(lifetime).algorithm(named(name)), "budget", "never noises, and no budget holds");
    }
}
