//! Accelerated projected gradients (FISTA) with backtracking, adaptive restart and certificates.

use super::function::{Function, Plane};
use super::precision::Goal;
use super::preconditioner::Preconditioner;
use super::{Best, REACH, sketch};
use crate::set::ConvexSet;

/// The most gradient steps.
const STEPS: usize = 20_000;

/// A preconditioner is learned once the steps have cost a quarter of what learning costs. Most problems are solved by then,
/// and a problem solved soon after has not cost much more. A preconditioner that fits gets this many steps to prove useful.
const PATIENCE: usize = 200;
/// How often a preconditioner is learned. If that does not help, the solver goes on without one.
const LESSONS: usize = 2;

/// The first smoothing of losses with kinks, and the factor to the next.
const SMOOTHING: (f64, f64) = (0.1, 0.25);

/// A point `x`, its margins `s` and, once computed, the value of the smoothed function.
#[derive(Clone)]
struct Iterate {
    x: Vec<f64>,
    s: Vec<f64>,
    value: f64,
}

pub(super) struct Solver<'a, F> {
    mean: F,
    set: &'a dyn ConvexSet,
    /// The newest iterate, the one before, the extrapolated point where the gradient is taken, and the step from there.
    now: Iterate,
    before: Iterate,
    ahead: Iterate,
    next: Iterate,
    /// The preconditioner, the preconditioned gradient at `ahead`, and the last step from `ahead`.
    preconditioner: Preconditioner,
    down: Vec<f64>,
    way: Vec<f64>,
    /// How often the preconditioner changed, and the number of steps since.
    lessons: usize,
    since: usize,
    /// How strongly the function is smoothed.
    mu: f64,
    /// The curvature L that steps assume, the largest that backtracking needed, and whether the last step was long enough to
    /// test L.
    curvature: f64,
    steepest: f64,
    tested: bool,
    /// Nesterov's t.
    momentum: f64,
    /// The slope of the newest plane, and the mean of all planes since the last restart with its slope. FISTA's
    /// potential bounds the gap of this mean by `2 L |x_0 - x*|^2 / k^2`, the newest plane's alone only by its root.
    slope: Vec<f64>,
    mean_slope: Vec<f64>,
    mean_plane: Plane,
    /// The best lower bounds so far, on the true function and on the smoothed one.
    lower: f64,
    smooth_lower: f64,
    /// The best point so far, with its gap to these bounds. On an unbounded set also the point with the best certificate of its
    /// own.
    best: Best,
    local: Option<Best>,
}

impl<'a, F: Function> Solver<'a, F> {
    /// A search from `start`, a point of the set, where `lower` is a lower bound on all values.
    pub(super) fn new(
        mean: F,
        set: &'a dyn ConvexSet,
        start: &[f64],
        lower: f64,
        preconditioner: Preconditioner,
    ) -> Self {
        let x = start.to_vec();
        let mut now = Iterate { s: vec![0.0; mean.rows()], x, value: f64::INFINITY };
        mean.margins(&now.x, &mut now.s);
        let best = Best {
            x: now.x.clone(),
            value: mean.value(&now.s),
            gap: f64::INFINITY,
            iterations: 0,
            certified: false,
        };
        let zeros = vec![0.0; mean.dim()];
        Self {
            before: now.clone(),
            ahead: now.clone(),
            next: now.clone(),
            now,
            preconditioner,
            down: zeros.clone(),
            way: zeros.clone(),
            lessons: 0,
            since: 0,
            mu: SMOOTHING.0,
            curvature: 0.0,
            steepest: 0.0,
            tested: false,
            momentum: 1.0,
            slope: zeros.clone(),
            mean_slope: zeros,
            mean_plane: Plane::default(),
            lower: mean.least().max(lower),
            smooth_lower: mean.least(),
            best,
            local: None,
            mean,
            set,
        }
    }

    /// The answer, and the last preconditioner.
    pub(super) fn run(mut self, goal: Goal) -> (Best, Preconditioner) {
        let best = self.solve(goal);
        (best, self.preconditioner)
    }

    fn solve(&mut self, goal: Goal) -> Best {
        if !self.best.value.is_finite() {
            return self.best.clone(); // the data exceed f64: there is no finite value to start from
        }
        self.now.value = self.mean.smoothed(&self.now.s, self.mu);
        self.curvature = if self.preconditioner.is_identity() { self.first_curvature() } else { 1.0 };
        self.best.gap = gap(self.best.value, self.lower);
        for step in 1..=STEPS {
            self.best.iterations = step;
            let plane = self.mean.plane(&self.ahead.s, self.mu, &mut self.slope);
            self.bound_below(plane);
            if !self.step(plane) {
                break; // no step of any length is finite
            }
            let smooth_gap = self.certify(plane);
            if goal.enough(self.answer().value, self.answer().gap, 2 * step) {
                break;
            }
            let stuck = self.ahead.x == self.now.x && self.next.x == self.now.x;
            if stuck && (!self.mean.kinked() || self.mu < f64::EPSILON) {
                break; // exact to the last bit
            }
            self.advance(plane.noise);
            self.since += 1;
            if self.set.ball().is_some() {
                self.measure();
            }
            // Smooth less once most of the gap comes from the smoothing, not from the descent.
            if self.mean.kinked() && (stuck || smooth_gap <= 0.5 * self.answer().gap) {
                self.mu *= SMOOTHING.1;
                self.steepest /= SMOOTHING.1;
                self.now.value = self.mean.smoothed(&self.now.s, self.mu);
                self.restart();
            }
        }
        let best = self.answer();
        let certified = goal.met(best.value, best.gap);
        Best { certified, iterations: self.best.iterations, ..best.clone() }
    }

    /// The one of `best` and `local` with the smaller gap.
    fn answer(&self) -> &Best {
        self.local.as_ref().filter(|local| local.gap < self.best.gap).unwrap_or(&self.best)
    }

    /// The curvature along the gradient at the start: a lower bound on what backtracking will find.
    fn first_curvature(&mut self) -> f64 {
        self.mean.plane(&self.now.s, self.mu, &mut self.slope);
        let (size, length) = (1.0 + norm(&self.now.x), norm(&self.slope));
        if length == 0.0 {
            return 1.0;
        }
        let tiny = 1e-4 * size / length;
        self.next.x.iter_mut().zip(&self.now.x).zip(&self.slope).for_each(|((y, x), g)| *y = x - tiny * g);
        let mut moved = tiny * length;
        if !self.mean.everywhere() {
            self.set.project(&mut self.next.x);
            moved = norm_of(self.next.x.iter().zip(&self.now.x).map(|(y, x)| y - x));
        }
        self.mean.margins(&self.next.x, &mut self.next.s);
        self.mean.plane(&self.next.s, self.mu, &mut self.mean_slope);
        let change = norm_of(self.mean_slope.iter().zip(&self.slope).map(|(a, b)| a - b));
        self.mean_slope.fill(0.0);
        // If the function is flat, allow a step a thousand times as long as the point.
        let flat = 1e-3 * length / size;
        if moved > 0.0 { (change / moved).max(flat) } else { flat }
    }

    /// Learns another preconditioner, if it is time.
    fn measure(&mut self) {
        let plain = self.preconditioner.is_identity();
        let fits = !plain && self.mean.rows() < 2 * self.preconditioner.rows;
        let due = if fits { PATIENCE } else { sketch::cost(self.mean.rows()) / 4 };
        if self.since < due || self.lessons > LESSONS {
            return;
        }
        (self.lessons, self.since) = (self.lessons + 1, 0);
        let learned = if self.lessons > LESSONS { None } else { self.mean.preconditioner(&self.now.s) };
        if learned.is_none() && plain {
            return;
        }
        self.preconditioner = learned.unwrap_or_else(Preconditioner::identity);
        self.curvature = if self.preconditioner.is_identity() { self.first_curvature() } else { 1.0 };
        (self.steepest, self.tested) = (0.0, false);
        self.restart();
    }

    /// Updates the lower bounds with the newest plane and with the mean of planes.
    fn bound_below(&mut self, plane: Plane) {
        let weight = 1.0 / self.momentum; // t_k / (t_1 + ... + t_k), because the sum is t_k^2
        let mix = |mean: &mut f64, new: f64| *mean += weight * (new - *mean);
        mix(&mut self.mean_plane.at_zero, plane.at_zero);
        mix(&mut self.mean_plane.smooth_at_zero, plane.smooth_at_zero);
        self.mean_slope.iter_mut().zip(&self.slope).for_each(|(mean, new)| mix(mean, *new));
        for (plane, slope) in [(plane, &self.slope), (self.mean_plane, &self.mean_slope)] {
            let floor = self.set.floor(slope);
            if (plane.at_zero + floor).is_finite() {
                self.lower = self.lower.max(plane.at_zero + floor);
                self.smooth_lower = self.smooth_lower.max(plane.smooth_at_zero + floor);
            }
        }
    }

    /// `next = P(ahead - slope/L)`, doubling L until the quadratic model holds. False if L becomes infinite.
    fn step(&mut self, plane: Plane) -> bool {
        self.down.copy_from_slice(&self.slope);
        self.preconditioner.solve(&mut self.down);
        loop {
            if !self.curvature.is_finite() {
                return false;
            }
            let rate = 1.0 / self.curvature;
            for ((x, y), g) in self.next.x.iter_mut().zip(&self.ahead.x).zip(&self.down) {
                *x = y - rate * g;
            }
            if let (false, Some(radius)) = (self.preconditioner.is_identity(), self.set.ball()) {
                self.preconditioner.project(radius, &mut self.next.x);
            }
            self.set.project(&mut self.next.x);
            self.mean.margins(&self.next.x, &mut self.next.s);
            self.next.value = self.mean.smoothed(&self.next.s, self.mu);
            self.way.iter_mut().zip(&self.next.x).zip(&self.ahead.x).for_each(|((w, x), y)| *w = x - y);
            let linear: f64 = self.way.iter().zip(&self.slope).map(|(w, g)| w * g).sum();
            let square = self.preconditioner.product(&self.way, &self.way);
            let model = plane.value + linear + self.curvature / 2.0 * square;
            if self.next.value <= model + plane.noise {
                self.tested = self.curvature * square > 100.0 * plane.noise;
                return true;
            }
            self.curvature *= 2.0;
            self.steepest = self.steepest.max(self.curvature);
        }
    }

    /// Keeps the step if it is the best point so far, and updates the gap. Returns the gap of the smoothed function.
    fn certify(&mut self, plane: Plane) -> f64 {
        let value = if self.mean.kinked() { self.mean.value(&self.next.s) } else { self.next.value };
        if value < self.best.value {
            self.best.value = value;
            self.best.x.copy_from_slice(&self.next.x);
        }
        self.best.gap = gap(self.best.value, self.lower);
        let smooth_gap = self.next.value - self.smooth_lower;
        if self.set.floor(&self.slope).is_finite() {
            return smooth_gap;
        }
        // The plane is unbounded below. But the step is a projection: <g - r, x' - next> >= 0 on the whole set, with
        // r = L (ahead - next), so <g, x'> >= <g, next> - |r| |x' - next|.
        let residual = norm_of(self.ahead.x.iter().zip(&self.next.x).map(|(y, x)| self.curvature * (y - x)));
        let at_next: f64 = self.slope.iter().zip(&self.next.x).map(|(g, x)| g * x).sum();
        let floor = at_next - residual * REACH * (1.0 + norm(&self.next.x));
        let gap = gap(value, plane.at_zero + floor);
        if self.local.as_ref().is_none_or(|local| gap < local.gap) {
            self.local = Some(Best { x: self.next.x.clone(), value, gap, ..self.best });
        }
        smooth_gap.min(self.next.value - plane.smooth_at_zero - floor)
    }

    /// Makes the step the newest iterate and extrapolates. If momentum has begun to hurt, it restarts.
    fn advance(&mut self, noise: f64) {
        if !self.tested {
            self.curvature = self.curvature.max(self.steepest);
        }
        let momentum = self.momentum > 1.0;
        if momentum && self.next.value > self.now.value + noise {
            return self.restart(); // from `now`: the value never rises
        }
        self.down.iter_mut().zip(&self.now.x).zip(&self.next.x).for_each(|((d, x0), x)| *d = x0 - x);
        let uphill = self.preconditioner.product(&self.way, &self.down);
        std::mem::swap(&mut self.before, &mut self.now);
        std::mem::swap(&mut self.now, &mut self.next);
        if momentum && uphill > 0.0 {
            return self.restart();
        }
        let t = (1.0 + (1.0 + 4.0 * self.momentum * self.momentum).sqrt()) / 2.0;
        let beta = (self.momentum - 1.0) / t;
        self.momentum = t;
        let look = |ahead: &mut [f64], now: &[f64], before: &[f64]| {
            ahead.iter_mut().zip(now).zip(before).for_each(|((y, x), x0)| *y = x + beta * (x - x0));
        };
        look(&mut self.ahead.x, &self.now.x, &self.before.x);
        if self.mean.everywhere() {
            look(&mut self.ahead.s, &self.now.s, &self.before.s); // margins are linear: no pass over the data
        } else {
            self.set.project(&mut self.ahead.x);
            self.mean.margins(&self.ahead.x, &mut self.ahead.s);
        }
    }

    /// Drops the momentum. The curvature may have fallen since it was measured: try half of it, backtracking corrects that.
    fn restart(&mut self) {
        self.momentum = 1.0;
        if self.tested {
            self.curvature /= 2.0;
        }
        self.ahead.clone_from(&self.now);
    }
}

/// `value - lower`, never negative; infinite if it is NaN.
fn gap(value: f64, lower: f64) -> f64 {
    if (value - lower).is_nan() { f64::INFINITY } else { (value - lower).max(0.0) }
}

fn norm(x: &[f64]) -> f64 {
    norm_of(x.iter().copied())
}

fn norm_of(x: impl Iterator<Item = f64>) -> f64 {
    x.map(|x| x * x).sum::<f64>().sqrt()
}
