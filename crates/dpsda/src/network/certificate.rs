//! The properties of a network over a horizon, measured before a run: the constants of Lemmas 3 and 6.
//!
//! [`certify`] looks at every round. The [`Certificate`] has a text for people ([`Certificate::lines`]) and warns if an
//! assumption of the paper's lemmas fails ([`Certificate::warnings`]).

use serde::Serialize;

use super::transit::Transit;
use super::weights::{self, Weights};
use super::{Graph, Topology};

mod connectivity;
mod relay;
mod text;

pub use connectivity::Connectivity;
use connectivity::Sightings;
use relay::Versions;

/// The measured properties of a topology with weights over rounds `0..rounds`: what [`certify`] returns.
///
/// ```
/// use dpsda::network::PaperFig2;
/// use dpsda::network::certificate::certify;
/// use dpsda::network::weights::PushSumWeights;
/// let certificate = certify(&PaperFig2, Some(&PushSumWeights), true, 500);
/// assert_eq!(certificate.connectivity.window(), Some(4)); // 4-strongly connected, as the paper says
/// assert!(certificate.mixing.is_some_and(|mixing| mixing.columns.is_one()));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// How many nodes.
    pub nodes: usize,
    /// Whether links have directions. If not, directions were dropped before anything was measured.
    pub directed: bool,
    /// The horizon `T`: rounds `0..T` were looked at.
    pub rounds: u64,
    /// Whether, and how fast, every node reaches every other.
    pub connectivity: Connectivity,
    /// The properties of the weights; none without weights (relay) or without rounds.
    pub mixing: Option<Mixing>,
    /// `1 - λ` with `λ = (1 - n^(-nB))^(1/B)` of Lemma 6. We keep `1 - λ` because `λ` rounds to 1: for `n = 7`, `B = 4`
    /// it is 5.4e-25. Below the range of f64 it is 0.
    pub one_minus_lambda: Option<f64>,
    /// The largest `t - version` with which relay (DPSDA-R) would decide in a round `t < T`, given the losses and delays of
    /// messages.
    pub staleness: u64,
    /// The longest delay of a message, in rounds.
    pub delay: u64,
    /// Whether messages can be lost unnoticed. Weights then follow the scheduled links; connectivity and staleness are
    /// measured on the messages that arrive.
    pub loses: bool,
}

/// The measured properties of a weight rule on the graphs of the horizon.
///
/// ```
/// use dpsda::network::Ring;
/// use dpsda::network::certificate::certify;
/// use dpsda::network::weights::MetropolisWeights;
/// let certificate = certify(&Ring::new(5)?, Some(&MetropolisWeights), false, 10);
/// let mixing = certificate.mixing.unwrap();
/// assert_eq!(mixing.phi, 1.0 / 3.0); // every node hears two others and itself
/// assert!(mixing.rows.is_one() && mixing.columns.is_one());
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Mixing {
    /// The rule's name, if [`Certificate::named`] set it.
    pub rule: Option<String>,
    /// Whether the rule states that its rows sum to one (DPSDA-C) or not (DPSDA-PS).
    pub row_stochastic: bool,
    /// The sums of rows.
    pub rows: Span,
    /// The sums of columns.
    pub columns: Span,
    /// `φ`, the smallest positive weight (section 4.1).
    pub phi: f64,
    /// `1 - θ = φ/(4n^2)`, the contraction of Lemma 3 (per window, if `B > 1`).
    pub one_minus_theta: f64,
    /// `γ = min over t and i of [A(t:0) 1]_i` (Lemma 6): the smallest push-sum scalar `w` of the horizon.
    pub gamma: f64,
}

/// The least and the largest of some numbers.
///
/// ```
/// use dpsda::network::certificate::Span;
/// assert!(Span { min: 1.0, max: 1.0 + 1e-12 }.is_one());
/// assert!(!Span { min: 0.9, max: 1.1 }.is_one());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Span {
    /// The least.
    pub min: f64,
    /// The largest.
    pub max: f64,
}

impl Span {
    const NOTHING: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn add(&mut self, x: f64) {
        *self = Self { min: self.min.min(x), max: self.max.max(x) };
    }

    /// Whether all the numbers are one, up to rounding.
    pub fn is_one(&self) -> bool {
        (self.min - 1.0).abs() < 1e-9 && (self.max - 1.0).abs() < 1e-9
    }
}

/// Measures the rounds `0..rounds` of `topology`. Directions of links are dropped unless `directed`.
///
/// `B` is the smallest window length for which the union of the rounds `(k-1)B+1, ..., kB` is strongly connected for every
/// `k = 1, 2, ...`. This is section 2.1 read literally: **round 0 lies in no window**. Of a finite horizon only windows
/// that end by round `T-1` count, and there must be at least one. A single node is connected with `B = 1` on any horizon.
///
/// ```
/// use dpsda::network::certificate::{Connectivity, certify};
/// use dpsda::network::Star;
/// let certificate = certify(&Star::new(5)?, None, true, 10);
/// assert_eq!(certificate.connectivity, Connectivity::Windows { length: 1, count: 9 });
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn certify(
    topology: &dyn Topology,
    weights: Option<&dyn Weights>,
    directed: bool,
    rounds: u64,
) -> Certificate {
    certify_over(topology, &Transit::default(), weights, directed, rounds)
}

/// The same as [`certify`] for messages that may arrive late or be lost.
///
/// ```
/// use dpsda::network::certificate::certify_over;
/// use dpsda::network::delay::FixedDelay;
/// use dpsda::network::{Ring, Transit};
/// let late = Transit::prompt().late(FixedDelay::new(2)?);
/// let certificate = certify_over(&Ring::new(4)?, &late, None, true, 100);
/// assert!(Some(certificate.staleness) <= certificate.staleness_bound());
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn certify_over(
    topology: &dyn Topology,
    transit: &Transit,
    weights: Option<&dyn Weights>,
    directed: bool,
    rounds: u64,
) -> Certificate {
    let nodes = topology.nodes();
    let mut sightings = Sightings::new(nodes);
    let mut versions = Versions::new(nodes);
    let mut mixer = weights.map(|rule| Mixer::new(rule, nodes));
    for t in 0..rounds {
        let graph = if directed { topology.graph(t) } else { topology.undirected(t) };
        let graph = if graph.nodes() == nodes { graph } else { Graph::of(nodes, graph.links()) };
        let arriving = transit.survivors(t, &graph);
        let heard = arriving.heard();
        sightings.round(t, &arriving, &heard);
        versions.round(t, &heard, transit);
        if let Some(mixer) = &mut mixer {
            mixer.round(&graph);
        }
    }
    let connectivity = sightings.connectivity();
    Certificate {
        nodes,
        directed,
        rounds,
        mixing: mixer.filter(|_| rounds > 0 && nodes > 0).map(Mixer::finish),
        one_minus_lambda: connectivity.window().map(|b| one_minus_lambda(nodes, b)),
        staleness: versions.staleness(),
        delay: transit.longest(),
        loses: transit.lost.is_some(),
        connectivity,
    }
}

impl Certificate {
    /// The same; warnings call the weights by this name.
    pub fn named(mut self, rule: &str) -> Self {
        if let Some(mixing) = &mut self.mixing {
            mixing.rule = Some(rule.to_owned());
        }
        self
    }

    /// The largest age, in rounds, of a block that relay decides with: `nB - 1`. If messages are up to `D` rounds late,
    /// `D + (n-2) B ceil(D/B)` more.
    ///
    /// Proof: after `n - 1` whole windows every node has heard of every block. A decision may also fall into a window that is
    /// not over, which adds `B - 1`. With delays, what nodes send in a window can be passed on `D` rounds after its end. So
    /// every hop but the last waits `ceil(D/B)` more windows, and the last one `D` rounds.
    pub fn staleness_bound(&self) -> Option<u64> {
        let n = self.nodes as u64;
        self.connectivity.window().map(|b| {
            let late = self.delay.div_ceil(b.max(1)).saturating_mul(b).saturating_mul(n.saturating_sub(2));
            let late = if n > 1 { late.saturating_add(self.delay) } else { 0 };
            n.saturating_mul(b).saturating_sub(1).saturating_add(late)
        })
    }
}

/// `1 - (1 - n^(-nB))^(1/B)` without cancellation.
fn one_minus_lambda(n: usize, b: u64) -> f64 {
    let (n, b) = (n as f64, b as f64);
    let mass = (-n * b * n.ln()).exp();
    -((-mass).ln_1p() / b).exp_m1()
}

/// Row sums, column sums and products of the weight matrices, round by round.
struct Mixer<'a> {
    rule: &'a dyn Weights,
    rows: Span,
    columns: Span,
    phi: f64,
    gamma: f64,
    scalars: Vec<f64>,
}

impl<'a> Mixer<'a> {
    fn new(rule: &'a dyn Weights, nodes: usize) -> Self {
        let (inf, scalars) = (f64::INFINITY, vec![1.0; nodes]);
        Self { rule, rows: Span::NOTHING, columns: Span::NOTHING, phi: inf, gamma: inf, scalars }
    }

    fn round(&mut self, graph: &Graph) {
        let mut columns = vec![0.0; graph.nodes()];
        let mut scalars = vec![0.0; graph.nodes()];
        for (row, w) in weights::rows(self.rule, graph).into_iter().zip(&mut scalars) {
            self.rows.add(row.iter().map(|(_, a)| a).sum());
            for (j, a) in row {
                columns[j] += a;
                *w += a * self.scalars[j]; // (21)
                if a > 0.0 {
                    self.phi = self.phi.min(a);
                }
            }
            self.gamma = self.gamma.min(*w);
        }
        columns.into_iter().for_each(|sum| self.columns.add(sum));
        self.scalars = scalars;
    }

    fn finish(self) -> Mixing {
        let n = self.scalars.len() as f64;
        Mixing {
            rule: None,
            row_stochastic: self.rule.row_stochastic(),
            rows: self.rows,
            columns: self.columns,
            phi: self.phi,
            one_minus_theta: self.phi / (4.0 * n * n),
            gamma: self.gamma,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_minus_lambda_keeps_what_one_minus_a_rounded_lambda_would_lose() {
        let x = one_minus_lambda(7, 4);
        assert!((x / (7f64.powi(-28) / 4.0) - 1.0).abs() < 1e-12, "{x:e}");
        let direct = 1.0 - (1.0 - 2f64.powi(-6)).powf(1.0 / 3.0);
        assert!((one_minus_lambda(2, 3) - direct).abs() < 1e-15, "where nothing cancels both agree");
        assert_eq!(one_minus_lambda(1, 1), 1.0);
        assert_eq!(one_minus_lambda(64, 500), 0.0, "below the range of f64");
    }
}
