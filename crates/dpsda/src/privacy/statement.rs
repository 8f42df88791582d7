//! What is and is not promised, in words. A number carries its unit and its rule.

use super::plan::{Decide, Plan, sensitivity};

impl Plan {
    /// The mechanism's name, and in one word what is wrong with it.
    fn noise_name(&self) -> String {
        let name = self.wish.mechanism.name;
        let caveat = self.mechanism(0).caveat();
        caveat.map_or_else(|| name.into(), |c| format!("{name}, {}", c.split(':').next().unwrap_or(c)))
    }

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
            (_, None) if self.wish.clip.is_none() => {
                format!("unbounded: no clip, so one round can move a release by any amount ({name})")
            }
            (_, None) => format!("unbounded: this noise has no epsilon ({name})"),
            (_, Some(eps)) => {
                format!("eps {} per round, whole run, all links and decisions ({name})", short(eps))
            }
        }
    }

    /// The privacy statement in plain words, for a run of so many rounds.
    pub fn statement(&self, rounds: u64) -> Vec<String> {
        let mut says = Vec::new();
        if self.wish.is_silent() {
            says.push("Nothing is noised. Whoever taps a link reads gradients as they are.".into());
            return says;
        }
        says.push(format!(
            "Every release carries {} noise of scale {} on {} (level {}: the paper's label, not an epsilon).",
            self.wish.mechanism.name,
            short(self.scale),
            if self.gain > 1.0 { format!("{} times the gradient", self.gain) } else { "the gradient".into() },
            short(self.wish.level)
        ));
        says.push(match self.wish.clip {
            Some(clip) => format!(
                "Sensitivity: one round can move what all nodes release together by at most {} in L1. Its gradient is \
                 clipped to an L1 norm of {}, each node enforcing its share by the size of its block{}.",
                short(sensitivity(clip, self.gain)),
                short(clip),
                if self.gain > 1.0 { format!(", and released times {}", self.gain) } else { String::new() }
            ),
            None => "Sensitivity: unbounded. Nothing limits the gradient (no `privacy.clip`), so no epsilon can be \
                     promised, whatever the scale."
                .into(),
        });
        if let (Decide::Published, Some(eps)) = (self.wish.decide, self.epsilon()) {
            says.push(format!(
                "Replacing one round's cost changes the probability of anything seen on all links and in all decisions, \
                 over the whole run, by a factor of at most exp({}): each round's gradient is noised once, at birth, and \
                 everything later is computed from released values.",
                short(eps)
            ));
        }
        if self.wish.decide == Decide::Private {
            if let Some(eps) = self.joint_cost().as_epsilon() {
                says.push(format!(
                    "Messages only: eps {} per round for all nodes together and, since an event disturbs all later \
                     messages, {} over {rounds} rounds.",
                    short(eps),
                    short(eps * rounds as f64)
                ));
            }
            says.push(
                "Decisions are not protected: they are computed from un-noised values, and whoever sees a decision and \
                 the messages can solve for the gradient."
                    .into(),
            );
        }
        says.extend(self.mechanism(0).caveat().map(|caveat| format!("The noise is {caveat}.")));
        says.push("Not promised: protection from a fellow node that is given the same costs.".into());
        says
    }
}

/// A number as short as it can be without losing what matters.
fn short(x: f64) -> String {
    let s = format!("{x:.4e}").parse::<f64>().unwrap_or(x);
    if s != 0.0 && !(1e-4..1e7).contains(&s.abs()) { format!("{s:e}") } else { format!("{s}") }
}
