//! Best decisions in hindsight, shared between experiments over the same costs. Finding them is most of the work for large data,
//! and does not depend on algorithm, noise or steps.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dpsda::regret::Best;

use crate::hindsight::Hindsight;

type ByProblem<K, V> = Mutex<BTreeMap<(String, K), Arc<V>>>;

/// The best decisions found so far, by problem. It starts empty, and may be passed from one experiment to the next.
#[derive(Default)]
pub struct Memory {
    trials: ByProblem<u32, Hindsight>,
    pooled: ByProblem<Vec<u32>, Best>,
}

impl Memory {
    /// The best decisions of a trial, computed unless they are known; `None` if the computation was stopped.
    pub(crate) fn trial(
        &self,
        problem: &str,
        trial: u32,
        find: impl FnOnce() -> Option<Hindsight>,
    ) -> Option<Arc<Hindsight>> {
        let key = (problem.to_owned(), trial);
        if let Some(found) = lock(&self.trials).get(&key) {
            return Some(Arc::clone(found));
        }
        let found = Arc::new(find()?); // the lock is not held meanwhile
        lock(&self.trials).insert(key, Arc::clone(&found));
        Some(found)
    }

    /// The best decision for these trials together.
    pub(crate) fn pooled(&self, problem: &str, trials: &[u32], find: impl FnOnce() -> Best) -> Arc<Best> {
        let key = (problem.to_owned(), trials.to_vec());
        if let Some(found) = lock(&self.pooled).get(&key) {
            return Arc::clone(found);
        }
        let found = Arc::new(find());
        lock(&self.pooled).insert(key, Arc::clone(&found));
        found
    }
}

fn lock<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::folder::summary_rows;
    use crate::{Experiment, Options, Progress};

    const SETTING: &str = r#"
        rounds = 30
        trials = 2
        problem = { loss = "squared", data = "synthetic-regression", features = 4 }
        set = { kind = "box", lower = -1.0, upper = 1.0 }
        network = { nodes = 2, graph = "ring" }
        algorithm = { name = "dpsda-r" }
    "#;

    #[test]
    fn experiments_over_the_same_costs_find_their_best_decisions_once_and_measure_the_same() {
        let memory = Memory::default();
        let overrides = ["algorithm.step=0.3", "problem.gradient_error=0.1", "set.upper=0.5"];
        // Step and gradient error change no cost; the set changes what is best.
        for (given, known) in [(0, 2), (1, 2), (2, 2), (3, 4)] {
            let given: Vec<String> = overrides[..given].iter().map(|o| (*o).to_owned()).collect();
            let experiment = Experiment::load(SETTING, &given, Path::new("")).unwrap();
            let rows = |outcome| summary_rows(&experiment, &outcome);
            let (options, progress) = (Options::default(), Progress::default());
            let recalled = rows(experiment.run_with(options, &progress, &memory));
            assert_eq!(recalled, rows(experiment.run(options, &progress)), "{given:?}");
            assert_eq!(lock(&memory.trials).len(), known, "{given:?}");
        }
    }

    const TABLE: &str = r#"
        problem = { cost = "expert", path = "losses.csv" }
        network = { nodes = 2, graph = "ring" }
        algorithm = { name = "dpsda-r" }
    "#;

    #[test]
    fn a_table_whose_content_changed_is_another_problem() {
        let (memory, folder) = (Memory::default(), tempfile::tempdir().unwrap());
        for (rows, known) in [("0,1\n1,1\n", 1), ("0,1\n1,1\n", 1), ("1,0\n1,1\n", 2)] {
            std::fs::write(folder.path().join("losses.csv"), format!("anna,ben\n{rows}")).unwrap();
            let experiment = Experiment::load(TABLE, &[], folder.path()).unwrap();
            experiment.run_with(Options::default(), &Progress::default(), &memory);
            assert_eq!(lock(&memory.trials).len(), known, "{rows}");
        }
    }

    #[test]
    fn a_stopped_computation_is_not_remembered() {
        let memory = Memory::default();
        assert!(memory.trial("p", 0, || None).is_none());
        assert!(lock(&memory.trials).is_empty());
    }
}
