//! A whole audit of one experiment: every view and every canary, and what they show.

use crate::canary::Canary;
use crate::game::{Game, Measured, Scores, Tick, View};
use crate::host::{Honest, Host};
use crate::one_run::one_run;
use crate::picture::Histogram;
use crate::{Arena, STATISTICS};

/// The confidence that bounds are given with.
pub const CONFIDENCE: f64 = 0.99;
/// An audit of a program that keeps its claim accuses it with at most this chance, over all its experiments, views and
/// canaries.
pub const FALSE_ALARM: f64 = 1e-5;
/// Lines of a picture.
const BINS: usize = 15;

/// What to look at, and how hard.
#[derive(Debug, Clone)]
pub struct Options {
    /// Runs a world; `None`: as many as [`usual_runs`] says.
    pub runs: Option<u64>,
    /// Whether the events of single nodes are looked at: all of them, one, or none.
    pub nodes: Nodes,
    /// Whether the event at all nodes is.
    pub all: bool,
    /// One run with a canary in every round, in place of many.
    pub one_run: bool,
    /// Among how many audits the chance of a false alarm is divided: all that are reported as one.
    pub audits: usize,
    /// Names the randomness.
    pub seed: u64,
}

impl Options {
    /// The chance of a false alarm that one of so many findings may have.
    fn doubt(&self, findings: usize) -> f64 {
        FALSE_ALARM / (findings.max(1) as f64 * self.audits.max(1) as f64)
    }
}

/// Which nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nodes {
    /// Every one.
    Every,
    /// This one.
    One(usize),
    /// None.
    None,
}

/// What one view showed with one canary.
#[derive(Debug, Clone)]
pub struct Finding {
    /// Whose event.
    pub view: View,
    /// Which canary; `None`: one in every round of one run.
    pub canary: Option<Canary>,
    /// What is claimed, if anything.
    pub claim: Option<f64>,
    /// With [`CONFIDENCE`], epsilon is at least so much.
    pub bound: f64,
    /// With the much higher confidence of an accusation.
    pub certain: f64,
    /// By which statistic.
    pub statistic: &'static str,
}

impl Finding {
    /// The claim is false, and that is no accident.
    pub fn accuses(&self) -> bool {
        self.claim.is_some_and(|claim| self.certain > claim)
    }

    /// Above the claim, but it might be an accident.
    pub fn suspects(&self) -> bool {
        !self.accuses() && self.claim.is_some_and(|claim| self.bound > claim)
    }
}

/// What an audit showed.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Runs a world; for one run, the canaries in it.
    pub runs: u64,
    /// The rounds that were played.
    pub played: u64,
    /// The delta that epsilons are measured at.
    pub delta: f64,
    /// The round of the event.
    pub event: u64,
    /// Every view with every canary.
    pub findings: Vec<Finding>,
    /// Both worlds, as the likelihood ratio sees them, for the widest view: which that is.
    pub picture: Option<(View, Histogram)>,
}

/// The rounds a game needs: one before the event, the event, one that mixes it, one that shows what comes after.
pub const ROUNDS: u64 = 4;

/// The rounds of the run that is planned where noise cancels over time: there is nothing to audit in a few rounds of many.
pub const SHORT: u64 = 8;

/// As many runs a world as take seconds to a minute, by how much work one run is.
pub fn usual_runs(arena: &Arena) -> u64 {
    let examples = match arena.claimed.adjacency() {
        dpsda::privacy::plan::Adjacency::Example => arena.batch,
        dpsda::privacy::plan::Adjacency::Round => 1,
    };
    let work = arena.played() * (arena.blocks.dim() * examples + 64 * arena.nodes()) as u64;
    (20_000_000 / work.max(1)).clamp(1000, 20_000)
}

/// How many runs an audit will report to its `tick`.
pub fn work(arena: &Arena, options: &Options) -> u64 {
    let batches = u64::from(options.nodes != Nodes::None) + u64::from(options.all);
    let nodes = match options.nodes {
        Nodes::Every => arena.nodes() as u64,
        Nodes::One(_) => 1,
        Nodes::None => 0,
    };
    match options.one_run {
        true => nodes + u64::from(options.all),
        false => 2 * options.runs.unwrap_or_else(|| usual_runs(arena)) * batches * Canary::ALL.len() as u64,
    }
}

/// Audits what plays in the arena. `None` if `tick` breaks off, or where it cannot be done: one run with correlated noise.
pub fn audit(arena: &Arena, host: &dyn Host, options: &Options, tick: &Tick<'_>) -> Option<Audit> {
    let nodes: Vec<usize> = match options.nodes {
        Nodes::Every => (0..arena.nodes()).collect(),
        Nodes::One(i) => vec![i],
        Nodes::None => Vec::new(),
    };
    let views = nodes.len() + usize::from(options.all);
    if options.one_run {
        return in_one_run(arena, options, &nodes, views, tick);
    }
    let runs = options.runs.unwrap_or_else(|| usual_runs(arena));
    // Noise that cancels over time hides the first round least: the most sums hold it.
    let event = u64::from(arena.played() > 1 && !arena.correlated());
    let doubt = options.doubt(views * Canary::ALL.len());
    let mut findings = Vec::new();
    let mut picture = None;
    for canary in Canary::ALL {
        let game = Game { arena, host, canary, event, seed: options.seed };
        let mut scores: Vec<Scores> = Vec::new();
        if !nodes.is_empty() {
            let all = game.nodes(runs, tick)?;
            scores.extend(all.into_iter().filter(|s| nodes.iter().any(|i| s.view == View::Node(*i))));
        }
        if options.all {
            scores.push(game.all(runs, tick)?);
        }
        if let (None, Some(widest)) = (&picture, scores.last()) {
            picture = Some((widest.view, Histogram::new(widest.values(0), BINS)));
        }
        findings.extend(scores.iter().map(|s| finding(arena, canary, &s.measure(arena.delta()), doubt)));
    }
    Some(Audit { runs, played: arena.played(), delta: arena.delta(), event, findings, picture })
}

/// The claim about a view.
fn claim(arena: &Arena, view: View) -> Option<f64> {
    match view {
        View::Node(i) => arena.claim_of(i),
        View::All => arena.claim(),
    }
}

fn finding(arena: &Arena, canary: Canary, measured: &Measured, doubt: f64) -> Finding {
    Finding {
        view: measured.view,
        canary: Some(canary),
        claim: claim(arena, measured.view),
        bound: measured.epsilon(CONFIDENCE),
        certain: measured.epsilon(1.0 - doubt),
        statistic: measured.statistic(),
    }
}

fn in_one_run(
    arena: &Arena,
    options: &Options,
    nodes: &[usize],
    views: usize,
    tick: &Tick<'_>,
) -> Option<Audit> {
    let doubt = options.doubt(views);
    let mut findings = Vec::new();
    let all = options.all.then_some(View::All);
    for view in nodes.iter().map(|i| View::Node(*i)).chain(all) {
        let found = one_run(arena, view, options.seed)?;
        findings.push(Finding {
            view,
            canary: None,
            claim: claim(arena, view),
            bound: found.epsilon(CONFIDENCE),
            certain: found.epsilon(1.0 - doubt),
            statistic: STATISTICS[0],
        });
        if tick(1).is_break() {
            return None;
        }
    }
    Some(Audit {
        runs: arena.played(),
        played: arena.played(),
        delta: arena.delta(),
        event: 0,
        findings,
        picture: None,
    })
}

/// [`audit`] of the program as it is.
pub fn honest(arena: &Arena, options: &Options, tick: &Tick<'_>) -> Option<Audit> {
    audit(arena, &Honest, options, tick)
}
