//! Which columns of a table a cost uses.

use super::NumberTable;

/// Columns of a table, and what a cost uses them for.
///
/// ```
/// use dpsda::Keys;
/// use dpsda::catalog::find;
/// use dpsda::cost::{Build, COSTS, NumberTable};
/// use dpsda::keys::Table;
/// let Build::Model(make) = find(COSTS, "problem.cost", "expert")?.build else { panic!("experts have no samples") };
/// let table = Table::from([("path".into(), "losses.csv".into())]);
/// let rows = vec![(2, vec![None, Some(0.5), Some(1.0)])]; // no number in the first column
/// let read = |path: &str| NumberTable::of_lines(path, ["day", "anna", "ben"].map(Into::into).into(), rows.clone());
/// let used = make(&Keys::new("problem", &table), &read)?.columns();
/// assert_eq!((used[0].role, used[0].names.join(", ")), ("losses", "anna, ben".into()));
/// assert_eq!((used[1].role, used[1].names.join(", ")), ("not used", "day".into()));
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedColumns {
    /// The name of the table.
    pub table: String,
    /// What they are, e.g. "wishes".
    pub role: &'static str,
    /// Whether each column is one agent's own, in the order of the agents.
    pub own: bool,
    /// The names of the columns.
    pub names: Vec<String>,
}

impl UsedColumns {
    /// The role of columns that are not used.
    pub const UNUSED: &str = "not used";

    /// The columns by role, and those that no role has. Roles without columns are left out.
    pub(super) fn of(table: &NumberTable, roles: &[(&'static str, bool, &[usize])]) -> Vec<Self> {
        let unused: Vec<usize> = (0..table.columns().len())
            .filter(|k| !roles.iter().any(|(_, _, columns)| columns.contains(k)))
            .collect();
        let all = roles.iter().copied().chain([(Self::UNUSED, false, &unused[..])]);
        let named = all.map(|(role, own, columns)| {
            let names = columns.iter().filter_map(|k| table.columns().get(*k).cloned()).collect();
            Self { table: table.name().to_owned(), role, own, names }
        });
        named.filter(|used| !used.names.is_empty()).collect()
    }
}
