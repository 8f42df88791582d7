//! What is and is not promised, in words: the whole derivation. A number carries its unit and its rule.

use super::Cost;
use super::clip::Norm;
use super::guard::moved;
use super::mechanism::{Build, Mechanism};
use super::plan::{Adjacency, Decide, Plan, Target};
use super::rules::{Rule, rules};

const IDEALISED: &str =
    "The noise is idealised: its guarantee holds over the reals, not for the floating-point bits on a wire.";

impl Plan {
    /// The claim in one line, with its unit and rule.
    pub fn claim(&self) -> String {
        if self.wish.is_silent() {
            return "no privacy: nothing is noised".into();
        }
        let name = self.noise_name();
        match (self.wish.decide, self.epsilon()) {
            (Decide::Private, _) => {
                format!("none: decisions are taken from un-noised values, messages only are noised ({name})")
            }
            (_, Some(eps)) => {
                let rule = match self.joint_cost() {
                    Cost::Zcdp { .. } => format!("zCDP, delta {}; ", short(self.delta())),
                    _ => "pure; ".into(),
                };
                let event = self.event();
                format!("eps {} per {event}, whole run, all links and decisions ({rule}{name})", short(eps))
            }
            (_, None) if self.wish.clip.is_none() => {
                format!("unbounded: no clip, so one round can move a release by any amount ({name})")
            }
            (_, None) => match self.joint_cost().as_rho() {
                Some(rho) => {
                    let event = self.event();
                    format!(
                        "rho {} (zCDP) per {event}, whole run, all links and decisions ({name})",
                        short(rho)
                    )
                }
                None => format!("unbounded: this noise has no epsilon ({name})"),
            },
        }
    }

    /// The privacy statement in plain words: from the wish to the claim, step by step.
    pub fn statement(&self) -> Vec<String> {
        if self.wish.is_silent() {
            return vec!["Nothing is noised. Whoever taps a link reads gradients as they are.".into()];
        }
        let mut says = vec![self.noise_sentence()];
        says.extend(self.clip_sentences());
        match self.wish.decide {
            Decide::Published => says.extend(self.published()),
            Decide::Private => says.extend(self.private()),
        }
        says.extend(self.totals());
        if matches!(self.wish.mechanism.build.build, Build::Ideal(_)) {
            says.push(IDEALISED.into());
        }
        if self.wish.clip.is_some() {
            says.push(
                "Not part of the claim: how clip, step and grid were chosen. If they were tuned on the data to be \
                 protected, that choice told something about them."
                    .into(),
            );
        }
        says.push("Not promised: protection from a fellow node that is given the same costs.".into());
        says
    }

    /// The mechanism's name, and in one word what is wrong with it.
    fn noise_name(&self) -> String {
        let ideal = matches!(self.wish.mechanism.build.build, Build::Ideal(_));
        format!("{}{}", self.wish.mechanism.name, if ideal { ", idealised" } else { "" })
    }

    fn event(&self) -> &'static str {
        match self.wish.adjacency {
            Adjacency::Round => "round",
            Adjacency::Example => "example",
        }
    }

    fn noise_sentence(&self) -> String {
        let name = self.wish.mechanism.name;
        let on =
            if self.gain > 1.0 { format!("{} times the gradient", self.gain) } else { "the gradient".into() };
        let scale = short(self.scale());
        let why = match self.wish.target {
            Target::Level(level) => format!("level {}: the paper's label, not an epsilon", short(level)),
            Target::Epsilon(epsilon) => {
                let delta = self.wish.delta.map_or(String::new(), |d| format!(" at delta {}", short(d)));
                let event = self.event();
                format!("the least for eps {}{delta} per {event}, all nodes, whole run", short(epsilon))
            }
        };
        format!("Every release carries {name} noise of scale {scale} on {on} ({why}).")
    }

    fn clip_sentences(&self) -> Vec<String> {
        let (Some(clip), Some(clips)) = (self.wish.clip, &self.clips) else {
            return vec![
                "Sensitivity: unbounded. Nothing limits the gradient (no `privacy.clip`), so no epsilon can be promised, \
                 whatever the scale."
                    .into(),
            ];
        };
        let (norm, rule) = match self.wish.mechanism.build.norm {
            Norm::L1 => ("L1", "C d_i/d, which add up to C"),
            Norm::L2 => ("L2", "C sqrt(d_i/d), whose squares add up to C^2"),
        };
        let bits = clips[0].bits;
        let per_unit = f64::from(bits).exp2();
        let who = |i: usize| if self.groups().len() == 1 { "every node".into() } else { format!("node {i}") };
        let share = |(i, _): (usize, u64)| {
            let (units, d) = (clips[i].bound, self.sizes[i]);
            format!("{} of {d} coordinates {} ({units} units)", who(i), short(units as f64 / per_unit))
        };
        let shares: Vec<String> = self.groups().into_iter().map(share).collect();
        let moves = |(i, _): (usize, u64)| {
            let units = moved(clips[i]);
            format!("{} by {} ({units} units)", who(i), short(units as f64 / per_unit))
        };
        let moves: Vec<String> = self.groups().into_iter().map(moves).collect();
        let (one, summed) = match self.wish.adjacency {
            Adjacency::Round => ("a round's", String::new()),
            Adjacency::Example => {
                let batch = self.batch;
                (
                    "each example's",
                    format!(
                        ", then the {batch} examples of a round are summed, which are divided by {batch} after the release"
                    ),
                )
            }
        };
        vec![
            format!(
                "Clip: {one} gradient is rounded towards zero to multiples of 2^-{bits} and clipped in integers to an {norm} norm of \
                 {}, each node enforcing its share, {rule}: {}{summed}. What is not a number becomes 0.",
                short(clip),
                shares.join("; ")
            ),
            format!(
                "Sensitivity: replacing one {} moves what is released by at most 2 C_i in {norm}: {}.",
                self.event(),
                moves.join("; ")
            ),
        ]
    }

    /// Per release, per node, all links and decisions, over the run.
    fn published(&self) -> Vec<String> {
        let mut says = self.prices();
        let joint = self.joint_cost();
        if joint == Cost::Unbounded {
            return says;
        }
        let event = self.event();
        let found = rules(
            &self.parts(),
            joint,
            self.delta(),
            matches!(self.wish.mechanism.build.build, Build::Ideal(_)),
        );
        says.push(format!(
            "All links and all decisions, over the whole run, one {event} replaced: {}.",
            list(&found)
        ));
        if let Some(best) = smallest(&found) {
            says.push(format!(
                "So it changes the probability of anything seen by a factor of at most exp({}){}: each gradient is noised once, at \
                 birth, and everything later is computed from released values. {}",
                short(best.epsilon),
                if best.delta > 0.0 { format!(", but for a chance of {}", short(best.delta)) } else { String::new() },
                best.because
            ));
        }
        says.extend(self.cancelling());
        says
    }

    /// What correlated noise gains, and what its place on the grid costs.
    fn cancelling(&self) -> Option<String> {
        let Mechanism::Exact(noise) = self.mechanism(0) else { return None };
        let (clip, rho) = (self.clip(0)?, self.cost(0).as_rho()?);
        let deviation = noise.prefix_deviation(self.rounds);
        let independent = moved(clip) as f64 / (2.0 * rho).sqrt() * (self.rounds as f64).sqrt();
        self.wish.mechanism.build.correlated.then(|| {
            format!(
                "Noise that cancels over time: after {} rounds the sum of a coordinate's releases is off by {} (standard \
                 deviation, in the gradient's unit), {:.1} times less than with independent noise at the same price. Every {} \
                 takes part in one round only. Rounding raises the sensitivity by {:.4} %, which is in the price.",
                self.rounds,
                short(deviation * self.unit),
                independent / deviation,
                self.event(),
                100.0 * noise.rounding(moved(clip))
            )
        })
    }

    /// The paper's order.
    fn private(&self) -> Vec<String> {
        let mut says = self.prices();
        let delta = self.delta();
        if let (Some(node), Some(eps)) = (self.cost(0).as_epsilon(delta), self.joint_cost().as_epsilon(delta))
        {
            let rounds = self.rounds;
            let run = self.lifetime_cost().as_epsilon(delta).unwrap_or(f64::INFINITY);
            says.push(format!(
                "Messages only: eps {} per round as the paper counts it (one node's), {} for all nodes together and, since an \
                 event disturbs all later messages, {} over {rounds} rounds.",
                short(node),
                short(eps),
                short(run)
            ));
        }
        says.push(
            "Decisions are not protected: they are computed from un-noised values, and whoever sees a decision and \
             the messages can solve for the gradient."
                .into(),
        );
        says
    }

    /// What one release of one node costs.
    fn prices(&self) -> Vec<String> {
        let one = |(i, count): (usize, u64)| {
            let nodes = if count == 1 { "node" } else { "nodes" };
            format!("{} ({count} {nodes} with {} coordinates)", self.price(self.cost(i)), self.sizes[i])
        };
        match self.joint_cost() {
            Cost::Unbounded => Vec::new(),
            _ => {
                let parts: Vec<String> = self.groups().into_iter().map(one).collect();
                vec![format!("One release of one node: {}.", parts.join("; "))]
            }
        }
    }

    /// The totals that a ledger keeps beside the one per event.
    fn totals(&self) -> Vec<String> {
        let mut says = Vec::new();
        if self.joint_cost() == Cost::Unbounded || self.wish.decide == Decide::Private {
            return says;
        }
        let event = self.event();
        if let (Some(cost), Some(events)) = (self.person_cost(), self.wish.budget.events_per_person) {
            says.push(format!("A person behind at most {events} {event}s: {}.", self.price(cost)));
        }
        let lifetime = self.lifetime_cost();
        let ideal = matches!(self.wish.mechanism.build.build, Build::Ideal(_));
        let parts: Vec<(Cost, u64)> = if self.wish.mechanism.build.correlated {
            Vec::new()
        } else {
            self.parts().into_iter().map(|(cost, count)| (cost, count * self.rounds)).collect()
        };
        let found = rules(&parts, lifetime, self.delta(), ideal);
        let one = if self.wish.adjacency == Adjacency::Example {
            "one example of every round"
        } else {
            "every round"
        };
        says.push(format!("Lifetime, for whoever is behind {one} of {}: {}.", self.rounds, list(&found)));
        says
    }

    /// What composes: prices of one release and how many there are of each.
    fn parts(&self) -> Vec<(Cost, u64)> {
        self.groups().into_iter().map(|(i, count)| (self.cost(i), count)).collect()
    }

    fn price(&self, cost: Cost) -> String {
        let delta = self.delta();
        match cost {
            Cost::Pure { .. } => format!("eps {}", short(cost.as_pure().unwrap_or(f64::INFINITY))),
            Cost::Zcdp { .. } => {
                let rho = short(cost.as_rho().unwrap_or(f64::INFINITY));
                match cost.as_epsilon(delta) {
                    Some(eps) => format!("rho {rho}, eps {} at delta {}", short(eps), short(delta)),
                    None => format!("rho {rho}"),
                }
            }
            Cost::Unbounded => "unbounded".into(),
        }
    }
}

fn smallest(rules: &[Rule]) -> Option<&Rule> {
    rules.iter().min_by(|a, b| a.epsilon.total_cmp(&b.epsilon))
}

fn list(rules: &[Rule]) -> String {
    let least = smallest(rules).map(|rule| rule.name);
    let one = |rule: &Rule| {
        let delta = if rule.delta > 0.0 { format!(" at delta {}", short(rule.delta)) } else { String::new() };
        let mark = if rules.len() > 1 && Some(rule.name) == least { ", the smallest" } else { "" };
        format!("eps {}{delta} ({}{mark})", short(rule.epsilon), rule.name)
    };
    match rules {
        [] => "no epsilon without a delta (set e.g. privacy.delta = 1e-5)".into(),
        _ => rules.iter().map(one).collect::<Vec<_>>().join(", "),
    }
}

/// A number as short as it can be without losing what matters.
pub(super) fn short(x: f64) -> String {
    let s = format!("{x:.4e}").parse::<f64>().unwrap_or(x);
    if s != 0.0 && !(1e-4..1e7).contains(&s.abs()) { format!("{s:e}") } else { format!("{s}") }
}
