//! An algorithm as a value.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::setup::Rights;
use super::{ALGORITHMS, Durable, Facts, Learner, Setup, Style};
use crate::catalog::find;
use crate::{Error, Keys};

type MakeLearner<L> = Arc<dyn Fn(Setup) -> Box<L> + Send + Sync>;

/// An algorithm: its facts, and how its learners are made. The paper's are [`Relay`](super::Relay),
/// [`Circulation`](super::Circulation), [`PushSum`](super::PushSum) and [`Central`](super::Central). Baselines come from
/// [`Algorithm::named`], and your own from [`Algorithm::new`] with a function that makes one learner.
///
/// ```
/// use dpsda::learner::{Algorithm, Relay};
/// assert_eq!(Algorithm::from(Relay).name(), "dpsda-r");
/// assert!(Algorithm::named("dpdola")?.style().splits_costs());
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone)]
pub struct Algorithm {
    name: Cow<'static, str>,
    facts: Facts,
    make: MakeLearner<dyn Learner>,
    durable: Option<MakeLearner<dyn Durable>>,
    /// Whether its learners decide from gradients before the noise. Baselines of this crate only.
    bare: bool,
    /// Whether its learners are a user's own. If not, a fleet that computes the same may take their place.
    own: bool,
}

impl Algorithm {
    /// An algorithm whose learners `make` makes.
    pub fn new<L: Learner + 'static>(
        name: impl Into<Cow<'static, str>>,
        facts: Facts,
        make: impl Fn(Setup) -> L + Send + Sync + 'static,
    ) -> Self {
        let make = Arc::new(move |setup| Box::new(make(setup)) as Box<dyn Learner>);
        Self { name: name.into(), facts, make, durable: None, bare: false, own: true }
    }

    /// A baseline whose learners decide from gradients before the noise.
    pub(super) fn bare<L: Learner + 'static>(
        name: &'static str,
        facts: Facts,
        make: impl Fn(Setup) -> L + Send + Sync + 'static,
    ) -> Self {
        Self { bare: true, ..Self::new(name, facts, make) }
    }

    /// An algorithm whose learners a host can save and restore.
    pub fn durable<L: Durable + 'static>(
        name: impl Into<Cow<'static, str>>,
        facts: Facts,
        make: impl Fn(Setup) -> L + Send + Sync + 'static,
    ) -> Self {
        let make = Arc::new(make);
        let again = Arc::clone(&make);
        Self {
            name: name.into(),
            facts,
            make: Arc::new(move |setup| Box::new(make(setup))),
            durable: Some(Arc::new(move |setup| Box::new(again(setup)))),
            bare: false,
            own: true,
        }
    }

    /// The algorithm of the table that is called `name`, with its defaults.
    pub fn named(name: &str) -> Result<Self, Error> {
        (find(ALGORITHMS, "algorithm", name)?.build.make)(&Keys::none())
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its facts.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// What kind of algorithm it is.
    pub fn style(&self) -> Style {
        self.facts.style
    }

    /// Whether a host can save and restore its learners.
    pub fn is_durable(&self) -> bool {
        self.durable.is_some()
    }

    /// What its learners may do.
    pub(crate) fn rights(&self) -> Rights {
        Rights { bare: self.bare, central: self.facts.style.is_central() }
    }

    /// The same with learners of this crate.
    pub(super) fn known(self) -> Self {
        Self { own: false, ..self }
    }

    /// Whether its learners are a user's own, so that only they know what they do.
    pub(crate) fn is_own(&self) -> bool {
        self.own
    }

    /// One learner. A learner may wrap another that is made from its own setup: it then has no guard of its own.
    pub fn learner(&self, setup: Setup) -> Box<dyn Learner> {
        (self.make)(setup)
    }

    /// One learner that a host can save and restore, if this algorithm has them.
    pub fn durable_learner(&self, setup: Setup) -> Option<Box<dyn Durable>> {
        self.durable.as_ref().map(|make| make(setup))
    }
}

impl fmt::Debug for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}
