//! Claims about links that are off: their laws, and wrong input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic")]

use std::sync::Arc;

use dpsda::network::certificate::certify;
use dpsda::network::cycle::Cycle;
use dpsda::network::outage::{self, OUTAGES, Outage};
use dpsda::network::view::{Faulty, Undirected};
use dpsda::network::weights::MetropolisWeights;
use dpsda::network::{Graph, Topology};
use dpsda::rng::Seed;
use dpsda::{Error, Keys};

fn outage(keys: &str) -> Result<Box<dyn Outage>, Error> {
    let table = dpsda_config::table(keys).unwrap();
    outage::read(Keys::new("network.loss", &table), Seed::new(3)).map(|(outage, _)| outage)
}

#[test]
fn every_outage_lists_exactly_the_keys_it_reads() {
    for entry in OUTAGES {
        assert!(!entry.about.is_empty() && entry.keys.iter().all(|k| !k.about.is_empty()), "{}", entry.name);
        let table = dpsda_config::table("rate = 0.3\nto_bad = 0.1\nto_good = 0.4").unwrap();
        let keys = Keys::new("network.loss", &table);
        assert!((entry.build)(&keys, Seed::default()).is_ok());
        assert_eq!(keys.asked(), entry.keys.iter().map(|k| k.name).collect::<Vec<_>>(), "{}", entry.name);
    }
}

#[test]
fn bernoulli_losses_have_their_rate_on_every_link() {
    let process = outage("kind = 'bernoulli'\nrate = 0.1").unwrap_or_else(|e| panic!("{e}"));
    for (from, to) in [(0, 1), (1, 0), (5, 6)] {
        let off = (0..20_000).filter(|t| !process.up(*t, from, to)).count() as f64 / 20_000.0;
        assert!((off - 0.1).abs() < 0.013, "link {from}->{to} is off {off}: 6 standard deviations");
    }
    assert!((0..100).any(|t| process.up(t, 0, 1) != process.up(t, 1, 0)), "links are independent");
    let never = outage("kind = 'bernoulli'\nrate = 0").unwrap_or_else(|e| panic!("{e}"));
    let always = outage("kind = 'bernoulli'\nrate = 1\nknown = true").unwrap_or_else(|e| panic!("{e}"));
    assert!((0..100).all(|t| never.up(t, 0, 1) && !always.up(t, 0, 1)));
}

/// Share of rounds off, and mean length of a burst.
fn bursts(keys: &str, rounds: u64) -> (f64, f64) {
    let process = outage(keys).unwrap_or_else(|e| panic!("{e}"));
    let off: Vec<bool> = (0..rounds).map(|t| !process.up(t, 2, 4)).collect();
    let total = off.iter().filter(|o| **o).count() as f64;
    let starts = off.windows(2).filter(|w| !w[0] && w[1]).count() as f64;
    (total / rounds as f64, total / starts)
}

#[test]
fn gilbert_elliott_has_its_stationary_share_and_burst_length() {
    for (to_bad, to_good) in [(0.05, 0.2), (0.5, 0.5), (0.8, 0.6)] {
        let keys = format!("kind = 'gilbert-elliott'\nto_bad = {to_bad}\nto_good = {to_good}");
        let (share, length) = bursts(&keys, 60_000);
        assert!((share - to_bad / (to_bad + to_good)).abs() < 0.03, "share {share} at {to_bad}, {to_good}");
        assert!((length * to_good - 1.0).abs() < 0.1, "bursts of {length} at {to_bad}, {to_good}");
    }
}

#[test]
fn gilbert_elliott_is_stationary_from_round_0_over_links() {
    let process =
        outage("kind = 'gilbert-elliott'\nto_bad = 0.01\nto_good = 0.03").unwrap_or_else(|e| panic!("{e}"));
    for t in [0, 1, 31, 32, 200] {
        let off = (0..8000).filter(|k| !process.up(t, *k, k + 1)).count() as f64 / 8000.0;
        assert!((off - 0.25).abs() < 0.03, "round {t}: {off}, 6 standard deviations");
    }
}

#[test]
fn a_bad_link_loses_at_its_own_rate() {
    let (share, _) = bursts("kind = 'gilbert-elliott'\nto_bad = 0.3\nto_good = 0.3\nrate_bad = 0.4", 40_000);
    assert!((share - 0.2).abs() < 0.02, "{share}");
}

#[test]
fn an_undirected_link_fails_in_both_directions_at_once() {
    let all = Graph::of(6, (0..6).flat_map(|i| (0..6).map(move |j| (i, j))));
    let faulty = |directed| {
        let process = outage("kind = 'bernoulli'\nrate = 0.5").unwrap_or_else(|e| panic!("{e}"));
        let faulty = Faulty::new(Cycle::fixed(all.clone()), process);
        if directed { Box::new(faulty) as Box<dyn Topology> } else { Box::new(Undirected::new(faulty)) }
    };
    let (one, two) = (faulty(false), faulty(true));
    assert!((0..50).all(|t| one.graph(t) == one.graph(t).undirected()));
    assert!((0..50).any(|t| two.graph(t) != two.graph(t).undirected()));
    let kept = (0..200).map(|t| one.graph(t).links().count()).sum::<usize>() as f64 / (200.0 * 30.0);
    assert!((kept - 0.5).abs() < 0.06, "{kept}: 3000 links, 6 standard deviations");
    let mixing = certify(&one, Some(&MetropolisWeights), false, 50).mixing.unwrap();
    assert!(mixing.rows.is_one() && mixing.columns.is_one(), "weights are set after the outage");
}

#[test]
fn an_outage_of_ones_own_and_pointers_to_it_are_alike() {
    let own =
        Arc::new(outage::OwnOutage::new(|t, from, to| !(t + from as u64 * 3 + to as u64).is_multiple_of(4)));
    let (boxed, shared): (Box<dyn Outage>, Arc<dyn Outage>) = (Box::new(Arc::clone(&own)), own);
    for t in 0..8 {
        assert_eq!(shared.up(t, 1, 2), !(t + 5).is_multiple_of(4));
        assert_eq!(shared.up(t, 1, 2), boxed.up(t, 1, 2));
    }
}

#[test]
fn wrong_losses_name_the_key_the_value_and_a_remedy() {
    for (keys, words) in [
        ("", "`network.loss.kind` is missing: expected \"bernoulli\" or \"gilbert-elliott\""),
        ("kind = 'bernouli'", "did you mean `bernoulli`?"),
        ("kind = 'bernoulli'", "`network.loss.rate` is missing: expected a probability"),
        ("kind = 'bernoulli'\nrate = 2", "network.loss.rate = 2: expected a probability, 0 to 1"),
        ("kind = 'bernoulli'\nrate = 0.1\nto_bad = 1", "unknown key `network.loss.to_bad`"),
        ("kind = 'bernoulli'\nrate = 0.1\nknown = 1", "network.loss.known = 1: expected true or false"),
        ("kind = 'gilbert-elliott'\nto_bad = 0.1", "`network.loss.to_good` is missing"),
        (
            "kind = 'gilbert-elliott'\nto_bad = 0\nto_good = 0",
            "network.loss.to_bad = 0: to_good is 0 as well",
        ),
        (
            "kind = 'gilbert-elliott'\nto_bad = 0.1\nto_good = 1\nrate_bad = -1",
            "network.loss.rate_bad = -1: expected",
        ),
    ] {
        let found = outage(keys).err().unwrap().to_string();
        assert!(found.contains(words), "{keys}: {found}");
    }
}
