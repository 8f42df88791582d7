//! The bundled mushrooms.

use super::*;

#[test]
fn has_the_rows_features_and_classes_of_table_2() {
    let source = build("mushroom", "", b"").unwrap();
    assert_eq!((source.len(), source.dim()), (Some(8124), 112));
    assert_eq!(source.labels(), Ok(()));
    let samples = all(&*source).samples;
    assert_eq!(samples.labels.iter().filter(|b| **b == 1.0).count(), 3916);
    assert_eq!(samples.labels.iter().filter(|b| **b == -1.0).count(), 8124 - 3916);
}

#[test]
fn has_one_one_per_attribute_and_no_idle_feature() {
    let source = build("mushroom", "", b"").unwrap();
    let mut total = vec![0.0; 112];
    for (a, _) in rows(&*source) {
        assert_eq!(a.iter().filter(|x| **x == 1.0).count(), 21);
        assert_eq!(a.iter().filter(|x| **x == 0.0).count(), 112 - 21);
        total.iter_mut().zip(a).for_each(|(t, a)| *t += a);
    }
    assert!(total.iter().all(|t| *t > 0.0));
}

#[test]
fn orders_features_by_attribute_and_letter() {
    // p,x,s,n,t,...: cap-shape is one of bcfksx, cap-surface of fgsy, cap-color of bcegnpruwy, bruises of ft.
    let (first, label) = rows(&*build("mushroom", "", b"").unwrap()).swap_remove(0);
    let ones: Vec<_> = (0..112).filter(|&j| first[j] == 1.0).collect();
    assert_eq!(ones[..4], [5, 6 + 2, 6 + 4 + 4, 6 + 4 + 10 + 1]);
    // ...,u: habitat, the last attribute, is one of dglmpuw.
    assert_eq!(ones[20], 112 - 7 + 5);
    assert_eq!(label, 1.0);
}

#[test]
fn is_the_file_its_readme_names() {
    let source = build("mushroom", "", b"").unwrap();
    assert!(include_str!("../../data/README.md").contains(source.sha256().unwrap()));
}
