//! How far all of it is: parts of unlike weight in one bar.

use std::io::{IsTerminal as _, stderr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use dpsda_sim::{Experiment, Progress};

use super::adjacent::{self, EVENT, Effort};
use super::parts::{Arm, Part, Subject};
use crate::progress::Watch;
use crate::say;

/// What all parts weigh, and which one runs.
pub(super) struct Meter {
    progress: Arc<Progress>,
    parts: Vec<Weight>,
    now: AtomicUsize,
    /// Rounds done before the part that runs.
    before: AtomicU64,
    /// Runs of games that the part that runs has played.
    games: AtomicU64,
}

struct Weight {
    title: String,
    /// What one round of it takes, in no unit.
    round: u64,
    rounds: u64,
    games: u64,
}

impl Weight {
    fn new(part: &Part, experiment: &Experiment, effort: Effort) -> Self {
        let cells = || experiment.cells.iter();
        let rounds = cells().map(|c| u64::from(c.trials) * c.split.rounds).sum();
        // Gradients over the batch at every node, and noise on everybody's dual, which is dearer.
        let cost = |c: &dpsda_config::Cell| c.blocks.dim() * c.blocks.nodes() * (c.problem.batch + 8);
        let name = cells().next().map_or("", |c| c.title.as_str());
        let arm = if part.arm == Arm::Printed { String::new() } else { format!(" ({})", part.arm.name()) };
        Self {
            title: format!("{name}{arm}"),
            round: cells().map(cost).max().unwrap_or(1) as u64,
            rounds,
            games: if part.subject == Subject::Adjacent { adjacent::work(experiment, effort) } else { 0 },
        }
    }

    fn whole(&self) -> u64 {
        self.round * (self.rounds + EVENT * self.games)
    }
}

impl Meter {
    pub(super) fn new(
        parts: &[(&'static Part, Experiment)],
        progress: &Arc<Progress>,
        effort: Effort,
    ) -> Self {
        Self {
            progress: Arc::clone(progress),
            parts: parts.iter().map(|(part, experiment)| Weight::new(part, experiment, effort)).collect(),
            now: AtomicUsize::new(0),
            before: AtomicU64::new(0),
            games: AtomicU64::new(0),
        }
    }

    /// Whether to go on, and rounds done.
    pub(super) fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Part `k` begins. On a terminal the bar says so.
    pub(super) fn start(&self, k: usize, quiet: bool) {
        self.now.store(k, Ordering::Relaxed);
        self.before.store(self.progress.now().0, Ordering::Relaxed);
        self.games.store(0, Ordering::Relaxed);
        if !quiet && !stderr().is_terminal() {
            say::aside(&self.name(k));
        }
    }

    /// So many runs of a game were played.
    pub(super) fn game(&self, runs: u64) {
        self.games.fetch_add(runs, Ordering::Relaxed);
    }

    fn name(&self, k: usize) -> String {
        let title = self.parts.get(k).map_or("", |part| part.title.as_str());
        format!("[{}/{}] {title}", k + 1, self.parts.len())
    }

    /// Work done and work in all.
    fn share(&self) -> (u64, u64) {
        let k = self.now.load(Ordering::Relaxed);
        let done: u64 = self.parts.iter().take(k).map(Weight::whole).sum();
        let here = self.parts.get(k).map_or(0, |part| {
            let rounds = self.progress.now().0.saturating_sub(self.before.load(Ordering::Relaxed));
            let games = self.games.load(Ordering::Relaxed);
            (part.round * (rounds + EVENT * games)).min(part.whole())
        });
        (done + here, self.parts.iter().map(Weight::whole).sum())
    }

    /// A bar over all parts, on a terminal.
    pub(super) fn watch(self: &Arc<Self>, quiet: bool) -> Watch {
        let (share, name) = (Arc::clone(self), Arc::clone(self));
        let part = move || name.name(name.now.load(Ordering::Relaxed));
        Watch::parts(move || share.share(), part, quiet || !stderr().is_terminal())
    }
}
