//! What was done otherwise than the paper says in every experiment.

/// Each with its reason.
pub(super) fn everywhere() -> Vec<(String, String)> {
    let list = [
        ("steps", "1/sqrt(t) does not exist at t = 0, so c/sqrt(t+1) is used, as in the authors' own code."),
        (
            "order of a round",
            "A decision is committed before its cost is revealed and is scored on that cost; the authors' published code scores \
             it on the sample that it has just learned from.",
        ),
        (
            "weights of DPSDA-PS",
            "1/deg_j^out, as in section 5.1; section 6 prints deg_i^out, which is not column-stochastic.",
        ),
        (
            "the set",
            "\"Each entry is restricted to a ball\" and {|x| <= 5} are a box and a ball. Tables and Figs. 5 to 7 take the formula, \
             the Euclidean ball, but for the setting that says \"a box\"; Fig. 3 has a box, as section 6.1 does.",
        ),
        (
            "levels",
            "Laplace noise of scale 1/level, as in the authors' code, but where a setting promises an epsilon. A label: with no clip no epsilon \
             follows from it.",
        ),
        (
            "training accuracy",
            "The paper does not say of which model. Here it is progressive: every sample is predicted before it is learned from. \
             The last model's stands beside it.",
        ),
        (
            "trials",
            "The paper does not say how many. Here every trial has its own order of the data, noise and gradient error.",
        ),
        (
            "the graph",
            "Fig. 2 is not in the paper's source; the four graphs are those of the authors' published code.",
        ),
    ];
    list.map(|(term, text)| (term.to_owned(), text.to_owned())).to_vec()
}
