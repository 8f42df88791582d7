//! The choices that a user has about privacy.

/// Which coordinates of a dual a node noises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Its own block. The other blocks are computed from messages already sent.
    Own,
    /// All of them, as in the paper.
    All,
    /// All coordinates of a baseline's messages, at scale `1/level`, as its authors print it. No promise is derived.
    Sent,
}

/// What decisions are computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decide {
    /// Released values only.
    Published,
    /// The un-noised dual, as in the paper. Decisions are not protected.
    Private,
}

/// What an event is: the data whose replacement an observer can hardly detect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjacency {
    /// The whole cost of one round, as in the paper.
    Round,
    /// One example of one round. The number of examples per round is public.
    Example,
}

/// How C and PS mix duals. Mixing comes after release, so both are equally private.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// In f64, as in the paper.
    Real,
    /// In integers on the grid: nothing is rounded away, and sums can be compared with `==`.
    Grid,
}

/// How much noise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The paper's label; not an epsilon.
    Level(f64),
    /// An epsilon for one event, all nodes together, over the whole run.
    Epsilon(f64),
}
