//! The state that a learner must not lose when its host stops.

use serde::{Deserialize, Serialize};

use super::{AutoState, Learner, Replica, Sum};
use crate::privacy::mechanism::PastNoise;
use crate::privacy::{Ledger, Past, Released, stored};

/// A learner that a host runs: it can say in advance what a round costs, and continue after a restart.
///
/// ```
/// use dpsda::prelude::*;
/// let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).privacy(asked).rounds(9).check()?;
/// let host = |secret| spec.durable(0, Seed::new(1), Some(NoiseKey::new(secret))).expect("DPSDA-R is durable");
/// let (mut first, mut second) = (host([7; 32]), host([8; 32])); // a restart takes a fresh key
/// let foreseen = first.foresee(0);
/// first.learn(0, &spec.plan().seal(&OwnCost::new(4, |x| x[0], |_, g| g[0] = 1.0)));
/// assert_eq!(first.ledger(), &foreseen);
/// assert!(second.restore(first.save().expect("nothing waits for its release")));
/// assert_eq!(second.ledger(), &foreseen);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub trait Durable: Learner {
    /// What it will have spent if it learns from round `t`. A host asks before it lets it learn.
    fn foresee(&self, t: u64) -> Ledger;

    /// The state that must survive a restart, between rounds. `None` while a gradient waits for its release.
    fn save(&self) -> Option<Saved>;

    /// Continues from what another life of the same learner saved. False, with nothing changed, if that does not fit.
    #[must_use]
    fn restore(&mut self, saved: Saved) -> bool;

    /// The first round of its epoch: all earlier rounds are paid for.
    fn begun(&self) -> u64;

    /// Begins a new epoch at round `next` with `own` as its block. `lives` other lives of this learner have released rounds of
    /// this epoch before `next`, and what they spent is charged here. A learner without blocks pays too, and must release
    /// nothing from then on: what it put on its links is lost. False, with nothing changed, if it cannot.
    #[must_use]
    fn renew(&mut self, own: Option<Replica>, next: u64, lives: u64) -> bool;
}

/// One learner between two rounds.
///
/// ```
/// use dpsda::learner::Saved;
/// use dpsda::prelude::*;
/// # let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(9).check()?;
/// # let node = spec.durable(0, Seed::new(1), None).expect("DPSDA-R is durable");
/// let saved = node.save().expect("nothing waits for its release");
/// let bytes = postcard::to_stdvec(&saved).expect("any format of serde"); // encrypt these: they hold `secret`
/// let read: Saved = postcard::from_bytes(&bytes).expect("as written");
/// assert!(read == saved);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Saved {
    /// What it has spent.
    pub ledger: Ledger,
    /// What it has released, and when.
    pub past: Past,
    /// Its own part of the algorithm: released values and what follows from them.
    pub standing: Standing,
    /// The noise that later releases take back. The one secret here.
    pub secret: PastNoise,
}

/// Where a learner is in its algorithm.
///
/// ```
/// use dpsda::learner::Standing;
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(Relay).rounds(9).check()?;
/// let mut node = spec.durable(0, Seed::new(1), None).expect("DPSDA-R is durable");
/// node.learn(0, &spec.plan().seal(&OwnCost::new(4, |x| x[0], |_, g| g[0] = 1.0)));
/// let standing = node.save().map(|saved| saved.standing);
/// assert!(matches!(standing, Some(Standing::Relay { own, .. }) if own.version == 1 && own.sum.to_reals() == [1.0, 0.0]));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub enum Standing {
    /// DPSDA-R: the sum of its own releases. The other nodes will send their blocks again.
    Relay {
        /// Its own block.
        #[serde(deserialize_with = "stored::replica")]
        own: Replica,
        /// `y_i`
        estimate: Vec<f64>,
    },
    /// DPSDA-C and DPSDA-PS.
    Gossip {
        /// `z_i`, without what has not been released.
        #[serde(deserialize_with = "stored::released")]
        mixed: Released,
        /// `h_i`
        #[serde(deserialize_with = "stored::released")]
        dual: Released,
        /// `w_i`
        weight: f64,
        /// `y_i`
        estimate: Vec<f64>,
        /// The books of its links, where it keeps any.
        books: Option<SavedBooks>,
    },
    /// DPSDA-R with automatic steps.
    RelayAuto {
        /// Its own block, with the energy of what was released.
        #[serde(deserialize_with = "stored::replica")]
        own: Replica,
        /// `y_i`
        estimate: Vec<f64>,
        /// What its steps follow from.
        steps: AutoState,
    },
}

/// The books of a node's links.
///
/// ```
/// use dpsda::learner::{Links, Standing};
/// use dpsda::prelude::*;
/// let spec = Spec::new(Blocks::even(4, 2)?).set(Free).graph(Ring::new(2)?).algorithm(PushSum).links(Links::RunningSums);
/// let spec = spec.rounds(9).check()?;
/// let mut node = spec.durable(0, Seed::new(1), None).expect("DPSDA-PS is durable");
/// let degrees = Ring::new(2)?.graph(0).degrees();
/// node.speak(0, degrees[0], &degrees[1..]);
/// let Some(Standing::Gossip { books: Some(books), .. }) = node.save().map(|saved| saved.standing) else { panic!("no books") };
/// assert_eq!((books.sent[0].to, books.sent[0].weight), (1, 1 << 39)); // half of its weight went to node 1
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct SavedBooks {
    /// `w_i`, in units of 2^-40.
    pub weight: i64,
    /// What it kept of its dual when it last spoke.
    #[serde(deserialize_with = "stored::released")]
    pub kept: Released,
    /// All that was ever put on each link out.
    #[serde(deserialize_with = "stored::sums")]
    pub sent: Vec<Sum>,
    /// From whom, of which round, and all that was ever taken from each link in.
    #[serde(deserialize_with = "stored::heard")]
    pub heard: Vec<(usize, u64, Released, i64)>,
}
