//! What holds for every data set.

use super::*;

fn each() -> Vec<(&'static str, Box<dyn Source>)> {
    let file: String = (0..30).map(|k| format!("{},{k}\n", k % 2)).collect();
    let svm: String = (0..30).map(|k| format!("{} 1:{k}\n", k % 2)).collect();
    let sources = vec![
        ("synthetic-regression", build("synthetic-regression", "", b"").unwrap()),
        ("mushroom", build("mushroom", "", b"").unwrap()),
        ("mnist-68", build("mnist-68", "", b"").unwrap()),
        ("csv", csv("label = 'y'", &format!("y,x\n{file}")).unwrap()),
        ("libsvm", libsvm("", &svm).unwrap()),
    ];
    // What must be fetched first is tested beside its code, on small files of the same form.
    // A stream has no samples before there are nodes.
    let known = SOURCES.iter().map(|e| e.name).filter(|name| !["cifar10-cat", "stream"].contains(name));
    let (named, known): (Vec<_>, Vec<_>) = (sources.iter().map(|s| s.0).collect(), known.collect());
    assert_eq!(named, known, "every source is tested");
    sources
}

#[test]
fn asks_for_exactly_the_keys_it_lists() {
    let file = "y,x\n1,1\n";
    for (name, problem, content) in [
        ("synthetic-regression", "", ""),
        ("mushroom", "", ""),
        ("mnist-68", "", ""),
        ("csv", "path = 'm.csv'\nlabel = 'y'", file),
        ("libsvm", "path = 'm.svm'", "1 1:1"),
        ("stream", "features = 3", ""),
    ] {
        let table = dpsda_config::table(problem).unwrap();
        let keys = Keys::new("problem", &table);
        let entry = catalog::find(SOURCES, "problem.data", name).unwrap();
        (entry.build)(&keys, &|_| Ok(content.into())).unwrap();
        let listed: BTreeSet<_> = entry.keys.iter().map(|k| k.name.to_owned()).collect();
        assert_eq!(keys.asked().into_iter().collect::<BTreeSet<_>>(), listed, "{name}");
    }
}

#[test]
fn gives_the_same_trial_twice_and_another_one_for_another_trial_or_seed() {
    for (name, source) in each() {
        let order = |seed| {
            let Draw { samples, train, test } = source.draw(seed, 12, 6, true);
            train.iter().chain(&test).map(|&r| (row(&samples, r), samples.labels[r])).collect::<Vec<_>>()
        };
        assert_eq!(order(seed(0)), order(seed(0)), "{name}");
        assert_ne!(order(seed(0)), order(seed(1)), "{name}");
        assert_ne!(order(seed(0)), order(Seed::new(8)), "{name}");
    }
}

#[test]
fn holds_out_other_rows_than_it_learns_from() {
    for (name, source) in each() {
        for shuffle in [false, true] {
            let Draw { samples, train, test } = source.draw(seed(3), 20, 10, shuffle);
            assert_eq!((train.len(), test.len()), (20, 10), "{name}");
            let rows: BTreeSet<_> = train.iter().chain(&test).copied().collect();
            assert_eq!(rows.len(), 30, "{name}");
            assert!(rows.iter().all(|r| *r < samples.labels.len()), "{name}");
            assert_eq!(samples.labels.len(), samples.features.len(), "{name}");
            assert_eq!(samples.features.dim(), source.dim(), "{name}");
        }
    }
}

#[test]
fn learns_from_the_same_samples_when_run_for_longer() {
    for (name, source) in each() {
        let (short, long) = (source.draw(seed(2), 5, 0, true), source.draw(seed(2), 15, 0, true));
        for (a, b) in short.train.iter().zip(&long.train) {
            assert_eq!(row(&short.samples, *a), row(&long.samples, *b), "{name}");
            assert_eq!(short.samples.labels[*a], long.samples.labels[*b], "{name}");
        }
    }
}

#[test]
fn gives_what_there_is_when_asked_for_too_much() {
    for (name, source) in each() {
        let Some(len) = source.len() else { continue };
        let draw = source.draw(seed(0), len - 1, 5, true);
        assert_eq!((draw.train.len(), draw.test.len()), (len - 1, 1), "{name}");
        let draw = source.draw(seed(0), usize::MAX, usize::MAX, true);
        assert_eq!((draw.train.len(), draw.test.len()), (len, 0), "{name}");
    }
}

#[test]
fn a_stream_can_be_planned_and_not_simulated() {
    let text = "rounds = 1000000000\n[problem]\nloss = 'logistic'\ndata = 'stream'\nfeatures = 4\n[set]\nkind = 'ball'\nradius = 1.0\n\
                [network]\nnodes = 2\ngraph = 'complete'\n[algorithm]\nname = 'dpsda-r'\n[privacy]\nmechanism = 'discrete-laplace'\n\
                epsilon = 1.0\nclip = 1.0\nbudget = { lifetime = 5.0 }\n[node]\npeers = ['a', 'b']";
    let load = |text: &str| Prepared::load(text, &[], Path::new("")).err().map(|e| e.to_string());
    let hosted = Prepared::hosted(text, &[], Path::new("")).unwrap();
    assert_eq!((hosted.runs.len(), hosted.rounds(0)), (1, 1_000_000_000));
    assert!(load(text).unwrap().contains("privacy.budget.lifetime = 5"), "a simulation must afford its end");
    let unlimited = text.replace("budget = { lifetime = 5.0 }", "");
    assert!(load(&unlimited).unwrap().contains("problem.data = \"stream\""));
    let nameless = unlimited.replace("features = 4", "");
    assert!(load(&nameless).unwrap().contains("`problem.features` is missing"));
}

#[test]
fn an_experiment_says_by_which_rules_it_was_read() {
    let text = "rounds = 5\nproblem = { loss = 'squared', data = 'synthetic-regression' }\nset = { kind = 'free' }\n\
                network = { nodes = 3, graph = 'ring' }\nalgorithm = { name = 'dpsda-r' }\n";
    let base = Path::new("");
    let read = |prepared: Prepared| (prepared.runs[0].rules, prepared.config);
    let stated = |rules: u32| format!("rules = {rules}\n{text}");
    assert_eq!(read(Prepared::load(text, &[], base).unwrap()), (Rules::Second, stated(2)));
    assert_eq!(read(Prepared::hosted(text, &[], base).unwrap()), (Rules::Second, stated(2)));
    assert_eq!(read(Prepared::signed(text, base).unwrap()), (Rules::First, stated(1)));
    assert_eq!(read(Prepared::load(&stated(1), &[], base).unwrap()), (Rules::First, stated(1)));
    assert_eq!(read(Prepared::signed(&stated(2), base).unwrap()), (Rules::Second, stated(2)));
    let (rules, config) = read(Prepared::load(text, &["rules=1".into(), "seed=7".into()], base).unwrap());
    assert_eq!(rules, Rules::First);
    assert!(config.contains("rules = 1\n") && config.contains("seed = 7\n"), "{config}");
    let (_, config) = read(Prepared::load(text, &["seed=7".into()], base).unwrap());
    assert!(config.contains("rules = 2\n"), "{config}");
}
