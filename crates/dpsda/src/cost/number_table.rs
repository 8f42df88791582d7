//! A table of numbers with named columns.

use crate::Error;

/// A table of finite numbers with named columns, from which a cost is made.
///
/// ```
/// use dpsda::cost::NumberTable;
/// let table = NumberTable::new("wind.csv", vec!["t".into(), "wind".into()], vec![vec![0.0, 3.5], vec![1.0, 4.0]])?;
/// assert_eq!((table.column("wind"), table.column("sun")), (Some(1), None));
/// assert!(NumberTable::new("wind.csv", vec!["wind".into()], vec![vec![1.0, 2.0]]).is_err());
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct NumberTable {
    name: String,
    columns: Vec<String>,
    rows: Vec<Vec<f64>>,
    partial: bool,
}

impl NumberTable {
    /// A table called `name` in errors. Every row has one finite number per column, and no two columns have the same name.
    pub fn new(name: impl Into<String>, columns: Vec<String>, rows: Vec<Vec<f64>>) -> Result<Self, Error> {
        let name = name.into();
        if let Some(twice) = columns.iter().enumerate().find(|(k, column)| columns[..*k].contains(column)) {
            return Err(Error::data(name, format!("two columns are called `{}` (rename one)", twice.1)));
        }
        for (k, row) in rows.iter().enumerate() {
            if row.len() != columns.len() {
                let problem = format!("row {} has {} numbers, expected {}", k + 1, row.len(), columns.len());
                return Err(Error::data(name, problem));
            }
            if let Some(column) = row.iter().position(|number| !number.is_finite()) {
                let problem =
                    format!("row {}, column `{}`: expected a finite number", k + 1, columns[column]);
                return Err(Error::data(name, problem));
            }
        }
        Ok(Self { name, columns, rows, partial: false })
    }

    /// The same table on the host of one node: columns with the private data of other nodes may be absent.
    ///
    /// ```
    /// use dpsda::cost::NumberTable;
    /// let own = NumberTable::new("own.csv", vec!["wind".into(), "ada".into()], vec![vec![3.5, 1.0]])?.partial();
    /// assert!(own.is_partial());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    #[must_use]
    pub fn partial(self) -> Self {
        Self { partial: true, ..self }
    }

    /// Whether columns with the private data of other nodes may be absent.
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    /// Its name in errors, usually a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of the columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The rows, one number per column.
    pub fn rows(&self) -> &[Vec<f64>] {
        &self.rows
    }

    /// The place of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The place of a column that must exist. The error lists the columns.
    pub fn find(&self, key: &str, name: &str) -> Result<usize, Error> {
        self.column(name).ok_or_else(|| Error::UnknownName {
            key: key.to_owned(),
            found: name.to_owned(),
            known: self.columns.clone(),
        })
    }
}
