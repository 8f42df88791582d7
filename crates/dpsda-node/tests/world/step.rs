//! Lock-step rounds, whatever crashes and whatever is lost: one message per link and round, mass is neither lost nor created, and
//! all nodes finish.

use dpsda::learner::Standing;
use dpsda_node::machine::Happened;
use rayon::prelude::*;

use crate::crash::EXPERIMENT;
use crate::host::World;
use crate::seeds::seeds;
use crate::setting::Setting;
use crate::sums::count;

pub(crate) fn setting(name: &str) -> Setting {
    let algorithm = match name {
        "dpsda-r" => "name = \"dpsda-r\"".to_owned(),
        _ => format!("name = \"{name}\"\nlinks = \"running-sums\""),
    };
    let text = EXPERIMENT.replace("name = \"dpsda-r\"", &algorithm);
    Setting::in_step(&if name == "dpsda-r" { text } else { format!("{text}arithmetic = \"grid\"\n") })
}

/// The total dual and weight: held by the nodes, and put on links but not yet received.
fn mass(world: &World<'_>) -> (Vec<i64>, i64) {
    let mut mass = (Vec::new(), 0_i64);
    let mut books = Vec::new();
    for i in 0..3 {
        let Standing::Gossip { dual, books: Some(of), .. } = world.last(i).unwrap().saved.standing else {
            panic!("books")
        };
        count(&mut mass.0, dual.units().unwrap().0, 1);
        mass.1 = mass.1.wrapping_add(of.weight);
        books.push(of);
    }
    for of in &books {
        for sum in &of.sent {
            count(&mut mass.0, sum.dual.units().unwrap().0, 1);
            mass.1 = mass.1.wrapping_add(sum.weight);
        }
        for (_, _, dual, weight) in &of.heard {
            count(&mut mass.0, dual.units().unwrap().0, -1);
            mass.1 = mass.1.wrapping_sub(*weight);
        }
    }
    mass
}

fn survives(setting: &Setting, averages: bool, budget: u64, seed: u64) {
    let mut world = World::new(setting, budget, seed);
    for _ in 0..200 {
        world.step(0.06);
    }
    world.settle();
    let rounds = setting.run.split.rounds;
    for i in 0..3 {
        assert_eq!(world.machine(i).round(), rounds, "seed {seed}");
        // One that came back after its last cost has not been asked again.
        assert!(budget > rounds || world.exhausted > 0, "seed {seed}");
        let spent = world.machine(i).learner().ledger();
        if budget < rounds {
            let most = setting.run.spec.plan().cost(i).times(budget);
            assert_eq!(spent.lifetime().max(most), most, "seed {seed}: over budget");
        }
    }
    if averages {
        let mut released = Vec::new();
        world.released.values().for_each(|share| count(&mut released, share, 1));
        assert_eq!(
            world.released.len() as u64,
            3 * (rounds + 1),
            "seed {seed}: one release a node and round"
        );
        assert_eq!(mass(&world), (released, 3 << 40), "seed {seed}");
    }
}

#[test]
fn no_crash_and_no_loss_changes_the_mass_or_gives_two_messages_of_one_round() {
    for name in ["dpsda-c", "dpsda-ps", "dpsda-r"] {
        let setting = setting(name);
        seeds(1000).into_par_iter().for_each(|seed| {
            survives(&setting, name != "dpsda-r", if seed % 3 == 0 { 4 } else { u64::MAX }, seed);
        });
    }
    println!("{} worlds, rounds in step", 3 * seeds(1000).end);
}

/// The sums put on links cannot be rebuilt. So a node that averages and restarts with an old disk pays, reports it and sends
/// nothing more, also after another restart, and the others wait for it once. A node that relays begins a new epoch, and all
/// nodes finish.
#[test]
fn a_lock_step_host_with_an_old_disk_pays_and_delays_nobody() {
    for name in ["dpsda-c", "dpsda-ps", "dpsda-r"] {
        let setting = setting(name);
        let mut world = World::new(&setting, u64::MAX, 3);
        while world.hosts.iter().any(|host| host.backups.len() < 5) {
            world.step(0.0);
        }
        world.crash(1);
        world.flying.clear();
        world.put_back(1, 2);
        let before = world.last(1).unwrap().saved.ledger.releases();
        world.patient = true;
        let mut waited = 0;
        while [0, 2].into_iter().any(|i| world.machine(i).round() < setting.run.split.rounds) {
            (0..3000).for_each(|_| world.step(0.0));
            (0..3).for_each(|i| world.tell(i, Happened::Tick, 0.0));
            (0..3000).for_each(|_| world.step(0.0));
            waited += [0, 2].into_iter().filter(|i| world.machine(*i).waits()).count();
            (0..3).for_each(|i| world.tell(i, Happened::Late, 0.0));
        }
        assert!(waited <= 2, "{name}: waited {waited} times");
        assert!(world.hosts[1].overtaken.is_some(), "{name}: it has heard of itself");
        let (ledger, once) = (world.last(1).unwrap().saved.ledger, setting.run.spec.plan().cost(1));
        assert!(ledger.releases() >= before + 2, "{name}: {} after {before}", ledger.releases());
        assert_eq!(ledger.lifetime(), once.times(2).max(ledger.lifetime()));
        assert_eq!(world.machine(1).stopped(), name != "dpsda-r", "{name}");
        if name == "dpsda-r" {
            assert_eq!(world.machine(1).round(), setting.run.split.rounds);
            assert!((1..3).contains(&world.machine(1).epoch()), "one for what each of the others knew");
            continue;
        }
        let said = world.said.clone();
        world.crash(1);
        (0..3000).for_each(|_| world.step(0.0));
        assert!(world.machine(1).stopped() && world.machine(1).epoch() > 0, "{name}: still");
        assert_eq!(*world.machine(1).learner().ledger(), ledger);
        assert!(world.said == said, "{name}: it says nothing");
    }
}

/// No node has news, and each is told so once. Then no message is sent until the next tick.
#[test]
fn finished_nodes_do_not_answer_each_other_for_ever() {
    for name in ["dpsda-c", "dpsda-ps", "dpsda-r"] {
        let setting = setting(name);
        let mut world = World::new(&setting, u64::MAX, 1);
        world.settle();
        for _ in 0..3 {
            (0..3).for_each(|i| world.tell(i, Happened::Tick, 0.0));
            let mut steps = 0;
            while !world.flying.is_empty() {
                world.step(0.0);
                steps += 1;
                assert!(steps < 2000, "{name}: {} messages are under way", world.flying.len());
            }
        }
    }
}
