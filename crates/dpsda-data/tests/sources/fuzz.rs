//! Files nobody meant to write.

use super::*;
use rand::RngExt;

#[test]
fn no_bytes_make_a_reader_panic() {
    const ODD: &[u8] = b"\n\r,\"#:; \t\0\xff\xef+-.e019naif";
    let files: [(&str, &str, &[u8]); 4] = [
        ("csv", "path = 'm'\nlabel = 'b'", b"x,b,\"y\"\r\n1,-1,2.5\n-3e-1,1,4\n7,1,\"8\"\n"),
        ("csv", "path = 'm'\nlabel = 'b'\npositive = 'p'", b"x,b,y\n1,p,2.5\n-3e-1,e,4\n7,p,8\n"),
        ("libsvm", "path = 'm'", b"+1 1:0.5 4:-2 # why\n-1 2:1\n\n1 3:1e3\n"),
        ("libsvm", "path = 'm'\npositive = '1'\nfeatures = 4", b"+1 1:0.5 4:-2 # why\n-1 2:1\n\n1 3:1e3\n"),
    ];
    let (mut good, mut bad) = (0, 0);
    for (k, (name, problem, valid)) in files.into_iter().enumerate() {
        assert!(build(name, problem, valid).is_ok());
        for case in 0..5000 {
            let mut stream = seed(k as u32).stream(dpsda::rng::Purpose::Data, 0, case);
            let mut bytes = valid.to_vec();
            for _ in 0..stream.random_range(1..=4) {
                let at = stream.random_range(0..bytes.len().max(1));
                let byte =
                    if stream.random() { ODD[stream.random_range(0..ODD.len())] } else { stream.random() };
                match stream.random_range(0..4) {
                    0 if at < bytes.len() => bytes[at] = byte,
                    1 if at < bytes.len() => drop(bytes.remove(at)),
                    2 => bytes.truncate(at),
                    _ => bytes.insert(at.min(bytes.len()), byte),
                }
            }
            match build(name, problem, &bytes) {
                Ok(source) => {
                    good += 1;
                    assert!(rows_are_finite(&*source), "{:?}", String::from_utf8_lossy(&bytes));
                }
                Err(error) => {
                    bad += 1;
                    assert!(!error.to_string().contains('\n'), "{error}");
                }
            }
        }
    }
    assert!(good > 1000 && bad > 1000, "mutations must reach both: {good} read, {bad} refused");
}

fn rows_are_finite(source: &dyn Source) -> bool {
    let Draw { samples, train, .. } = all(source);
    // A mutated index may ask for millions of columns: look at the row's entries, not at all columns.
    let ones = vec![1.0; source.dim().min(1000)];
    !train.is_empty()
        && samples.labels.iter().all(|b| b.is_finite())
        && (ones.len() < source.dim() || train.iter().all(|&r| samples.features.dot(r, &ones).is_finite()))
}
