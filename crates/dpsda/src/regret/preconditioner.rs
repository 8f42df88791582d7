//! A preconditioner that fits the function: `M = rest I + sum (size_k - rest) u_k u_k^T` with orthonormal `u_k`.
//!
//! Images are similar to each other: their second moments fall from 700 to below 0.1 within a hundred directions. The number
//! of steps of a plain gradient method grows with the square root of this ratio. `M` is close to the Hessian in its steepest
//! directions, so the function is nearly round in the norm of `M`. `M` decides only which steps are tried, never what is
//! certified.

/// The matrix `M`. Without directions it is the identity and changes nothing.
#[derive(Debug, Clone)]
pub(super) struct Preconditioner {
    pub(super) directions: Vec<Vec<f64>>,
    pub(super) sizes: Vec<f64>,
    pub(super) rest: f64,
    /// The number of rows of the function for which it was learned.
    pub(super) rows: usize,
}

impl Preconditioner {
    pub(super) fn identity() -> Self {
        Self { directions: Vec::new(), sizes: Vec::new(), rest: 1.0, rows: 0 }
    }

    pub(super) fn is_identity(&self) -> bool {
        self.directions.is_empty()
    }

    /// `a^T M b`
    pub(super) fn product(&self, a: &[f64], b: &[f64]) -> f64 {
        let along = |u: &Vec<f64>| dot(u, a) * dot(u, b);
        self.rest * dot(a, b) + self.beyond(|size| size - self.rest).map(|(u, c)| c * along(u)).sum::<f64>()
    }

    /// `M^-1 g`, in place.
    pub(super) fn solve(&self, g: &mut [f64]) {
        let along: Vec<f64> = self.directions.iter().map(|u| dot(u, g)).collect();
        if self.rest != 1.0 {
            g.iter_mut().for_each(|g| *g /= self.rest);
        }
        for ((u, factor), along) in self.beyond(|size| 1.0 / size - 1.0 / self.rest).zip(along) {
            add(g, factor * along, u);
        }
    }

    /// Moves `z` to the nearest point of the ball in the norm of `M`: `(M + nu I)^-1 M z` with the `nu` that puts it on the
    /// sphere.
    pub(super) fn project(&self, radius: f64, z: &mut [f64]) {
        if dot(z, z) <= radius * radius {
            return;
        }
        let along: Vec<f64> = self.directions.iter().map(|u| dot(u, z)).collect();
        let squares: f64 = along.iter().map(|a| a * a).sum();
        let across = (dot(z, z) - squares).max(0.0);
        let length = |nu: f64| {
            let part = |size: f64, square: f64| (size / (size + nu)).powi(2) * square;
            let parts = self.sizes.iter().zip(&along).map(|(size, a)| part(*size, a * a));
            (parts.sum::<f64>() + part(self.rest, across)).sqrt()
        };
        // The length falls with nu, and at `high` it is at most the radius.
        let steepest = self.sizes.iter().fold(self.rest, |most, size| most.max(*size));
        let (mut low, mut high) = (0.0, steepest * length(0.0) / radius);
        for _ in 0..200 {
            let middle = (low + high) / 2.0;
            if middle <= low || middle >= high {
                break;
            }
            *(if length(middle) > radius { &mut low } else { &mut high }) = middle;
        }
        let shrink = |size: f64| size / (size + high);
        z.iter_mut().for_each(|z| *z *= shrink(self.rest));
        for ((u, factor), along) in self.beyond(|size| shrink(size) - shrink(self.rest)).zip(along) {
            add(z, factor * along, u);
        }
    }

    /// Every direction, with `factor` of its size.
    fn beyond(&self, factor: impl Fn(f64) -> f64) -> impl Iterator<Item = (&Vec<f64>, f64)> {
        self.directions.iter().zip(self.sizes.iter().map(move |size| factor(*size)))
    }
}

/// `<a, b>`, by eight running sums.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        (0..8).for_each(|k| sums[k] += a[k] * b[k]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

/// `x += c u`
pub(super) fn add(x: &mut [f64], c: f64, u: &[f64]) {
    x.iter_mut().zip(u).for_each(|(x, u)| *x += c * u);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two directions of three, neither along an axis.
    fn preconditioner() -> Preconditioner {
        let directions = vec![vec![0.6, 0.8, 0.0], vec![0.0, 0.0, -1.0]];
        Preconditioner { directions, sizes: vec![50.0, 4.0], rest: 0.5, rows: 1 }
    }

    /// `M x`
    fn times(x: &[f64]) -> Vec<f64> {
        let unit = |j| [0, 1, 2].map(|k| f64::from(u8::from(j == k)));
        (0..3).map(|j| preconditioner().product(&unit(j), x)).collect()
    }

    #[test]
    fn solve_inverts_the_product() {
        let g = [1.0, -2.0, 3.0];
        let mut x = g;
        preconditioner().solve(&mut x);
        let again = times(&x);
        assert!(again.iter().zip(g).all(|(a, g)| (a - g).abs() < 1e-12), "{again:?}");
        let mut same = g;
        Preconditioner::identity().solve(&mut same);
        assert_eq!((same, Preconditioner::identity().product(&g, &g)), (g, 14.0));
    }

    #[test]
    fn a_projection_is_on_the_sphere_and_nearest() {
        let z = [3.0, -1.0, 2.0];
        let mut x = z;
        preconditioner().project(2.0, &mut x);
        assert!((dot(&x, &x).sqrt() - 2.0).abs() < 1e-12);
        // M (z - x) is normal to the sphere at x, and points out.
        let out = times(&[z[0] - x[0], z[1] - x[1], z[2] - x[2]]);
        let along = dot(&out, &x) / dot(&x, &x);
        assert!(along > 0.0 && out.iter().zip(x).all(|(o, x)| (o - along * x).abs() < 1e-11), "{out:?}");
        let mut inside = [0.5, 0.5, 0.5];
        preconditioner().project(2.0, &mut inside);
        assert_eq!(inside, [0.5; 3]);
    }
}
