//! All that was run, and where it is found on the page and in the folder.

use dpsda_sim::Memory;
use dpsda_web::Run;
use dpsda_web::reproduction::Block;

use super::adjacent::Worlds;
use super::parts::{Arm, Part, Subject};
use super::rows::Row;

/// One experiment that was run.
pub(super) struct Ran {
    pub(super) part: &'static Part,
    pub(super) rows: Vec<Row>,
    pub(super) run: Run,
}

/// All of them.
#[derive(Default)]
pub(super) struct Found {
    pub(super) ran: Vec<Ran>,
    pub(super) worlds: Vec<Worlds>,
    pub(super) interrupted: bool,
    /// Experiments over the same costs share their best decisions in hindsight.
    pub(super) memory: Memory,
    /// What was run otherwise than the files say, if anything.
    pub(super) scale: Option<String>,
}

impl Found {
    /// The rows of everything about a subject.
    pub(super) fn rows(&self, subject: Subject) -> Vec<&Row> {
        self.about(subject).flat_map(|ran| &ran.rows).collect()
    }

    /// What was run about a subject.
    pub(super) fn about(&self, subject: Subject) -> impl Iterator<Item = &Ran> {
        self.ran.iter().filter(move |ran| ran.part.subject == subject)
    }

    /// One experiment.
    pub(super) fn one(&self, subject: Subject, arm: Arm) -> Option<&Ran> {
        self.about(subject).find(|ran| ran.part.arm == arm)
    }

    /// The reports of a subject's runs, and the files they were run from.
    pub(super) fn files(&self, subject: Subject) -> Vec<Block> {
        let links = self.about(subject).map(|ran| {
            (
                format!("{}: report with movable curves", ran.part.name),
                format!("{}/report.html", ran.part.name),
            )
        });
        let mut blocks = vec![Block::Links(links.collect())];
        blocks.extend(self.about(subject).map(|ran| {
            Block::Toml(format!("experiments/paper/{}.toml", ran.part.name), ran.part.text.to_owned())
        }));
        blocks
    }
}
