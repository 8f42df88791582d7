//! Networks with the same links in every round.

use super::{Graph, Topology};

/// A graph is a network whose links never change.
///
/// ```
/// use dpsda::network::{Graph, Topology};
/// let path = Graph::new(3, [(0, 1), (1, 2)])?;
/// assert_eq!((Topology::nodes(&path), path.graph(7), path.period()), (3, path.clone(), Some(1)));
/// # Ok::<(), dpsda::Error>(())
/// ```
impl Topology for Graph {
    fn nodes(&self) -> usize {
        self.nodes()
    }

    fn graph(&self, _: u64) -> Graph {
        self.clone()
    }

    fn period(&self) -> Option<u64> {
        Some(1)
    }
}

/// A network that is one graph with a name of its own.
macro_rules! fixed {
    ($name:ident) => {
        impl $crate::network::Topology for $name {
            fn nodes(&self) -> usize {
                self.0.nodes()
            }

            fn graph(&self, t: u64) -> $crate::network::Graph {
                $crate::network::Topology::graph(&self.0, t)
            }

            fn period(&self) -> Option<u64> {
                $crate::network::Topology::period(&self.0)
            }
        }
    };
}
pub(super) use fixed;
