//! DPSDA-C and DPSDA-PS: with rows of `W` that sum to one, (12) is `sum_j W_ij h_j + n u_i`, so one learner runs both
//! and only the weights differ.

use super::{Body, Durable, Learner, Links, Message, Probe, Replica, Saved, Setup, Standing};
use crate::network::Degree;
use crate::network::weights::WholeShares;
use crate::privacy::plan::{Arithmetic, Coverage, Decide};
use crate::privacy::{Guard, Ledger, Released, Sealed, Sensitive};

mod grid;
mod links;

use links::Books;

/// A node that averages duals with those it hears.
pub(super) struct Gossip {
    setup: Setup,
    guard: Guard,
    ledger: Ledger,
    degree: Degree,
    /// `z_i` without the gradient that has not been released yet: a function of messages alone.
    mixed: Released,
    /// `n u_i`, until it is released.
    pending: Option<Sensitive>,
    /// `h_i`
    dual: Released,
    /// `w_i`
    weight: f64,
    /// What `y_i` was decided from, before it was divided by `w_i`: `h_i`, or `z_i` in the paper's order.
    decided: Vec<f64>,
    /// `y_i`
    y: Vec<f64>,
    /// The books of its links, where messages may be late or lost.
    books: Option<Books>,
}

impl Gossip {
    /// `z_i(0) = 0`, `w_i(0) = 1`, `y_i(0) = Pi(0, 1)`.
    pub(super) fn new(setup: Setup) -> Self {
        let zero = match setup.plan.arithmetic() {
            Arithmetic::Real => Released::zeros(setup.blocks.dim()),
            Arithmetic::Grid => setup.plan.zeros(setup.blocks.dim()),
        };
        let mut node = Self {
            guard: setup.guard(),
            ledger: setup.plan.ledger(),
            degree: Degree { node: setup.node, heard: 1, told: 1 },
            mixed: zero.clone(),
            pending: None,
            books: (setup.links == Links::RunningSums).then(|| Books::new(zero.clone())),
            dual: zero,
            weight: 1.0,
            decided: vec![0.0; setup.blocks.dim()],
            y: setup.start(),
            setup,
        };
        if node.published() {
            node.publish(0); // nothing has been learned: h_i(0) = eta_i(0), sent all the same
        }
        node
    }

    fn published(&self) -> bool {
        self.setup.plan.decide() == Decide::Published
    }

    /// (4) (11): `h_i(t) = z_i(t) + eta_i(t)`. Only the own block holds anything that was not released before.
    fn publish(&mut self, t: u64) {
        let own = self.setup.blocks.range(self.setup.node);
        let secret = self.pending.take().unwrap_or_else(|| self.guard.nothing(own.len()));
        let share = self.guard.release(secret, t, &mut self.ledger);
        self.dual.clone_from(&self.mixed);
        self.dual.add_block(own.clone(), &share);
        if self.setup.plan.coverage() == Coverage::All {
            self.guard.noise_foreign(&mut self.dual, own, t);
        }
    }

    /// (12) (20) (21), without the gradient.
    fn mix(&mut self, inbox: &[&Message]) {
        let Some(weights) = self.setup.weights.clone() else { return };
        let others = inbox.iter().filter_map(|m| match &m.body {
            Body::Dual { dual, weight } => Some((m.from, dual, *weight)),
            _ => None,
        });
        let split = weights.on_grid().filter(|_| self.setup.plan.arithmetic() == Arithmetic::Grid);
        if let (Some(split), Some((mine, unit))) = (split, self.dual.units()) {
            let duals: Vec<_> = others
                .clone()
                .filter_map(|(from, dual, _)| dual.units().map(|(units, _)| (from, units)))
                .collect();
            let mixed = match split {
                WholeShares::Pairwise => grid::circulate(self.degree, mine, &duals),
                WholeShares::Even => {
                    let heard = others.map(|(from, _, weight)| (from, weight));
                    self.weight = grid::push_weight(self.degree, self.weight, heard);
                    grid::push(self.degree, mine, &duals)
                }
            };
            self.mixed = Released::on_grid(mixed, unit);
            return;
        }
        let mine = (self.degree, &self.dual, self.weight);
        let mut heard: Vec<_> = others.chain([mine]).collect();
        heard.sort_by_key(|(from, ..)| from.node);
        let degrees: Vec<_> = heard.iter().map(|(from, ..)| *from).collect();
        let mut row = vec![0.0; heard.len()];
        weights.row(self.degree, &degrees, &mut row);
        if weights.row_stochastic() {
            let me = heard.iter().position(|(_, dual, _)| std::ptr::eq(*dual, &self.dual));
            settle(&mut row, me.unwrap_or_default());
        }
        let mut mixed = Released::zeros(self.y.len());
        let mut weight = 0.0;
        for (a, (_, dual, w)) in row.into_iter().zip(heard) {
            mixed.add(a, dual); // (12) (20)
            weight += a * w; // (21)
        }
        self.mixed = mixed;
        if !weights.row_stochastic() {
            self.weight = weight; // in DPSDA-C it stays 1, exactly
        }
    }
}

/// Makes the row sum to one whatever arrived. Messages may come late, twice in a round or not at all: the weight that the others
/// do not take stays with `me`. If the others would take more than 1, all get equal weights. A row that is already right is left
/// as it is, to the bit.
pub(crate) fn settle(row: &mut [f64], me: usize) {
    let sum: f64 = row.iter().sum();
    let Some(mine) = row.get(me).copied() else { return };
    if mine >= 0.0 && (sum - 1.0).abs() < 1e-9 {
        return;
    }
    let others = sum - mine;
    if others > 1.0 {
        let even = 1.0 / row.len() as f64;
        row.fill(even);
    } else {
        row[me] = 1.0 - others;
    }
}

impl Learner for Gossip {
    fn estimate(&self) -> &[f64] {
        &self.y
    }

    fn learn(&mut self, t: u64, cost: &Sealed<'_>) {
        let gradient = self.setup.observe(&self.guard, self.setup.node, t, cost, &self.y); // (14)
        if !self.published() {
            self.publish(t);
        }
        self.pending = Some(gradient);
    }

    fn speak(&mut self, t: u64, me: Degree, receivers: &[Degree]) -> Message {
        self.degree = me;
        if let (Some(books), Some(weights)) = (&mut self.books, &self.setup.weights) {
            return Message { from: me, body: books.put(t, me, receivers, &**weights, &self.dual) };
        }
        Message { from: me, body: Body::Dual { dual: self.dual.clone(), weight: self.weight } }
    }

    fn listen(&mut self, t: u64, inbox: &[&Message]) {
        match &mut self.books {
            Some(books) => {
                self.mixed = books.take(self.setup.node, inbox);
                self.weight = books.weight();
            }
            None => self.mix(inbox),
        }
        let mut dual = if self.published() {
            self.publish(t + 1); // eta_i(t+1) is drawn before x(t+1) is decided
            self.dual.to_reals()
        } else {
            let mut dual = self.mixed.to_reals();
            if let Some(secret) = &self.pending {
                let own = self.setup.blocks.range(self.setup.node);
                let secret = secret.unprotected(&mut self.ledger);
                dual[own].iter_mut().zip(secret).for_each(|(z, u)| *z += u); // n u_i of (12) (20)
            }
            dual
        };
        self.decided.clone_from(&dual);
        let weight = self.weight.max(f64::MIN_POSITIVE); // it can fall to 0 where messages vanish unnoticed
        dual.iter_mut().for_each(|z| *z /= weight);
        self.setup.set.prox(&dual, self.setup.step.after(t), &mut self.y); // (13) (22)
    }

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

impl Probe for Gossip {
    fn dual(&self) -> Option<(Vec<f64>, f64)> {
        Some((self.decided.clone(), self.weight))
    }
}

impl Durable for Gossip {
    fn foresee(&self, t: u64) -> Ledger {
        self.guard.foresee(t, &self.ledger)
    }

    fn save(&self) -> Option<Saved> {
        if self.pending.is_some() || !self.published() {
            return None; // a gradient is not stored
        }
        let (past, secret) = self.guard.keep();
        let standing = Standing::Gossip {
            mixed: self.mixed.clone(),
            dual: self.dual.clone(),
            weight: self.weight,
            estimate: self.y.clone(),
            books: self.books.as_ref().map(Books::save),
        };
        Some(Saved { ledger: self.ledger.clone(), past, standing, secret })
    }

    fn restore(&mut self, saved: Saved) -> bool {
        let Standing::Gossip { mixed, dual, weight, estimate, books } = saved.standing else { return false };
        let size = self.y.len();
        let same = |released: &Released| {
            released.len() == size && released.units().map(|u| u.1) == self.dual.units().map(|u| u.1)
        };
        let fits =
            same(&mixed) && same(&dual) && estimate.len() == size && books.is_some() == self.books.is_some();
        let books = books.map(|books| Books::restore(books, &same));
        if !fits
            || books.as_ref().is_some_and(Option::is_none)
            || !self.guard.resume(saved.past, saved.secret)
        {
            return false;
        }
        self.books = books.flatten();
        (self.mixed, self.dual, self.weight, self.y) = (mixed, dual, weight, estimate);
        self.decided = self.dual.to_reals();
        (self.pending, self.ledger) = (None, saved.ledger);
        true
    }

    fn begun(&self) -> u64 {
        self.guard.begun()
    }

    fn renew(&mut self, own: Option<Replica>, next: u64, lives: u64) -> bool {
        let paid = own.is_none() && self.guard.renew(next, lives, &mut self.ledger);
        if paid {
            self.pending = None; // it will never be released
        }
        paid
    }
}

#[cfg(test)]
mod tests {
    use super::settle;

    #[test]
    fn rows_sum_to_one_whatever_arrives() {
        for (row, me, want) in [
            (vec![0.25, 0.5, 0.25], 1, vec![0.25, 0.5, 0.25]), // all arrived
            (vec![0.25, 0.25], 0, vec![0.75, 0.25]),           // one did not
            (vec![0.5, -0.5, 0.5, 0.5], 1, vec![0.25; 4]),     // too many at once
            (vec![1.0; 4], 2, vec![0.25; 4]),
            (vec![1.0], 0, vec![1.0]),
        ] {
            let mut found = row.clone();
            settle(&mut found, me);
            assert_eq!(found, want, "{row:?}");
        }
    }
}
