//! The updates of the baselines written down literally, over all nodes at once, and random cases of any shape against them.
//! It shares nothing with the learners but the named streams that noise is drawn from.

use std::sync::Arc;

use dpsda::catalog::find;
use dpsda::keys::Table;
use dpsda::loss::LOSSES;
use dpsda::rng::{Purpose, Seed, Stream};
use dpsda::{Blocks, Keys, set};
use rand::RngExt;

use crate::world::{SEED, World, distance, split};

type Vector = Vec<f64>;
type Matrix = Vec<Vec<f64>>;

/// What the transcription knows besides the world.
struct Case {
    world: World,
    squared: bool,
    /// Half the width of a box, the radius of a ball, or nothing.
    set: (&'static str, f64),
}

impl Case {
    /// The nearest point of the set, by its definition.
    fn project(&self, x: &[f64]) -> Vector {
        let (kind, size) = self.set;
        let norm = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        match kind {
            "box" => x.iter().map(|x| x.max(-size).min(size)).collect(),
            "ball" if norm > size => x.iter().map(|x| x * size / norm).collect(),
            _ => x.to_vec(),
        }
    }

    fn alpha(&self, t: usize) -> f64 {
        self.world.step / ((t + 1) as f64).sqrt()
    }

    /// The gradient of `(1/|D_t|) sum` over the samples of node `i`: the first `|D_t| mod n` nodes have one more.
    fn gradient(&self, t: usize, i: usize, x: &[f64]) -> Vector {
        let World { a, b, nodes, batch, .. } = &self.world;
        let rows = self.world.rows(t);
        let (each, more) = (batch / nodes, batch % nodes);
        let first = i * each + i.min(more);
        let count = if i < more { each + 1 } else { each };
        let mut g = vec![0.0; x.len()];
        for r in &rows[first..first + count] {
            let s: f64 = (0..x.len()).map(|k| a[*r][k] * x[k]).sum();
            let slope = if self.squared { 2.0 * (s - b[*r]) } else { -b[*r] / (1.0 + (b[*r] * s).exp()) };
            for k in 0..x.len() {
                g[k] += slope * a[*r][k] / *batch as f64;
            }
        }
        g
    }

    /// `eta_i(t)`: uniform of width `1/level`.
    fn eta(&self, t: usize, i: usize) -> Vector {
        let World { level, .. } = self.world;
        let mut stream = SEED.stream(Purpose::Noise, i as u64, t as u64);
        let draw = |stream: &mut Stream| {
            if level.is_finite() { (stream.random::<f64>() - 0.5) / level } else { 0.0 }
        };
        (0..self.world.dim()).map(|_| draw(&mut stream)).collect()
    }

    fn noised(&self, t: usize, x: &Matrix) -> Matrix {
        x.iter().enumerate().map(|(i, x)| add(x, 1.0, &self.eta(t, i))).collect()
    }

    /// `hears[i][j]`, without the node itself.
    fn hears(&self, t: usize, kind: &str) -> Vec<Vec<bool>> {
        let n = self.world.nodes;
        let links = match kind {
            "union" => self.world.graphs.concat(),
            _ => self.world.graphs[t % self.world.graphs.len()].clone(),
        };
        let mut hears = vec![vec![false; n]; n];
        for (from, to) in links.into_iter().filter(|(from, to)| from != to) {
            hears[to][from] = true;
            if kind == "undirected" {
                hears[from][to] = true;
            }
        }
        hears
    }

    fn metropolis(&self, t: usize) -> Matrix {
        let (n, hears) = (self.world.nodes, self.hears(t, "undirected"));
        let degree = |i: usize| 1 + (0..n).filter(|j| hears[i][*j]).count();
        let mut w = vec![vec![0.0; n]; n];
        for i in 0..n {
            for j in 0..n {
                if hears[i][j] {
                    w[i][j] = 1.0 / degree(i).max(degree(j)) as f64;
                }
            }
            w[i][i] = 1.0 - w[i].iter().sum::<f64>();
        }
        w
    }

    fn push(&self, t: usize) -> Matrix {
        let (n, hears) = (self.world.nodes, self.hears(t, "directed"));
        let told = |j: usize| 1 + (0..n).filter(|i| hears[*i][j]).count();
        (0..n)
            .map(|i| (0..n).map(|j| if i == j || hears[i][j] { 1.0 / told(j) as f64 } else { 0.0 }).collect())
            .collect()
    }

    fn rows(&self) -> Matrix {
        let (n, hears) = (self.world.nodes, self.hears(0, "union"));
        let heard = |i: usize| 1 + (0..n).filter(|j| hears[i][*j]).count();
        (0..n)
            .map(|i| {
                (0..n).map(|j| if i == j || hears[i][j] { 1.0 / heard(i) as f64 } else { 0.0 }).collect()
            })
            .collect()
    }

    /// The models of every round, and after the last.
    fn transcribe(&self, name: &str) -> Vec<Matrix> {
        let (n, d) = (self.world.nodes, self.world.dim());
        let zero = vec![vec![0.0; d]; n];
        let mut seen = Vec::new();
        match name {
            "dpdola" => {
                let (mut x, mut b) = (zero.clone(), zero);
                for t in 0..self.world.rounds {
                    seen.push(x.clone());
                    for i in 0..n {
                        x[i] = self.project(&add(&b[i], -self.alpha(t), &self.gradient(t, i, &b[i])));
                    }
                    b = times(&self.metropolis(t), &self.noised(t, &x));
                }
                seen.push(x);
            }
            "doda" | "dpps" => {
                let (mut x, mut z, mut w) = (zero.clone(), zero, vec![vec![1.0]; n]);
                for t in 0..self.world.rounds {
                    seen.push(x.clone());
                    let a = if name == "doda" { self.metropolis(t) } else { self.push(t) };
                    let mixed = times(&a, &self.noised(t, &z));
                    w = times(&a, &w);
                    for i in 0..n {
                        z[i] = add(&mixed[i], 1.0, &self.gradient(t, i, &x[i]));
                        let step: Vector = z[i].iter().map(|z| -self.alpha(t) * z / w[i][0]).collect();
                        x[i] = self.project(&step);
                    }
                }
                seen.push(x);
            }
            "dpsr" => {
                let mut x = zero;
                let mut r: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
                for t in 0..self.world.rounds {
                    seen.push(x.clone());
                    let a = self.rows();
                    r = times(&a, &r);
                    let mixed = times(&a, &self.noised(t, &x));
                    for i in 0..n {
                        let g = self.gradient(t, i, &x[i]);
                        x[i] = self.project(&add(&mixed[i], -self.alpha(t) / r[i][i], &g));
                    }
                }
                seen.push(x);
            }
            "osp" | "dp-osp" => {
                let (mut s, mut w, mut theta) = (zero.clone(), vec![vec![1.0]; n], zero);
                for t in 0..self.world.rounds {
                    seen.push(theta.clone());
                    let x: Matrix =
                        (0..n).map(|i| add(&s[i], -self.alpha(t), &self.gradient(t, i, &theta[i]))).collect();
                    let a = self.push(t);
                    s = times(&a, &self.noised(t, &x));
                    w = times(&a, &w);
                    theta = (0..n).map(|i| s[i].iter().map(|s| s / w[i][0]).collect()).collect();
                }
                seen.push(theta);
            }
            "dp-wb" => {
                let (mut x, mut b) = (zero, vec![1.0 / n as f64; n]);
                let hears = self.hears(0, "union");
                let told: Vec<f64> = (0..n).map(|j| (0..n).filter(|i| hears[*i][j]).count() as f64).collect();
                for t in 0..self.world.rounds {
                    seen.push(x.clone());
                    let said = self.noised(t, &x);
                    let before = (x.clone(), b.clone());
                    for i in 0..n {
                        let mut next = add(&before.0[i], -told[i] * before.1[i], &said[i]);
                        let mut given = 0.0;
                        for j in (0..n).filter(|j| hears[i][*j]) {
                            next = add(&next, before.1[j], &said[j]);
                            given += before.1[j];
                        }
                        x[i] = add(&next, -self.alpha(t), &self.gradient(t, i, &before.0[i]));
                        if told[i] > 0.0 {
                            b[i] = (0.5 * (before.1[i] + given / told[i])).min(1.0 / (1.0 + told[i]));
                        }
                    }
                }
                seen.push(x);
            }
            other => panic!("{other} has no transcription"),
        }
        seen
    }
}

fn add(x: &[f64], c: f64, y: &[f64]) -> Vector {
    x.iter().zip(y).map(|(x, y)| x + c * y).collect()
}

fn times(a: &Matrix, x: &Matrix) -> Matrix {
    let (n, d) = (a.len(), x[0].len());
    (0..n).map(|i| (0..d).map(|k| (0..n).map(|j| a[i][j] * x[j][k]).sum()).collect()).collect()
}

fn case(rng: &mut Stream) -> Case {
    let nodes = rng.random_range(1..6);
    let dim = nodes + rng.random_range(0..4);
    let batch = rng.random_range(1..2 * nodes + 3);
    let rounds = rng.random_range(1..12);
    let squared: bool = rng.random();
    let link = |rng: &mut Stream| (rng.random_range(0..nodes), rng.random_range(0..nodes));
    let graphs = (0..rng.random_range(1..4))
        .map(|_| (0..rng.random_range(0..3 * nodes)).map(|_| link(rng)).collect())
        .collect();
    let kind = ["box", "ball", "free"][rng.random_range(0..3)];
    let size = 0.1 + rng.random::<f64>();
    let text = match kind {
        "box" => format!("kind = 'box'\nlower = {}\nupper = {size}", -size),
        "ball" => format!("kind = 'ball'\nradius = {size}"),
        _ => "kind = 'free'".into(),
    };
    let table = dpsda_config::table(&text).unwrap();
    let loss = find(LOSSES, "loss", if squared { "squared" } else { "logistic" }).unwrap();
    let a: Matrix =
        (0..batch * rounds).map(|_| (0..dim).map(|_| 2.0 * rng.random::<f64>() - 1.0).collect()).collect();
    let b = (0..batch * rounds).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
    let world = World {
        nodes,
        set: Arc::from(
            set::from_keys(&Keys::new("set", &table), &Blocks::even(dim, nodes).unwrap()).unwrap(),
        ),
        loss: (loss.build)(&Keys::new("problem", &Table::new())).unwrap(),
        a,
        b,
        batch,
        rounds,
        graphs,
        step: 0.1 + rng.random::<f64>(),
        level: if rng.random() { 0.5 + 4.0 * rng.random::<f64>() } else { f64::INFINITY },
    };
    Case { world, squared, set: (kind, size) }
}

#[test]
fn random_cases_match_a_literal_transcription() {
    for k in 0..300 {
        let mut rng = Seed::new(2024).trial(k).stream(Purpose::Data, 0, 0);
        let case = case(&mut rng);
        for algorithm in split() {
            let away = distance(&case.world.run(algorithm.name), &case.transcribe(algorithm.name));
            assert!(away < 1e-9, "case {k}, {}: off by {away:e}", algorithm.name);
        }
    }
}
