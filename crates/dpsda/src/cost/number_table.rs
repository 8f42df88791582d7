//! A table of numbers with named columns.

use std::sync::Arc;

use crate::error::nearest;
use crate::{Error, Keys};

/// A table with named columns, from which a cost is made. Only the columns that a cost uses must hold numbers. Copies share their
/// content.
///
/// ```
/// use dpsda::cost::NumberTable;
/// let columns = vec!["t".into(), "wind".into(), "sun".into()];
/// // As read from a file: the line of each row, and a number or none in each cell.
/// let rows = vec![(2, vec![None, Some(3.5), Some(0.1)]), (3, vec![None, Some(4.0), None])];
/// let table = NumberTable::of_lines("weather.csv", columns, rows)?;
/// assert_eq!((table.column("wind"), table.numeric()), (Some(1), vec![1, 2])); // `t` holds no number
/// assert_eq!(table.pick(&[1])?, [[3.5], [4.0]]);
/// let error = table.pick(&[1, 2]).unwrap_err().to_string();
/// assert!(error.starts_with("weather.csv, line 3, column `sun`: expected a finite number"), "{error}");
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct NumberTable {
    name: String,
    columns: Arc<[String]>,
    /// NaN where a cell holds no number.
    rows: Arc<[Vec<f64>]>,
    /// The line of each row; none if the table is not from a file.
    lines: Arc<[u64]>,
    partial: bool,
    /// Whether it is from a file and all columns are called by numbers. Then the header line may be a row.
    headless: bool,
}

impl NumberTable {
    /// A table called `name` in errors. Every row has one finite number per column, and no two columns have the same name.
    ///
    /// ```
    /// use dpsda::cost::NumberTable;
    /// let table = NumberTable::new("wind.csv", vec!["t".into(), "wind".into()], vec![vec![0.0, 3.5], vec![1.0, 4.0]])?;
    /// assert_eq!((table.column("wind"), table.column("sun")), (Some(1), None));
    /// assert!(NumberTable::new("wind.csv", vec!["wind".into()], vec![vec![1.0, 2.0]]).is_err());
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    pub fn new(name: impl Into<String>, columns: Vec<String>, rows: Vec<Vec<f64>>) -> Result<Self, Error> {
        let table = Self::checked(name.into(), columns, rows, Vec::new())?;
        let all: Vec<usize> = (0..table.columns.len()).collect();
        table.pick(&all).map(|_| table)
    }

    /// The same from a file: every row with its line, and nothing in the cells that hold no number. Such cells are an error if
    /// their column is used.
    pub fn of_lines(
        name: impl Into<String>,
        columns: Vec<String>,
        rows: Vec<(u64, Vec<Option<f64>>)>,
    ) -> Result<Self, Error> {
        let (lines, rows): (Vec<u64>, Vec<_>) = rows.into_iter().unzip();
        // An infinite number tells a cell with a number from a cell without.
        let number = |cell: Option<f64>| match cell {
            Some(x) if x.is_finite() => x,
            Some(_) => f64::INFINITY,
            None => f64::NAN,
        };
        let rows = rows.into_iter().map(|row| row.into_iter().map(number).collect()).collect();
        let headless = !columns.is_empty() && columns.iter().all(|name| name.parse::<f64>().is_ok());
        Ok(Self { headless, ..Self::checked(name.into(), columns, rows, lines)? })
    }

    fn checked(
        name: String,
        columns: Vec<String>,
        rows: Vec<Vec<f64>>,
        lines: Vec<u64>,
    ) -> Result<Self, Error> {
        if let Some(twice) = columns.iter().enumerate().find(|(k, column)| columns[..*k].contains(column)) {
            return Err(Error::data(name, format!("two columns are called `{}` (rename one)", twice.1)));
        }
        let (columns, rows, lines) = (columns.into(), rows.into(), lines.into());
        let table = Self { name, columns, rows, lines, partial: false, headless: false };
        let expected = table.columns.len();
        if let Some((k, row)) = table.rows.iter().enumerate().find(|(_, row)| row.len() != expected) {
            return Err(Error::data(
                table.line(k),
                format!("found {} columns, expected {expected}", row.len()),
            ));
        }
        Ok(table)
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

    /// The same table, whose columns may all be called by numbers. Otherwise such a table from a file is an error when its rows are
    /// used, because the header line may be missing.
    ///
    /// ```
    /// use dpsda::cost::NumberTable;
    /// let rows = vec![(2, vec![Some(0.5), Some(0.7)])];
    /// let table = NumberTable::of_lines("factors.csv", vec!["1".into(), "2".into()], rows)?;
    /// assert!(table.pick(&[0]).is_err());
    /// assert_eq!(table.numbered().pick(&[0])?, [[0.5]]); // of place 1
    /// # Ok::<(), dpsda::Error>(())
    /// ```
    #[must_use]
    pub fn numbered(self) -> Self {
        Self { headless: false, ..self }
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

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The columns that hold a number in some row. Time stamps and names are not among them.
    pub fn numeric(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|k| self.rows.iter().any(|row| !row[*k].is_nan())).collect()
    }

    /// The rows of some columns. An error names the line and the column of a cell without a finite number. It does not show the
    /// cell, which may be private.
    pub fn pick(&self, columns: &[usize]) -> Result<Vec<Vec<f64>>, Error> {
        if self.headless {
            let problem = "all columns are called by numbers, so the header line seems to be missing";
            return Err(Error::data(
                &self.name,
                format!("{problem} (add one with the names of the columns)"),
            ));
        }
        for (k, row) in self.rows.iter().enumerate() {
            if let Some(column) = columns.iter().find(|column| !row[**column].is_finite()) {
                let remedy = "expected a finite number (correct the cell, or do not use the column)";
                return Err(Error::data(self.place(k, *column), remedy));
            }
        }
        Ok(self.rows.iter().map(|row| columns.iter().map(|k| row[*k]).collect()).collect())
    }

    /// Where a row is: its line in the file.
    pub fn line(&self, row: usize) -> String {
        match self.lines.get(row) {
            Some(line) => format!("{}, line {line}", self.name),
            None => format!("{}, row {}", self.name, row + 1),
        }
    }

    /// Where a cell is.
    pub fn place(&self, row: usize, column: usize) -> String {
        format!("{}, column `{}`", self.line(row), self.columns.get(column).map_or("", String::as_str))
    }

    /// The index of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column == name)
    }

    /// The place of a column that must exist. The error suggests the nearest name and lists the columns.
    pub fn required(&self, name: &str) -> Result<usize, Error> {
        self.column(name).ok_or_else(|| {
            Error::data(&self.name, format!("there is no column `{name}` ({})", self.known(name)))
        })
    }

    /// The place of the column that `key` names.
    pub fn named(&self, keys: &Keys<'_>, key: &str, name: &str) -> Result<usize, Error> {
        self.column(name).ok_or_else(|| {
            let remedy = format!("{} has no such column ({})", self.name, self.known(name));
            Error::value(keys.name(key), format!("{name:?}"), remedy)
        })
    }

    /// The places of the columns that `key` lists; none without the key. A column may be listed once.
    pub fn listed(&self, keys: &Keys<'_>, key: &str) -> Result<Option<Vec<usize>>, Error> {
        Ok(self.places(keys, key, false)?.map(|all| all.into_iter().flatten().collect()))
    }

    /// The same for columns that may be absent on this host.
    pub fn listed_here(&self, keys: &Keys<'_>, key: &str) -> Result<Option<Vec<Option<usize>>>, Error> {
        self.places(keys, key, self.partial)
    }

    fn places(&self, keys: &Keys<'_>, key: &str, absent: bool) -> Result<Option<Vec<Option<usize>>>, Error> {
        let Some(names) = keys.strs(key)? else { return Ok(None) };
        if let Some((_, name)) = names.iter().enumerate().find(|(k, name)| names[..*k].contains(name)) {
            return Err(keys.bad(key, format!("`{name}` is listed twice (name each column once)")));
        }
        let place = |name: &&str| match self.column(name) {
            None if absent => Ok(None),
            _ => self.named(keys, key, name).map(Some),
        };
        names.iter().map(place).collect::<Result<Vec<_>, _>>().map(Some)
    }

    fn known(&self, name: &str) -> String {
        let columns = self.columns.join(", ");
        match nearest(name, &self.columns) {
            Some(word) => format!("did you mean `{word}`? Its columns: {columns}"),
            None => format!("its columns: {columns}"),
        }
    }
}
