//! The keys that any experiment may have, with a description of each. The keys of single graphs, sets or losses are in their
//! listings.

use dpsda::catalog::Key;

const fn key(name: &'static str, about: &'static str) -> Key {
    Key { name, about }
}

/// The keys of `[problem]` that belong to samples.
pub const SAMPLE_KEYS: [&str; 8] =
    ["loss", "data", "batch", "train", "test", "shuffle", "intercept", "scale"];

/// Every key that any experiment may have, by its dotted name.
pub static KEYS: &[Key] = &[
    key("rules", "the version of defaults and words: 1 or 2; default 2, the newest (`dpsda list rules`)"),
    key("title", "one line about the experiment"),
    key("rounds", "the number of rounds, T; default one pass over the data, or all rounds of the costs"),
    key(
        "trials",
        "independent repetitions, each with its own data order, noise and gradient error; default 1",
    ),
    key("seed", "the seed of all randomness in the run; default 1"),
    key("record", "extra series to keep: any of [\"decisions\", \"bounds\"]"),
    key(
        "dynamic",
        "what dynamic regret is measured against: { segments = 4, borders = 16 }, the best sequence with at most so many segments on a \
         grid of so many steps (at most 64), or { path = \"sequence.csv\" }, a given one: first round, then the decision",
    ),
    key(
        "problem.cost",
        "which costs are revealed; default \"samples\", to which loss, data, batch, train, test and shuffle belong",
    ),
    key("problem.loss", "the loss; required for samples"),
    key("problem.data", "the data; required for samples"),
    key("problem.agent", "the application's word for an agent, e.g. \"household\"; default \"agent\""),
    key(
        "problem.round",
        "the application's word for a round, e.g. \"quarter of an hour\"; default \"round\"",
    ),
    key("problem.batch", "samples per round; their mean loss is the cost of the round; default 1"),
    key("problem.train", "samples to learn from; default all samples that are not held out"),
    key("problem.test", "samples held out; default 0"),
    key("problem.shuffle", "true (default): every trial has its own order of samples; false: file order"),
    key(
        "problem.intercept",
        "true: a constant feature 1 after the others, the last coordinate; default false",
    ),
    key(
        "problem.scale",
        "\"unit\": each example is divided by its own Euclidean length; { lower = -3.0, upper = 3.0 } (numbers, or one per feature): \
         public bounds mapped to -1 and 1, what lies outside is clamped; default \"none\"",
    ),
    key("problem.gradient_error", "variance of a random error added to every gradient; default 0"),
    key(
        "problem.feedback",
        "what a node learns of a cost: its \"gradient\" (default), or \"two-point\": its values at two points",
    ),
    key(
        "problem.probe",
        "with feedback = \"two-point\": the distance of the two points from the node's decision, 1e-6 to 1e6; default 0.01",
    ),
    key(
        "set.kind",
        "the set that decisions must lie in; required, unless `each` is given or the cost has a set of its own",
    ),
    key("set.each", "instead of kind: a list of sets, one for every node's block"),
    key("set.psi", "\"euclidean\" (default), or \"entropic\" on a simplex"),
    key(
        "network.nodes",
        "how many nodes share the decision; default the number of blocks, or 7 on paper-fig2",
    ),
    key(
        "network.blocks",
        "the sizes of the nodes' blocks, a list; default as equal as possible, larger blocks first",
    ),
    key("network.graph", "which node hears which; required, unless the algorithm is centralised"),
    key(
        "network.directed",
        "false: every link works both ways; default true (for dpsda-c, oda-c, doda and dpdola links always work both ways)",
    ),
    key(
        "network.loss",
        "link outages: a table with `kind` and its keys; default none. known = true (default): both ends know of an outage \
         before weights are set; false: nobody knows, and messages are lost",
    ),
    key(
        "network.delay",
        "message delays: a table with `kind` and its keys; default none: messages arrive in their round",
    ),
    key("network.weights", "short form of algorithm.weights, for a file with one algorithm"),
    key("algorithm.name", "the algorithm; required"),
    key(
        "algorithm.step",
        "c in alpha(t) = c/sqrt(t+1), or one c per level or epsilon, e.g. { \"inf\" = 3.0, \"0.5\" = 1.0 }; default 1; \"auto\", for \
         dpsda-r and dpcda: steps from what is released or public, with nothing to tune; also in [algorithm.NAME], for that algorithm only",
    ),
    key(
        "algorithm.steps",
        "\"decaying\" (default): c/sqrt(t+1); \"coordinate\": c/sqrt(sum of squares of the values released for the coordinate), \
         for dpsda-r and dpcda; also in [algorithm.NAME], for that algorithm only",
    ),
    key(
        "algorithm.weights",
        "the weight rule, for algorithms that mix; also in [algorithm.NAME], for that algorithm only",
    ),
    key(
        "algorithm.links",
        "how dpsda-c and dpsda-ps count what crosses a link: by \"running-sums\" of everything ever sent (default for \
         dpsda-ps where messages may be late or lost), or \"naive\": only what arrives (default elsewhere); also in \
         [algorithm.NAME], for that algorithm only",
    ),
    key(
        "privacy.mechanism",
        "the noise mechanism; default none; also in [algorithm.NAME], for that algorithm only (toeplitz: dpsda-r and dpcda)",
    ),
    key(
        "privacy.level",
        "the paper's label: noise of scale 1/level on a dual that holds n times the gradient, 1/(n level) on a \
         gradient, 1/level on the values that a baseline sends; `inf`: no noise; not an epsilon",
    ),
    key(
        "privacy.epsilon",
        "instead of level: the privacy loss of one event, for all nodes together, over the whole run; `inf`: no noise, but the same clip",
    ),
    key("privacy.delta", "the delta of all epsilons; Gaussian noise needs one, e.g. 1e-5"),
    key(
        "privacy.adjacency",
        "what an event is: a whole \"round\" (default), one \"example\" of it, or one \"agent\"'s own part of it",
    ),
    key(
        "privacy.clip",
        "the largest norm of an event's gradient, L1 for Laplace and L2 for Gaussian noise; without it no epsilon exists",
    ),
    key("privacy.grid", "q: gradients are rounded to multiples of 2^-q; default fine enough for the clip"),
    key(
        "privacy.budget",
        "limits: a table of `event`, `person`, `lifetime` (epsilons at the run's delta) and `events_per_person`. A run that \
         would pass a limit is refused before it starts; a node that reaches one releases nothing more",
    ),
    key(
        "privacy.noise",
        "where dpsda-c and dpsda-ps add noise: to their \"own\" block (default), or to \"all\" coordinates, as in the paper",
    ),
    key(
        "privacy.decide",
        "what dpsda-c and dpsda-ps decide from: \"published\" values (default), or \"private\" ones, as in the paper",
    ),
    key(
        "privacy.arithmetic",
        "how dpsda-c and dpsda-ps mix duals: \"real\" numbers (default) or whole units of a \"grid\"",
    ),
];
