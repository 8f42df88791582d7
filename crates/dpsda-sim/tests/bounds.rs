//! What is measured is never above what is promised, and where a promise is exact, not below it either.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::Path;

use dpsda::catalog::Listing;
use dpsda::metric::{self, Build, Finished, consensus_error, regret_bound, regret_per_round, theorem1};
use dpsda_sim::bounds::{RunBounds, rows};
use dpsda_sim::folder::summary_rows;
use dpsda_sim::{Experiment, Options, Outcome, Progress, Run};

/// Every case: loss, set, graph, privacy, and what else.
const CASES: [&str; 11] = [
    "squared; kind = 'box', lower = -1.0, upper = 2.0; graph = 'ring'; ",
    "squared; kind = 'ball', radius = 1.5; graph = 'paper-fig2'; mechanism = 'laplace', level = 1.0",
    "logistic; kind = 'ball', radius = 3.0; graph = 'paper-fig2'; mechanism = 'gaussian', level = 0.3",
    "huber; kind = 'simplex', psi = 'entropic'; graph = 'star'; mechanism = 'laplace', level = 0.5, noise = 'all', decide = 'private'",
    "squared; kind = 'box', lower = -0.2, upper = 0.2; graph = 'exponential'; mechanism = 'laplace', level = 0.2, noise = 'all'",
    "huber; kind = 'box', lower = 0.5, upper = 2.0; graph = 'complete'; mechanism = 'laplace', level = 2.0, decide = 'private'",
    "logistic; kind = 'box', lower = -1.0, upper = 1.0; graph = 'erdos-renyi', p = 0.3; mechanism = 'discrete-laplace', level = 1.0, clip = 0.5",
    "squared; kind = 'ball', radius = 0.5; graph = 'ring', loss = { kind = 'bernoulli', rate = 0.4 }; mechanism = 'discrete-gaussian', level = 0.5, clip = 1.0",
    "logistic; kind = 'simplex'; graph = 'paper-fig2'; mechanism = 'gaussian', level = 1.0, decide = 'private', noise = 'all'",
    "squared; kind = 'box', lower = -5.0, upper = 5.0; graph = 'paper-fig2'; mechanism = 'laplace', level = 0.2",
    "hinge; kind = 'box', lower = -1.0, upper = 1.0; graph = 'ring'; mechanism = 'laplace', level = 1.0",
];

/// Weights whose columns do not sum to one on a star.
const UNIFORM: &str = "[algorithm.dpsda-c]\nweights = 'uniform'\n";

fn toml(case: &str, k: usize) -> String {
    let parts: Vec<&str> = case.split(';').map(str::trim).collect();
    let lines = |part: &str| {
        let mut text = String::new();
        let mut depth = 0;
        for c in part.chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            text.push(if c == ',' && depth == 0 { '\n' } else { c });
        }
        text
    };
    let classifies = matches!(parts[0], "logistic" | "hinge");
    let data = if classifies {
        "data = 'mushroom'\ntrain = 600"
    } else {
        "data = 'synthetic-regression'\nfeatures = 9"
    };
    format!(
        "rounds = {}\ntrials = 6\nseed = {k}\nrecord = ['bounds']\n[problem]\nloss = '{}'\n{data}\nbatch = {}\ngradient_error = {}\n\
         [set]\n{}\n[network]\nnodes = 7\n{}\n[algorithm]\nname = ['dpsda-c', 'dpsda-ps', 'dpsda-r', 'dpcda']\nstep = {}\n[privacy]\n{}\n",
        if classifies { 150 } else { 200 },
        parts[0],
        1 + 2 * (k % 2),
        [0.0, 0.1][k % 2],
        lines(parts[1]),
        lines(parts[2]),
        [1.0, 0.3, 2.0][k % 3],
        lines(parts[3]),
    )
}

fn ran(text: &str) -> (Experiment, Outcome) {
    let experiment = Experiment::load(text, &[], Path::new("")).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let outcome = experiment.run(Options::default(), &Progress::default());
    (experiment, outcome)
}

/// Rounds done, regret (2) per round, and two further columns.
type Measured = (u64, f64, [Option<f64>; 2]);

/// Of every trial and every checkpoint: rounds done, regret (2) per round, and the metrics asked for.
fn measured(outcome: &Outcome, run: &Run, metrics: [&Listing<Build>; 2]) -> Vec<Vec<Measured>> {
    let along = |trial: &Finished<'_>, listing: &Listing<Build>| {
        let curve = metric::all().get(listing).unwrap().along(trial);
        curve.unwrap_or_else(|| vec![None; trial.curves.rounds().len()])
    };
    let one = |trial: &u32| {
        let trial = outcome.finished(run, *trial).unwrap();
        let [first, second] = metrics.map(|listing| along(&trial, listing));
        let regret = along(&trial, &regret_per_round::LISTING);
        let points = trial.curves.rounds().iter().zip(regret).zip(first.into_iter().zip(second));
        points.filter_map(|((t, regret), (first, second))| Some((*t, regret?, [first, second]))).collect()
    };
    run.trials.keys().map(one).collect()
}

/// Messages that are late or lost without anybody knowing: copies of relay only grow older.
const LATE: &str = "squared; kind = 'ball', radius = 1.5; graph = 'ring', delay = { kind = 'fixed', rounds = 3 }, \
    loss = { kind = 'bernoulli', rate = 0.3, known = false }; mechanism = 'laplace', level = 1.0";

/// Theorem 1, evaluated along the run: it holds path by path, for any loss, noise, clip and network, also where the columns
/// of the weights do not sum to one and where the noise cancels over time.
#[test]
fn theorem_1_holds_on_every_path() {
    let mut seen = 0;
    let more = [
        "squared; kind = 'box', lower = -1.0, upper = 2.0; graph = 'star'; mechanism = 'laplace', level = 1.0",
        "logistic; kind = 'ball', radius = 3.0; graph = 'ring'; mechanism = 'discrete-laplace', level = 1.0, clip = 0.5, arithmetic = 'grid'",
        LATE,
    ];
    let all = CASES.into_iter().chain(more).enumerate();
    let fixed = |(k, case)| (case, toml(case, k) + if case.contains("star") { UNIFORM } else { "" });
    let automatic = |(k, case): (usize, &'static str)| {
        let text = toml(case, k).replace("'dpsda-c', 'dpsda-ps', ", "");
        let steps = text.lines().map(|line| if line.starts_with("step = ") { "step = 'auto'" } else { line });
        (case, steps.collect::<Vec<_>>().join("\n"))
    };
    let some = all.clone().filter(|(k, case)| *k % 3 == 1 || *case == LATE);
    for (case, text) in all.map(fixed).chain(some.map(automatic)) {
        let (experiment, outcome) = ran(&text);
        for run in &outcome.runs {
            for (t, regret, [theorem, _]) in
                measured(&outcome, run, [&theorem1::LISTING, &theorem1::LISTING]).concat()
            {
                let theorem = theorem.unwrap();
                let name = experiment.runs[run.index].spec.algorithm().name();
                assert!(regret <= theorem + 1e-9, "{case}: {name}, {t} rounds: {regret} > {theorem}");
                seen += 1;
            }
        }
    }
    assert!(seen > 4000, "{seen}");
}

/// Expected regret and consensus error, by the mean over trials, against what was promised before the run.
#[test]
fn measured_is_never_above_the_bound() {
    let mut bounded = 0;
    for (k, case) in CASES.into_iter().chain([LATE]).enumerate() {
        let (experiment, outcome) = ran(&toml(case, k));
        for run in &outcome.runs {
            let name = experiment.runs[run.index].spec.algorithm().name();
            let trials = measured(&outcome, run, [&regret_bound::LISTING, &consensus_error::LISTING]);
            for point in 0..trials[0].len() {
                let here: Vec<_> = trials.iter().map(|trial| trial[point]).collect();
                let mean =
                    |of: &dyn Fn(&Measured) -> f64| here.iter().map(of).sum::<f64>() / here.len() as f64;
                let none = case.starts_with("hinge") && name != "dpcda"
                    || case == LATE && ["dpsda-c", "dpsda-ps"].contains(&name);
                if here[0].2[0].is_none_or(f64::is_nan) {
                    assert!(none, "{case}: {name} has no bound");
                    continue;
                }
                assert!(!none || here[0].0 == 1, "{case}: {name} has a bound"); // in round 0 nobody lags
                assert!(mean(&|p| p.1) <= mean(&|p| p.2[0].unwrap()), "{case}: {name}, {} rounds", here[0].0);
                bounded += 1;
            }
        }
        for row in rows(&experiment) {
            let run = &outcome.runs[row.run];
            let name = experiment.runs[row.run].spec.algorithm().name();
            let trials = measured(&outcome, run, [&consensus_error::LISTING, &theorem1::LISTING]);
            let last: Vec<_> = trials.iter().map(|trial| *trial.last().unwrap()).collect();
            let regret = last.iter().map(|p| p.1).sum::<f64>() / last.len() as f64;
            let rounds = last[0].0 as f64;
            // Six trials of a sum of squares scatter by less than their mean.
            let consensus = last.iter().map(|p| p.2[0].unwrap_or(0.0)).sum::<f64>() / last.len() as f64 / 2.0;
            for (which, bound) in [("certified", &row.certified), ("real", &row.real)] {
                let Ok(bound) = bound else { continue };
                assert!(regret * rounds <= bound.regret, "{case}: {name}, {which}: {regret} {bound:?}");
                assert!(
                    consensus <= bound.consensus * (1.0 + 1e-9) + 1e-12,
                    "{case}: {name}, {which}: {consensus} {bound:?}"
                );
            }
            if let (Ok(certified), Ok(real)) = (&row.certified, &row.real) {
                assert!(
                    real.regret <= certified.regret * (1.0 + 1e-9),
                    "{case}: {name}: real {real:?}, certified {certified:?}"
                );
            }
            if let Some(printed) = row.printed.and_then(|p| p.regret) {
                assert!(regret <= printed, "{case}: {name}: {regret}, printed {printed}");
            }
        }
    }
    assert!(bounded > 600, "{bounded}");
}

/// Linear costs on `[-1, 1]^3`: signs that alternate make dual averaging lose its steps, half a step a round, and signs that then stay
/// make it lose `r^2/(2 alpha)` until it has turned. That is all of (E1) and of `C/alpha(T-1)`: 99 % of the bound, so that one which is too
/// small by a tenth, or has alpha(t) for alpha(t-1), is below the regret.
#[test]
fn where_dual_averaging_does_its_worst_it_attains_the_bound() {
    let (alternating, staying) = (400, 20);
    let mut csv = String::from("a,b,c,y\n");
    for t in 0..alternating + staying {
        // Huber's slope is 1 from one unit away on, and labels are at least two away from anything in the set.
        let falls = t < alternating && t % 2 == 1;
        csv += if falls { "1,1,1,5\n" } else { "1,1,1,-5\n" };
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::write(folder.join("worst.csv"), csv).unwrap();
    for (nodes, names) in [(3, "'dpsda-r', 'dpcda'"), (1, "'dpsda-c', 'dpsda-ps', 'dpsda-r', 'dpcda'")] {
        let text = format!(
            "record = ['bounds']\n[problem]\nloss = 'huber'\ndata = 'csv'\npath = 'worst.csv'\nlabel = 'y'\nshuffle = false\n\
             [set]\nkind = 'box'\nlower = -1.0\nupper = 1.0\n[network]\nnodes = {nodes}\ngraph = 'complete'\n\
             [algorithm]\nname = [{names}]"
        );
        let experiment = Experiment::load(&text, &[], folder).unwrap_or_else(|e| panic!("{e}"));
        let outcome = experiment.run(Options::default(), &Progress::default());
        for RunBounds { run, real, .. } in rows(&experiment) {
            let finished = &outcome.runs[run];
            let (rounds, regret, [along, theorem]) =
                *measured(&outcome, finished, [&regret_bound::LISTING, &theorem1::LISTING])[0]
                    .last()
                    .unwrap();
            let before = real.unwrap().regret / rounds as f64;
            let name = experiment.runs[run].spec.algorithm().name();
            for (which, bound) in
                [("real", before), ("along", along.unwrap()), ("theorem1", theorem.unwrap())]
            {
                assert!(
                    regret <= bound && regret > 0.99 * bound,
                    "{nodes} nodes, {name}, {which}: {regret} of {bound}"
                );
            }
        }
    }
}

/// Where noise is all there is, the consensus error is what the products of the weight matrices say, not just at most that.
#[test]
fn the_consensus_error_of_noise_alone_is_the_bound() {
    for (noise, decide) in
        [("own", "published"), ("all", "private"), ("all", "published"), ("own", "private")]
    {
        let (experiment, outcome) = ran(&format!(
            "rounds = 30\ntrials = 400\nrecord = ['bounds']\n[problem]\nloss = 'squared'\ndata = 'synthetic-regression'\n\
             features = 10\nfeature_range = 1e-9\nnoise_variance = 0\n[set]\nkind = 'box'\nlower = -1.0\nupper = 1.0\n\
             [network]\nnodes = 7\ngraph = 'paper-fig2'\n[algorithm]\nname = ['dpsda-c', 'dpsda-ps', 'dpsda-r']\n\
             [privacy]\nmechanism = 'gaussian'\nlevel = 1.0\nnoise = '{noise}'\ndecide = '{decide}'"
        ));
        for RunBounds { run, real, .. } in rows(&experiment) {
            let trials =
                measured(&outcome, &outcome.runs[run], [&consensus_error::LISTING, &theorem1::LISTING]);
            let errors: Vec<f64> = trials.iter().map(|trial| trial.last().unwrap().2[0].unwrap()).collect();
            let mean = errors.iter().sum::<f64>() / 400.0;
            let deviation = (errors.iter().map(|e| (e - mean).powi(2)).sum::<f64>() / 399.0).sqrt();
            let (bound, slack) = (real.unwrap().consensus, 5.0 * deviation / 20.0);
            let name = experiment.runs[run].spec.algorithm().name();
            assert!(
                (mean - bound).abs() < slack,
                "{name} {noise} {decide}: {mean} +- {slack}, promised {bound}"
            );
            assert!(slack < 0.35 * bound, "{name}: too few trials to tell");
        }
    }
}

/// Theorems 3 and 5 are printed where they do not hold, and say what is missing; relay needs none of it.
#[test]
fn a_printed_formula_is_marked_where_its_theorem_supposes_what_is_not_so() {
    let printed = |case: &str, extra: &str| {
        let experiment = Experiment::load(&(toml(case, 0) + extra), &[], Path::new("")).unwrap();
        let of = |row: &RunBounds| row.printed.map(|p| (p.regret.is_some(), p.broken.map(|m| m.to_string())));
        let found: Vec<_> = rows(&experiment).iter().map(of).collect();
        assert!(
            found[2].is_none() && found[3].is_none(),
            "the paper is not about R, nor does it bound DPCDA"
        );
        [found[0].clone().unwrap(), found[1].clone().unwrap()]
    };
    let ring = "squared; kind = 'box', lower = -1.0, upper = 2.0; graph = 'ring'; mechanism = 'laplace', level = 1.0";
    assert_eq!(printed(ring, ""), [(true, None), (true, None)]);
    let star = ring.replace("'ring'", "'star'");
    let columns = Some("columns of the weights do not sum to 1 (Lemma 2(a))".to_owned());
    assert_eq!(printed(&star, UNIFORM), [(true, columns), (true, None)]);
    let late = Some("messages arrive late, or are lost unnoticed".to_owned());
    assert_eq!(printed(LATE, ""), [(true, late.clone()), (true, late)]);
    let apart = ring.replace("'ring'", "'erdos-renyi', p = 0.0");
    let alone = Some("the graphs do not connect all nodes in windows of any length".to_owned());
    assert_eq!(printed(&apart, ""), [(true, alone.clone()), (false, alone)]);
}

/// `L D'` is about decisions from the set, and these are none.
#[test]
fn nothing_is_promised_for_models_that_leave_the_set() {
    let text = toml(CASES[0], 0).replace("'dpsda-c', 'dpsda-ps', 'dpsda-r', 'dpcda'", "'doda', 'osp'");
    let experiment = Experiment::load(&text, &[], Path::new("")).unwrap();
    let trivial: Vec<f64> = rows(&experiment).iter().map(|row| row.trivial).collect();
    assert!(trivial[0].is_finite() && trivial[1].is_infinite(), "{trivial:?}");
    let warned: Vec<_> = experiment.runs.iter().map(|config| config.warnings.join("; ")).collect();
    assert!(warned.iter().all(|w| w.contains("record = [\"bounds\"]: no bound is known for")), "{warned:?}");
    let (_, outcome) = ran(&text);
    assert!(outcome.runs.iter().all(|run| run.trials[&0].trial.curves.get(&regret_bound::LISTING).is_none()));
}

#[test]
fn what_cannot_be_promised_is_said_with_its_reason() {
    let case = "squared; kind = 'free'; graph = 'star'; mechanism = 'laplace', level = 1.0";
    let text = toml(case, 0).replace(", 'dpsda-ps'", "") + UNIFORM;
    let experiment = Experiment::load(&text, &[], Path::new("")).unwrap();
    assert!(rows(&experiment).iter().all(|row| row.real.is_err() && row.certified.is_err()));
    let boxed = text.replace("kind = 'free'", "kind = 'box'\nlower = 0.0\nupper = 1.0");
    let experiment = Experiment::load(&boxed, &[], Path::new("")).unwrap();
    let rows = rows(&experiment);
    let why = |k: usize| rows[k].real.map_err(|m| m.to_string());
    assert_eq!(why(0), Err("columns of the weights do not sum to 1 (Lemma 2(a))".into()));
    assert!(why(1).is_ok() && why(2).is_ok(), "relay needs no weights");
    let guessed = boxed.replace("loss = 'squared'", "loss = 'squared'\nfeedback = 'two-point'");
    let experiment = Experiment::load(&guessed, &[], Path::new("")).unwrap();
    let told = "gradients are estimated from costs";
    assert!(
        dpsda_sim::bounds::rows(&experiment).iter().all(|r| r.real.is_err_and(|m| m.to_string() == told))
    );
    let apart = boxed.replace("graph = 'star'", "graph = 'erdos-renyi'\np = 0.0").replace(UNIFORM, "");
    let experiment = Experiment::load(&apart, &[], Path::new("")).unwrap();
    let rows = dpsda_sim::bounds::rows(&experiment);
    assert_eq!(
        rows[0].certified.map_err(|m| m.to_string()),
        Err("the graphs do not connect all nodes in windows of any length".into())
    );
    assert!(rows[0].real.is_ok_and(|p| p.regret > rows[0].trivial * p.rounds as f64), "worse than nothing");
}

/// The exponent in the summary is the slope of the regrets in the series.
#[test]
fn the_exponent_is_fitted_to_the_checkpoints() {
    let text = "rounds = 2000\ntrials = 3\n[problem]\nloss = 'squared'\ndata = 'synthetic-regression'\nfeatures = 3\n[set]\nkind = 'box'\n\
        lower = -5.0\nupper = 5.0\n[network]\nnodes = 3\ngraph = 'ring'\n[algorithm]\nname = ['dpsda-c', 'dpcda']\n\
        [privacy]\nmechanism = 'laplace'\nlevel = 0.5";
    let (experiment, outcome) = ran(text);
    for (run, row) in outcome.runs.iter().zip(summary_rows(&experiment, &outcome)) {
        let trials = measured(&outcome, run, [&theorem1::LISTING, &theorem1::LISTING]);
        let points: Vec<(f64, f64)> = (0..trials[0].len())
            .map(|k| {
                (trials[0][k].0 as f64, trials.iter().map(|t| t[k].1 * t[k].0 as f64).sum::<f64>() / 3.0)
            })
            .filter(|(t, _)| *t >= 2000.0 / 31.6)
            .map(|(t, r)| (t.ln(), r.ln()))
            .collect();
        let n = points.len() as f64;
        let (sx, sy) = points.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0, y + p.1));
        let (sxx, sxy) = points.iter().fold((0.0, 0.0), |(xx, xy), p| (xx + p.0 * p.0, xy + p.0 * p.1));
        let slope = (n * sxy - sx * sy) / (n * sxx - sx * sx);
        let found = row["regret_exponent"].as_f64().unwrap();
        assert!((found - slope).abs() < 1e-9, "{found} {slope}");
        assert!(found > 0.1 && found < 0.9 && row["regret_exponent_se"].as_f64().unwrap() < 0.3, "{row:?}");
    }
}

/// Section 6.1, as `experiments/exponent.toml` runs it to T = 100000, to a tenth of that.
#[test]
fn regret_grows_no_faster_than_t_to_the_0_55() {
    let text = include_str!("../../../experiments/exponent.toml");
    let overrides = ["rounds=10000".to_owned(), "trials=2".to_owned()];
    let experiment = Experiment::load(text, &overrides, Path::new("")).unwrap();
    let outcome = experiment.run(Options::default(), &Progress::default());
    for row in summary_rows(&experiment, &outcome) {
        let exponent = row["regret_exponent"].as_f64().unwrap();
        assert!(exponent <= 0.55, "{} at level {}: {exponent}", row["algorithm"], row["level"]);
    }
}
