//! CSV files, good and bad.

use super::*;

#[test]
fn give_features_in_file_order() {
    let source = csv("label = 'b'", "x,b,y\n1,-1,2.5\n-3e-1,1,4\n").unwrap();
    assert_eq!(rows(&*source), [(vec![1.0, 2.5], -1.0), (vec![-0.3, 4.0], 1.0)]);
    assert_eq!((source.dim(), source.len(), source.labels()), (2, Some(2), Ok(())));
    // printf 'x,b,y\n1,-1,2.5\n-3e-1,1,4\n' | sha256sum
    assert_eq!(source.sha256(), Some("c3c9d1e78f954e9bb0c41a78938f3f97d8bd17d4a71eb6a1dd30a3874a478998"));
}

#[test]
fn may_quote_end_lines_as_on_windows_and_start_with_a_mark() {
    let plain = rows(&*csv("label = 'b'", "x,b\n1,-1\n2,1\n").unwrap());
    for content in [
        "\"x\",\"b\"\n\"1\",\"-1\"\n\"2\",1",
        "x,b\r\n1,-1\r\n2,1\r\n",
        "x,b\r1,-1\r2,1\r",
        "\u{feff}x,b\n1,-1\n2,1\n",
        "\u{feff}\"x\",b\n1,-1\n2,1\n",
        "\n x , b \n\n 1 ,\t-1\n\n2,1\n\n",
    ] {
        assert_eq!(rows(&*csv("label = 'b'", content).unwrap()), plain, "{content:?}");
    }
    let quoted = csv("label = 'my \"b\", really'", "x,\"my \"\"b\"\", really\"\n1,2\n").unwrap();
    assert_eq!(rows(&*quoted), [(vec![1.0], 2.0)]);
}

#[test]
fn may_have_names_that_are_not_utf_8_as_tables_may_not() {
    let latin = b"gr\xf6sse,b\n1,-1\n2,1\n"; // ISO 8859-1, as some spreadsheets write it
    let source = build("csv", "path = 'm.csv'\nlabel = 'b'", latin).unwrap();
    assert_eq!(rows(&*source), [(vec![1.0], -1.0), (vec![2.0], 1.0)]);
}

#[test]
fn may_name_the_label_that_means_one() {
    let labels = |problem: &str, content: &str| {
        all(&*csv(&format!("label = 'b'\n{problem}"), content).unwrap()).samples.labels.clone()
    };
    assert_eq!(labels("positive = 'p'", "b,x\ne,0\np,0\nz,0\n"), [-1.0, 1.0, -1.0]);
    for positive in ["'1'", "'+1.0'", "1", "1.0"] {
        assert_eq!(
            labels(&format!("positive = {positive}"), "b,x\n0,0\n1,0\n+1,0\n10,0\n"),
            [-1.0, 1.0, 1.0, -1.0]
        );
    }
    let source = csv("label = 'b'\npositive = 'p'", "b,x\ne,0\np,0\n").unwrap();
    assert_eq!(source.labels(), Ok(()));
}

#[test]
fn say_where_the_first_label_stands_that_is_no_class() {
    fails(
        csv("label = 'b'", "x,b\r\n1,-1\r\n\r\n1,0\r\n1,5\r\n").unwrap().labels(),
        "m.csv, line 4, column 2 (\"b\"): the label is neither -1 nor +1, as this loss needs \
         (set problem.positive to the label that means +1, or loss to \"squared\" or \"huber\")",
    );
}

#[test]
fn that_are_malformed_are_named_by_line_and_column() {
    for (content, message) in [
        ("", "m.csv: the file is empty, expected a header line and a line per sample"),
        ("\u{feff}\r\n\n", "m.csv: the file is empty, expected a header line and a line per sample"),
        ("x,b\n", "m.csv: there is only a header line, expected a line per sample after it"),
        ("b\n1\n", "m.csv: the label is the only column, expected at least one feature"),
        (
            "x,b\n1,1\nabc,1\n",
            "m.csv, line 3, column 1 (\"x\"): found text, expected a number (correct it, or remove the sample or the column)",
        ),
        (
            "x,b\n1,1\n,1\n",
            "m.csv, line 3, column 1 (\"x\"): found nothing, expected a number (correct it, or remove the sample or the column)",
        ),
        (
            "x,b\nNaN,1\n",
            "m.csv, line 2, column 1 (\"x\"): found NaN or infinity, expected a finite number (correct it, or remove the sample or the column)",
        ),
        (
            "x,b\n-inf,1\n",
            "m.csv, line 2, column 1 (\"x\"): found NaN or infinity, expected a finite number (correct it, or remove the sample or the column)",
        ),
        (
            "x,b\n1,nan\n",
            "m.csv, line 2, column 2 (\"b\"): found NaN or infinity, expected a finite number as label (or set problem.positive to the label that means +1)",
        ),
        (
            "x,b\n1,p\n",
            "m.csv, line 2, column 2 (\"b\"): found text, expected a number as label (or set problem.positive to the label that means +1)",
        ),
        ("x,b\n1,\n", "m.csv, line 2, column 2 (\"b\"): found nothing, expected a number"),
        ("x,b\n1,1\n\n1,1,1\n", "m.csv, line 4: found 3 columns, expected the 2 of the header line"),
        ("x,b\n1\n", "m.csv, line 2: found 1 column, expected the 2 of the header line"),
        (
            "x,b,x\n1,1,1\n",
            "m.csv, line 1, column 3 (\"x\"): the same name as column 1, expected another name",
        ),
        (",b\n1,1\n", "m.csv, line 1, column 1: found nothing, expected the column's name"),
        (
            "x,b\n\"1\n2\",1\n",
            "m.csv, line 2, column 1 (\"x\"): found text, expected a number (correct it, or remove the sample or the column)",
        ),
        (
            "\"x\ny\",b\n1,1\nz,1\n",
            "m.csv, line 4, column 1 (\"x\\ny\"): found text, expected a number (correct it, or remove the sample or the column)",
        ),
    ] {
        fails(csv("label = 'b'", content), message);
        let windows = content.replace('\n', "\r\n");
        fails(csv("label = 'b'", &windows), &message.replace("\\n", "\\r\\n"));
    }
}

#[test]
fn without_the_label_list_their_columns() {
    let content = "x,y,b\n1,1,1\n";
    fails(
        csv("", content),
        "`problem.label` is missing: name the label's column, one of \"x\", \"y\", \"b\" in m.csv",
    );
    fails(
        csv("label = 'c'", content),
        "problem.label = \"c\": m.csv has no such column (its columns: \"x\", \"y\", \"b\")",
    );
    fails(
        csv("label = 'b'", "x;b\n1;2\n"),
        "m.csv, line 1: found the separator ';', expected commas between columns",
    );
    let wide: Vec<_> = (0..3073).map(|j| format!("x{j}")).collect();
    let message = csv("label = 'b'", &wide.join(",")).err().unwrap().to_string();
    assert!(message.ends_with("\"x11\" and 3061 more)"), "{message}");
}

#[test]
fn without_the_positive_label_say_where_another_one_stands() {
    fails(
        csv("label = 'b'\npositive = 'q'", "x,b\n1,e\n1,p\n1,e\n"),
        "problem.positive = \"q\": no sample of m.csv has this label (use one that occurs, as at m.csv, line 2, column 2 (\"b\"))",
    );
    fails(
        csv("label = 'b'\npositive = 'q'", "x,b\n1,\n"),
        "m.csv, line 2, column 2 (\"b\"): found nothing, expected a label",
    );
    fails(
        csv("label = 'b'\npositive = true", ""),
        "problem.positive = true: expected one label, as \"p\" or 1",
    );
}

#[test]
fn need_a_path_that_can_be_read() {
    fails(build("csv", "label = 'b'", b""), "`problem.path` is missing: name the CSV file to read");
    let table = dpsda_config::table("path = 'gone.csv'\nlabel = 'b'").unwrap();
    let gone = |path: &str| Err(Error::data(path, "no such file"));
    let entry = catalog::find(SOURCES, "problem.data", "csv").unwrap();
    fails((entry.build)(&Keys::new("problem", &table), &gone), "gone.csv: no such file");
}
