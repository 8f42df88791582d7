//! Laws that every cost of the table keeps, with files and with drawn numbers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot be set up has failed")]

use std::sync::Arc;

use dpsda::cost::samples::SampleCosts;
use dpsda::cost::{Build, COSTS, CostModel, CostSequence, NumberTable, TableReader, check};
use dpsda::features::{Dense, Samples};
use dpsda::loss::Logistic;
use dpsda::objective::Objective;
use dpsda::privacy::plan::Adjacency;
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::set::{ConvexSet, Cuboid};
use dpsda::{Blocks, Error, Keys};
use rand::RngExt;

const ROUNDS: u64 = 12;

/// A member that needs no other key than `path` is tried without a line here.
const SAMPLES: [(&str, &str); 8] = [
    ("tracking", "path = 'any'\nreference = 'a'"),
    (
        "tracking",
        "path = 'any'\nreference = 'a'\nsignals = ['b']\ngains = [2.0, -1.0]\nfollow = 0.5\ndiscomfort = 0.3",
    ),
    ("routing", "links = 'links'\ntrips = 'trips'"),
    ("routing", "links = 'links'\ntrips = 'trips'\npaths = 2\npairs = 1\nprofile = 'profile'"),
    ("portfolio", "assets = 5\nvolatility = 0.3\ndrift = 0.1"),
    ("external", "dim = 4"),
    ("expert", "experts = 5"),
    ("expert", "experts = 3\ngap = 0.5"),
];

/// Four columns of numbers between 0.5 and 1.5, or a small road network.
fn read(path: &str) -> Result<NumberTable, Error> {
    let mut rng = Seed::new(8).stream(Purpose::Data, 0, 0);
    let mut draw = |columns: usize| {
        (0..ROUNDS).map(|_| (0..columns).map(|_| rng.random_range(0.5..1.5)).collect()).collect()
    };
    let links = [(1, 2, 4.0), (2, 1, 4.0), (2, 3, 2.0), (3, 2, 2.0), (1, 3, 7.0), (3, 1, 7.0)];
    let trips = [(1, 2, 30.0), (1, 3, 60.0), (2, 3, 20.0), (3, 1, 50.0), (3, 2, 10.0)];
    let row = |(from, to, number): (u8, u8, f64)| vec![f64::from(from), f64::from(to), number];
    let (columns, rows) = match path {
        "links" => ("from,to,time,capacity", links.map(|link| [row(link), vec![25.0]].concat()).to_vec()),
        "trips" => ("from,to,demand", trips.map(row).to_vec()),
        "profile" => ("1,2,3", draw(3)),
        _ => ("a,b,c,d", draw(4)),
    };
    NumberTable::new(path, columns.split(',').map(Into::into).collect(), rows)
}

struct Case {
    name: String,
    /// None for samples, which the file format makes.
    model: Option<Box<dyn CostModel>>,
    costs: Arc<dyn CostSequence>,
    set: Arc<dyn ConvexSet>,
}

impl Case {
    fn all() -> Vec<Self> {
        let mut cases = vec![Self::samples()];
        for entry in COSTS {
            let Build::Model(build) = entry.build else { continue };
            let mut texts: Vec<&str> =
                SAMPLES.iter().filter(|(name, _)| *name == entry.name).map(|(_, text)| *text).collect();
            let alone = build(&Keys::new("problem", &dpsda_config::table("path = 'any'").unwrap()), &read);
            if alone.is_ok() {
                texts.push("path = 'any'");
            }
            assert!(!texts.is_empty(), "`{}` needs keys: give it a line in SAMPLES", entry.name);
            for text in texts {
                let (table, read): (_, &TableReader<'_>) = (dpsda_config::table(text).unwrap(), &read);
                let keys = Keys::new("problem", &table);
                let model =
                    build(&keys, read).unwrap_or_else(|error| panic!("`{}`, {text}: {error}", entry.name));
                let listed: Vec<&str> = entry.keys.iter().map(|key| key.name).collect();
                let asked = keys.asked();
                assert!(
                    asked.iter().all(|key| listed.contains(&&**key)),
                    "`{}` asks for {asked:?}",
                    entry.name
                );
                assert!(
                    listed.iter().all(|key| asked.iter().any(|asked| asked == key)),
                    "`{}`: {asked:?}",
                    entry.name
                );
                keys.finish().unwrap();
                if model.ready().is_err() {
                    continue; // its costs arrive while nodes run
                }
                let set = model.set().unwrap_or_else(|| Arc::new(Cuboid::new(-2.0, 2.0).unwrap()));
                let costs = model.draw(Seed::new(1), ROUNDS);
                cases.push(Self { name: format!("{}: {text}", entry.name), model: Some(model), costs, set });
            }
        }
        cases
    }

    fn samples() -> Self {
        let numbers = (0..4 * ROUNDS).map(|k| (k as f64 * 0.7).sin()).collect();
        let labels = (0..2 * ROUNDS).map(|k| if k % 3 == 0 { 1.0 } else { -1.0 }).collect();
        let samples = Samples::new(Dense::new(numbers, 2).unwrap(), labels).unwrap();
        let rows = (0..2 * ROUNDS as usize).collect();
        let costs = SampleCosts::new(Arc::new(samples), rows, vec![], Arc::new(Logistic), 2).unwrap();
        let set = Arc::new(Cuboid::new(-2.0, 2.0).unwrap());
        Self { name: "samples".into(), model: None, costs: Arc::new(costs), set }
    }

    fn rng(&self) -> Stream {
        Seed::new(2).stream(Purpose::Data, self.name.len() as u64, 0)
    }

    /// A point of the set, near the middle or at the border.
    fn inside(&self, rng: &mut Stream) -> Vec<f64> {
        let scale = [0.1, 1.0, 5.0][rng.random_range(0..3)];
        let mut x: Vec<f64> = (0..self.costs.dim()).map(|_| rng.random_range(-scale..scale)).collect();
        self.set.project(&mut x);
        x
    }
}

fn each(mut law: impl FnMut(&Case, &mut Stream)) {
    Case::all().iter().for_each(|case| law(case, &mut case.rng()));
}

fn gradient(f: &dyn Objective, x: &[f64]) -> Vec<f64> {
    let mut g = vec![f64::NAN; x.len()]; // the old content must not matter
    f.partial(x, 0..x.len(), &mut g);
    g
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-10 * (1.0 + a.abs() + b.abs()))
}

#[test]
fn costs_are_convex_and_finite_on_their_set() {
    each(|case, rng| {
        for t in 0..case.costs.rounds() {
            let f = case.costs.cost(t).unwrap();
            assert_eq!(f.dim(), case.costs.dim(), "{}", case.name);
            check(&*f, &*case.set, Seed::new(t))
                .unwrap_or_else(|error| panic!("{}, round {t}: {error}", case.name));
            let (a, b, way) = (case.inside(rng), case.inside(rng), rng.random_range(0.0..1.0));
            let x: Vec<f64> = a.iter().zip(&b).map(|(a, b)| a + way * (b - a)).collect();
            let (value, chord) = (f.value(&x), (1.0 - way) * f.value(&a) + way * f.value(&b));
            assert!(value.is_finite() && chord.is_finite(), "{}: {value} {chord}", case.name);
            assert!(value <= chord + 1e-10 * (1.0 + chord.abs()), "{}: {value} > {chord}", case.name);
            assert!(gradient(&*f, &x).iter().all(|g| g.is_finite()), "{}", case.name);
        }
    });
}

/// For a convex function, kinks included: `f(x) - f(x - h) <= h g <= f(x + h) - f(x)`.
#[test]
fn a_gradient_lies_between_the_differences_to_both_sides() {
    each(|case, rng| {
        for t in 0..case.costs.rounds() {
            let (f, mut x) = (case.costs.cost(t).unwrap(), case.inside(rng));
            let (g, value, h) = (gradient(&*f, &x), f.value(&x), 1e-5);
            for k in 0..x.len() {
                let at = x[k];
                let mut moved = |to: f64| {
                    x[k] = to;
                    let value = f.value(&x);
                    x[k] = at;
                    value
                };
                let (below, above) = ((value - moved(at - h)) / h, (moved(at + h) - value) / h);
                let slack = 1e-7 * (1.0 + value.abs()); // rounding, divided by h
                assert!(
                    below - slack <= g[k] && g[k] <= above + slack,
                    "{}: {below} {} {above}",
                    case.name,
                    g[k]
                );
            }
        }
    });
}

#[test]
fn a_block_has_its_part_of_the_whole_gradient() {
    each(|case, rng| {
        let (x, dim) = (case.inside(rng), case.costs.dim());
        for f in [case.costs.cost(1).unwrap(), case.costs.mean(0..ROUNDS)] {
            let all = gradient(&*f, &x);
            for start in 0..dim {
                for end in start..=dim {
                    let mut part = vec![f64::NAN; end - start];
                    f.partial(&x, start..end, &mut part);
                    assert!(near(&part, &all[start..end]), "{}: {start}..{end}", case.name);
                }
            }
        }
    });
}

#[test]
fn the_mean_of_rounds_is_the_mean_of_their_costs() {
    each(|case, rng| {
        let rounds = case.costs.rounds();
        assert_eq!(rounds, ROUNDS, "{}", case.name);
        for range in [0..rounds, 3..7, 5..6, rounds - 2..rounds + 9, 4..4, rounds..rounds + 3] {
            let (mean, x) = (case.costs.mean(range.clone()), case.inside(rng));
            let parts: Vec<_> = range.clone().filter_map(|t| case.costs.cost(t)).collect();
            let count = parts.len().max(1) as f64;
            let value = parts.iter().map(|f| f.value(&x)).sum::<f64>() / count;
            let mut slopes = vec![0.0; x.len()];
            for f in &parts {
                slopes.iter_mut().zip(gradient(&**f, &x)).for_each(|(sum, g)| *sum += g / count);
            }
            if parts.is_empty() && case.model.is_none() {
                continue; // a mean loss needs one sample
            }
            assert!(near(&[mean.value(&x)], &[value]), "{} {range:?}: {} {value}", case.name, mean.value(&x));
            assert!(near(&gradient(&*mean, &x), &slopes), "{} {range:?}", case.name);
        }
    });
}

#[test]
fn there_is_no_cost_after_the_last_round() {
    each(|case, _| {
        for t in [case.costs.rounds(), case.costs.rounds() + 1, u64::MAX - 1] {
            assert!(case.costs.cost(t).is_none(), "{}: round {t}", case.name);
        }
    });
}

#[test]
fn an_agents_own_part_and_the_public_part_sum_to_the_gradient() {
    let mut able = 0;
    each(|case, rng| {
        let (f, x) = (case.costs.cost(2).unwrap(), case.inside(rng));
        let promised = case.model.as_ref().and_then(|model| model.event(Adjacency::Agent, "house", "hour"));
        let agents = case.model.as_ref().and_then(|model| model.agents());
        let mut start = 0;
        for size in agents.clone().unwrap_or_else(|| vec![x.len()]) {
            let (mut own, mut public, mut all) =
                (vec![f64::NAN; size], vec![f64::NAN; size], vec![f64::NAN; size]);
            let parts = f.agent(&x, start..start + size, &mut own, &mut public);
            assert_eq!(parts, promised.is_some(), "{}: parts and promise go together", case.name);
            assert!(!parts || agents.is_some(), "{}: an agent owns coordinates", case.name);
            if parts {
                f.partial(&x, start..start + size, &mut all);
                let sum: Vec<f64> = own.iter().zip(&public).map(|(own, public)| own + public).collect();
                assert!(near(&sum, &all), "{}", case.name);
                able += 1;
            }
            start += size;
        }
    });
    assert!(able > 4, "both cases of tracking have agents: {able}");
}

#[test]
fn agents_own_all_coordinates_and_their_blocks_fit_the_set() {
    each(|case, _| {
        let Some(agents) = case.model.as_ref().and_then(|model| model.agents()) else { return };
        let dim = case.costs.dim();
        assert_eq!(agents.iter().sum::<usize>(), dim, "{}", case.name);
        assert_eq!(case.set.fits(&Blocks::of(&agents, dim).unwrap()), Ok(()), "{}", case.name);
    });
}

#[test]
fn what_is_carried_out_lies_in_the_set() {
    each(|case, rng| {
        let Some(model) = case.model.as_ref().filter(|model| model.set().is_some()) else { return };
        let f = case.costs.cost(0).unwrap();
        let sizes = model.agents().unwrap_or_else(|| vec![1; case.costs.dim()]);
        for _ in 0..50 {
            // Each block comes from another point of the set.
            let (mut x, mut start) = (Vec::new(), 0);
            for size in &sizes {
                x.extend_from_slice(&case.inside(rng)[start..start + size]);
                start += size;
            }
            let enacted = f.enacted(&x).into_owned();
            let mut nearest = enacted.clone();
            case.set.project(&mut nearest);
            assert!(near(&enacted, &nearest), "{}: {x:?} -> {enacted:?}", case.name);
            assert!(f.value(&enacted).is_finite(), "{}: {enacted:?}", case.name);
        }
    });
}

#[test]
fn the_same_seed_gives_the_same_costs_and_drawn_costs_change_with_it() {
    each(|case, rng| {
        let Some(model) = &case.model else { return };
        let x = case.inside(rng);
        let values = |seed: Seed| -> Vec<f64> {
            let costs = model.draw(seed, ROUNDS);
            (0..ROUNDS).map(|t| costs.cost(t).unwrap().value(&x)).collect()
        };
        let first = values(Seed::new(1));
        assert_eq!(first, values(Seed::new(1)), "{}", case.name);
        assert_eq!(first == values(Seed::new(1).trial(1)), model.rounds().is_some(), "{}", case.name);
        assert_eq!((model.dim(), model.rounds().unwrap_or(ROUNDS)), (case.costs.dim(), case.costs.rounds()));
        // A longer trial begins like a shorter one.
        let longer = model.draw(Seed::new(1), ROUNDS + 3);
        assert_eq!(
            (0..ROUNDS).map(|t| longer.cost(t).unwrap().value(&x)).collect::<Vec<_>>(),
            first,
            "{}",
            case.name
        );
    });
}

#[test]
fn costs_measure_what_their_model_names_and_say_what_an_event_is() {
    each(|case, rng| {
        let Some(model) = &case.model else { return };
        let (f, x) = (case.costs.cost(3).unwrap(), case.inside(rng));
        for name in model.measures() {
            assert!(f.measure(name, &x).is_some_and(f64::is_finite), "{}: {name}", case.name);
        }
        assert_eq!(f.measure("no such measure", &x), None, "{}", case.name);
        assert!(model.event(Adjacency::Round, "house", "hour").is_some_and(|event| event.contains("hour")));
        if let Some(event) = model.event(Adjacency::Agent, "house", "hour") {
            assert!(event.contains("house") && event.contains("hour"), "{}: {event}", case.name);
        }
    });
}
