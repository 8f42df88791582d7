//! The facts about an algorithm: stated once, asked everywhere.

use crate::network::weights::{Columns, Weights};

/// The kind of an algorithm. Code that depends on the kind asks the methods here.
///
/// ```
/// use dpsda::learner::Style;
/// assert!(Style::Average.averages() && !Style::Relay.averages());
/// assert!(Style::Model.splits_costs());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Every block has one writer, and nodes pass on the newest replica of every block: DPSDA-R.
    Relay,
    /// Nodes average duals that hold `n` times the gradient: DPSDA-C and DPSDA-PS.
    Average,
    /// A decomposable problem: every node has its own part of the cost and decides a whole model.
    Model,
    /// One learner sees everything: DPCDA.
    Central,
}

impl Style {
    /// Whether gradients are multiplied by `n`, because averaging divides by it.
    pub fn averages(self) -> bool {
        self == Self::Average
    }

    /// Whether blocks are passed on with their versions.
    pub fn relays(self) -> bool {
        self == Self::Relay
    }

    /// Whether node `i` sees only its own part of a cost, and every node decides a whole model.
    pub fn splits_costs(self) -> bool {
        self == Self::Model
    }

    /// Whether one learner sees everything, so that there is no network.
    pub fn is_central(self) -> bool {
        self == Self::Central
    }

    /// How many learners `nodes` nodes need.
    pub fn learners(self, nodes: usize) -> usize {
        if self.is_central() { 1 } else { nodes }
    }
}

/// What an algorithm is and what it needs from the network.
///
/// ```
/// use dpsda::learner::{Facts, Graphs, Mixes};
/// let facts = Facts::average(Mixes::Rows("metropolis")).on(Graphs::Undirected);
/// assert!(facts.style.averages() && facts.keeps_to_set);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// What kind of algorithm it is.
    pub style: Style,
    /// The graphs it runs on.
    pub graphs: Graphs,
    /// How it mixes what it hears, if it does.
    pub mixes: Option<Mixes>,
    /// What it noises.
    pub noises: Noises,
    /// Whether its decisions lie in the set. If not, it runs unconstrained on every set.
    pub keeps_to_set: bool,
    /// Whether every coordinate may have its own step, computed from what its owner released.
    pub coordinate_steps: bool,
    /// Whether steps may follow from all that is released: its nodes know the sum of the releases of every block, and count their energy.
    pub auto_steps: bool,
}

impl Facts {
    const fn of(style: Style, mixes: Option<Mixes>, noises: Noises) -> Self {
        let graphs = Graphs::AsGiven;
        Self { style, graphs, mixes, noises, keeps_to_set: true, coordinate_steps: false, auto_steps: false }
    }

    /// An algorithm that passes on the newest replica of every block.
    pub const fn relay() -> Self {
        Self::of(Style::Relay, None, Noises::Gradients)
    }

    /// An algorithm that averages duals with such weights.
    pub const fn average(mixes: Mixes) -> Self {
        Self::of(Style::Average, Some(mixes), Noises::Gradients)
    }

    /// An algorithm with a whole model per node, which noises what it sends.
    pub const fn model(mixes: Option<Mixes>) -> Self {
        Self::of(Style::Model, mixes, Noises::Messages)
    }

    /// One learner that sees everything.
    pub const fn central() -> Self {
        Self::of(Style::Central, None, Noises::Gradients)
    }

    /// The same on these graphs.
    #[must_use]
    pub const fn on(self, graphs: Graphs) -> Self {
        Self { graphs, ..self }
    }

    /// The same, but it never noises: a reference for algorithms that do.
    #[must_use]
    pub const fn without_noise(self) -> Self {
        Self { noises: Noises::Nothing, ..self }
    }

    /// The same, but it ignores the set.
    #[must_use]
    pub const fn unconstrained(self) -> Self {
        Self { keeps_to_set: false, ..self }
    }

    /// The same, and every coordinate may have its own step.
    #[must_use]
    pub const fn with_coordinate_steps(self) -> Self {
        Self { coordinate_steps: true, ..self }
    }

    /// The same, and steps may be automatic.
    #[must_use]
    pub const fn with_auto_steps(self) -> Self {
        Self { auto_steps: true, ..self }
    }

    /// Whether it can keep running sums of what crosses a link.
    pub fn keeps_books(&self) -> bool {
        self.mixes.is_some() && self.style.averages()
    }
}

/// What an algorithm noises.
///
/// ```
/// use dpsda::learner::{Algorithm, Noises};
/// let noises = |name| Ok::<_, dpsda::Error>(Algorithm::named(name)?.facts().noises);
/// assert_eq!(noises("dpsda-r")?, Noises::Gradients);
/// assert_eq!(noises("dpdola")?, Noises::Messages);
/// assert_eq!(noises("doda")?, Noises::Nothing);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Noises {
    /// Gradients, which a plan can bound and price.
    Gradients,
    /// All coordinates of its messages, as its authors print it. No promise is derived.
    Messages,
    /// Nothing, ever: a reference for algorithms that noise.
    Nothing,
}

/// What an algorithm needs of its weights. Each variant names the default rule.
///
/// ```
/// use dpsda::learner::Mixes;
/// use dpsda::network::weights::{MetropolisWeights, PushSumWeights};
/// let push_sum = Mixes::Columns("push-sum");
/// assert_eq!(push_sum.default_rule(), "push-sum");
/// assert!(push_sum.accepts(&PushSumWeights));
/// assert!(!push_sum.accepts(&MetropolisWeights)); // its columns sum to one on undirected graphs only
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mixes {
    /// Rows that sum to one.
    Rows(&'static str),
    /// Rows that sum to one; columns need not, because the algorithm corrects for them.
    RowsOnly(&'static str),
    /// Columns that sum to one on every graph.
    Columns(&'static str),
    /// Rows and, on undirected graphs, columns that sum to one.
    Both(&'static str),
}

impl Mixes {
    /// The default rule.
    pub fn default_rule(self) -> &'static str {
        let (Self::Rows(name) | Self::RowsOnly(name) | Self::Columns(name) | Self::Both(name)) = self;
        name
    }

    /// Whether it can run with these weights.
    pub fn accepts(self, weights: &dyn Weights) -> bool {
        match self {
            Self::Rows(_) | Self::RowsOnly(_) => weights.row_stochastic(),
            Self::Both(_) => weights.row_stochastic() && weights.column_stochastic() != Columns::No,
            Self::Columns(_) => weights.column_stochastic() == Columns::Always,
        }
    }

    /// What it needs, and the name for such weights.
    pub(crate) fn needs(self) -> (&'static str, &'static str) {
        match self {
            Self::Rows(_) | Self::RowsOnly(_) => ("rows that sum to one", "row-stochastic"),
            Self::Both(_) => ("rows and columns that sum to one", "doubly stochastic"),
            Self::Columns(_) => ("columns that sum to one on every graph", "column-stochastic"),
        }
    }
}

/// The graphs that an algorithm runs on.
///
/// ```
/// use dpsda::learner::{Algorithm, Circulation, Graphs, PushSum};
/// assert_eq!(Algorithm::from(PushSum).facts().graphs, Graphs::AsGiven);
/// assert_eq!(Algorithm::from(Circulation).facts().graphs, Graphs::Undirected);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Graphs {
    /// Links without direction; directions are dropped.
    Undirected,
    /// Links as they are.
    AsGiven,
    /// One graph for all rounds: the union of those of a period.
    Union,
}
