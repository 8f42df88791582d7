//! Convex sets and their proximal maps (7).

use crate::family;
use crate::{Blocks, Error, Keys, catalog};

/// A closed convex set in `d` coordinates with a proximal function psi that is 1-strongly convex on it.
pub trait ConvexSet: Send + Sync {
    /// The nearest point of the set.
    fn project(&self, x: &mut [f64]);

    /// (7): `argmin <z, x> + psi(x)/alpha` over the set. With `psi = |x|^2/2`, the projection of `-alpha z`.
    fn prox(&self, z: &[f64], alpha: f64, y: &mut [f64]) {
        y.iter_mut().zip(z).for_each(|(y, z)| *y = 0.0 - alpha * z); // 0, not -0, where z is 0
        self.project(y);
    }

    /// psi.
    fn psi(&self, x: &[f64]) -> f64 {
        x.iter().map(|x| x * x).sum::<f64>() / 2.0
    }

    /// `min <c, x>` over the set; minus infinity where there is none.
    fn floor(&self, c: &[f64]) -> f64;

    /// How large it is, in `dim` coordinates: infinite where it is not bounded. This default encloses the set in a box and
    /// is for `psi = |x|^2/2`.
    fn size(&self, dim: usize) -> Size {
        let (mut widths, mut squares, mut along) = (0.0, 0.0, vec![0.0; dim]);
        for j in 0..dim {
            along[j] = 1.0;
            let lower = self.floor(&along);
            along[j] = -1.0;
            let upper = -self.floor(&along);
            along[j] = 0.0;
            widths += (upper - lower) * (upper - lower);
            squares += (lower * lower).max(upper * upper);
        }
        let mut start = vec![0.0; dim];
        self.prox(&along, 1.0, &mut start);
        Size { diameter: widths.sqrt(), psi: squares / 2.0 - self.psi(&start) }
    }

    /// The radius, if this is a ball around the origin: what is projected onto in other metrics.
    fn ball(&self) -> Option<f64> {
        None
    }

    /// Whether blocks decided apart always fit together: every coordinate is restricted on its own or, in a product,
    /// every node's block is.
    fn is_separable(&self) -> bool;

    /// The same set with a step for every coordinate, if it can have that.
    fn each(&self) -> Option<&dyn ProxEach> {
        None
    }
}

/// A set whose proximal map can have a step for every coordinate.
pub trait ProxEach: Send + Sync {
    /// `argmin <z, x> + sum x_k^2 / (2 steps_k)` over the set; steps are positive.
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]);
}

/// Without any restriction: `y_k = -steps_k z_k`.
fn step_each(z: &[f64], steps: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(z.iter().zip(steps)).for_each(|(y, (z, step))| *y = 0.0 - step * z); // 0, not -0, where z is 0
}

/// How large a set is at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Size {
    /// How far apart two of its points are: D.
    pub diameter: f64,
    /// By how much psi varies on it: C of Assumption 1, for the psi that is 0 at its least.
    pub psi: f64,
}

/// Builds a set in `dim` coordinates from the keys of `[set]`.
pub type Build = fn(&Keys<'_>, usize) -> Result<Box<dyn ConvexSet>, Error>;

family! {
    /// Every set, by the name it has in `set.kind`.
    SETS: Build = cuboid, ball, simplex, free
}

pub mod product;

/// The set that a whole `[set]` table describes: `kind` and its keys for all coordinates together, or `each`, a list of
/// such tables, one for every node's block. Unknown keys of `keys` itself are left for the caller to find.
///
/// ```
/// use dpsda::keys::{Table, Value};
/// use dpsda::{Blocks, Keys, set};
/// let ball = Table::from([("kind".into(), "ball".into()), ("radius".into(), 2.5.into())]);
/// let cuboid = Table::from([("kind".into(), "box".into()), ("lower".into(), 0.0.into()), ("upper".into(), 2.0.into())]);
/// let table = Table::from([("each".into(), vec![Value::from(ball), cuboid.into()].into())]);
/// let set = set::from_keys(&Keys::new("set", &table), &Blocks::of(&[2, 1], 3)?)?;
/// let mut x = [3.0, 4.0, 5.0];
/// set.project(&mut x);
/// assert_eq!(x, [1.5, 2.0, 2.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
pub fn from_keys(keys: &Keys<'_>, blocks: &Blocks) -> Result<Box<dyn ConvexSet>, Error> {
    let (kind, each) = (keys.str("kind"), keys.tables("each"));
    match (kind?, each?) {
        (Some(_), Some(_)) => Err(keys.bad(
            "kind",
            "`kind` is one set for all coordinates, `each` one for every node: keep one of the two",
        )),
        (Some(kind), None) => one(keys, kind, blocks.dim()),
        (None, Some(each)) => Ok(Box::new(product(keys, each, blocks)?)),
        (None, None) => Err(keys.bad("kind", format!("where may decisions lie? Use {}, or `each`", names()))),
    }
}

/// The set called `kind` in `dim` coordinates.
fn one(keys: &Keys<'_>, kind: &str, dim: usize) -> Result<Box<dyn ConvexSet>, Error> {
    let entry = catalog::find(SETS, &keys.name("kind"), kind)?;
    // Every kind has psi = |x|^2/2; those with another read the key themselves.
    if !entry.keys.iter().any(|k| k.name == "psi") && keys.str("psi")?.is_some_and(|psi| psi != "euclidean") {
        return Err(keys.bad(
            "psi",
            format!("a {kind} has only \"euclidean\" (\"entropic\" is for kind = \"simplex\")"),
        ));
    }
    (entry.build)(keys, dim)
}

/// One set for every block.
fn product(keys: &Keys<'_>, each: Vec<Keys<'_>>, blocks: &Blocks) -> Result<product::Product, Error> {
    if each.len() != blocks.nodes() {
        let remedy = format!("one set per node, in order: there are {} nodes", blocks.nodes());
        return Err(Error::value(keys.name("each"), format!("a list of {}", each.len()), remedy));
    }
    if keys.raw("psi").is_some() {
        return Err(keys.bad("psi", "with `each`, psi stands inside each of its tables"));
    }
    let mut sets = Vec::new();
    for (keys, block) in each.into_iter().zip(blocks.iter()) {
        let Some(kind) = keys.str("kind")? else {
            return Err(keys.bad("kind", format!("where may this node's decision lie? Use {}", names())));
        };
        sets.push(one(&keys, kind, block.len())?);
        keys.finish()?;
    }
    product::Product::new(sets, blocks.clone())
}

fn names() -> String {
    SETS.iter().map(|e| format!("\"{}\"", e.name)).collect::<Vec<_>>().join(", ")
}
