//! Whether the scripts compute what dpsda computes: decisions without noise, on the same samples.

use crate::case::Case;
use crate::line::{Line, Report, Unit};
use crate::process;
use crate::tools::Tools;
use crate::whole::ours;

/// One for each way in which the scripts compute gradients.
const SIZES: [Case; 5] = [
    Case::new(7, 30, 5, 30),
    Case::new(7, 1400, 2, 12),
    Case::new(16, 40, 3, 30),
    Case::new(100, 100, 1, 30),
    Case::new(120, 200, 3, 20),
];

pub(crate) fn run(tools: &Tools, report: &mut Report) -> Result<(), String> {
    for case in SIZES {
        for algorithm in ["dpsda-c", "dpsda-ps", "dpsda-r"] {
            let script = |task: &str| {
                let mut command = tools.script("agree.py", 1)?;
                for size in [case.n, case.d, case.batch, case.rounds as usize] {
                    command.arg(size.to_string());
                }
                process::run(command.args([algorithm, case.graph(), task]).arg(&tools.place))
            };
            let text = case.file(algorithm, "record = [\"decisions\"]");
            let text = text.replace("level = 1.0", "level = inf").replace(
                "data = \"synthetic-regression\"\nfeatures",
                "data = \"csv\"\npath = \"agree.csv\"\nlabel = \"label\"\nshuffle = false\n# features",
            );
            let file = tools.file("agree.toml", &text)?;
            script("write")?;
            process::run(&mut ours(tools, &file, 1)?)?;
            let said = script("compare")?.text;
            let apart: f64 = said.trim().parse().map_err(|_| format!("agree.py said {said:?}"))?;
            let what = format!("{} T = {} {algorithm}: largest difference", case.name(), case.rounds);
            report.add(Line::new(what, Unit::Plain, apart).at_most(1e-9));
        }
    }
    Ok(())
}
