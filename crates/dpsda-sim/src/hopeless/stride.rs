//! How far one step moves a prediction, compared with how far predictions have to move.
//!
//! A gradient is `slope a`, for an example `a`. A step of size `alpha` along it moves the prediction `a.x` by `alpha |slope| |a|^2`;
//! with a clip `C` by at most `alpha C |a|`; and never further than the set allows. Steps fall as `1/sqrt(t)`, so early ones may
//! overshoot. If the last one still overshoots by far, every step throws away what the steps before it have learned.

use dpsda::learner::Rule;
use dpsda_config::{RunConfig, SampleProblem};

use super::seen::ExamplesSeen;
use super::words;

/// A classifier needs the right sign only, and learns in spite of steps that overshoot by less than this factor.
const CLASSES: f64 = 100.0;
/// Predictions of numbers must come to rest.
const NUMBERS: f64 = 10.0;

/// The warning for the run of this problem whose last step is the worst, if it is bad enough.
pub(super) fn warning<'a>(
    seen: &ExamplesSeen,
    own: &SampleProblem,
    runs: impl Iterator<Item = &'a RunConfig>,
) -> Option<String> {
    let (needed, most) = if own.loss.classifies() { (1.0, CLASSES) } else { (seen.label_size, NUMBERS) };
    let strides = runs.map(|run| (run, stride(seen, own, run, needed)));
    let (run, stride) = strides.max_by(|a, b| a.1.total_cmp(&b.1))?;
    // A classifier whose features are of one size learns in spite of long steps: the sum of gradients still points the right way.
    let one_size = own.loss.classifies() && seen.largest <= 1.0;
    if one_size || !(needed > 0.0 && stride > most * needed) {
        return None;
    }
    let wanted = match own.loss.classifies() {
        true => "1 is enough to decide a class".to_owned(),
        false => format!("labels are of the size {}", words(needed)),
    };
    let remedy = if seen.largest > 1.0 {
        "scale the features: problem.scale = { lower = .., upper = .. } maps each from bounds that are public knowledge, not taken \
         from these data, to -1 and 1; problem.scale = \"unit\" divides each example by its length"
    } else {
        "use a smaller algorithm.step"
    };
    let clip =
        run.spec.plan().asked().clip.map_or_else(String::new, |clip| format!(" and privacy.clip = {clip}"));
    Some(format!(
        "problem.data = \"{}\": the longest of {} examples has length {} ({} on average). With algorithm.step = {}{clip}, even the \
         last step moves the prediction for such examples by up to {}, where {wanted}. The run will learn little ({remedy})",
        own.data,
        words(seen.rows as f64),
        words(seen.longest),
        words(seen.mean_square.sqrt()),
        run.spec.step().c,
        words(stride)
    ))
}

/// How far the last step of a run moves the prediction for a long example.
fn stride(seen: &ExamplesSeen, own: &SampleProblem, run: &RunConfig, needed: f64) -> f64 {
    let spec = &run.spec;
    // Where every node has its own part of the cost, a gradient is a part too.
    let part = if spec.style().splits_costs() { spec.blocks().nodes() as f64 } else { 1.0 };
    let last = spec.step().after(spec.rounds().saturating_sub(1));
    let moved = match spec.step().rule {
        Rule::Decaying => {
            // In a mean over the batch a single example counts little, unless the others are as long.
            let square = seen.mean_square.max(seen.longest * seen.longest / own.batch as f64);
            let slope = own.loss.slope(0.0, needed).abs();
            let length = square.sqrt();
            let gradient = spec.plan().asked().clip.map_or(slope * length, |clip| clip.min(slope * length));
            last / part * gradient * length
        }
        // As long as what was released asks for, whatever its size.
        Rule::Auto => 0.0,
        // Each coordinate moves by about c/sqrt(T) in the last of T steps, whatever its size.
        Rule::Coordinate => last * seen.example.iter().map(|a| a.abs()).sum::<f64>(),
    };
    let opposite: Vec<f64> = seen.example.iter().map(|a| -a).collect();
    let reach = -spec.set().floor(&seen.example) - spec.set().floor(&opposite);
    if reach.is_nan() { moved } else { moved.min(reach) }
}
