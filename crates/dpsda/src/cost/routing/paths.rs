//! The shortest paths between two places, by Yen's algorithm (1971).

use std::collections::BTreeMap;

use super::road::Road;

/// Places with the roads that leave them.
pub(super) struct RoadMap<'a> {
    roads: &'a [Road],
    leaving: BTreeMap<u64, Vec<usize>>,
}

/// A path, as the indices of its roads in the list, and its length. Paths are ordered by length. Equally long paths are ordered by
/// their first different road, so that the order is the same on every machine.
#[derive(Debug, Clone, PartialEq)]
struct LongPath {
    length: f64,
    roads: Vec<usize>,
}

impl LongPath {
    fn order(&self, other: &Self) -> std::cmp::Ordering {
        self.length.total_cmp(&other.length).then_with(|| self.roads.cmp(&other.roads))
    }
}

impl<'a> RoadMap<'a> {
    pub(super) fn new(roads: &'a [Road]) -> Self {
        let mut leaving: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        roads.iter().enumerate().for_each(|(k, road)| leaving.entry(road.from).or_default().push(k));
        Self { roads, leaving }
    }

    /// The `count` shortest paths from one place to another that pass no place twice, shortest first. All of them, if there are fewer.
    pub(super) fn shortest(&self, from: u64, to: u64, count: usize) -> Vec<Vec<usize>> {
        let mut found: Vec<LongPath> = Vec::new();
        let mut candidates: Vec<LongPath> = self.path(from, to, &[], &[]).into_iter().collect();
        while found.len() < count {
            // The next path is the shortest candidate.
            let least = (0..candidates.len()).min_by(|a, b| candidates[*a].order(&candidates[*b]));
            let Some(next) = least.map(|least| candidates.swap_remove(least)) else { break };
            // Every other path leaves this one at some road `k`. Before that road both are the same.
            for k in 0..next.roads.len() {
                let root = &next.roads[..k];
                let known = found.iter().chain([&next]).filter(|path| path.roads.starts_with(root));
                let closed: Vec<usize> = known.filter_map(|path| path.roads.get(k).copied()).collect();
                let passed: Vec<u64> = root.iter().map(|road| self.roads[*road].from).collect();
                let Some(spur) = self.path(self.roads[next.roads[k]].from, to, &passed, &closed) else {
                    continue;
                };
                let candidate = self.measured([root, &spur.roads].concat());
                if !candidates.contains(&candidate) {
                    candidates.push(candidate);
                }
            }
            found.push(next);
        }
        found.into_iter().map(|path| path.roads).collect()
    }

    /// Lengths are always added from the first road to the last, so that the same path has the same length.
    fn measured(&self, roads: Vec<usize>) -> LongPath {
        LongPath { length: roads.iter().map(|road| self.roads[*road].time).sum(), roads }
    }

    /// The shortest path that avoids the places `passed` and the roads `closed`, by Dijkstra's algorithm.
    fn path(&self, from: u64, to: u64, passed: &[u64], closed: &[usize]) -> Option<LongPath> {
        // By place: the distance so far, the road that leads there, and whether the place is done.
        let mut reached: BTreeMap<u64, (f64, Option<usize>, bool)> =
            BTreeMap::from([(from, (0.0, None, false))]);
        loop {
            let open = reached.iter().filter(|(_, (_, _, done))| !done);
            let nearest =
                open.min_by(|a, b| a.1.0.total_cmp(&b.1.0)).map(|(place, (far, ..))| (*place, *far));
            let (place, far) = nearest?;
            if place == to {
                break;
            }
            reached.entry(place).and_modify(|(_, _, done)| *done = true);
            for road in self.leaving.get(&place).into_iter().flatten().filter(|road| !closed.contains(road)) {
                let (next, length) = (self.roads[*road].to, far + self.roads[*road].time);
                if passed.contains(&next) || reached.get(&next).is_some_and(|(known, ..)| *known <= length) {
                    continue;
                }
                reached.insert(next, (length, Some(*road), false));
            }
        }
        let mut roads = Vec::new();
        let mut place = to;
        while let Some((_, Some(road), _)) = reached.get(&place) {
            roads.push(*road);
            place = self.roads[*road].from;
        }
        roads.reverse();
        Some(self.measured(roads))
    }
}
