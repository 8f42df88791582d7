//! Arguments and tables that make no set.

use super::*;

#[test]
fn wrong_arguments_are_refused_by_name() {
    let product = |radius: f64, nodes| {
        Product::of(Blocks::even(4, nodes)?, |_| Cuboid::sides(vec![0.0; 2], vec![radius; 2]))
    };
    let free = || vec![Box::new(Free) as Box<dyn ConvexSet>];
    for (error, words) in [
        (Ball::new(f64::NAN).err(), "radius = NaN: a ball needs a positive finite radius"),
        (Ball::new(f64::INFINITY).err(), "radius = inf: a ball needs"),
        (Cuboid::new(f64::NAN, 1.0).err(), "lower = NaN: "),
        (Cuboid::new(0.0, f64::NEG_INFINITY).err(), "upper = -inf: expected a number above -infinity"),
        (Cuboid::sides(vec![0.0], vec![]).err(), "upper = 0 numbers: there are 1 lower bounds"),
        (
            Cuboid::sides(vec![0.0, 3.0], vec![1.0, 2.0]).err(),
            "lower[1] = 3: the box is empty: upper[1] is 2",
        ),
        (product(-1.0, 2).err(), "lower[0] = 0: the box is empty"),
        (product(1.0, 1).err(), "sets[0].lower = 2 numbers: there are 4 coordinates"),
        (Product::new(free(), Blocks::even(4, 2).unwrap()).err(), "sets = a list of 1: one set per node"),
        (
            product(1.0, 2).unwrap().fits(&Blocks::even(4, 4).unwrap()).err(),
            "set = a product over blocks of [2, 2]: the nodes' blocks are [1, 1, 1, 1]",
        ),
    ] {
        let error = error.expect(words).to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn wrong_tables_are_refused_with_a_remedy() {
    for (text, key, remedy) in [
        ("radius = 3", "`set.kind` is missing", "\"ball\""),
        ("kind = 'bal'\nradius = 3", "set.kind", "did you mean `ball`?"),
        ("kind = 'ball'", "`set.radius` is missing", "positive"),
        ("kind = 'ball'\nradius = -1", "set.radius = -1", "positive"),
        ("kind = 'ball'\nradius = inf", "set.radius = inf", "free"),
        ("kind = 'ball'\nradios = 1", "`set.radius` is missing", "positive"),
        ("kind = 'ball'\nradius = 1\nlower = 2", "set.lower", "Known here: kind, each, psi, radius"),
        ("kind = 'ball'\nradius = 1\npsi = 'entropic'", "set.psi", "simplex"),
        ("kind = 'simplex'\npsi = 'entropy'", "set.psi", "did you mean `entropic`?"),
        ("kind = 'box'\nupper = 1", "`set.lower` is missing", "6 numbers"),
        ("kind = 'box'\nlower = 2\nupper = 1", "set.lower = 2", "lower must not be above upper"),
        ("kind = 'box'\nlower = 0\nupper = [1, 1, 1, -1, 1, 1]", "set.lower[3] = 0", "upper[3] is -1"),
        ("kind = 'box'\nlower = 0\nupper = [1, 2]", "set.upper", "2 numbers for 6 coordinates"),
        ("kind = 'box'\nlower = 'x'\nupper = 1", "set.lower", "a number"),
        ("kind = 'box'\nlower = nan\nupper = 1", "set.lower", "a number"),
        ("kind = 'box'\nlower = inf\nupper = inf", "set.lower", "-inf"),
        ("kind = 'free'\neach = []", "set.kind", "keep one"),
        ("each = [{ kind = 'free' }]", "set.each", "3 nodes"),
        ("each = [{ kind = 'free' }, { radius = 1 }, { kind = 'free' }]", "set.each[1].kind", "\"ball\""),
        (
            "each = [{ kind = 'free' }, { kind = 'free', r = 1 }, { kind = 'free' }]",
            "set.each[1].r",
            "Known here",
        ),
        (
            "psi = 'entropic'\neach = [{ kind = 'free' }, { kind = 'free' }, { kind = 'free' }]",
            "set.psi",
            "inside each",
        ),
        ("each = [1, 2, 3]", "set.each", "tables"),
    ] {
        let error = read(text).err().expect(text).to_string();
        assert!(error.contains(key) && error.contains(remedy), "{text}\n{error}");
    }
}
