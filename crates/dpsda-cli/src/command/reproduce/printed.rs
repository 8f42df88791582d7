//! What section 6 of the paper prints, and how it says its experiments were set. Figures are not in its source.

use dpsda::privacy::plan::{Decide, Noise};

use super::parts::Subject;

/// A cell of Tables 2 to 4, in percent.
pub(super) struct Accuracy {
    pub(super) algorithm: &'static str,
    pub(super) level: f64,
    pub(super) train: f64,
    pub(super) test: f64,
}

/// A cell of Table 5.
pub(super) struct Difference {
    pub(super) algorithm: &'static str,
    pub(super) level: f64,
    pub(super) difference: f64,
}

const fn accuracy(algorithm: &'static str, level: f64, train: f64, test: f64) -> Accuracy {
    Accuracy { algorithm, level, train, test }
}

const fn difference(algorithm: &'static str, level: f64, difference: f64) -> Difference {
    Difference { algorithm, level, difference }
}

const NONE: f64 = f64::INFINITY;

/// The paper's privacy levels: labels, not guarantees ("the values of epsilon just characterize a corresponding
/// proportional relationship").
pub(super) const LEVELS: [f64; 4] = [NONE, 1.0, 0.5, 0.2];

/// Table 2, "Accuracy on mushroom".
pub(super) const TABLE_2: [Accuracy; 8] = [
    accuracy("dpsda-c", NONE, 97.95, 99.50),
    accuracy("dpsda-c", 1.0, 94.77, 85.05),
    accuracy("dpsda-c", 0.5, 88.25, 82.05),
    accuracy("dpsda-c", 0.2, 79.38, 76.50),
    accuracy("dpsda-ps", NONE, 97.70, 97.90),
    accuracy("dpsda-ps", 1.0, 94.50, 81.20),
    accuracy("dpsda-ps", 0.5, 88.10, 78.10),
    accuracy("dpsda-ps", 0.2, 75.35, 73.00),
];

/// Table 3, "Accuracy on mnist".
pub(super) const TABLE_3: [Accuracy; 8] = [
    accuracy("dpsda-c", NONE, 97.38, 97.98),
    accuracy("dpsda-c", 1.0, 86.15, 86.10),
    accuracy("dpsda-c", 0.5, 73.94, 73.92),
    accuracy("dpsda-c", 0.2, 59.75, 58.85),
    accuracy("dpsda-ps", NONE, 97.39, 97.98),
    accuracy("dpsda-ps", 1.0, 89.71, 89.60),
    accuracy("dpsda-ps", 0.5, 77.15, 77.47),
    accuracy("dpsda-ps", 0.2, 62.10, 61.02),
];

/// Table 4, "Accuracy on CIFAR-10".
pub(super) const TABLE_4: [Accuracy; 8] = [
    accuracy("dpsda-c", NONE, 90.06, 89.70),
    accuracy("dpsda-c", 1.0, 83.90, 83.33),
    accuracy("dpsda-c", 0.5, 73.51, 72.64),
    accuracy("dpsda-c", 0.2, 63.47, 63.01),
    accuracy("dpsda-ps", NONE, 90.06, 89.70),
    accuracy("dpsda-ps", 1.0, 87.53, 87.21),
    accuracy("dpsda-ps", 0.5, 83.59, 83.34),
    accuracy("dpsda-ps", 0.2, 78.38, 77.61),
];

/// Table 5, "Output difference at t = 400": `|[x(400)]_1 - [x'(400)]_1|`.
pub(super) const TABLE_5: [Difference; 8] = [
    difference("dpsda-c", NONE, 0.0374),
    difference("dpsda-c", 1.0, 0.0074),
    difference("dpsda-c", 0.5, 0.0035),
    difference("dpsda-c", 0.2, 0.0013),
    difference("dpsda-ps", NONE, 0.0357),
    difference("dpsda-ps", 1.0, 0.0082),
    difference("dpsda-ps", 0.5, 0.0042),
    difference("dpsda-ps", 0.2, 0.0016),
];

/// How section 6 sets its experiments.
pub(super) struct Setting {
    /// `[M]_ij = 1/deg_i` (section 6, first page).
    pub(super) weights_of_c: &'static str,
    /// `[A]_ij = 1/deg_i^out`, a misprint for `deg_j^out` (section 5.1).
    pub(super) weights_of_ps: &'static str,
    /// (4), (11): every coordinate of the dual.
    pub(super) noise: Noise,
    /// (13), (22): from the dual before it is noised.
    pub(super) decide: Decide,
    /// c of `alpha(t) = c/sqrt(t)`.
    pub(super) step: f64,
    /// `xi ~ N(0, 0.1)`.
    pub(super) gradient_error: f64,
    /// `{|x| <= B}` of section 6.2.
    pub(super) set: &'static str,
    /// B, and the ends of the intervals of section 6.1.
    pub(super) reach: f64,
    /// Fig. 2.
    pub(super) graph: &'static str,
    pub(super) nodes: usize,
    /// Definition 1 and (4).
    pub(super) mechanism: &'static str,
}

/// How much data an experiment of section 6 has.
pub(super) struct Size {
    pub(super) rounds: u64,
    /// Samples a round.
    pub(super) batch: usize,
    pub(super) train: usize,
    /// None where nothing is held out.
    pub(super) test: Option<usize>,
}

/// Sections 6.1 and 6.2.
pub(super) const fn size(subject: Subject) -> Size {
    match subject {
        Subject::Regression => Size { rounds: 500, batch: 1, train: 500, test: None },
        Subject::Mushroom => Size { rounds: 60, batch: 100, train: 6000, test: Some(2000) },
        Subject::Mnist => Size { rounds: 80, batch: 100, train: 8000, test: Some(3769) },
        Subject::Cifar | Subject::Rivals => Size { rounds: 300, batch: 140, train: 42000, test: Some(8000) },
        Subject::Adjacent => Size { rounds: 500, batch: 1, train: 500, test: None },
    }
}

/// Section 6, before 6.1.
pub(super) const SETTING: Setting = Setting {
    weights_of_c: "uniform",
    weights_of_ps: "push-sum",
    noise: Noise::All,
    decide: Decide::Private,
    step: 1.0,
    gradient_error: 0.1,
    set: "ball",
    reach: 5.0,
    graph: "paper-fig2",
    nodes: 7,
    mechanism: "laplace",
};
