//! `[privacy]`: what a user wishes; the plan derives the rest.

use super::later;
use crate::catalog::find;
use crate::learner::Algorithm;
use crate::privacy::mechanism::MECHANISMS;
use crate::privacy::plan::{Decide, Noise, Wish};
use crate::{Error, Keys};

const LATER: &str = "targets and budgets for the whole run need the exact mechanisms, which are not there yet (use `level`, \
                     with a `clip` if you want the epsilon it buys)";

pub(super) fn read(keys: &Keys<'_>, kind: &Algorithm) -> Result<(Wish, Option<f64>), Error> {
    let level = match keys.raw("level") {
        None => None,
        Some(_) => {
            Some(keys.f64_where("level", 1.0, "a number of at least 1e-100, or inf for no noise", |l| {
                l >= 1e-100
            })?)
        }
    };
    for key in ["epsilon", "delta", "adjacency", "grid", "budget"] {
        if keys.holds(key) {
            return Err(keys.bad(key, LATER));
        }
    }
    later(keys, "arithmetic", "real", "grid arithmetic")?;
    let mechanism = match keys.str("mechanism")? {
        Some(name) => find(MECHANISMS, &keys.name("mechanism"), name)?,
        None if level.is_some() => {
            return Err(keys.bad("mechanism", "`privacy.level` needs one (use \"laplace\")"));
        }
        None => find(MECHANISMS, "privacy.mechanism", "none")?,
    };
    let needs_level = mechanism.keys.iter().any(|k| k.name == "level");
    if needs_level && level.is_none() {
        return Err(
            keys.bad("level", format!("the mechanism \"{}\" needs it, e.g. level = 1.0", mechanism.name))
        );
    }
    let clip = keys.f64("clip")?;
    if clip.is_some_and(|c| !(c > 0.0 && c.is_finite())) {
        return Err(
            keys.bad("clip", "expected a finite number above 0: the largest L1 norm of a round's gradient")
        );
    }
    let noise = keys.choice("noise", &[("own", Noise::Own), ("all", Noise::All)])?;
    let decide = keys.choice("decide", &[("published", Decide::Published), ("private", Decide::Private)])?;
    // An infinite level is no noise at all.
    let none = level == Some(f64::INFINITY);
    let wish = Wish {
        mechanism: if none { find(MECHANISMS, "privacy.mechanism", "none")? } else { mechanism },
        level: level.unwrap_or(1.0),
        clip,
        // Where gradients are noised at birth there is nothing else to noise and nothing un-noised to decide from.
        noise: if kind.averages { noise } else { Noise::Own },
        decide: if kind.averages { decide } else { Decide::Published },
    };
    Ok((wish, level.filter(|_| needs_level)))
}
