//! Nodes that move and hear the nodes nearby.

use rand::RngExt;

use super::graph::count;
use super::{Build, Context, Graph, Topology};
use crate::catalog::{Key, Listing};
use crate::rng::{Purpose, Seed, Stream};
use crate::{Error, Keys};

/// Nodes move straight in the unit square and are reflected at its walls. Two nodes within `radius` hear each other.
///
/// ```
/// use dpsda::network::{Geometric, Topology};
/// use dpsda::rng::Seed;
/// let swarm = Geometric::new(12, Geometric::usual_radius(12), 0.05, Seed::new(1))?;
/// assert_eq!(swarm.graph(0), swarm.undirected(0));
/// assert_ne!(swarm.graph(0), swarm.graph(100));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Geometric {
    radius: f64,
    nodes: Vec<Mover>,
}

#[derive(Debug, Clone, PartialEq)]
struct Mover {
    start: [f64; 2],
    velocity: [f64; 2],
}

impl Geometric {
    /// `nodes` nodes that are heard within `radius` and move by `speed` per round. `seed` draws places and directions.
    pub fn new(nodes: usize, radius: f64, speed: f64, seed: Seed) -> Result<Self, Error> {
        if radius.is_nan() || radius <= 0.0 {
            return Err(Error::value("radius", radius, "expected a number above 0"));
        }
        if !(speed >= 0.0 && speed.is_finite()) {
            return Err(Error::value("speed", speed, "expected a finite number of at least 0"));
        }
        let mover = |i| {
            let mut rng = seed.stream(Purpose::Graph, i as u64, 0);
            let start = [rng.random(), rng.random()];
            Mover { start, velocity: direction(&mut rng).map(|v| v * speed) }
        };
        Ok(Self { radius, nodes: (0..count(nodes)?).map(mover).collect() })
    }

    /// `sqrt(2 ln(n)/(pi n))`, for which a node hears `2 ln(n)` others on average.
    ///
    /// ```
    /// # use dpsda::network::Geometric;
    /// assert!((Geometric::usual_radius(100) - 0.1712).abs() < 1e-4);
    /// ```
    pub fn usual_radius(nodes: usize) -> f64 {
        let n = nodes.max(2) as f64;
        (2.0 * n.ln() / (std::f64::consts::PI * n)).sqrt()
    }
}

/// A uniform direction: a random point of the disc, scaled to length one. Without trigonometry it is the same on every
/// platform.
fn direction(rng: &mut Stream) -> [f64; 2] {
    loop {
        let [x, y] = [2.0 * rng.random::<f64>() - 1.0, 2.0 * rng.random::<f64>() - 1.0];
        let length = (x * x + y * y).sqrt();
        if (0.01..=1.0).contains(&length) {
            return [x / length, y / length];
        }
    }
}

impl Mover {
    /// The position in round `t`. A path reflected at walls is a straight path through mirrored squares.
    fn at(&self, t: u64) -> [f64; 2] {
        [0, 1].map(|k| {
            let way = (self.start[k] + self.velocity[k] * t as f64).rem_euclid(2.0);
            if way > 1.0 { 2.0 - way } else { way }
        })
    }
}

impl Topology for Geometric {
    fn nodes(&self) -> usize {
        self.nodes.len()
    }

    fn graph(&self, t: u64) -> Graph {
        let places: Vec<_> = self.nodes.iter().map(|m| m.at(t)).collect();
        let reach = self.radius * self.radius;
        let near = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2) <= reach;
        let links = places.iter().enumerate().flat_map(|(i, a)| {
            places.iter().enumerate().filter(move |(_, b)| near(*a, **b)).map(move |(j, _)| (i, j))
        });
        Graph::of(places.len(), links)
    }
}

fn build(keys: &Keys<'_>, context: &Context<'_>) -> Result<Box<dyn Topology>, Error> {
    let radius = keys.f64("radius")?.unwrap_or_else(|| Geometric::usual_radius(context.nodes));
    let speed = keys.f64("speed")?.unwrap_or(0.05);
    let seed = context.seed(keys)?;
    Ok(Box::new(Geometric::new(context.nodes, radius, speed, seed).map_err(|error| keys.locate(error))?))
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "geometric",
    about: "nodes move in the unit square and hear the nodes within a radius",
    keys: &[
        Key { name: "radius", about: "how far a node is heard, more than 0; default sqrt(2 ln(n)/(pi n))" },
        Key { name: "speed", about: "how far a node moves in a round, at least 0; default 0.05" },
        Key {
            name: "seed",
            about: "seed of places and directions, a whole number; default the seed of the run",
        },
    ],
    build,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mover_stays_in_the_square_and_moves_at_its_speed_between_walls() {
        let mover = Mover { start: [0.9, 0.2], velocity: [0.03, -0.04] };
        for t in 0..1000 {
            let [a, b] = [mover.at(t), mover.at(t + 1)];
            assert!(a.iter().all(|x| (0.0..=1.0).contains(x)), "round {t}: {a:?}");
            assert!((a[0] - b[0]).hypot(a[1] - b[1]) <= 0.05 + 1e-9, "round {t}");
        }
        assert!((mover.at(4)[0] - 0.98).abs() < 1e-12, "0.9 + 4 * 0.03 = 1.02 is reflected to 0.98");
    }
}
