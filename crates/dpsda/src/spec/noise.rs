//! Fits the privacy that a user asked for to one algorithm.

use super::wiring::able;
use crate::Error;
use crate::learner::{Algorithm, Noises, Style};
use crate::objective::two_point::Feedback;
use crate::privacy::plan::{Adjacency, Arithmetic, Budget, Coverage, Decide, Target};
use crate::privacy::{Mechanism, Privacy};

/// The privacy that was asked for, as it applies to this algorithm. An algorithm that never noises is the noise-free reference of
/// any specification: it ignores everything but a budget, and its claim says that nothing is protected. An algorithm that noises
/// its messages takes a level and refuses everything that would promise more.
pub(super) fn adapt(algorithm: &Algorithm, asked: Privacy) -> Result<Privacy, Error> {
    asked.check_chosen()?;
    // An infinite level is no noise at all.
    let mut asked = match asked.target {
        Target::Level(level) if level == f64::INFINITY => asked.mechanism(Mechanism::none()),
        _ => asked,
    };
    let facts = algorithm.facts();
    match facts.noises {
        Noises::Gradients => {
            // These noise every gradient once, as it is computed. Nothing else can be noised, no decision can come from un-noised
            // values, and nothing is mixed.
            if facts.style != Style::Average {
                (asked.coverage, asked.decide) = (Coverage::Own, Decide::Published);
            }
            if facts.style != Style::Average || asked.target == Target::Level(f64::INFINITY) {
                asked.arithmetic = Arithmetic::Real;
            }
            Ok(asked)
        }
        Noises::Nothing => {
            if asked.budget != Budget::default() {
                let remedy =
                    format!("{} never noises, and no budget holds (remove one of the two)", algorithm.name());
                return Err(Error::value("budget", "limits", remedy));
            }
            let coverage = if facts.style.splits_costs() { Coverage::Sent } else { asked.coverage };
            Ok(Privacy::none().coverage(coverage).decide(asked.decide))
        }
        Noises::Messages => {
            let arithmetic = if asked.is_silent() { Arithmetic::Real } else { asked.arithmetic };
            Ok(asked.coverage(Coverage::Sent).decide(Decide::Private).arithmetic(arithmetic))
        }
    }
}

/// Refuses two-point feedback for promises about agents: a difference of values mixes an agent's own part with the public one.
pub(super) fn divides(asked: &Privacy, feedback: Feedback) -> Result<(), Error> {
    if asked.adjacency != Adjacency::Agent || feedback == Feedback::Gradient {
        return Ok(());
    }
    let remedy = "with adjacency = \"agent\" only a gradient tells an agent's own part from the public one (use gradients, or \
                  adjacency = \"round\")";
    Err(Error::value("feedback", "\"two-point\"", remedy))
}

/// Refuses two-point feedback for learners with a model per node, which need gradients, and probe distances out of range.
pub(super) fn told(algorithm: &Algorithm, feedback: Feedback) -> Result<(), Error> {
    if let Feedback::TwoPoint { probe } = feedback
        && !(1e-6..=1e6).contains(&probe)
    {
        return Err(Error::value("probe", probe, "expected a distance from 1e-6 to 1e6"));
    }
    if !algorithm.style().splits_costs() || feedback == Feedback::Gradient {
        return Ok(());
    }
    let remedy = format!(
        "{} learns from gradients (remove the feedback, or use {})",
        algorithm.name(),
        able(|_| true)
    );
    Err(Error::value("feedback", "\"two-point\"", remedy))
}
