//! Values measured during a run beside its bounds: Theorem 1 term by term, and the consensus error of Lemmas 3 and 6.

use dpsda::bounds::spread::Spread;
use dpsda::bounds::theorem1::{Theorem1Round, Theorem1Sums};
use dpsda::bounds::{Constants, Tally};
use dpsda::fleet::Fleet;
use dpsda::metric::{Observer, Round};
use dpsda_config::RunConfig;

/// Theorem A on the rounds so far, per round: the proved bound on expected regret, with the contraction or staleness of the
/// run's graphs and the actual lengths of its gradients.
pub(super) struct Promised<'a> {
    run: &'a RunConfig,
    tally: Option<Tally<Box<dyn Spread + Send + 'a>>>,
    /// L
    steepest: f64,
    /// L^
    longest: f64,
    gradient: Vec<f64>,
}

impl<'a> Promised<'a> {
    pub(super) fn new(
        run: &'a RunConfig,
        tally: Tally<Box<dyn Spread + Send + 'a>>,
        steepest: f64,
        longest: f64,
    ) -> Self {
        Self { run, tally: Some(tally), steepest, longest, gradient: vec![0.0; run.spec.blocks().dim()] }
    }
}

impl Observer for Promised<'_> {
    fn round(&mut self, round: &Round<'_>) {
        let Some(tally) = &mut self.tally else { return };
        let square = |g: &[f64]| g.iter().map(|g| g * g).sum::<f64>();
        let all = 0..self.gradient.len();
        if let [x] = round.models {
            round.f.partial(x, all, &mut self.gradient);
        }
        let error = self.run.problem.gradient_error;
        // Decisions depend on gradient errors, and so do the gradients at them. Only the bound L is independent.
        let steepness = if error > 0.0 { self.steepest } else { square(&self.gradient).sqrt() };
        assemble(self.run, round, &mut self.gradient);
        // A clip may lengthen a mean of examples, and lags are convex in random lengths. Then the bound on all lengths counts.
        let random = error > 0.0 || self.run.spec.plan().clip(0).is_some();
        let length = if random { self.longest } else { square(&self.gradient).sqrt() };
        if tally.add(length, steepness).is_err() {
            self.tally = None; // the loss is rough, or the graphs are too many
        }
    }

    fn so_far(&self) -> f64 {
        self.tally.as_ref().map_or(f64::NAN, |tally| {
            let point = tally.point();
            point.regret / point.rounds as f64
        })
    }
}

/// `g(t)`: every block of the gradient at its owner's estimate.
fn assemble(run: &RunConfig, round: &Round<'_>, gradient: &mut [f64]) {
    for (i, block) in run.spec.blocks().iter().enumerate() {
        let owner = if i < round.fleet.learners() { i } else { 0 };
        if round.fleet.learners() > 0 {
            round.f.partial(&round.fleet.estimate(owner), block.clone(), &mut gradient[block]);
        }
    }
}

/// The duals that nodes have decided from, and their weights.
fn duals(fleet: &dyn Fleet) -> impl Iterator<Item = (Vec<f64>, f64)> {
    (0..fleet.learners()).filter_map(|i| fleet.dual(i))
}

/// The middle dual: the mean for algorithms that average; otherwise every block as its owner knows it.
fn middle(run: &RunConfig, fleet: &dyn Fleet) -> Vec<f64> {
    let duals: Vec<_> = duals(fleet).map(|(dual, _)| dual).collect();
    match &duals[..] {
        [one] => one.clone(),
        many if run.spec.style().averages() => {
            let mean = |k| many.iter().map(|dual| dual[k]).sum::<f64>() / many.len() as f64;
            (0..run.spec.blocks().dim()).map(mean).collect()
        }
        many => {
            many.iter().zip(run.spec.blocks().iter()).flat_map(|(dual, block)| dual[block].to_vec()).collect()
        }
    }
}

/// Theorem 1 on the rounds so far, per round. It bounds the regret of every single path.
pub(super) struct Theorem<'a> {
    run: &'a RunConfig,
    constants: Constants,
    sums: Theorem1Sums,
    dual: Vec<f64>,
    x: Vec<f64>,
    middle: Vec<f64>,
    at_middle: Vec<f64>,
    gradient: Vec<f64>,
    rounds: u64,
}

impl<'a> Theorem<'a> {
    pub(super) fn new(run: &'a RunConfig, constants: Constants) -> Self {
        let zeros = vec![0.0; run.spec.blocks().dim()];
        Self {
            run,
            constants,
            sums: Theorem1Sums::new(run.spec.step(), zeros.len()),
            dual: zeros.clone(),
            x: zeros.clone(),
            middle: zeros.clone(),
            at_middle: zeros.clone(),
            gradient: zeros,
            rounds: 0,
        }
    }
}

impl Observer for Theorem<'_> {
    fn round(&mut self, round: &Round<'_>) {
        self.rounds = round.t + 1;
        if let [x] = round.models {
            self.x.copy_from_slice(x);
        }
        let alpha = self.run.spec.step().after(round.t.saturating_sub(1));
        self.run.spec.set().prox(&self.dual, alpha, &mut self.middle); // (28)
        let all = 0..self.middle.len();
        round.f.partial(&self.middle, all, &mut self.at_middle);
        assemble(self.run, round, &mut self.gradient);
    }

    fn settled(&mut self, fleet: &dyn Fleet) {
        let next = middle(self.run, fleet);
        let moved: Vec<f64> = next.iter().zip(&self.dual).map(|(next, dual)| next - dual).collect();
        self.sums.add(&Theorem1Round {
            x: &self.x,
            middle: &self.middle,
            at_middle: &self.at_middle,
            gradient: &self.gradient,
            moved: &moved,
        });
        self.dual = next;
    }

    fn so_far(&self) -> f64 {
        let terms = self.sums.terms(&self.constants, self.run.spec.set());
        terms.map_or(f64::INFINITY, |terms| terms.sum() / self.rounds as f64)
    }
}

/// `sum_i |z_i/w_i - z-|^2` of the latest round: what Lemmas 3 and 6 bound on average.
pub(super) struct Consensus<'a> {
    run: &'a RunConfig,
    now: f64,
}

impl<'a> Consensus<'a> {
    pub(super) fn new(run: &'a RunConfig) -> Self {
        Self { run, now: 0.0 }
    }
}

impl Observer for Consensus<'_> {
    fn round(&mut self, round: &Round<'_>) {
        let middle = middle(self.run, round.fleet);
        let away = |(dual, weight): (Vec<f64>, f64)| {
            dual.iter().zip(&middle).map(|(z, m)| (z / weight - m).powi(2)).sum::<f64>()
        };
        self.now = duals(round.fleet).map(away).sum();
    }

    fn so_far(&self) -> f64 {
        self.now
    }
}
