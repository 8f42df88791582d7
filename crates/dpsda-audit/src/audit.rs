//! A whole audit of one specification: every view with every canary.

use dpsda::privacy::plan::Adjacency;

use crate::canary::Canary;
use crate::game::{Game, Measured, RunsDone, Scores, View};
use crate::host::{Honest, Host};
use crate::one_run::one_run;
use crate::picture::Histogram;
use crate::{Arena, STATISTICS, Unfinished};

/// The confidence of the bounds that are shown.
pub const CONFIDENCE: f64 = 0.99;
/// The largest chance that an audit accuses a program that keeps its claim. It covers all views and canaries, and all audits that
/// are reported together.
pub const FALSE_ALARM: f64 = 1e-5;
/// The number of lines of a picture.
const BINS: usize = 15;

/// What an audit looks at, and how much work it does.
#[derive(Debug, Clone)]
pub struct AuditOptions {
    /// Runs per world. `None`: the number that [`usual_runs`] gives.
    pub runs: Option<u64>,
    /// The nodes whose own events are audited.
    pub nodes: AuditedNodes,
    /// Whether the event at all nodes together is audited. An agent's event is at one node, and the nodes' own views cover it: then
    /// this counts only if no node is audited by itself.
    pub all: bool,
    /// Whether to play one run with a canary in every round, instead of many runs.
    pub one_run: bool,
    /// The number of audits that are reported together: the chance of a false alarm is divided among them.
    pub audits: usize,
    /// The seed of all randomness.
    pub seed: u64,
}

impl Default for AuditOptions {
    /// Everything, with the usual number of runs.
    fn default() -> Self {
        Self { runs: None, nodes: AuditedNodes::Every, all: true, one_run: false, audits: 1, seed: 1 }
    }
}

impl AuditOptions {
    /// The chance of a false alarm allowed for one of `findings` findings.
    fn doubt(&self, findings: usize) -> f64 {
        FALSE_ALARM / (findings.max(1) as f64 * self.audits.max(1) as f64)
    }

    /// Whether the view of all nodes adds something to those of single nodes.
    fn plays_all(&self, arena: &Arena) -> bool {
        self.all && (!arena.by_agent() || self.nodes == AuditedNodes::None)
    }
}

/// The nodes whose own events are audited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditedNodes {
    /// Every node.
    Every,
    /// This node.
    One(usize),
    /// No node.
    None,
}

impl AuditedNodes {
    fn list(self, arena: &Arena) -> Vec<usize> {
        match self {
            Self::Every => (0..arena.nodes()).collect(),
            Self::One(i) => vec![i],
            Self::None => Vec::new(),
        }
    }
}

/// The result for one view with one canary.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The node of the event, or all nodes.
    pub view: View,
    /// The canary. `None`: a canary in every round of one run.
    pub canary: Option<Canary>,
    /// The claimed epsilon, if there is a claim.
    pub claim: Option<f64>,
    /// The lower bound on epsilon with [`CONFIDENCE`].
    pub bound: f64,
    /// The lower bound on epsilon with the much higher confidence that an accusation needs.
    pub certain: f64,
    /// The statistic that gave the bound.
    pub statistic: &'static str,
}

impl Finding {
    /// Whether the claim is false, with the confidence that an accusation needs.
    pub fn accuses(&self) -> bool {
        self.claim.is_some_and(|claim| self.certain > claim)
    }

    /// Whether the bound is above the claim, but possibly by chance.
    pub fn suspects(&self) -> bool {
        !self.accuses() && self.claim.is_some_and(|claim| self.bound > claim)
    }
}

/// The result of an audit.
#[derive(Debug, Clone)]
pub struct Audit {
    /// Runs per world. For an audit in one run: the number of canaries.
    pub runs: u64,
    /// The number of rounds played.
    pub played: u64,
    /// The delta for which epsilons are measured.
    pub delta: f64,
    /// The round of the event.
    pub event: u64,
    /// One finding for every view with every canary.
    pub findings: Vec<Finding>,
    /// The widest view, and the histograms of its likelihood ratio in both worlds.
    pub picture: Option<(View, Histogram)>,
}

/// The rounds of a game: one before the event, the event's round, one that mixes it, and one after that.
pub const ROUNDS: u64 = 4;

/// The rounds of the short run that is planned if noise cancels over time: there, the first few rounds of a long run show
/// nothing.
pub const SHORT: u64 = 8;

/// The number of runs per world that takes from a few seconds to a minute, from the work of one run.
pub fn usual_runs(arena: &Arena) -> u64 {
    let examples = match arena.claimed.adjacency() {
        Adjacency::Example => arena.spec.batch() as usize,
        Adjacency::Round | Adjacency::Agent => 1,
    };
    let work = arena.played() * (arena.spec.blocks().dim() * examples + 64 * arena.nodes()) as u64;
    (20_000_000 / work.max(1)).clamp(1000, 20_000)
}

/// The number of runs that an audit will report as done.
pub fn work(arena: &Arena, options: &AuditOptions) -> u64 {
    let batches = u64::from(options.nodes != AuditedNodes::None) + u64::from(options.plays_all(arena));
    match options.one_run {
        true => options.nodes.list(arena).len() as u64 + u64::from(options.plays_all(arena)),
        false => 2 * options.runs.unwrap_or_else(|| usual_runs(arena)) * batches * Canary::ALL.len() as u64,
    }
}

/// Audits the program in the arena. `done` is told how many runs are done, and may stop the audit. An audit in one run is refused
/// for correlated noise; see [`one_run`].
pub fn audit(
    arena: &Arena,
    host: &dyn Host,
    options: &AuditOptions,
    done: &RunsDone<'_>,
) -> Result<Audit, Unfinished> {
    let nodes = options.nodes.list(arena);
    nodes.iter().try_for_each(|i| View::Node(*i).check(arena))?;
    if options.one_run {
        return in_one_run(arena, options, &nodes, done);
    }
    let together = options.plays_all(arena);
    let views = nodes.len() + usize::from(together);
    let runs = options.runs.unwrap_or_else(|| usual_runs(arena));
    // Noise that cancels over time hides the first round least, because its event is in the most sums.
    let event = u64::from(arena.played() > 1 && !arena.correlated());
    let doubt = options.doubt(views * Canary::ALL.len());
    let mut findings = Vec::new();
    let mut picture = None;
    for canary in Canary::ALL {
        let game = Game { arena, host, canary, event, seed: options.seed };
        let mut scores: Vec<Scores> = Vec::new();
        if !nodes.is_empty() {
            let all = game.nodes(runs, done)?;
            scores.extend(all.into_iter().filter(|s| nodes.iter().any(|i| s.view == View::Node(*i))));
        }
        if together {
            scores.push(game.all(runs, done)?);
        }
        if let (None, Some(widest)) = (&picture, scores.last()) {
            picture = Some((widest.view, Histogram::new(widest.values(0), BINS)));
        }
        findings.extend(scores.iter().map(|s| finding(arena, canary, &s.measure(arena.delta()), doubt)));
    }
    Ok(Audit { runs, played: arena.played(), delta: arena.delta(), event, findings, picture })
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
    options: &AuditOptions,
    nodes: &[usize],
    done: &RunsDone<'_>,
) -> Result<Audit, Unfinished> {
    let all = options.plays_all(arena).then_some(View::All);
    let views: Vec<View> = nodes.iter().map(|i| View::Node(*i)).chain(all).collect();
    let doubt = options.doubt(views.len());
    let mut findings = Vec::new();
    for view in views {
        let found = one_run(arena, view, options.seed)?;
        findings.push(Finding {
            view,
            canary: None,
            claim: claim(arena, view),
            bound: found.epsilon(CONFIDENCE),
            certain: found.epsilon(1.0 - doubt),
            statistic: STATISTICS[0],
        });
        if done(1).is_break() {
            return Err(Unfinished::Stopped);
        }
    }
    Ok(Audit {
        runs: arena.played(),
        played: arena.played(),
        delta: arena.delta(),
        event: 0,
        findings,
        picture: None,
    })
}

/// [`audit`] of the program as it is.
pub fn honest(arena: &Arena, options: &AuditOptions, done: &RunsDone<'_>) -> Result<Audit, Unfinished> {
    audit(arena, &Honest, options, done)
}
