//! All nodes of a running algorithm, as observers see them.

use crate::privacy::Ledger;

/// What may be looked at between two rounds. Looking changes nothing.
pub trait View {
    /// How many learners there are: one per node, or one that sees everything.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether every node decides a whole model of its own, in place of one block of a shared decision.
    fn own_models(&self) -> bool;

    /// `y_i(t)`: all coordinates as node `i` sees them.
    fn estimate(&self, i: usize) -> &[f64];

    /// The dual that node `i` has decided from and its weight, where there is such a thing.
    fn dual(&self, i: usize) -> Option<(Vec<f64>, f64)>;

    /// How many rounds the oldest block is behind that node `i` decides round `t` from, if it keeps blocks apart.
    fn staleness(&self, i: usize, t: u64) -> Option<u64>;

    /// What node `i` has spent.
    fn ledger(&self, i: usize) -> &Ledger;
}
