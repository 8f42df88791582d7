//! Wrong input: one paragraph that names the key, the value and the remedy; exit code 2; nothing written.

use crate::desk::Desk;
use crate::sample::SMALL;

/// Runs SMALL with overrides that must be refused, and returns the error.
fn refused(desk: &Desk, overrides: &[&str]) -> String {
    desk.put("s.toml", SMALL);
    let before = desk.names();
    let args: Vec<&str> =
        ["run", "s.toml"].into_iter().chain(overrides.iter().flat_map(|o| ["-s", *o])).collect();
    let said = desk.dpsda(&args);
    assert_eq!(said.code, Some(2), "{overrides:?} was not refused: {}{}", said.out, said.err);
    assert!(said.err.starts_with("error: ") && said.out.is_empty(), "{}", said.err);
    assert_eq!(said.err.trim_end().lines().count(), 1, "one paragraph: {}", said.err);
    assert_eq!(desk.names(), before, "{overrides:?} left something behind");
    said.err
}

fn expect(overrides: &[&str], words: &[&str]) {
    let error = refused(&Desk::new(), overrides);
    for word in words {
        assert!(error.contains(word), "{overrides:?}: no {word:?} in: {error}");
    }
}

#[test]
fn unknown_keys_and_names_suggest_the_nearest() {
    expect(&["problem.bach=3"], &["unknown key `problem.bach`", "did you mean `batch`?"]);
    expect(&["tirals=3"], &["`tirals`", "did you mean `trials`?"]);
    expect(&["problem.loss=logistik"], &["problem.loss = \"logistik\"", "did you mean `logistic`?"]);
    expect(&["network.graph=rings"], &["did you mean `ring`?"]);
    expect(&["set.kind=bal"], &["did you mean `ball`?"]);
    expect(&["privacy.mechanism=laplas"], &["did you mean `laplace`?"]);
    expect(&["record=['decision']"], &["did you mean `decisions`?"]);
    expect(&["privacy.decide=publish"], &["did you mean `published`?"]);
}

#[test]
fn wrong_values_say_what_would_be_right() {
    expect(&["trials=0"], &["trials = 0", "at least 1"]);
    expect(&["trials=4000000000"], &["trials = 4000000000", "GiB", "use at most"]);
    expect(&["trials=2.5"], &["trials = 2.5", "whole number"]);
    expect(&["rounds='many'"], &["rounds = \"many\""]);
    expect(&["algorithm.step=-1"], &["algorithm.step = -1", "above 0"]);
    expect(&["privacy.mechanism=laplace"], &["`privacy.level` is missing", "level = 1.0"]);
    expect(&["privacy.level=1"], &["`privacy.mechanism` is missing"]);
    expect(&["privacy.mechanism=laplace", "privacy.level=0"], &["privacy.level = 0"]);
    expect(&["privacy.mechanism=laplace", "privacy.level=1e-310"], &["privacy.level = ", "at least 1e-100"]);
    expect(&["privacy.clip=0"], &["privacy.clip = 0"]);
    expect(&["problem.gradient_error=-0.1"], &["problem.gradient_error = -0.1", "variance"]);
    expect(&["set.lower=7"], &["set.lower"]);
    expect(&["title=\"a\\u001b[31m\""], &["title", "control characters"]);
    expect(&["problem.features=90000000", "network.nodes=2", "rounds=1"], &["network.nodes = 2", "GiB"]);
    expect(&["network.nodes=2000000"], &["network.nodes = 2000000", "at most 1048576"]);
    expect(&["=3"], &["-s =3", "key=value"]);
    expect(&["algorithm.step=[]"], &["algorithm.step = []", "at least one value"]);
    expect(&["network.loss.kind=bernoulli", "network.loss.rate=1.5"], &["network.loss.rate = 1.5", "0 to 1"]);
}

#[test]
fn steps_that_do_not_fit_name_the_remedy() {
    let laplace = "privacy.mechanism=laplace";
    expect(&["algorithm.steps=coordinat"], &["did you mean `coordinate`?"]);
    expect(
        &["algorithm.name=dpsda-c", "algorithm.steps=coordinate"],
        &["algorithm.steps = \"coordinate\"", "dpsda-r and dpcda", "[algorithm.dpsda-r]"],
    );
    expect(
        &["algorithm.name=dpsda-r", "algorithm.steps=coordinate", "set={ kind = 'simplex' }"],
        &["algorithm.steps = \"coordinate\"", "use \"decaying\""],
    );
    expect(
        &["algorithm.step={ inf = 1.0 }", laplace, "privacy.level=0.5"],
        &["algorithm.step", "\"0.5\" = 1.0"],
    );
    expect(&["algorithm.step={ much = 1.0 }"], &["algorithm.step.much = 1.0", "a level or an epsilon"]);
    expect(&["algorithm.step={ inf = -1.0 }"], &["algorithm.step.inf = -1", "above 0"]);
}

#[test]
fn baselines_refuse_what_they_have_no_answer_to() {
    let late = "network.delay={ kind = 'fixed', rounds = 2 }";
    expect(
        &["algorithm.name=dpdola", late],
        &["network.delay", "dpdola", "(remove the delay, or use dpsda-c"],
    );
    expect(
        &["algorithm.name=doda", "network.loss={ kind = 'bernoulli', rate = 0.1, known = false }"],
        &["network.loss", "doda"],
    );
    expect(
        &["algorithm.name=osp", "problem.feedback=two-point"],
        &["problem.feedback", "osp learns from gradients"],
    );
}

#[test]
fn automatic_steps_say_where_they_cannot_be() {
    let auto = "algorithm.step=auto";
    expect(&["algorithm.step=automatic"], &["algorithm.step = \"automatic\"", "above 0, or \"auto\""]);
    expect(
        &[auto, "algorithm.name=dpsda-c"],
        &["algorithm.step = \"auto\"", "only dpsda-r and dpcda", "[algorithm.dpsda-c]"],
    );
    expect(
        &[auto, "algorithm.name=dpsda-r", "set={ kind = 'free' }"],
        &["algorithm.step = \"auto\"", "use a number"],
    );
    expect(&[auto, "algorithm.name=dpsda-r", "algorithm.steps=decaying"], &["algorithm.steps", "remove one"]);
}

#[test]
fn impossible_combinations_name_the_remedy() {
    expect(
        &["algorithm.name=dpsda-c", "network.weights=push-sum"],
        &["network.weights = \"push-sum\"", "metropolis"],
    );
    expect(
        &["algorithm.name=dpsda-ps", "algorithm.weights=uniform"],
        &["algorithm.weights = \"uniform\"", "push-sum"],
    );
    expect(
        &["algorithm.name=['dpsda-c','dpsda-r']", "network.weights=uniform"],
        &["say which one has these weights"],
    );
    expect(&["network.nodes=7"], &["network.nodes = 7", "6 coordinates", "1 to 6"]);
    expect(&["network.blocks=[1,2]"], &["network.blocks", "nodes = 3"]);
    expect(&["network.blocks=[1,2,4]"], &["network.blocks", "add up to the 6 coordinates"]);
    expect(&["network.graph=paper-fig2"], &["network.nodes = 3", "use nodes = 7"]);
    expect(&["set.kind=ball"], &["`set.radius` is missing"]);
    expect(&["set.psi=entropic"], &["set.psi", "simplex"]);
    expect(&["problem.loss=logistic"], &["-1", "+1"]);
}

/// Nothing starts without a bound, and no two keys may say the same thing differently.
#[test]
fn a_promise_that_cannot_be_kept_is_refused() {
    let exact = |more: &[&str], parts: &[&str]| {
        let target = ["algorithm.name=dpsda-r", "privacy.mechanism=discrete-gaussian", "privacy.epsilon=1"];
        expect(&[&target[..], more].concat(), parts);
    };
    expect(&["privacy.epsilon=1"], &["`privacy.mechanism` is missing", "discrete-gaussian"]);
    expect(&["privacy.epsilon=1", "privacy.mechanism=none"], &["privacy.epsilon = 1", "without noise"]);
    exact(&[], &["`privacy.clip` is missing", "L2", "clip = 1.0"]);
    exact(&["privacy.clip=1"], &["privacy.epsilon = 1", "delta = 1e-5"]);
    exact(&["privacy.clip=1", "privacy.delta=2"], &["privacy.delta = 2", "below 1"]);
    exact(&["privacy.clip=-1"], &["privacy.clip = -1", "at least"]);
    let whole = ["privacy.clip=1", "privacy.delta=1e-5"];
    let exact = |more: &[&str], parts: &[&str]| exact(&[&whole[..], more].concat(), parts);
    exact(&["privacy.epsilon=0"], &["privacy.epsilon = 0", "at least 1e-6"]);
    exact(&["privacy.level=1"], &["privacy.level = 1", "one of the two"]);
    exact(&["privacy.adjacency=person"], &["privacy.adjacency", "round", "example"]);
    exact(&["privacy.grid=60"], &["privacy.grid = 60", "at most 52"]);
    exact(&["privacy.grid=0"], &["privacy.grid = 0", "finer grid"]);
    exact(&["privacy.grid=50"], &["privacy.grid = 50", "use at most"]);
    exact(&["privacy.budget.event=0.5"], &["privacy.budget.event = 0.5", "would spend 1.0"]);
    exact(&["privacy.budget.person=3"], &["privacy.budget.events_per_person", "events_per_person = 4"]);
    exact(&["privacy.budget.evnt=1"], &["did you mean `event`?"]);
    exact(
        &["algorithm.name=dpsda-c", "privacy.decide=private"],
        &["privacy.epsilon = 1", "use decide = \"published\""],
    );
    exact(&["privacy.epsilon=1e-6"], &["privacy.epsilon = 0.000001", "is the least here"]);
    exact(&["privacy.clip=1e30"], &["privacy.clip = 1e30", "use a smaller clip"]);
    let paper = ["algorithm.name=dpsda-c", "privacy.decide=private", "privacy.adjacency=example"];
    let level = ["privacy.mechanism=laplace", "privacy.level=1", "privacy.clip=1"];
    expect(&[&paper[..], &level].concat(), &["privacy.adjacency = \"example\"", "use adjacency = \"round\""]);
    let grid = ["algorithm.name=dpsda-c", "privacy.arithmetic=grid"];
    expect(
        &[&grid[..], &["privacy.mechanism=laplace", "privacy.level=1", "privacy.clip=1"]].concat(),
        &["privacy.arithmetic = \"grid\"", "discrete-laplace"],
    );
    exact(
        &["algorithm.name=dpsda-c", "privacy.arithmetic=grid", "algorithm.weights=uniform"],
        &["privacy.arithmetic", "metropolis"],
    );
}

#[test]
fn wrong_probes_delays_and_links_say_what_would_be_right() {
    expect(&["problem.feedback=two-points"], &["problem.feedback", "did you mean `two-point`?"]);
    expect(&["problem.probe=0.1"], &["unknown key `problem.probe`"]);
    let probe = |value: &str| format!("problem.probe={value}");
    for value in ["0", "-1", "inf", "1e-9", "nan"] {
        expect(&["problem.feedback=two-point", &probe(value)], &["problem.probe", "expected a"]);
    }
    expect(&["network.delay=2"], &["network.delay = 2", "a table"]);
    expect(&["network.delay.kind=fixed"], &["`network.delay.rounds` is missing", "0 to 1000"]);
    expect(&["network.delay.kind=uniform", "network.delay.max=1001"], &["network.delay.max", "0 to 1000"]);
    expect(
        &["algorithm.name=dpsda-ps", "algorithm.links=running-sum"],
        &["algorithm.links", "did you mean `running-sums`?"],
    );
    expect(
        &["algorithm.dpsda-r.links=naive"],
        &["algorithm.dpsda-r.links = \"naive\"", "does nothing", "remove it"],
    );
    expect(
        &["algorithm.name=dpsda-c", "algorithm.weights=uniform", "algorithm.links=running-sums"],
        &["algorithm.weights = \"uniform\"", "columns must sum to one", "metropolis"],
    );
}

#[test]
fn bad_files_name_line_and_column() {
    let cases: [(&str, &[&str]); 6] = [
        ("", &["d.csv", "empty"]),
        ("a,b,y\n", &["d.csv"]),
        ("a,b,c\n1,2,3\n", &["problem.label = \"y\"", "\"a\", \"b\", \"c\""]),
        ("a,b,y\n1,2,3\n1,nan,3\n", &["d.csv, line 3, column 2", "finite"]),
        ("a,b,y\n1,2,3\n1,2\n", &["d.csv, line 3"]),
        ("a,b,y\n1,x2,3\n", &["d.csv, line 2, column 2", "found text, expected a number"]),
    ];
    for (content, words) in cases {
        let desk = Desk::new();
        desk.put("d.csv", content);
        let error = refused(
            &desk,
            &["problem={loss='squared',data='csv',path='d.csv',label='y'}", "network.nodes=2", "rounds=1"],
        );
        for word in words {
            assert!(error.contains(word), "{content:?}: no {word:?} in: {error}");
        }
    }
    expect(
        &["problem={loss='squared',data='csv',path='none.csv',label='y'}"],
        &["none.csv", "cannot be read"],
    );
}

#[test]
fn folders_and_devices_are_not_data() {
    for path in [".", "/dev/zero"] {
        let problem = format!("problem={{loss='squared',data='csv',path='{path}',label='y'}}");
        expect(&[&problem], &[path, "give a file"]);
    }
}

#[test]
fn keys_of_another_member_or_algorithm_are_refused() {
    expect(&["set.radius=3"], &["`set.radius` is a key of set.kind = \"ball\""]);
    expect(&["algorithm.dpsda-c.decide=private"], &["unknown key `algorithm.dpsda-c.decide`"]);
    expect(&["network.rows=2"], &["`network.rows` is a key of network.graph = \"grid\""]);
}

#[test]
fn more_rounds_than_data_says_how_many_there_are() {
    let desk = Desk::new();
    desk.put("d.csv", "a,b,y\n1,2,3\n4,5,6\n7,8,9\n");
    let problem = "problem={loss='squared',data='csv',path='d.csv',label='y'}";
    let error = refused(&desk, &[problem, "network.nodes=2"]);
    assert!(error.contains("rounds = 12") && error.contains("3 rounds"), "{error}");
}

#[test]
fn a_bad_graph_file_names_the_line() {
    let desk = Desk::new();
    desk.put("g.csv", "round,from,to\n0,0,1\n0,1,9\n");
    let error = refused(&desk, &["network.graph=file", "network.path=g.csv"]);
    assert!(error.contains("g.csv, line 3") && error.contains('9'), "{error}");
}

#[test]
fn what_is_not_toml_is_shown_where_it_breaks() {
    let desk = Desk::new();
    desk.put("bad.toml", "rounds = = 3\n");
    let said = desk.dpsda(&["run", "bad.toml"]);
    assert!(
        said.code == Some(2) && said.err.contains("bad.toml: ") && said.err.contains("line 1, column 10"),
        "{}",
        said.err
    );
    let said = desk.dpsda(&["run", "none.toml"]);
    assert!(
        said.code == Some(2) && said.err.contains("none.toml") && said.err.contains("dpsda new"),
        "{}",
        said.err
    );
    let said = desk.dpsda(&["check", "/dev/zero"]);
    assert!(said.code == Some(2) && said.err.contains("not a file"), "{}", said.err);
    let said = desk.dpsda(&["run", "bad.toml", "-s", "nonsense"]);
    assert_eq!(said.code, Some(2));
}

#[test]
fn uniform_weights_on_a_star_run_with_a_warning() {
    let desk = Desk::new();
    desk.put("s.toml", SMALL);
    let said = desk.works(&[
        "run",
        "s.toml",
        "-s",
        "algorithm.name=dpsda-c",
        "-s",
        "network.weights=uniform",
        "-s",
        "network.graph=star",
    ]);
    assert!(
        said.err.contains("columns sum to 0.83..1.33") && said.err.contains("metropolis"),
        "{}",
        said.err
    );
}
