//! What fuzz targets share: experiments of three members, and real messages, records and files of them to begin from.

mod seeds;
#[allow(dead_code, reason = "tests ask more of it")]
#[path = "../../crates/dpsda-node/tests/world/setting.rs"]
mod setting;

use std::collections::VecDeque;
use std::sync::LazyLock;

use dpsda_config::RunConfig;
use dpsda_node::entry::Entry;
use dpsda_node::frame::Grammar;
use dpsda_node::identity::Identity;
use dpsda_node::lines::{Form, SampleForm, SlopeForm};
use dpsda_node::machine::{Happened, Machine, Record, Todo};
use dpsda_node::manifest::{Manifest, Member, Pledge, Signed};
pub use seeds::{apart, of, plant};
use setting::{MANIFEST, Setting};

/// The number of members.
const MEMBERS: usize = 3;

/// What costs look like.
pub const FORM: Form = Form {
    samples: Some(SampleForm { dim: 5, batch: 2, classifies: false }),
    slope: Some(SlopeForm { block: 2, two_point: false }),
};

/// Costs of every spelling.
pub const LINES: [&str; 6] = [
    r#"{"t": 0, "x": [[0.5, 0, 1, -2e-3, 4]], "y": [1]}"#,
    r#"{"x": [{"0": 0.5, "4": 1}, {}], "y": [1, -0.25]}"#,
    r#"{"t": 2}"#,
    r#"{"t": 3, "gradient": [0.5, -2e-3], "public": {"1": 4}}"#,
    r#"{"t": 4, "gradient": {}}"#,
    "{}",
];

const EXPERIMENT: &str = r#"
rounds = 5
[problem]
loss = "squared"
data = "synthetic-regression"
features = 5
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 3
graph = "ring"
[algorithm]
ALGORITHM
[privacy]
mechanism = "toeplitz"
epsilon = 1.0
delta = 1e-5
clip = 1.0
"#;

/// Free rounds, and lock-step.
pub static SAMPLES: LazyLock<[Sample; 4]> = LazyLock::new(|| {
    [
        Sample::new("name = \"dpsda-r\"", false),
        Sample::new("name = \"dpsda-r\"", true),
        Sample::new("name = \"dpsda-c\"\nlinks = \"running-sums\"", true),
        Sample::new("name = \"dpsda-ps\"\nlinks = \"running-sums\"", true),
    ]
});

/// Members that run an experiment.
pub struct Sample {
    text: String,
    setting: Setting,
}

/// The key of a member.
pub fn identity(k: usize) -> Identity {
    Identity::from_secret([k as u8 + 1; 32])
}

impl Sample {
    fn new(algorithm: &str, in_step: bool) -> Self {
        let mut text = EXPERIMENT.replace("ALGORITHM", algorithm);
        if algorithm.contains("links") {
            // Noise that cancels over time is for nodes that relay.
            text = text.replace("toeplitz", "discrete-gaussian") + "arithmetic = \"grid\"\n";
        }
        let setting = if in_step { Setting::in_step(&text) } else { Setting::new(&text) };
        Self { text, setting }
    }

    /// What its frames look like.
    pub fn grammar(&self) -> Grammar {
        self.setting.grammar()
    }

    /// The experiment.
    pub fn config(&self) -> &RunConfig {
        &self.setting.run
    }

    /// Whether the owner of a block has signed this.
    pub fn is_signed(&self, entry: &Entry) -> bool {
        entry.is_by(&self.setting.members()[entry.content.owner as usize], &MANIFEST)
    }

    /// A member, new or on its last record. None if that is not its own.
    pub fn node(&self, me: usize, record: Option<Record>) -> Option<(Box<dyn Machine>, Vec<Todo>)> {
        self.setting.start(me, 0, u64::MAX, record.map(|record| (record, Vec::new())))
    }

    /// All that members send node 0 and all that they store, in a run in which nothing is lost.
    pub fn run(&self) -> (Vec<(usize, Vec<u8>)>, Vec<Record>) {
        let (mut heard, mut stored) = (Vec::new(), Vec::new());
        let (mut nodes, mut todo) = (Vec::new(), VecDeque::new());
        for me in 0..MEMBERS {
            let (node, first) = self.node(me, None).expect("a member");
            nodes.push(node);
            todo.extend(first.into_iter().map(|one| (me, one)));
        }
        loop {
            while let Some((me, one)) = todo.pop_front() {
                let (who, more) = match one {
                    Todo::Store(record) => {
                        stored.push(*record);
                        (me, nodes[me].on(Happened::Durable))
                    }
                    Todo::Send { to, bytes } => {
                        if to == 0 {
                            heard.push((me, bytes.clone()));
                        }
                        (to, nodes[to].on(Happened::Heard { from: me, bytes: &bytes }))
                    }
                    _ => continue,
                };
                todo.extend(more.into_iter().map(|one| (who, one)));
            }
            let Some(me) = (0..MEMBERS).find(|me| nodes[*me].ready()) else { break };
            let (t, node) = (nodes[me].round(), &mut nodes[me]);
            self.setting
                .reveal(t, &mut |f| todo.extend(node.on(Happened::Cost(f)).into_iter().map(|one| (me, one))));
        }
        (heard, stored)
    }

    /// What its members would sign, signed.
    pub fn signed(&self) -> Signed {
        let sizes = self.config().spec.blocks().sizes().into_iter().enumerate();
        let member = |(k, size)| Member {
            name: format!("node-{k}"),
            key: self.setting.members()[k],
            coordinates: size as u64,
        };
        let mut signed = Signed::new(Manifest {
            name: "fuzz".into(),
            epoch: 1,
            needs: 2,
            experiment: self.text.clone(),
            promise: Pledge::of(self.config()),
            member: sizes.map(member).collect(),
        });
        (0..MEMBERS).for_each(|k| signed.sign(&identity(k)).expect("a member"));
        signed
    }
}
