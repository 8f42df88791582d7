//! One look at the examples that a run learns from.

use dpsda_config::SampleProblem;
use dpsda_data::Draw;

/// What one pass over the examples finds.
pub(super) struct ExamplesSeen {
    /// How many examples.
    pub(super) rows: usize,
    /// The Euclidean length of the longest, and the example itself.
    pub(super) longest: f64,
    pub(super) example: Vec<f64>,
    /// The mean of squared lengths.
    pub(super) mean_square: f64,
    /// The largest feature of all examples.
    pub(super) largest: f64,
    /// The size of labels: the root of their mean square.
    pub(super) label_size: f64,
    /// The label that all examples have, if they have the same.
    pub(super) label: Option<f64>,
    /// Features that are the same in all examples and not zero, without the intercept, and their values.
    pub(super) constant: Vec<(usize, f64)>,
    /// How many features differ between examples.
    pub(super) varying: usize,
}

/// One feature in the examples so far.
#[derive(Clone, Copy, Default)]
struct OneFeature {
    /// In how many examples it is not zero, and its first such value.
    nonzero: usize,
    value: f64,
    differs: bool,
}

impl ExamplesSeen {
    /// None without examples, as in a stream.
    pub(super) fn of(draw: &Draw, own: &SampleProblem) -> Option<Self> {
        let features = &draw.samples.features;
        // The intercept is the last coordinate, and not of the data.
        let counted = features.dim() - usize::from(own.scaling.has_intercept());
        let mut each = vec![OneFeature::default(); counted];
        let (mut longest, mut at, mut squares, mut largest) = (-1.0, *draw.train.first()?, 0.0, 0.0_f64);
        for &row in &draw.train {
            let mut square = 0.0;
            features.visit(row, &mut |column, a| {
                square += a * a;
                largest = largest.max(a.abs());
                if let Some(one) = each.get_mut(column).filter(|_| a != 0.0) {
                    if one.nonzero == 0 {
                        one.value = a;
                    }
                    one.differs |= one.value != a;
                    one.nonzero += 1;
                }
            });
            if square > longest {
                (longest, at) = (square, row);
            }
            squares += square;
        }
        let rows = draw.train.len();
        let labels: Vec<f64> = draw.train.iter().map(|&row| draw.samples.labels[row]).collect();
        let first = labels.first().copied();
        let mut example = vec![0.0; features.dim()];
        features.add_to(at, 0..features.dim(), 1.0, &mut example);
        let differs = |one: &OneFeature| one.differs || (one.nonzero > 0 && one.nonzero < rows);
        let constant = |(column, one): (usize, &OneFeature)| {
            (one.nonzero > 0 && !differs(one)).then_some((column, one.value))
        };
        Some(Self {
            rows,
            longest: longest.sqrt(),
            example,
            mean_square: squares / rows as f64,
            largest,
            label_size: (labels.iter().map(|b| b * b).sum::<f64>() / rows as f64).sqrt(),
            label: first.filter(|first| rows > 1 && labels.iter().all(|b| b == first)),
            constant: each.iter().enumerate().filter_map(constant).collect(),
            varying: each.iter().filter(|one| differs(one)).count(),
        })
    }
}
