//! What automatic steps rest on, in words.

use dpsda::learner::Rule;
use dpsda::privacy::plan::Adjacency;
use dpsda_config::RunConfig;

/// The steps of a run, if they are automatic.
pub(super) fn sentence(run: &RunConfig) -> Option<String> {
    let (spec, plan) = (&run.spec, run.spec.plan());
    if spec.step().rule != Rule::Auto {
        return None;
    }
    let radius = spec.set().reach(spec.blocks().dim())?;
    let shown = (radius * 1e4).round() / 1e4;
    let clip = plan.asked().clip.filter(|_| plan.adjacency() != Adjacency::Agent);
    let bound = match clip {
        _ if plan.mechanism().is_silent() => String::new(),
        None => ", the law of the noise".to_owned(),
        Some(clip) if plan.adjacency() == Adjacency::Example => {
            format!(", the law of the noise, the clip {clip}, batches of {}", spec.batch())
        }
        Some(clip) => format!(", the law of the noise, the clip {clip}"),
    };
    Some(format!(
        "steps are automatic: they follow from released values, how late blocks are{bound}, and the largest distance {shown} in the set \
         from where nodes start. All of that is released or public, so they cost no privacy"
    ))
}
