//! Claims about messages that are late or vanish: the laws of delays, wrong input, and how stale relay gets.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use std::sync::Arc;

use dpsda::network::certificate::{Certificate, certify, certify_over};
use dpsda::network::cycle::Cycle;
use dpsda::network::delay::{self, DELAYS, Delay, FixedDelay, UniformDelay};
use dpsda::network::outage;
use dpsda::network::transit::Transit;
use dpsda::network::weights::{MetropolisWeights, PushSumWeights};
use dpsda::network::{Graph, Ring, Topology, Undirected};
use dpsda::rng::{Purpose, Seed};
use dpsda::{Error, Keys};
use rand::RngExt;

const SEED: Seed = Seed::new(3);

fn delay(keys: &str) -> Result<Box<dyn Delay>, Error> {
    let table = dpsda_config::table(keys).unwrap();
    delay::read(Keys::new("network.delay", &table), SEED)
}

fn late(keys: &str) -> Transit {
    Transit::prompt().late(delay(keys).unwrap_or_else(|e| panic!("{e}")))
}

fn lossy(rate: f64) -> Transit {
    let table = dpsda_config::table(&format!("kind = 'bernoulli'\nrate = {rate}\nknown = false")).unwrap();
    let (lost, known) =
        outage::read(Keys::new("network.loss", &table), SEED).unwrap_or_else(|e| panic!("{e}"));
    assert!(!known);
    Transit::prompt().losing(lost)
}

#[test]
fn every_delay_lists_exactly_the_keys_it_reads_and_keeps_its_promise() {
    for entry in DELAYS {
        assert!(!entry.about.is_empty() && entry.keys.iter().all(|k| !k.about.is_empty()), "{}", entry.name);
        let table = dpsda_config::table("rounds = 3\nmax = 3").unwrap();
        let keys = Keys::new("network.delay", &table);
        let delay = (entry.build)(&keys, SEED).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(keys.asked(), entry.keys.iter().map(|k| k.name).collect::<Vec<_>>(), "{}", entry.name);
        let all = |t| [(0, 1), (1, 0), (4, 2)].map(|(from, to)| delay.rounds(t, from, to));
        assert!((0..500).all(|t| all(t).iter().all(|k| *k <= delay.longest())), "{}", entry.name);
        assert!(
            (0..500).any(|t| all(t).contains(&delay.longest())),
            "{}: it is no longer than it says",
            entry.name
        );
        assert!((0..500).all(|t| all(t) == all(t)), "{}: a pure function", entry.name);
    }
}

#[test]
fn uniform_delays_are_all_alike_and_links_have_their_own() {
    let delay = delay("kind = 'uniform'\nmax = 4").unwrap_or_else(|e| panic!("{e}"));
    for (from, to) in [(0, 1), (1, 0), (5, 6)] {
        let mut counts = [0.0; 5];
        (0..20_000).for_each(|t| counts[delay.rounds(t, from, to) as usize] += 1.0);
        // Six standard deviations of a binomial count.
        assert!(counts.iter().all(|c| (c - 4000.0_f64).abs() < 6.0 * 3200_f64.sqrt()), "{counts:?}");
    }
    assert!((0..100).any(|t| delay.rounds(t, 0, 1) != delay.rounds(t, 1, 0)));
}

#[test]
fn wrong_delays_name_the_key_the_value_and_a_remedy() {
    for (keys, words) in [
        ("", "`network.delay.kind` is missing: expected \"fixed\" or \"uniform\""),
        ("kind = 'fixd'", "did you mean `fixed`?"),
        ("kind = 'fixed'", "`network.delay.rounds` is missing: expected a whole number of rounds, 0 to 1000"),
        ("kind = 'fixed'\nrounds = -1", "network.delay.rounds = -1: expected a whole number"),
        ("kind = 'fixed'\nrounds = 1.5", "network.delay.rounds = 1.5: expected a whole number"),
        (
            "kind = 'uniform'\nmax = 1001",
            "network.delay.max = 1001: expected a whole number of rounds, 0 to 1000",
        ),
        ("kind = 'uniform'\nmax = 5\nrounds = 5", "unknown key `network.delay.rounds`"),
    ] {
        let found = delay(keys).err().unwrap().to_string();
        assert!(found.contains(words), "{keys}: {found}");
    }
}

#[test]
fn a_delay_of_ones_own_never_exceeds_its_longest_and_pointers_to_it_are_alike() {
    let own = Arc::new(delay::OwnDelay::new(3, |t, _, to| t + to as u64).unwrap());
    let (boxed, shared): (Box<dyn Delay>, Arc<dyn Delay>) = (Box::new(Arc::clone(&own)), own);
    for t in 0..6 {
        assert_eq!(shared.rounds(t, 0, 1), (t + 1).min(3));
        assert_eq!((boxed.rounds(t, 0, 1), boxed.longest()), (shared.rounds(t, 0, 1), shared.longest()));
    }
    let error = delay::OwnDelay::new(1001, |_, _, _| 0).unwrap_err().to_string();
    assert_eq!(error, "longest = 1001: expected a whole number of rounds, 0 to 1000");
}

/// Random graphs over a horizon, repeating soon or never.
fn graphs(seed: u64) -> (Cycle, u64) {
    let mut rng = Seed::new(seed).stream(Purpose::Data, 0, 0);
    let (n, period) = (rng.random_range(2..6), [1, 2, 3, 4, 120][rng.random_range(0..5)]);
    let density: f64 = rng.random();
    let mut graph = || {
        let pairs: Vec<_> = (0..n * n).filter(|_| rng.random::<f64>() < density).collect();
        Graph::of(n, pairs.into_iter().map(|p| (p / n, p % n)))
    };
    (Cycle::new((0..period).map(|_| graph()).collect()).unwrap(), 120)
}

#[test]
fn staleness_stays_within_its_bound_however_late_messages_are() {
    let mut seen = 0;
    for seed in 0..300 {
        let (topology, rounds) = graphs(seed);
        let prompt = certify(&topology, None, true, rounds);
        for keys in ["kind = 'fixed'\nrounds = 0", "kind = 'fixed'\nrounds = 3", "kind = 'uniform'\nmax = 7"]
        {
            let found = certify_over(&topology, &late(keys), None, true, rounds);
            let Some(bound) = found.staleness_bound() else { continue };
            seen += 1;
            assert!(found.staleness <= bound, "seed {seed}, {keys}: {} above {bound}", found.staleness);
            assert!(found.staleness >= prompt.staleness, "seed {seed}, {keys}: late is never fresher");
            if found.delay == 0 {
                assert_eq!((found.staleness, Some(bound)), (prompt.staleness, prompt.staleness_bound()));
            }
        }
    }
    assert!(seen > 300, "{seen} cases had a window");
}

/// The whole delay of every hop counts: on a ring all news go the long way round.
#[test]
fn on_a_directed_ring_every_hop_is_late() {
    let (n, d) = (5, 3);
    let ring = Ring::new(n).unwrap();
    let found = certify_over(&ring, &late("kind = 'fixed'\nrounds = 3"), None, true, 100);
    // n - 1 hops of 1 + d rounds, less the round in which a version is born.
    assert_eq!(found.staleness, (n as u64 - 1) * (1 + d) - 1);
    assert_eq!(found.staleness_bound(), Some(n as u64 - 1 + d + (n as u64 - 2) * d));
}

#[test]
fn unnoticed_losses_leave_the_weights_alone_and_cost_windows_and_staleness() {
    let ring = Undirected::new(Ring::new(6).unwrap());
    let of = |transit: &Transit| certify_over(&ring, transit, Some(&MetropolisWeights), false, 400);
    let (kept, lost) = (of(&Transit::default()), of(&lossy(0.5)));
    assert_eq!(kept.mixing, lost.mixing, "weights are those of the schedule");
    assert!(lost.staleness > kept.staleness);
    assert!(lost.connectivity.window() > kept.connectivity.window());
    assert!(ring.graph(0).links().count() > lossy(0.5).survivors(0, &ring.graph(0)).links().count());
}

fn line(found: &Certificate, label: &str) -> Option<String> {
    found.lines().into_iter().find(|(name, _)| name == label).map(|(_, text)| text)
}

#[test]
fn the_certificate_says_what_becomes_of_messages_and_of_the_constants() {
    let ring = Ring::new(4).unwrap();
    assert_eq!(line(&certify(&ring, Some(&PushSumWeights), true, 50), "messages"), None);
    let transit = lossy(0.1).late(FixedDelay::new(2).unwrap());
    assert!(!transit.is_prompt());
    assert!(Transit::prompt().late(UniformDelay::new(0, SEED).unwrap()).is_prompt());
    let found = certify_over(&ring, &transit, Some(&PushSumWeights), true, 50);
    let text = line(&found, "messages").unwrap();
    for words in ["up to 2 rounds late (D)", "lost unnoticed", "Lemma 6", "if messages arrive in their round"]
    {
        assert!(text.contains(words), "{text}");
    }
    assert!(line(&found, "staleness of relay").unwrap().contains("D + (n-2) B ceil(D/B)"));
}
