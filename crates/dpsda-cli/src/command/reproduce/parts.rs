//! What can be asked for, and which experiments it takes.

use std::collections::BTreeSet;

use dpsda::Error;
use dpsda_config::sweep;

/// What an experiment is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Subject {
    /// Section 6.1.
    Regression,
    /// Section 6.2, the first data set.
    Mushroom,
    /// The second.
    Mnist,
    /// The third.
    Cifar,
    /// The algorithms of Fig. 7 that the paper compares with.
    Rivals,
    /// Two streams that differ in one round.
    Adjacent,
}

/// In which of its settings.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Arm {
    /// As section 6 has it.
    Printed,
    /// Likewise, with the cost of a round the sum over its samples, as section 6.2 writes it.
    Sum,
    /// Likewise, each algorithm with its best step of a grid.
    Tuned,
    /// Likewise, with every entry of the decision in an interval, as a sentence of section 6.2 has it.
    Box,
    /// What is sound: doubly stochastic weights, the own block noised once, decisions from what is published, exact
    /// gradients; each algorithm with the step of a grid that costs least while it learns.
    Sound,
    /// Likewise, with the step whose last decision predicts best.
    Accurate,
    /// The levels as what they are named after: epsilons that are promised for one example over the whole run, with a
    /// clip, exact noise, and for DPSDA-R and the floor noise that cancels over time; steps chosen for the cost.
    Epsilon,
    /// Likewise, steps chosen for what predicts best.
    EpsilonAccurate,
    /// Table 5 with a promise.
    Promise,
}

impl Arm {
    /// In words.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Printed => "as printed",
            Self::Sum => "as printed, costs as sums",
            Self::Tuned => "costs as sums, best step",
            Self::Box => "costs as sums, best step, a box",
            Self::Sound => "done right, best step for cost",
            Self::Accurate => "done right, best step for accuracy",
            Self::Epsilon => "levels as promised epsilons, best step for cost",
            Self::EpsilonAccurate => "levels as promised epsilons, best step for accuracy",
            Self::Promise => "with a promise",
        }
    }

    /// Whether its levels are epsilons that are promised; without noise there is none.
    pub(super) fn promises(self) -> bool {
        matches!(self, Self::Epsilon | Self::EpsilonAccurate | Self::Promise)
    }

    /// Whether the cost of a round is the sum over its samples.
    pub(super) fn sums(self) -> bool {
        matches!(self, Self::Sum | Self::Tuned | Self::Box)
    }
}

/// One file of `experiments/paper`.
#[derive(Debug)]
pub(super) struct Part {
    /// The file, and the folder it is run into.
    pub(super) name: &'static str,
    /// What it is about.
    pub(super) subject: Subject,
    /// In which setting.
    pub(super) arm: Arm,
    /// The file's text.
    pub(super) text: &'static str,
}

macro_rules! parts {
    ($($name:literal $subject:ident $arm:ident,)*) => {
        /// Every experiment, in the order in which they run.
        pub(super) static PARTS: &[Part] = &[$(Part {
            name: $name,
            subject: Subject::$subject,
            arm: Arm::$arm,
            text: include_str!(concat!("../../../../../experiments/paper/", $name, ".toml")),
        }),*];
    };
}

parts! {
    "fig3" Regression Printed,
    "fig3-sound" Regression Sound,
    "mushroom" Mushroom Printed,
    "mushroom-sum" Mushroom Sum,
    "mushroom-tuned" Mushroom Tuned,
    "mushroom-box" Mushroom Box,
    "mushroom-sound" Mushroom Sound,
    "mushroom-accurate" Mushroom Accurate,
    "mushroom-epsilon" Mushroom Epsilon,
    "mushroom-epsilon-accurate" Mushroom EpsilonAccurate,
    "mnist" Mnist Printed,
    "mnist-sum" Mnist Sum,
    "mnist-tuned" Mnist Tuned,
    "mnist-sound" Mnist Sound,
    "mnist-accurate" Mnist Accurate,
    "mnist-epsilon" Mnist Epsilon,
    "mnist-epsilon-accurate" Mnist EpsilonAccurate,
    "cifar" Cifar Printed,
    "cifar-sound" Cifar Sound,
    "cifar-epsilon" Cifar Epsilon,
    "cifar-epsilon-accurate" Cifar EpsilonAccurate,
    "adjacent" Adjacent Printed,
    "adjacent-promise" Adjacent Promise,
    "rivals" Rivals Printed,
    "rivals-sound" Rivals Sound,
}

/// Something of section 6 that can be asked for.
#[derive(Debug)]
pub(super) struct Target {
    /// How.
    pub(super) name: &'static str,
    /// As the paper calls it.
    pub(super) title: &'static str,
    /// What it takes.
    subjects: &'static [Subject],
    /// In which settings.
    arms: &'static [Arm],
}

const TABLES: &[Arm] = &[
    Arm::Printed,
    Arm::Sum,
    Arm::Tuned,
    Arm::Box,
    Arm::Sound,
    Arm::Accurate,
    Arm::Epsilon,
    Arm::EpsilonAccurate,
];
const CURVES: &[Arm] = &[Arm::Printed, Arm::Sound];

/// In the order of the paper.
pub(super) static TARGETS: &[Target] = &[
    Target { name: "fig3", title: "Fig. 3", subjects: &[Subject::Regression], arms: CURVES },
    Target { name: "table2", title: "Table 2", subjects: &[Subject::Mushroom], arms: TABLES },
    Target { name: "table3", title: "Table 3", subjects: &[Subject::Mnist], arms: TABLES },
    Target { name: "table4", title: "Table 4", subjects: &[Subject::Cifar], arms: TABLES },
    Target {
        name: "fig5",
        title: "Fig. 5",
        subjects: &[Subject::Mushroom, Subject::Mnist, Subject::Cifar],
        arms: CURVES,
    },
    Target {
        name: "table5",
        title: "Table 5",
        subjects: &[Subject::Adjacent],
        arms: &[Arm::Printed, Arm::Promise],
    },
    Target { name: "fig6", title: "Fig. 6", subjects: &[Subject::Adjacent], arms: &[Arm::Printed] },
    Target { name: "fig7", title: "Fig. 7", subjects: &[Subject::Cifar, Subject::Rivals], arms: CURVES },
];

impl Target {
    fn takes(&self, part: &Part) -> bool {
        self.subjects.contains(&part.subject) && self.arms.contains(&part.arm)
    }
}

/// The targets that these words name, in the order of the paper; no word is all of them.
pub(super) fn named(words: &[String]) -> Result<Vec<&'static Target>, Error> {
    for word in words.iter().filter(|word| *word != "all") {
        if TARGETS.iter().all(|target| target.name != word) {
            let known = TARGETS.iter().map(|t| t.name).chain(["all"]).map(String::from).collect();
            return Err(Error::UnknownName { key: "target".into(), found: word.clone(), known });
        }
    }
    let all = words.is_empty() || words.iter().any(|word| word == "all");
    Ok(TARGETS.iter().filter(|target| all || words.iter().any(|word| word == target.name)).collect())
}

/// The experiments that targets take, each once.
pub(super) fn of(targets: &[&Target]) -> Vec<&'static Part> {
    PARTS.iter().filter(|part| targets.iter().any(|target| target.takes(part))).collect()
}

impl Part {
    /// What a key of its file holds, if that is text.
    pub(super) fn key(&self, table: &str, key: &str) -> Option<String> {
        let file = sweep::parse(self.text, &[]).ok()?;
        Some(file.get(table)?.get(key)?.as_str()?.to_owned())
    }

    /// What a key of its file holds, if that is a number with a point.
    pub(super) fn number(&self, table: &str, key: &str) -> Option<f64> {
        sweep::parse(self.text, &[]).ok()?.get(table)?.get(key)?.as_float()
    }

    /// How many trials its file asks for.
    pub(super) fn trials(&self) -> Option<i64> {
        sweep::parse(self.text, &[]).ok()?.get("trials")?.as_integer()
    }

    /// The steps that were tried for its file, in order: those of the command in its head.
    pub(super) fn grid(&self) -> Vec<f64> {
        let list = self.text.lines().filter(|l| l.starts_with('#')).find_map(|l| l.split_once("--steps "));
        let words = list.and_then(|(_, rest)| rest.split_whitespace().next()).unwrap_or_default();
        words.split(',').filter_map(|word| word.parse().ok()).collect()
    }
}

/// The data sets that experiments name.
pub(super) fn data(parts: &[&Part]) -> BTreeSet<String> {
    parts.iter().filter_map(|part| part.key("problem", "data")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
        of(&named(&words).unwrap_or_default()).iter().map(|part| part.name).collect()
    }

    #[test]
    fn a_target_takes_what_it_needs_and_shared_experiments_run_once() {
        assert_eq!(parts(&["fig3"])[0], "fig3");
        assert!(parts(&["table2"]).iter().all(|name| name.starts_with("mushroom")));
        let both = parts(&["fig5", "table2", "table2"]);
        assert_eq!(both.iter().filter(|name| **name == "mushroom").count(), 1);
        assert_eq!(parts(&[]).len(), PARTS.len(), "everything there is belongs to something");
        assert_eq!(parts(&["all", "fig3"]), parts(&[]));
    }

    #[test]
    fn every_step_that_was_chosen_stands_in_the_grid_of_its_file() {
        let tuned = PARTS.iter().filter(|part| part.text.contains("dpsda tune"));
        let mut seen = 0;
        for part in tuned {
            let grid = part.grid();
            assert!(grid.len() > 2 && grid.is_sorted(), "{}: {grid:?}", part.name);
            let read = dpsda_sim::Experiment::load(part.text, &[], std::path::Path::new(""));
            let Ok(experiment) = read else { continue }; // data that must be fetched
            for cell in &experiment.cells {
                assert!(
                    grid.contains(&cell.spec.step().c),
                    "{}: {} is not in {grid:?}",
                    part.name,
                    cell.spec.step().c
                );
            }
            seen += 1;
        }
        assert!(seen >= 7, "{seen}");
    }

    #[test]
    fn a_wrong_word_is_told_the_right_ones() {
        let error = named(&["tabel2".into()]).unwrap_err().to_string();
        assert!(error.contains("table2"), "{error}");
    }
}
