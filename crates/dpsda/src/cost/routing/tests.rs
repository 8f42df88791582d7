use std::collections::BTreeSet;

use rand::RngExt;

use super::paths::RoadMap;
use super::*;
use crate::cost::{NumberTable, TableReader};
use crate::keys::Table;
use crate::regret::Comparator;
use crate::{Blocks, Keys};

fn road(from: u64, to: u64, time: f64) -> Road {
    Road { from, to, capacity: 10.0, time, b: 0.15, power: 4.0 }
}

/// All paths that pass no place twice, by trying every road.
fn every(
    roads: &[Road],
    from: u64,
    to: u64,
    passed: &mut Vec<u64>,
    way: &mut Vec<usize>,
    all: &mut Vec<Vec<usize>>,
) {
    if from == to {
        return all.push(way.clone());
    }
    passed.push(from);
    for (k, road) in roads.iter().enumerate().filter(|(_, road)| road.from == from) {
        if !passed.contains(&road.to) {
            way.push(k);
            every(roads, road.to, to, passed, way, all);
            way.pop();
        }
    }
    passed.pop();
}

#[test]
fn the_shortest_paths_are_those_that_trying_every_path_finds() {
    let mut several = 0;
    for trial in 0..60 {
        let mut rng = Seed::new(5).trial(trial).stream(Purpose::Graph, 0, 0);
        let roads: Vec<Road> = (0..26)
            .map(|_| {
                road(rng.random_range(0..7), rng.random_range(0..7), f64::from(rng.random_range(0..9_u8)))
            })
            .collect();
        let mut all = Vec::new();
        every(&roads, 0, 6, &mut Vec::new(), &mut Vec::new(), &mut all);
        let length = |path: &Vec<usize>| path.iter().map(|k| roads[*k].time).sum::<f64>();
        for count in [1, 2, 5, 1000] {
            let found = RoadMap::new(&roads).shortest(0, 6, count);
            assert_eq!(found.len(), count.min(all.len()), "trial {trial}, {count} paths");
            assert_eq!(found.iter().collect::<BTreeSet<_>>().len(), found.len(), "each once");
            assert!(found.iter().all(|path| all.contains(path)), "trial {trial}: {found:?}");
            let mut lengths: Vec<f64> = all.iter().map(length).collect();
            lengths.sort_by(f64::total_cmp);
            assert_eq!(found.iter().map(length).collect::<Vec<_>>(), lengths[..found.len()], "trial {trial}");
        }
        several += usize::from(all.len() > 5);
    }
    assert!(several > 10, "the roads must offer a choice: {several}");
}

/// A narrow road of 10 minutes and a wide one of 15: travellers use both only when the narrow one is full.
#[test]
fn where_the_cost_is_least_no_traveller_gains_by_another_path() {
    let narrow = Road { from: 1, to: 2, capacity: 100.0, time: 10.0, b: 1.0, power: 1.0 };
    let wide = Road { capacity: f64::MAX, time: 15.0, ..narrow };
    let trips = [Trip { from: 1, to: 2, demand: 200.0 }];
    let routing = Routing::new(&[wide, narrow], &trips, 3).unwrap().profile(&[vec![1.0], vec![0.2]]).unwrap();
    let (costs, set) = (routing.draw(Seed::new(1), 2), routing.set().unwrap());
    // Paths stand shortest first: the narrow road, then the wide one. 10 (1 + v/100) = 15 at v = 50; or all 40 travellers.
    for (t, share) in [(0, 0.25), (1, 1.0)] {
        let cost = costs.mean(t..t + 1);
        let best = Comparator::new(&*set).best(&[&*cost], &[0.5, 0.5], 1e-12);
        assert!((best.x[0] - share).abs() < 1e-4, "round {t}: {:?}", best.x);
    }
}

#[test]
fn demand_has_two_rush_hours_and_the_mean_of_the_trips() {
    for day in [1, 2, 3, 24, 96] {
        let shape = daily(day);
        assert!((shape.iter().sum::<f64>() / day as f64 - 1.0).abs() < 1e-12, "{day}");
        assert!(shape.iter().all(|x| *x > 0.2 && *x < 1.8), "{shape:?}");
    }
    let shape = daily(24);
    let peaks: Vec<usize> =
        (1..23).filter(|h| shape[*h] > shape[h - 1] && shape[*h] > shape[h + 1]).collect();
    assert_eq!(peaks, [7, 17]);
    let routing = Routing::new(&[road(1, 2, 1.0)], &[Trip { from: 1, to: 2, demand: 7.0 }], 1).unwrap();
    let costs = routing.drawn(24, 0.5).unwrap().draw(Seed::new(1), 24_000);
    // With hardly any demand the potential is time times demand, whose mean is 1.
    let linear = Road { b: 0.0, ..road(1, 2, 1.0) };
    let even = Routing::new(&[linear], &[Trip { from: 1, to: 2, demand: 7.0 }], 1).unwrap();
    let mean = even.drawn(24, 0.5).unwrap().draw(Seed::new(1), 24_000).mean(0..24_000).value(&[1.0]);
    assert!((mean - 1.0).abs() < 0.02, "{mean}");
    assert!(costs.mean(0..24_000).value(&[1.0]) > mean);
}

#[test]
fn an_origin_owns_all_paths_of_its_pairs() {
    let roads = [road(1, 2, 1.0), road(1, 3, 1.0), road(3, 2, 1.0), road(2, 3, 5.0), road(2, 1, 1.0)];
    let trip = |from, to, demand| Trip { from, to, demand };
    let trips = [trip(2, 3, 1.0), trip(1, 2, 2.0), trip(2, 1, 3.0), trip(3, 1, 0.0)];
    let routing = Routing::new(&roads, &trips, 2).unwrap();
    assert_eq!(routing.origins(), [1, 2]);
    assert_eq!(routing.agents(), Some(vec![2, 3])); // 1 to 2; 2 to 3 and 2 to 1, which has one path
    let (set, blocks) = (routing.set().unwrap(), Blocks::of(&[2, 3], 5).unwrap());
    assert_eq!(set.fits(&blocks), Ok(()));
    assert!(set.fits(&Blocks::even(5, 5).unwrap()).is_err());
}

fn table(name: &str, columns: &str, rows: &[&[f64]]) -> NumberTable {
    let columns = columns.split(',').map(Into::into).collect();
    NumberTable::new(name, columns, rows.iter().map(|row| row.to_vec()).collect()).unwrap()
}

#[test]
fn a_network_is_read_from_tables_and_what_is_wrong_is_said_about_its_file() {
    let read: &TableReader<'_> = &|path| {
        Ok(match path {
            "links" => table(
                path,
                "from,to,capacity,time",
                &[&[1.0, 2.0, 9.0, 3.0], &[2.0, 1.0, 9.0, 3.0], &[2.0, 3.0, 9.0, 1.0]],
            ),
            "steep" => table(path, "from,to,capacity,time,b,power", &[&[1.0, 2.0, 9.0, 3.0, 1.0, 2.0]]),
            "shouted" => table(path, "from,to,capacity,time,B,powr", &[&[1.0, 2.0, 9.0, 3.0, 1.0, 2.0]]),
            "narrow" => table(path, "from,to,capacity,time", &[&[1.0, 2.0, 0.0, 3.0]]),
            "places" => table(path, "from,to,capacity,time", &[&[1.5, 2.0, 1.0, 3.0]]),
            "trips" => table(path, "from,to,demand", &[&[1.0, 2.0, 5.0], &[2.0, 1.0, 5.0], &[2.0, 3.0, 6.0]]),
            "one" => table(path, "from,to,demand", &[&[1.0, 2.0, 5.0]]),
            "nowhere" => table(path, "from,to,demand", &[&[3.0, 1.0, 5.0]]),
            "profile" => table(path, "2,t,1", &[&[0.5, 0.0, 2.0]]),
            _ => table(path, "t", &[]),
        })
    };
    let built = |keys: &[(&str, &str)]| {
        let table: Table = keys.iter().map(|(key, value)| ((*key).to_owned(), (*value).into())).collect();
        read::build(&Keys::new("problem", &table), read)
    };
    let dims = |model: Box<dyn CostModel>| (model.dim(), model.rounds(), model.agents());
    assert_eq!(built(&[("links", "links"), ("trips", "trips")]).map(dims), Ok((3, None, Some(vec![1, 2]))));
    assert_eq!(
        built(&[("links", "links"), ("trips", "trips"), ("profile", "profile")]).map(dims),
        Ok((3, Some(1), Some(vec![1, 2])))
    );
    assert_eq!(built(&[("links", "steep"), ("trips", "one")]).map(dims), Ok((1, None, Some(vec![1]))));
    let model = built(&[("links", "shouted"), ("trips", "one")]).unwrap();
    let columns: Vec<_> =
        model.columns().into_iter().map(|used| (used.table, used.role, used.names.join(","))).collect();
    assert_eq!(
        columns,
        [
            ("shouted".into(), "roads", "from,to,capacity,time".into()),
            ("shouted".into(), "not used", "B,powr".into()),
            ("one".into(), "trips", "from,to,demand".to_owned()),
        ]
    );
    let warnings = model.warnings(Adjacency::Round);
    assert_eq!(warnings[0], "links: shouted has a column `B`, which is not used (did you mean `b`?)");
    assert_eq!(warnings[1], "links: shouted has a column `powr`, which is not used (did you mean `power`?)");
    assert!(built(&[("links", "steep"), ("trips", "one")]).unwrap().warnings(Adjacency::Round).is_empty());
    let table = [("links", "links".into()), ("trips", "trips".into()), ("paths", 101_i64.into())];
    let table: Table = table.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let error = read::build(&Keys::new("problem", &table), read).err().unwrap().to_string();
    assert!(error.starts_with("problem.paths = 101: expected 1 to 100 paths per pair"), "{error}");
    for (links, trips, more, words) in [
        (
            "narrow",
            "one",
            ("profile", "profile"),
            "narrow, row 1, column `capacity`: expected a finite number above 0",
        ),
        (
            "places",
            "one",
            ("profile", "profile"),
            "places, row 1, column `from`: expected the number of a place",
        ),
        (
            "trips",
            "one",
            ("profile", "profile"),
            "trips: there is no column `capacity` (its columns: from, to, demand)",
        ),
        ("links", "nowhere", ("profile", "profile"), "nowhere, row 1: 3 to 1: no roads lead there"),
        ("links", "trips", ("profile", "empty"), "empty: there is no column `1`"),
    ] {
        let error = built(&[("links", links), ("trips", trips), more]).err().unwrap().to_string();
        assert!(error.starts_with(words), "{error}");
    }
    assert!(built(&[]).err().unwrap().to_string().starts_with("`problem.links` is missing"));
}

#[test]
fn only_the_largest_pairs_of_an_origin_stay() {
    let trip = |from, to, demand| Trip { from, to, demand };
    let trips = [trip(1, 2, 1.0), trip(1, 3, 3.0), trip(2, 1, 1.0), trip(1, 4, 3.0), trip(1, 5, 2.0)];
    assert_eq!(read::largest(&trips, 2), [1, 2, 3]);
    assert_eq!(read::largest(&trips, usize::MAX), [0, 1, 2, 3, 4]);
}
