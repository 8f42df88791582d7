//! The privacy that a user asks for.

use super::{Adjacency, Arithmetic, Budget, Coverage, Decide, MAX_BITS, Target};
use crate::Error;
use crate::privacy::Mechanism;

/// The privacy that a user asks for. A [`Plan`](super::Plan) derives the rest.
///
/// ```
/// use dpsda::privacy::{Privacy, mechanism::Toeplitz};
/// // One example replaced changes the odds of anything seen by at most exp(1), but for a chance of 1e-5.
/// let asked = Privacy::epsilon(1.0).delta(1e-5).clip(1.0).mechanism(Toeplitz).examples();
/// assert!(!asked.is_silent());
/// assert!(Privacy::none().is_silent());
/// ```
#[derive(Debug, Clone)]
pub struct Privacy {
    /// The noise.
    pub mechanism: Mechanism,
    /// How much of it.
    pub target: Target,
    /// The delta that epsilons are given at.
    pub delta: Option<f64>,
    /// What an event is.
    pub adjacency: Adjacency,
    /// A bound on the norm of the whole gradient of one event. If events are agents', it bounds the agent's own part.
    pub clip: Option<f64>,
    /// The grid `2^-q`; chosen by the plan unless set.
    pub grid: Option<u32>,
    /// Limits that the run must keep to.
    pub budget: Budget,
    /// Which coordinates are noised.
    pub coverage: Coverage,
    /// What decisions are computed from.
    pub decide: Decide,
    /// How duals are mixed.
    pub arithmetic: Arithmetic,
}

impl Privacy {
    /// No noise at all, and the ledger says so.
    pub const fn none() -> Self {
        Self {
            mechanism: Mechanism::none(),
            target: Target::Level(1.0),
            delta: None,
            adjacency: Adjacency::Round,
            clip: None,
            grid: None,
            budget: Budget { event: None, person: None, events_per_person: None, lifetime: None },
            coverage: Coverage::Own,
            decide: Decide::Published,
            arithmetic: Arithmetic::Real,
        }
    }

    /// The paper's label: noise of scale `1/level` on a dual that holds n times the gradient. It is no epsilon. It needs a
    /// mechanism. An infinite level means no noise and needs none.
    ///
    /// ```
    /// use dpsda::prelude::*;
    /// let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).rounds(1);
    /// assert!(spec.clone().privacy(Privacy::level(0.5).mechanism(Laplace)).check().is_ok());
    /// let error = spec.privacy(Privacy::level(0.5)).check().map(|_| ()).unwrap_err().to_string();
    /// assert!(error.starts_with("level = 0.5: a level needs a mechanism"), "{error}");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn level(level: f64) -> Self {
        Self { target: Target::Level(level), mechanism: Mechanism::unset(), ..Self::none() }
    }

    /// What one event may cost, all nodes together, over the whole run. It needs a mechanism and a clip, and a delta where noise
    /// is Gaussian.
    pub fn epsilon(epsilon: f64) -> Self {
        Self { target: Target::Epsilon(epsilon), mechanism: Mechanism::unset(), ..Self::none() }
    }

    /// The noise.
    #[must_use]
    pub fn mechanism(self, mechanism: impl Into<Mechanism>) -> Self {
        Self { mechanism: mechanism.into(), ..self }
    }

    /// The delta that epsilons are given at.
    #[must_use]
    pub fn delta(self, delta: f64) -> Self {
        Self { delta: Some(delta), ..self }
    }

    /// A bound on the norm of the whole gradient of one event: L1 for Laplace noise, L2 for Gaussian noise.
    #[must_use]
    pub fn clip(self, clip: f64) -> Self {
        Self { clip: Some(clip), ..self }
    }

    /// An event is one example of a round. The number of examples per round is public. Without this an event is a whole round.
    #[must_use]
    pub fn examples(self) -> Self {
        self.adjacency(Adjacency::Example)
    }

    /// An event is one agent's own part of one round. The rest of the cost is public. The cost says which is which
    /// ([`Objective::agent`](crate::objective::Objective::agent)).
    ///
    /// ```
    /// use dpsda::prelude::*;
    /// let spec = Spec::new(Blocks::even(4, 4)?).set(Free).graph(Ring::new(4)?).algorithm(Relay).rounds(9);
    /// let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace).agents();
    /// let said = spec.privacy(asked).check()?.plan().claim();
    /// assert_eq!(said, "eps 1 per agent and round, whole run, all links and decisions (pure; discrete-laplace)");
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    #[must_use]
    pub fn agents(self) -> Self {
        self.adjacency(Adjacency::Agent)
    }

    /// What an event is.
    #[must_use]
    pub fn adjacency(self, adjacency: Adjacency) -> Self {
        Self { adjacency, ..self }
    }

    /// The grid `2^-q`; without it the plan chooses one that is fine enough for the clip.
    #[must_use]
    pub fn grid(self, q: u32) -> Self {
        Self { grid: Some(q), ..self }
    }

    /// Limits that the run must keep to.
    #[must_use]
    pub fn budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// Which coordinates of a dual are noised.
    #[must_use]
    pub fn coverage(self, coverage: Coverage) -> Self {
        Self { coverage, ..self }
    }

    /// What decisions are computed from.
    #[must_use]
    pub fn decide(self, decide: Decide) -> Self {
        Self { decide, ..self }
    }

    /// How duals are mixed.
    #[must_use]
    pub fn arithmetic(self, arithmetic: Arithmetic) -> Self {
        Self { arithmetic, ..self }
    }

    /// Whether it adds no noise at all.
    pub fn is_silent(&self) -> bool {
        self.mechanism.is_silent()
    }

    /// Refuses a level or an epsilon without a mechanism: its user expects noise. `Mechanism::none()` is a choice, and an
    /// infinite level asks for no noise.
    pub(crate) fn check_chosen(&self) -> Result<(), Error> {
        let remedy = |what: &str, such: &str| {
            format!(
                "{what} needs a mechanism that adds the noise (e.g. .mechanism(dpsda::privacy::mechanism::{such}); \
                 Privacy::none() runs without noise)"
            )
        };
        match self.target {
            _ if !self.mechanism.is_unset() => Ok(()),
            Target::Level(f64::INFINITY) => Ok(()),
            Target::Level(level) => Err(Error::value("level", level, remedy("a level", "Laplace"))),
            Target::Epsilon(epsilon) => {
                Err(Error::value("epsilon", epsilon, remedy("an epsilon", "DiscreteGaussian")))
            }
        }
    }

    /// Refuses what no plan can be made of.
    pub(super) fn check(&self, averages: bool) -> Result<(), Error> {
        self.check_ranges()?;
        self.check_chosen()?;
        if self.coverage == Coverage::Sent {
            return self.check_sent();
        }
        let (name, exact) = (self.mechanism.name(), self.mechanism.is_exact());
        if let Target::Epsilon(epsilon) = self.target
            && self.is_silent()
        {
            let remedy = "without noise there is none (use e.g. mechanism = \"discrete-gaussian\")";
            return Err(Error::value("epsilon", epsilon, remedy));
        }
        if let Target::Epsilon(epsilon) = self.target
            && self.decide == Decide::Private
        {
            let remedy = "with decide = \"private\" decisions come from un-noised values, and no epsilon bounds what they \
                          reveal (use decide = \"published\", or `level` for the paper's order)";
            return Err(Error::value("epsilon", epsilon, remedy));
        }
        if self.decide == Decide::Private && self.adjacency == Adjacency::Example {
            let remedy = "with decide = \"private\" one example disturbs the gradients of all later examples, not one of them \
                          (use adjacency = \"round\", or decide = \"published\")";
            return Err(Error::value("adjacency", "\"example\"", remedy));
        }
        if self.decide == Decide::Private && self.adjacency == Adjacency::Agent {
            let remedy = "with decide = \"private\" one agent's round disturbs all later gradients of all nodes, not one release \
                          (use adjacency = \"round\", or decide = \"published\")";
            return Err(Error::value("adjacency", "\"agent\"", remedy));
        }
        let needs = match self.target {
            _ if exact => Some("exact noise needs a bound on what it hides"),
            Target::Epsilon(_) => Some("no epsilon exists without a bound on a gradient"),
            _ if self.adjacency == Adjacency::Example => {
                Some("examples are protected one by one, each with a bound")
            }
            _ if self.arithmetic == Arithmetic::Grid => {
                Some("grid arithmetic needs a grid, and a clip sets it")
            }
            _ => None,
        };
        if let (Some(why), None) = (needs, self.clip) {
            let norm = match self.mechanism.norm() {
                super::super::clip::Norm::L1 => "L1",
                super::super::clip::Norm::L2 => "L2",
            };
            return Err(Error::missing(
                "clip",
                format!(
                    "{why} (say how large the {norm} norm of an event's gradient may be, e.g. clip = 1.0)"
                ),
            ));
        }
        if self.mechanism.is_correlated() && averages {
            let remedy = "noise that cancels over time serves learners that keep the exact sum of their own releases \
                          (use it with dpsda-r or dpcda; with dpsda-c and dpsda-ps use \"discrete-gaussian\")";
            return Err(Error::value("mechanism", format!("{name:?}"), remedy));
        }
        if self.arithmetic == Arithmetic::Grid && !exact {
            let remedy = format!(
                "\"{name}\" noise is not on a grid (use \"discrete-laplace\" or \"discrete-gaussian\")"
            );
            return Err(Error::value("arithmetic", "\"grid\"", remedy));
        }
        Ok(())
    }

    /// Refuses numbers that mean nothing.
    fn check_ranges(&self) -> Result<(), Error> {
        let refuse = |argument: &str, found: f64, expected: &str| {
            let found = if found.abs() >= 1e15 { format!("{found:e}") } else { found.to_string() };
            Err(Error::value(argument, found, expected))
        };
        match self.target {
            Target::Level(level) if level.is_nan() || level < 1e-100 => {
                return refuse("level", level, "expected a number of at least 1e-100, or inf for no noise");
            }
            Target::Epsilon(epsilon) if !(epsilon >= 1e-6 && epsilon.is_finite()) => {
                return refuse(
                    "epsilon",
                    epsilon,
                    "expected a number of at least 1e-6 (in a file, inf: no noise)",
                );
            }
            _ => {}
        }
        if let Some(delta) = self.delta.filter(|delta| !(1e-300..1.0).contains(delta)) {
            return refuse("delta", delta, "expected a number above 0 and below 1, e.g. 1e-5");
        }
        if let Some(clip) = self.clip.filter(|clip| !(*clip >= 1e-12 && clip.is_finite())) {
            let expected =
                "expected a finite number of at least 1e-12: the largest norm of an event's gradient";
            return refuse("clip", clip, expected);
        }
        if let Some(q) = self.grid.filter(|q| *q > MAX_BITS) {
            let expected = format!("expected q of the grid 2^-q, at most {MAX_BITS}");
            return Err(Error::value("grid", q, expected));
        }
        self.budget.check()
    }
}
