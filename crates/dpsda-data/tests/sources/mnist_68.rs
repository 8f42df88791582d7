//! The bundled sixes and eights of MNIST, and the originals in their place.

use super::*;

#[test]
fn has_the_images_and_classes_of_table_3() {
    let source = build("mnist-68", "", b"").unwrap();
    assert_eq!((source.len(), source.dim(), source.labels()), (Some(11769), 784, Ok(())));
    let labels = &all(&*source).samples.labels;
    assert_eq!(labels.iter().filter(|b| **b == 1.0).count(), 5851);
    assert_eq!(labels.iter().filter(|b| **b == -1.0).count(), 5918);
    let digits: Vec<_> = labels.iter().take(12).map(|b| if *b == 1.0 { 8 } else { 6 }).collect();
    assert_eq!(digits, [6, 8, 6, 8, 6, 6, 6, 8, 8, 8, 6, 6]);
}

#[test]
fn has_pixels_from_0_to_1_at_their_places() {
    let source = build("mnist-68", "", b"").unwrap();
    let samples = all(&*source).samples;
    // The sums of the bytes of the first, second and last image, weighted by place.
    for (image, sum, weighted) in [(0, 28443, 11195548), (1, 27106, 11101523), (11768, 20920, 8549722)] {
        let pixels = row(&samples, image);
        assert!(pixels.iter().all(|p| (0.0..=1.0).contains(p)));
        let bytes: Vec<u64> = pixels.iter().map(|p| (p * 255.0).round() as u64).collect();
        assert!(pixels.iter().zip(&bytes).all(|(p, b)| *p == *b as f64 / 255.0), "bytes divided by 255");
        assert_eq!(bytes.iter().sum::<u64>(), sum, "image {image}");
        assert_eq!((1..).zip(&bytes).map(|(k, b)| k * b).sum::<u64>(), weighted, "image {image}");
    }
}

#[test]
fn splits_into_8000_and_the_other_3769() {
    let source = build("mnist-68", "", b"").unwrap();
    let sizes = split_of(&*source, Some(8000), 3769, None, 100).unwrap();
    assert_eq!(sizes, Split { train: 8000, test: 3769, rounds: 80 });
    let Draw { samples, train, test } = source.draw(seed(0), 8000, 3769, true);
    let rows: BTreeSet<_> = train.iter().chain(&test).collect();
    assert_eq!((train.len(), test.len(), rows.len()), (8000, 3769, 11769));
    let in_order = source.draw(seed(0), 8000, 3769, false);
    let eights = |rows: &[usize]| rows.iter().filter(|r| samples.labels[**r] == 1.0).count();
    assert_eq!((eights(&in_order.train), eights(&in_order.test)), (3943, 1908));
    assert_eq!(eights(&train) + eights(&test), 5851);
}

#[test]
fn is_the_data_its_readme_names() {
    let source = build("mnist-68", "", b"").unwrap();
    assert!(include_str!("../../data/README.md").contains(source.sha256().unwrap()));
}

#[test]
fn that_are_not_the_originals_are_refused() {
    let images = [&[0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 28, 0, 0, 0, 28][..], &[7; 784]].concat();
    let labels = [0, 0, 8, 1, 0, 0, 0, 1, 6];
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    let load = |path: &str| {
        let file = format!(
            "rounds = 1\nproblem = {{ loss = 'logistic', data = 'mnist-68', path = {path} }}\n\
             network = {{ nodes = 1, graph = 'complete' }}\nalgorithm = {{ name = 'dpsda-r' }}"
        );
        Prepared::load(&file, &[], folder.path()).err().expect("an error").to_string()
    };
    assert!(load("1").starts_with("problem.path = 1: "), "{}", load("1"));
    let nothing = load("'.'");
    for said in ["problem.path = \".\": ", "train-images-idx3-ubyte.gz: cannot be read", "leave it out"] {
        assert!(nothing.contains(said), "{nothing}");
    }
    put("train-images-idx3-ubyte", &images);
    put("train-labels-idx1-ubyte", &labels);
    let other = load("'.'");
    for said in [
        "train-images-idx3-ubyte: 800 bytes with SHA-256 dc81b049cf232aabeb65df16317bab584cb156d3ec2ce25391eaad69d3a3baab",
        "expected 47040016 with SHA-256 ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
    ] {
        assert!(other.contains(said), "{other}");
    }
    put("train-images-idx3-ubyte.gz", b"\x1f\x8b and nothing of the kind");
    assert!(load("'.'").contains("train-images-idx3-ubyte.gz: not a whole gzip file: "), "{}", load("'.'"));
}
