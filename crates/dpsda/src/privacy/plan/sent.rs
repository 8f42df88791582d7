//! Noise on the messages of a baseline: a level and nothing else. Nothing enforces a sensitivity of these messages, so every
//! setting that would promise something is refused.

use super::{Adjacency, Arithmetic, Budget, Privacy, Target};
use crate::Error;

impl Privacy {
    pub(super) fn check_sent(&self) -> Result<(), Error> {
        const WHY: &str = "a baseline noises what it sends as its authors print it, and nothing bounds what one event changes \
                           there";
        let refuse = |key: &str, found: String, remedy: &str| {
            Err(Error::value(key, found, format!("{WHY} ({remedy})")))
        };
        if let Target::Epsilon(epsilon) = self.target {
            let remedy =
                "use `level`, or an algorithm that has an epsilon: dpsda-c, dpsda-ps, dpsda-r or dpcda";
            return refuse("epsilon", epsilon.to_string(), remedy);
        }
        if self.budget != Budget::default() {
            return refuse("budget", "a table".into(), "remove it, or use an algorithm that has an epsilon");
        }
        if let Some(clip) = self.clip {
            return refuse("clip", clip.to_string(), "remove it; gradients are not released here");
        }
        if let Some(grid) = self.grid {
            return refuse("grid", grid.to_string(), "remove it; states are real numbers here");
        }
        match self.adjacency {
            Adjacency::Round => {}
            Adjacency::Example => return refuse("adjacency", "\"example\"".into(), "remove it"),
            Adjacency::Agent => return refuse("adjacency", "\"agent\"".into(), "remove it"),
        }
        if self.arithmetic == Arithmetic::Grid {
            return refuse("arithmetic", "\"grid\"".into(), "use \"real\"");
        }
        if self.mechanism.is_exact() {
            let found = format!("{:?}", self.mechanism.name());
            return refuse("mechanism", found, "use \"laplace\" or \"gaussian\" with a level, or \"none\"");
        }
        Ok(())
    }
}
