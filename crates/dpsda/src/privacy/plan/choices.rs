//! The choices that a user has about privacy.

/// Which coordinates of a dual a node noises.
///
/// ```
/// use dpsda::learner::Body;
/// use dpsda::prelude::*;
/// use dpsda::privacy::plan::Coverage;
/// let foreign = |coverage| {
///     let asked = Privacy::level(0.5).mechanism(Laplace).coverage(coverage);
///     let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(PushSum).privacy(asked).rounds(9);
///     let said = Each::new(&spec.check()?, Seed::new(1)).speak(0);
///     let Body::Dual { dual, .. } = &said.messages[0].body else { panic!("no dual") };
///     Ok::<_, Error>(dual.to_reals()[1]) // what node 0 sends of the block of node 1, before it has heard of it
/// };
/// assert_eq!(foreign(Coverage::Own)?, 0.0);
/// assert_ne!(foreign(Coverage::All)?, 0.0);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// Its own block. The other blocks are computed from messages already sent.
    Own,
    /// All of them, as in the paper.
    All,
    /// All coordinates of a baseline's messages, at scale `1/level`, as its authors print it. No promise is derived.
    Sent,
}

/// What decisions are computed from. Only algorithms that average duals, DPSDA-C and DPSDA-PS, have the choice.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::plan::Decide;
/// let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(PushSum).rounds(9);
/// let asked = |decide| spec.clone().privacy(Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).decide(decide)).check();
/// assert_eq!(asked(Decide::Published)?.plan().epsilon(), Some(1.0));
/// let error = asked(Decide::Private).map(|_| ()).unwrap_err(); // no epsilon bounds what such decisions reveal
/// assert_eq!(error.key(), Some("epsilon"));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decide {
    /// Released values only.
    Published,
    /// The un-noised dual, as in the paper. Decisions are not protected.
    Private,
}

/// What an event is: the data whose replacement an observer can hardly detect.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::plan::Adjacency;
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).rounds(9).batch(8);
/// let moved = |adjacency| {
///     let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).adjacency(adjacency);
///     Ok::<_, Error>(spec.clone().privacy(asked).check()?.plan().sensitivity(0))
/// };
/// assert_eq!(moved(Adjacency::Round)?, Some(2.0)); // the gradient of a round is replaced by another
/// assert_eq!(moved(Adjacency::Example)?, Some(0.25)); // one of its eight examples is
///
/// // Two nodes share the clip of a round. An agent's own data move its own release only, so every node has the whole clip.
/// let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(9);
/// let first = |adjacency| {
///     let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).adjacency(adjacency);
///     Ok::<_, Error>(spec.clone().privacy(asked).check()?.plan().sensitivity(0))
/// };
/// assert_eq!((first(Adjacency::Round)?, first(Adjacency::Agent)?), (Some(1.0), Some(2.0)));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adjacency {
    /// The whole cost of one round, as in the paper.
    Round,
    /// One example of one round. The number of examples per round is public.
    Example,
    /// One node's own part of the cost of one round. The rest of the cost is public, and only that node's release depends on the
    /// part ([`Objective::agent`](crate::objective::Objective::agent)).
    Agent,
}

impl Adjacency {
    /// One event, in words: "replacing one ..."
    pub(crate) fn event(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Example => "example",
            Self::Agent => "agent's round",
        }
    }

    /// Its unit, in words: "eps 1 per ..."
    pub(crate) fn unit(self) -> &'static str {
        match self {
            Self::Agent => "agent and round",
            other => other.event(),
        }
    }

    /// Several events, in words: "behind at most 4 ..."
    pub(crate) fn events(self) -> &'static str {
        match self {
            Self::Round => "rounds",
            Self::Example => "examples",
            Self::Agent => "rounds of one agent or several",
        }
    }
}

/// How C and PS mix duals. Mixing comes after release, so both are equally private.
///
/// ```
/// use dpsda::learner::Body;
/// use dpsda::prelude::*;
/// use dpsda::privacy::plan::Arithmetic;
/// let on_grid = |arithmetic| {
///     let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).arithmetic(arithmetic);
///     let spec = Spec::new(Blocks::even(2, 2)?).set(Free).graph(Ring::new(2)?).algorithm(PushSum).privacy(asked).rounds(9);
///     let said = Each::new(&spec.check()?, Seed::new(1)).speak(0);
///     Ok::<_, Error>(matches!(&said.messages[0].body, Body::Dual { dual, .. } if dual.units().is_some()))
/// };
/// assert!(on_grid(Arithmetic::Grid)? && !on_grid(Arithmetic::Real)?);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arithmetic {
    /// In f64, as in the paper.
    Real,
    /// In integers on the grid: nothing is rounded away, and sums can be compared with `==`.
    Grid,
}

/// How much noise.
///
/// ```
/// use dpsda::prelude::*;
/// use dpsda::privacy::plan::Target;
/// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).rounds(9);
/// let epsilon = |target| {
///     let asked = Privacy { target, ..Privacy::none().clip(1.0).mechanism(DiscreteLaplace) };
///     Ok::<_, Error>(spec.clone().privacy(asked).check()?.plan().epsilon())
/// };
/// assert_eq!(epsilon(Target::Epsilon(0.5))?, Some(0.5));
/// assert_eq!(epsilon(Target::Level(0.5))?, Some(1.0)); // noise of scale 1/0.5 hides a move of 2
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Target {
    /// The paper's label; not an epsilon.
    Level(f64),
    /// An epsilon for one event, all nodes together, over the whole run.
    Epsilon(f64),
}
