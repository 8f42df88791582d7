//! Reading the table `[set]`.

use super::product::Product;
use super::{ConvexSet, SETS};
use crate::{Blocks, Error, Keys, catalog};

/// The set that a `[set]` table describes. The table has `kind` and its keys, for all coordinates together. Or it has `each`, a
/// list of such tables, one per node for its block. The caller must check `keys` for unknown keys.
///
/// ```
/// use dpsda::keys::{Table, Value};
/// use dpsda::{Blocks, Keys, set};
/// let ball = Table::from([("kind".into(), "ball".into()), ("radius".into(), 2.5.into())]);
/// let free = Table::from([("kind".into(), "free".into())]);
/// let table = Table::from([("each".into(), vec![Value::from(ball), free.into()].into())]);
/// let set = set::from_keys(&Keys::new("set", &table), &Blocks::of(&[2, 1], 3)?)?;
/// let mut x = [3.0, 4.0, 5.0];
/// set.project(&mut x);
/// assert_eq!(x, [1.5, 2.0, 5.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn from_keys(keys: &Keys<'_>, blocks: &Blocks) -> Result<Box<dyn ConvexSet>, Error> {
    let (kind, each) = (keys.str("kind"), keys.tables("each"));
    match (kind?, each?) {
        (Some(_), Some(_)) => Err(keys.bad(
            "kind",
            "`kind` is one set for all coordinates, `each` has one set per node (keep one of the two)",
        )),
        (Some(kind), None) => one(keys, kind, blocks.dim()),
        (None, Some(each)) => Ok(Box::new(product(keys, each, blocks)?)),
        (None, None) => Err(keys.bad("kind", format!("where may decisions lie? Use {}, or `each`", names()))),
    }
}

/// The set called `kind` in `dim` coordinates.
fn one(keys: &Keys<'_>, kind: &str, dim: usize) -> Result<Box<dyn ConvexSet>, Error> {
    let entry = catalog::find(SETS, &keys.name("kind"), kind)?;
    // Every kind has psi = |x|^2/2. A kind with more choices reads the key itself.
    if !entry.keys.iter().any(|k| k.name == "psi") && keys.str("psi")?.is_some_and(|psi| psi != "euclidean") {
        return Err(keys.bad(
            "psi",
            format!("a {kind} has only \"euclidean\" (\"entropic\" is for kind = \"simplex\")"),
        ));
    }
    (entry.build)(keys, dim)
}

/// One set for every block.
fn product(keys: &Keys<'_>, each: Vec<Keys<'_>>, blocks: &Blocks) -> Result<Product, Error> {
    if each.len() != blocks.nodes() {
        let remedy = format!("one set per node, in order: there are {} nodes", blocks.nodes());
        return Err(Error::value(keys.name("each"), format!("a list of {}", each.len()), remedy));
    }
    if keys.raw("psi").is_some() {
        return Err(keys.bad("psi", "with `each`, psi belongs inside each of its tables (move it there)"));
    }
    let mut sets = Vec::new();
    for (keys, block) in each.into_iter().zip(blocks.iter()) {
        let Some(kind) = keys.str("kind")? else {
            return Err(keys.bad("kind", format!("where may this node's decision lie? Use {}", names())));
        };
        sets.push(one(&keys, kind, block.len())?);
        keys.finish()?;
    }
    Product::new(sets, blocks.clone()).map_err(|error| keys.locate(error.at("sets", "each")))
}

fn names() -> String {
    SETS.iter().map(|e| format!("\"{}\"", e.name)).collect::<Vec<_>>().join(", ")
}
