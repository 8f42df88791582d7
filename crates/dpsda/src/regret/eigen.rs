//! Eigenvalues and eigenvectors of small symmetric matrices, by Jacobi rotations.

/// Eigenvalues, largest first, with their eigenvectors.
pub(super) fn eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..60 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let all: f64 = (0..n).map(|i| a[i][i] * a[i][i]).sum();
        if off <= 1e-28 * all || !off.is_finite() {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, &mut v, p, q);
            }
        }
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|i, j| a[*j][*j].total_cmp(&a[*i][*i]));
    let values = order.iter().map(|i| a[*i][*i]).collect();
    let vectors = order.into_iter().map(|i| std::mem::take(&mut v[i])).collect();
    (values, vectors)
}

/// Makes `a[p][q]` zero by a rotation, and rotates the rows of `v` too.
fn rotate(a: &mut [Vec<f64>], v: &mut [Vec<f64>], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    for rows in [&mut *a, v] {
        let (head, tail) = rows.split_at_mut(q);
        head[p].iter_mut().zip(&mut tail[0]).for_each(|(x, y)| turn(x, y));
    }
    for row in a {
        let (head, tail) = row.split_at_mut(q);
        turn(&mut head[p], &mut tail[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_the_sum_of_its_eigenvectors_parts() {
        let n = 12;
        let a: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::sin((i * j + i + j) as f64)).collect()).collect();
        let (values, vectors) = eigen(a.clone());
        assert!(values.is_sorted_by(|a, b| a >= b));
        for i in 0..n {
            for j in 0..n {
                let again: f64 = (0..n).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((again - a[i][j]).abs() < 1e-13, "{i} {j}");
                let unit: f64 = (0..n).map(|k| vectors[i][k] * vectors[j][k]).sum();
                assert!((unit - f64::from(u8::from(i == j))).abs() < 1e-13, "{i} {j}");
            }
        }
        assert_eq!(eigen(Vec::new()), (Vec::new(), Vec::new()));
    }
}
