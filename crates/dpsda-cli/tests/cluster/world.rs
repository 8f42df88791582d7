//! A folder with nodes in it, each a process of its own. Most of the time its test waits, so a second test runs beside it. A test that
//! looks at a clock has the machine to itself.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::net::{TcpListener, UdpSocket};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread::sleep;
use std::time::{Duration, Instant};

use dpsda_node::board::Decision;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::desk::Desk;

/// Nothing here takes longer, however busy the machine is.
pub(crate) const LONG: Duration = Duration::from_secs(60);

static TURN: RwLock<()> = RwLock::new(());

/// The ports that some test has. A node that was killed will want its port again.
static TAKEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

/// A small experiment of three nodes that know nothing of data sets on disk.
pub(crate) const SMALL: &str = r#"
title = "small"
rounds = 100
[problem]
loss = "squared"
data = "synthetic-regression"
features = 6
[set]
kind = "box"
lower = -5.0
upper = 5.0
[network]
nodes = 3
graph = "ring"
[algorithm]
name = "dpsda-r"
[privacy]
mechanism = "discrete-gaussian"
epsilon = 1.0
delta = 1e-5
adjacency = "example"
clip = 1.0
"#;

pub(crate) struct World {
    desk: Desk,
    _turn: Turn,
}

/// Others may run beside this test, or none. A poisoned lock means that another test failed, not this.
enum Turn {
    Shared { _turn: RwLockReadGuard<'static, ()> },
    Alone { _turn: RwLockWriteGuard<'static, ()> },
}

impl Deref for World {
    type Target = Desk;

    fn deref(&self) -> &Desk {
        &self.desk
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let turn = TURN.read().unwrap_or_else(PoisonError::into_inner);
        Self { desk: Desk::new(), _turn: Turn::Shared { _turn: turn } }
    }

    /// The same, and no other test runs meanwhile.
    pub(crate) fn alone() -> Self {
        let turn = TURN.write().unwrap_or_else(PoisonError::into_inner);
        Self { desk: Desk::new(), _turn: Turn::Alone { _turn: turn } }
    }

    /// A key, and the member that it makes: `NAME=KEY`.
    pub(crate) fn member(&self, name: &str) -> String {
        let said = self.works(&["node", "init", name]);
        said.out.split_once("--member ").unwrap().1.trim().to_owned()
    }

    /// Nodes of an experiment whose manifest everybody has signed, none of them started. `own` are keys for [node] of each.
    pub(crate) fn nodes(&self, experiment: &str, own: &str) -> Vec<Node> {
        self.put("e.toml", experiment);
        let count = experiment.lines().find_map(|line| line.strip_prefix("nodes = ")?.parse().ok()).unwrap();
        let names: Vec<String> = (0..count).map(|k: usize| format!("node-{k}")).collect();
        let members: Vec<String> = names.iter().map(|name| self.member(name)).collect();
        let mut make = vec!["manifest", "make", "e.toml"];
        make.extend(members.iter().flat_map(|member| ["--member", member]));
        self.works(&make);
        for name in &names {
            self.works(&["manifest", "sign", "manifest.toml", "--key", &format!("{name}/node.key")]);
        }
        self.place(&names, own)
    }

    /// Nodes whose keys and whose manifest are there: a file for each.
    pub(crate) fn place(&self, names: &[String], own: &str) -> Vec<Node> {
        let (udp, tcp) = ports(names.len());
        let node = |(k, name): (usize, &String)| {
            let mut text = format!(
                "[node]\nmanifest = \"../manifest.toml\"\nlisten = \"127.0.0.1:{}\"\nhttp = \"127.0.0.1:{}\"\n",
                udp[k], tcp[k]
            );
            if !own.contains("decisions") {
                text += "decisions = \"decisions.jsonl\"\n";
            }
            text += &format!("{own}\n[node.peers]\n");
            for (peer, port) in names.iter().zip(&udp).filter(|(peer, _)| *peer != name) {
                text += &format!("{peer} = \"127.0.0.1:{port}\"\n");
            }
            self.put(&format!("{name}/node.toml"), &text);
            let http = format!("127.0.0.1:{}", tcp[k]);
            Node { name: name.clone(), folder: self.path(name), http, child: None }
        };
        names.iter().enumerate().map(node).collect()
    }

    /// Starts all nodes, kills node 3 after a third of the rounds, and starts it again when the others have gone on. All finish.
    pub(crate) fn survive_a_kill(nodes: &mut [Node], rounds: u64) {
        nodes.iter_mut().for_each(Node::start);
        nodes[3].until_round(rounds / 3);
        nodes[3].kill();
        let before = nodes[0].round().unwrap();
        nodes[0].until_round(before + 5); // no node waits for node 3
        nodes[3].start();
        nodes.iter().for_each(|node| node.until_round(rounds));
    }

    /// Stops a node. Its ledger must have one release per round.
    pub(crate) fn stopped(&self, node: &mut Node, rounds: u64) -> Value {
        assert!(node.stop(Signal::TERM).0.success(), "{}", node.name);
        let book = self.ledger(node);
        assert_eq!(book["releases"], rounds, "{}: one release per round", node.name);
        book
    }

    /// What the ledger of a node says, which must be whole.
    pub(crate) fn ledger(&self, node: &Node) -> Value {
        let store = node.folder.join("store");
        let book: Value =
            serde_json::from_str(&self.works(&["ledger", store.to_str().unwrap(), "--json"]).out).unwrap();
        assert_eq!(book["chain"]["whole"], true, "{}", node.name);
        book
    }
}

/// One node. It is killed with this.
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) http: String,
    pub(crate) child: Option<Child>,
}

impl Node {
    pub(crate) fn start(&mut self) {
        self.start_with(Stdio::null(), Stdio::null());
    }

    pub(crate) fn start_with(&mut self, input: impl Into<Stdio>, output: impl Into<Stdio>) {
        assert!(self.child.is_none(), "{} runs", self.name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_dpsda"));
        command.arg("node").arg(self.folder.join("node.toml")).stdin(input).stdout(output);
        self.child = Some(command.stderr(append(&self.folder.join("log.jsonl"))).spawn().unwrap());
    }

    /// As the power goes.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        send(self.child.as_ref().unwrap(), signal);
    }

    /// Asks it to stop: how it ended, and after how long.
    pub(crate) fn stop(&mut self, signal: Signal) -> (ExitStatus, Duration) {
        self.signal(signal);
        let asked = Instant::now();
        let status = self.ended();
        (status, asked.elapsed())
    }

    /// How it ended. It must end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        let mut child = self.child.take().unwrap();
        let name = self.name.clone();
        ended(&mut child, &name)
    }

    /// What it answers, if it does.
    pub(crate) fn get(&self, path: &str) -> Option<(u16, String)> {
        let mut answer = agent().get(format!("http://{}{path}", self.http)).call().ok()?;
        Some((answer.status().as_u16(), answer.body_mut().read_to_string().ok()?))
    }

    /// Posts costs: the status, and the answer to each line.
    pub(crate) fn post(&self, lines: &str) -> (u16, String) {
        let mut answer = agent().post(format!("http://{}/costs", self.http)).send(lines).unwrap();
        (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
    }

    /// Its state. Null if it does not answer.
    pub(crate) fn now(&self) -> Value {
        let status: Option<Value> =
            self.get("/status").and_then(|(_, text)| serde_json::from_str(&text).ok());
        status.map_or(Value::Null, |status| status["now"].clone())
    }

    pub(crate) fn round(&self) -> Option<u64> {
        self.now()["round"].as_u64()
    }

    pub(crate) fn until_round(&self, round: u64) {
        until(&format!("{} is in round {round}", self.name), || self.round().filter(|now| *now >= round));
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log.jsonl")).unwrap_or_default()
    }

    /// All that it decided. No line may be torn.
    pub(crate) fn decisions(&self) -> Vec<Decision> {
        let text = fs::read_to_string(self.folder.join("decisions.jsonl")).unwrap();
        assert!(text.ends_with('\n'), "{}: a torn line", self.name);
        text.lines().map(decision).collect()
    }

    /// Its decisions of rounds 0 to `rounds`, when all are written: one per round, all in the first epoch.
    pub(crate) fn whole_run(&self, rounds: u64) -> Vec<Decision> {
        let decisions =
            until("all is written", || Some(self.decisions()).filter(|all| all.len() as u64 > rounds));
        let found: Vec<(u64, u64)> = decisions.iter().map(|one| (one.epoch, one.round)).collect();
        assert_eq!(found, (0..=rounds).map(|t| (0, t)).collect::<Vec<_>>(), "{}", self.name);
        decisions
    }
}

/// A line of decisions.
pub(crate) fn decision(line: &str) -> Decision {
    serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))
}

impl Drop for Node {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            let log = self.log();
            let from = log.char_indices().rev().nth(2000).map_or(0, |(at, _)| at);
            eprintln!("--- {}\n{}", self.name, &log[from..]);
        }
    }
}

pub(crate) fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap(), signal).unwrap();
}

/// How a process ended. It must end.
pub(crate) fn ended(child: &mut Child, name: &str) -> ExitStatus {
    until(&format!("{name} has ended"), || child.try_wait().unwrap())
}

/// Waits for something that must happen, and gives what was found.
pub(crate) fn until<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < LONG, "it never came to pass that {what}");
        sleep(Duration::from_millis(10));
    }
}

fn agent() -> ureq::Agent {
    let limit = Some(Duration::from_secs(20));
    ureq::Agent::config_builder().timeout_global(limit).http_status_as_error(false).build().into()
}

fn append(path: &Path) -> File {
    OpenOptions::new().create(true).append(true).open(path).unwrap()
}

/// Ports that are free now, and that no other test has: UDP and TCP.
pub(crate) fn ports(count: usize) -> (Vec<u16>, Vec<u16>) {
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut sockets, mut listeners) = (Vec::new(), Vec::new()); // open until all are found: no port is found twice
    let mut udp = || {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        sockets.push(socket);
        port
    };
    let mut tcp = || {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        listeners.push(listener);
        port
    };
    let mut free = |port: &mut dyn FnMut() -> u16| {
        std::iter::repeat_with(port).filter(|port| taken.insert(*port)).take(count).collect()
    };
    (free(&mut udp), free(&mut tcp))
}
