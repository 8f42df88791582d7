//! The statement for baselines: nothing is promised.

use super::price::short;
use super::{IDEALISED, SIMULATED};
use crate::privacy::plan::{Plan, Target};

impl Plan {
    pub(super) fn claim_sent(&self) -> String {
        format!(
            "none: a baseline, noised as its authors print it; no epsilon is derived ({})",
            self.noise_name()
        )
    }

    pub(super) fn statement_sent(&self) -> Vec<String> {
        if self.wanted.is_silent() {
            let open = "Nothing is noised. An eavesdropper on a link reads models or duals, and computes gradients from them.";
            return vec![open.into()];
        }
        let level = match self.wanted.target {
            Target::Level(level) | Target::Epsilon(level) => short(level),
        };
        let (name, scale) = (self.wanted.mechanism.name(), short(self.scale()));
        let mut says = vec![
            format!(
                "Every message carries {name} noise of scale {scale} on all its coordinates (level {level}: the paper's label, not \
                 an epsilon)."
            ),
            "Nothing is promised. The noise is where the authors of this baseline print it. Their epsilons rest on assumed bounds \
             of gradients that nothing here enforces, so none is derived."
                .into(),
            "Decisions are not protected: they are computed from un-noised values.".into(),
        ];
        if self.is_ideal() {
            says.push(IDEALISED.into());
        }
        says.push(SIMULATED.into());
        says
    }
}
