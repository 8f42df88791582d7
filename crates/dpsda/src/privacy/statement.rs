//! What is and is not promised, in words: the whole derivation. Every number has its unit and its rule.

use super::Price;
use super::guard::moved;
use super::mechanism::Noise;
use super::plan::{Adjacency, Coverage, Decide, Plan};
use super::rules::rules;

mod price;
mod sent;
mod setting;

use price::{list, short, smallest, up};

const IDEALISED: &str =
    "The noise is idealised: its guarantee holds over the reals, not for the floating-point bits on a wire.";

const FELLOWS: &str = "Not promised: protection from another node of the run, which sees the same costs.";

const STRANGERS: &str = "A node needs the data of its own agents only. Nodes without an agent's data see what an eavesdropper sees, and the \
    claim holds against them too. Not promised: protection from a host that was given the data, such as a central learner or a node \
    with several agents, and of data that the cost treats as public.";

const SIMULATED: &str = "The claim is about what nodes send and decide, in one trial of one run. It does not cover the results \
    of a simulation (costs, regret, accuracies, the data's hash, the seed): these are computed from the data themselves and are for \
    study. Trials and runs of a sweep use the same data again, and runs share their noise so that they can be compared.";

impl Plan {
    /// The claim in one line, with its unit and rule.
    pub fn claim(&self) -> String {
        if self.wanted.is_silent() {
            return "no privacy: nothing is noised".into();
        }
        if self.wanted.coverage == Coverage::Sent {
            return self.claim_sent();
        }
        let name = self.noise_name();
        match (self.wanted.decide, self.epsilon()) {
            (Decide::Private, _) => {
                format!("none: decisions are taken from un-noised values, messages only are noised ({name})")
            }
            (_, Some(eps)) => {
                let rule = match self.joint_cost() {
                    Price::Zcdp { .. } => format!("zCDP, delta {}; ", short(self.delta())),
                    _ => "pure; ".into(),
                };
                let event = self.wanted.adjacency.unit();
                format!("eps {} per {event}, whole run, all links and decisions ({rule}{name})", up(eps))
            }
            (_, None) if self.wanted.clip.is_none() => {
                format!("unbounded: no clip, so one round can move a release by any amount ({name})")
            }
            (_, None) => match self.joint_cost().as_rho() {
                Some(rho) => {
                    let event = self.wanted.adjacency.unit();
                    format!("rho {} (zCDP) per {event}, whole run, all links and decisions ({name})", up(rho))
                }
                None => format!("unbounded: this noise has no epsilon ({name})"),
            },
        }
    }

    /// The privacy statement in plain words: from what was asked for to the claim, step by step.
    pub fn statement(&self) -> Vec<String> {
        if self.wanted.coverage == Coverage::Sent {
            return self.statement_sent();
        }
        if self.wanted.is_silent() {
            let open = "Nothing is noised. An eavesdropper on a link reads the gradients themselves";
            let clipped = match self.wanted.clip {
                Some(clip) => format!(", clipped to a norm of {}", short(clip)),
                None => String::new(),
            };
            return vec![format!("{open}{clipped}.")];
        }
        let mut says = vec![self.noise_sentence()];
        says.extend(self.clip_sentences());
        match self.wanted.decide {
            Decide::Published => says.extend(self.published()),
            Decide::Private => says.extend(self.private()),
        }
        says.extend(self.totals());
        if self.is_ideal() {
            says.push(IDEALISED.into());
        }
        if self.wanted.clip.is_some() {
            says.push(
                "Not part of the claim: how clip, step and grid were chosen. If they were tuned on the data to be \
                 protected, that choice reveals something about the data."
                    .into(),
            );
        }
        says.push(SIMULATED.into());
        says.push(if self.divides() { STRANGERS } else { FELLOWS }.into());
        says
    }

    fn is_ideal(&self) -> bool {
        self.wanted.mechanism.is_ideal()
    }

    /// The mechanism's name, and a warning if it is idealised.
    fn noise_name(&self) -> String {
        format!("{}{}", self.wanted.mechanism.name(), if self.is_ideal() { ", idealised" } else { "" })
    }

    fn event(&self) -> &'static str {
        self.wanted.adjacency.event()
    }

    /// Whether an agent's own part of a gradient is treated apart from the public part.
    fn divides(&self) -> bool {
        self.public_bound().is_some()
    }

    /// Per release, per node, all links and decisions, over the run.
    fn published(&self) -> Vec<String> {
        let mut says = self.prices();
        let joint = self.joint_cost();
        if joint == Price::Unbounded {
            return says;
        }
        let event = self.event();
        let found = rules(&self.parts(), joint, self.delta(), self.is_ideal());
        says.push(format!(
            "All links and all decisions, over the whole run, one {event} replaced: {}.",
            list(&found, self.delta())
        ));
        if let Some(best) = smallest(&found, self.claimed_delta().unwrap_or(0.0)) {
            let plus = if best.delta > 0.0 { format!(" plus {}", short(best.delta)) } else { String::new() };
            says.push(format!(
                "So replacing one {event} changes the probability of anything an observer sees by at most a factor of \
                 exp({}){plus}: each gradient is noised once, when it is computed, and everything later is computed from released values. {}",
                up(best.epsilon),
                best.because
            ));
        }
        says.extend(self.cancelling());
        says
    }

    /// What correlated noise gains, and what rounding to the grid costs.
    fn cancelling(&self) -> Option<String> {
        let Noise::Exact(noise) = self.noise(0) else { return None };
        let (clip, rho) = (self.clip(0)?, self.cost(0).as_rho()?);
        let deviation = noise.prefix_deviation(self.rounds);
        let independent = moved(clip) as f64 / (2.0 * rho).sqrt() * (self.rounds as f64).sqrt();
        let rounding = match noise.rounding(moved(clip)) {
            0.0 => String::new(),
            share => {
                format!(" Rounding raises the sensitivity by {:.4} %, which is in the price.", 100.0 * share)
            }
        };
        let once = match self.wanted.adjacency {
            Adjacency::Round | Adjacency::Agent => "",
            Adjacency::Example => " Every example takes part in one round only.",
        };
        self.wanted.mechanism.is_correlated().then(|| {
            format!(
                "Noise that cancels over time: after round {} the sum of a coordinate's releases is off by {} (standard \
                 deviation, in the gradient's unit), {:.1} times less than with independent noise at the same \
                 price.{once}{rounding}",
                self.rounds,
                short(deviation * self.unit),
                independent / deviation,
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
                up(node),
                up(eps),
                up(run)
            ));
        }
        says.push(
            "Decisions are not protected: they are computed from un-noised values. An observer of a decision and \
             the messages can solve for the gradient."
                .into(),
        );
        says
    }
}
