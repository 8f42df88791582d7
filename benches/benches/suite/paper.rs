//! The paper's own experiments, end to end: all levels and trials.

use std::time::Duration;

use crate::line::{Line, Report, Unit};
use crate::process::turn;
use crate::tools::Tools;
use crate::whole::ours;
use dpsda_benches::turns::runs;

/// The file, and what the script is told.
const EXPERIMENTS: [(&str, &str); 3] = [
    ("fig3", "--data synthetic --d 21 --batch 1 --rounds 500 --trials 20"),
    ("mushroom", "--data mushroom --batch 100 --train 6000 --test 2000 --trials 10"),
    ("mnist", "--data mnist-68 --batch 100 --train 8000 --test 3769 --trials 10"),
];
const SHARED: &str = "--n 7 --graph paper-fig2 --weights uniform --error 0.1 --levels inf 1 0.5 0.2";

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    let algorithms = ["dpsda-c", "dpsda-ps", "dpsda-r"];
    for (name, words) in EXPERIMENTS {
        let file = tools.scripts.join("../../experiments/paper").join(name).with_extension("toml");
        let work = |threads: usize| {
            let file = file.clone();
            let own = turn(move || {
                let mut command = ours(tools, &file, threads)?;
                let list = algorithms.map(|name| format!("\"{name}\"")).join(",");
                command.args(["-s", &format!("algorithm.name=[{list}]")]);
                Ok(command)
            });
            let script = turn(move || {
                let mut command = tools.script("run.py", threads)?;
                command.args(words.split(' ')).args(SHARED.split(' ')).arg("--algorithms").args(algorithms);
                command.arg("--out").arg(tools.place.join("numpy"));
                Ok(command)
            });
            [own, script]
        };
        let mut works: Vec<_> = [1, 2].into_iter().flat_map(work).collect();
        let times = runs(&mut works, Duration::from_secs(20))?;
        for (at, words) in [(0, "one thread each"), (2, "two threads each")] {
            let what = format!("{name}: C, PS and R, four levels, all trials, {words}");
            let line = Line::new(what, Unit::Seconds, times.seconds(at).median);
            report.add(line.beside(times.seconds(at + 1).median, times.ratio(at + 1, at)));
        }
    }
    Ok(())
}
