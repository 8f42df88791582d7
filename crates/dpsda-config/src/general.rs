//! The keys of an experiment that belong to no member of a family, for people.

use dpsda::catalog::Key;

const fn key(name: &'static str, about: &'static str) -> Key {
    Key { name, about }
}

/// Every key that any experiment may have, by its dotted name.
pub static KEYS: &[Key] = &[
    key("rules", "what defaults and words mean: 1 or 2; default 2, the newest (`dpsda list rules`)"),
    key("title", "a line about the experiment"),
    key("rounds", "T; default as many as the data give in one pass"),
    key(
        "trials",
        "independent repetitions, each with its own data order, noise and gradient error; default 1",
    ),
    key("seed", "names all randomness of the run; default 1"),
    key("record", "series kept beyond the usual ones: any of [\"decisions\", \"bounds\"]"),
    key("problem.loss", "the loss; must be given"),
    key("problem.data", "the data; must be given"),
    key("problem.batch", "samples a round, whose mean loss is the cost; default 1"),
    key("problem.train", "samples to learn from; default all that are not held out"),
    key("problem.test", "samples held out; default 0"),
    key("problem.shuffle", "false: samples in file order; default true, an order of its own for every trial"),
    key("problem.gradient_error", "variance of the random error on every gradient; default 0"),
    key(
        "problem.feedback",
        "what a node is told of a cost: its \"gradient\" (default), or its values at \"two-point\"s",
    ),
    key(
        "problem.probe",
        "with feedback = \"two-point\": how far from its decision a node probes, 1e-6 to 1e6; default 0.01",
    ),
    key("set.kind", "where decisions must lie; must be given, or `each`"),
    key("set.each", "instead of kind: a list of sets, one for every node's block"),
    key("set.psi", "\"euclidean\" (default), or \"entropic\" on a simplex"),
    key("network.nodes", "how many nodes share the decision; default as many as blocks, or 7 on paper-fig2"),
    key("network.blocks", "the sizes of their blocks, a list; default even, larger ones first"),
    key("network.graph", "who hears whom; must be given unless the algorithm is centralised"),
    key(
        "network.directed",
        "false: directions are dropped; default true (dpsda-c, oda-c, doda and dpdola always drop them)",
    ),
    key(
        "network.loss",
        "links that are off: a table with `kind` and its keys; default none. known = true (default): both ends know \
         before weights are set; false: nobody knows, and messages vanish",
    ),
    key(
        "network.delay",
        "messages that are late: a table with `kind` and its keys; default none, they arrive in their round",
    ),
    key("network.weights", "short for the weights of the algorithm, where there is one"),
    key("algorithm.name", "the algorithm; must be given"),
    key(
        "algorithm.step",
        "c in alpha(t) = c/sqrt(t+1), or one for every level or epsilon, as { \"inf\" = 3.0, \"0.5\" = 1.0 }; default 1; also in \
         [algorithm.NAME] for one of them",
    ),
    key(
        "algorithm.steps",
        "\"decaying\" (default): c/sqrt(t+1); \"coordinate\": c/sqrt(sum of the squares a coordinate has released), for dpsda-r and \
         dpcda; also in [algorithm.NAME]",
    ),
    key(
        "algorithm.weights",
        "the weight rule, for algorithms that mix; also in [algorithm.NAME] for one of them",
    ),
    key(
        "algorithm.links",
        "how dpsda-c and -ps account for what crosses a link: \"running-sums\" of all that was ever sent (default for dpsda-ps \
         where messages may be late or vanish) or \"naive\": what arrives is all there is (default elsewhere); also in \
         [algorithm.NAME] for one of them",
    ),
    key(
        "privacy.mechanism",
        "the noise; default none; also in [algorithm.NAME] for one of them, as toeplitz noise is for dpsda-r and dpcda alone",
    ),
    key(
        "privacy.level",
        "the paper's label: noise of scale 1/level on a dual that holds n times the gradient, 1/(n level) on a \
         gradient, 1/level on whatever a baseline sends, `inf` for none; not an epsilon",
    ),
    key(
        "privacy.epsilon",
        "instead of level: what one event may cost, all nodes together, over the whole run",
    ),
    key("privacy.delta", "the delta that epsilons are given at; Gaussian noise needs one, e.g. 1e-5"),
    key("privacy.adjacency", "what an event is: a whole \"round\" (default) or one \"example\" of it"),
    key(
        "privacy.clip",
        "the largest norm of an event's gradient, L1 for Laplace and L2 for Gaussian noise; without it no epsilon exists",
    ),
    key("privacy.grid", "q: gradients are rounded to multiples of 2^-q; default fine enough for the clip"),
    key(
        "privacy.budget",
        "limits: a run that would pass them is refused before it starts, and a node releases nothing more when it comes to \
         them: a table of `event`, `person`, `lifetime` (epsilons at the run's \
         delta) and `events_per_person`",
    ),
    key(
        "privacy.noise",
        "which coordinates dpsda-c and -ps noise: \"own\" block (default) or \"all\", as the paper",
    ),
    key(
        "privacy.decide",
        "what dpsda-c and -ps decide from: \"published\" values (default) or \"private\", as the paper",
    ),
    key(
        "privacy.arithmetic",
        "how dpsda-c and -ps mix duals: \"real\" numbers (default) or whole units of a \"grid\"",
    ),
];
