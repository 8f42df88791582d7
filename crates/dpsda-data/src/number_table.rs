//! A CSV file of numbers with a header line.

use csv::ReaderBuilder;
use dpsda::Error;
use dpsda::cost::NumberTable;

/// Reads a table. Errors name the file, the line and the column.
pub(crate) fn read(path: &str, bytes: &[u8]) -> Result<NumberTable, Error> {
    let mut reader = ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(bytes);
    let wrong = |e: csv::Error| Error::data(path, format!("is not a table of comma-separated values: {e}"));
    let columns: Vec<String> = reader.headers().map_err(wrong)?.iter().map(str::to_owned).collect();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let line = record.position().map_or(0, csv::Position::line);
        let number = |(k, text): (usize, &str)| {
            let name = columns.get(k).map_or("", String::as_str);
            text.parse::<f64>().ok().filter(|x| x.is_finite()).ok_or_else(|| {
                let found = if text.is_empty() { "nothing".to_owned() } else { format!("`{text}`") };
                Error::data(
                    format!("{path}, line {line}, column `{name}`"),
                    format!("found {found}, expected a number"),
                )
            })
        };
        rows.push(record.iter().enumerate().map(number).collect::<Result<Vec<f64>, Error>>()?);
    }
    if rows.is_empty() {
        return Err(Error::data(path, "has no rows below its header line (give at least one)"));
    }
    NumberTable::new(path, columns, rows)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_table_has_names_and_numbers() {
        let table = read("a.csv", b"# power in kW\nwind, sun\n1.5, 2\n-3e1,0\n").unwrap();
        assert_eq!(table.columns(), ["wind", "sun"]);
        assert_eq!(table.rows(), [vec![1.5, 2.0], vec![-30.0, 0.0]]);
    }

    #[test]
    fn errors_say_where_and_what() {
        let error = |text: &str| read("a.csv", text.as_bytes()).unwrap_err().to_string();
        assert_eq!(
            error("wind,sun\n1,2\n3,calm\n"),
            "a.csv, line 3, column `sun`: found `calm`, expected a number"
        );
        assert!(error("wind,sun\n1,\n").contains("line 2, column `sun`: found nothing"));
        assert!(error("wind,sun\n1,NaN\n").contains("found `NaN`"));
        assert!(error("wind,sun\n1\n").contains("a.csv: is not a table"));
        assert!(error("wind,sun\n").contains("has no rows"));
        assert!(error("wind,wind\n1,2\n").contains("two columns are called `wind`"));
    }
}
