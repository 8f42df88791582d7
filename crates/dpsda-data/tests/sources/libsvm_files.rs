//! LIBSVM files, good and bad.

use super::*;

#[test]
fn give_sparse_rows() {
    let source = libsvm("", "# ours\n+1 1:0.5 4:-2  # a comment 9:9\n\n  -1\t2:1\r\n1\n").unwrap();
    let expected = [(vec![0.5, 0.0, 0.0, -2.0], 1.0), (vec![0.0, 1.0, 0.0, 0.0], -1.0), (vec![0.0; 4], 1.0)];
    assert_eq!(rows(&*source), expected);
    assert_eq!((source.dim(), source.len(), source.labels()), (4, Some(3), Ok(())));
    assert_eq!(libsvm("features = 6", "1 2:3").unwrap().dim(), 6);
    assert_eq!(rows(&*libsvm("features = 2", "\u{feff}1\n").unwrap()), [(vec![0.0; 2], 1.0)]);
}

#[test]
fn may_name_the_label_that_means_one() {
    let source = libsvm("positive = '2'", "1 1:1\n2 1:1\n").unwrap();
    assert_eq!((all(&*source).samples.labels.clone(), source.labels()), (vec![-1.0, 1.0], Ok(())));
    fails(
        libsvm("positive = '3'", "1 1:1\n2 1:1\n"),
        "problem.positive = \"3\": no sample of m.svm has this label (use one that occurs, as at m.svm, line 1, column 1)",
    );
    fails(
        libsvm("", "1 1:1\n 2 1:1\n").unwrap().labels(),
        "m.svm, line 2, column 2: the label is neither -1 nor +1, as this loss needs \
         (set problem.positive to the label that means +1, or loss to \"squared\" or \"huber\")",
    );
}

#[test]
fn that_are_malformed_are_named_by_line_and_column() {
    for (content, message) in [
        ("", "m.svm: the file has no samples, expected lines like `+1 3:0.5 7:1`"),
        ("# nothing\n\n", "m.svm: the file has no samples, expected lines like `+1 3:0.5 7:1`"),
        ("1\n-1\n", "m.svm: no line has a feature (set problem.features if all of them are 0)"),
        ("1 1:1\n1  3\n", "m.svm, line 2, column 4: found no colon, expected index:value"),
        ("1 0:1\n", "m.svm, line 1, column 3: found an index of 0, expected at least 1"),
        ("1 -2:1\n", "m.svm, line 1, column 3: expected a whole number before the colon"),
        ("1 qid:1 1:1\n", "m.svm, line 1, column 3: expected a whole number before the colon"),
        (
            "1 3:1 3:1\n",
            "m.svm, line 1, column 7: found an index that is not above the one before (indices rise within a line)",
        ),
        ("1 ä:1 3:1\n", "m.svm, line 1, column 3: expected a whole number before the colon"),
        (
            "1 3:1\t 2:1\n",
            "m.svm, line 1, column 8: found an index that is not above the one before (indices rise within a line)",
        ),
        ("1 1:x\n", "m.svm, line 1, column 3: found text, expected a number after the colon"),
        ("1 1:\n", "m.svm, line 1, column 3: found nothing, expected a number after the colon"),
        (
            "1 1:nan\n",
            "m.svm, line 1, column 3: found NaN or infinity, expected a finite number after the colon",
        ),
        ("1 100000001:1\n", "m.svm, line 1, column 3: found an index above 100000000, the largest"),
        (
            "p 1:1\n",
            "m.svm, line 1, column 1: found text, expected a number as label (or set problem.positive to the label that means +1)",
        ),
    ] {
        fails(libsvm("", content), message);
        fails(libsvm("", &content.replace('\n', "\r\n")), message);
    }
    fails(
        libsvm("features = 4", "1 1:1\n1 5:1\n"),
        "m.svm, line 2, column 3: found an index above problem.features = 4",
    );
    fails(
        libsvm("features = 100000001", "1 1:1"),
        "problem.features = 100000001: expected at most 100000000",
    );
    fails(build("libsvm", "", b""), "`problem.path` is missing: name the LIBSVM file to read");
}
