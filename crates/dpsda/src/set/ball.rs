//! Euclidean balls around the origin.

use super::{Build, ConvexSet, ProxEach, Size};
use crate::Error;
use crate::catalog::{Key, Listing};

/// `{ |x| <= radius }`
///
/// ```
/// use dpsda::set::{Ball, ConvexSet};
/// let mut x = [3.0, 4.0];
/// Ball::new(2.5)?.project(&mut x);
/// assert_eq!(x, [1.5, 2.0]);
/// # Ok::<(), dpsda::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ball {
    radius: f64,
}

impl Ball {
    /// The ball of this radius around the origin.
    ///
    /// ```
    /// # use dpsda::set::Ball;
    /// let error = Ball::new(-1.0).unwrap_err().to_string();
    /// assert_eq!(error, "radius = -1: a ball needs a positive finite radius (for no bound, use the set `Free`)");
    /// ```
    pub fn new(radius: f64) -> Result<Self, Error> {
        if radius > 0.0 && radius.is_finite() {
            return Ok(Self { radius });
        }
        let remedy = "a ball needs a positive finite radius (for no bound, use the set `Free`)";
        Err(Error::value("radius", radius, remedy))
    }
}

impl ConvexSet for Ball {
    fn project(&self, x: &mut [f64]) {
        let (scale, norm) = scaled_norm(x);
        if norm * scale <= self.radius {
            return;
        }
        for x in x.iter_mut() {
            *x = unit(*x, scale) * (self.radius / norm);
        }
    }

    fn floor(&self, c: &[f64]) -> f64 {
        let (scale, norm) = scaled_norm(c);
        -self.radius * norm * scale
    }

    fn size(&self, _dim: usize) -> Size {
        Size { diameter: 2.0 * self.radius, psi: self.radius * self.radius / 2.0 }
    }

    fn reach(&self, _dim: usize) -> Option<f64> {
        Some(self.radius)
    }

    fn ball(&self) -> Option<f64> {
        Some(self.radius)
    }

    fn is_separable(&self) -> bool {
        false
    }

    fn each(&self) -> Option<&dyn ProxEach> {
        Some(self)
    }
}

/// `x_k = -z_k / (1/step_k + mu)` with the least `mu >= 0` for which `|x| <= radius`. The length falls with mu, so bisection
/// finds mu to the last bit. The projection at the end removes what rounding left.
impl ProxEach for Ball {
    fn prox_each(&self, z: &[f64], steps: &[f64], y: &mut [f64]) {
        super::step_each(z, steps, y);
        let (scale, norm) = scaled_norm(y);
        if norm * scale <= self.radius {
            return;
        }
        let shrunk = |mu: f64, y: &mut [f64]| {
            y.iter_mut().zip(z.iter().zip(steps)).for_each(|(y, (z, step))| *y = 0.0 - z / (1.0 / step + mu));
            let (scale, norm) = scaled_norm(y);
            norm * scale
        };
        let (scale, norm) = scaled_norm(z);
        let (mut low, mut high) = (0.0, norm * scale / self.radius); // |x| < |z|/mu
        if !high.is_finite() {
            self.prox(z, 1.0, y); // so far out that steps do not matter: only the direction counts
            return;
        }
        loop {
            let mu = low + (high - low) / 2.0;
            if mu <= low || mu >= high {
                break;
            }
            *if shrunk(mu, y) > self.radius { &mut low } else { &mut high } = mu;
            if high - low <= 1e-15 * high {
                break;
            }
        }
        shrunk(high, y);
        self.project(y);
    }
}

/// `|x|` as `(scale, |x/scale|)`: no square overflows, and no square that matters underflows.
fn scaled_norm(x: &[f64]) -> (f64, f64) {
    let squares: f64 = x.iter().map(|x| x * x).sum();
    if (1e-280..1e300).contains(&squares) {
        return (1.0, squares.sqrt());
    }
    let scale = x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if scale == 0.0 {
        return (1.0, 0.0);
    }
    (scale, x.iter().map(|x| unit(*x, scale).powi(2)).sum::<f64>().sqrt())
}

/// `x/scale`; with an infinite scale, infinite coordinates become ±1 and finite ones 0.
fn unit(x: f64, scale: f64) -> f64 {
    if x.is_infinite() { x.signum() } else { x / scale }
}

/// Its place in the table.
pub const LISTING: Listing<Build> = Listing {
    name: "ball",
    about: "Euclidean length at most a radius",
    keys: &[Key { name: "radius", about: "a positive number" }],
    build: |keys, _| match keys.f64("radius")?.map(Ball::new) {
        Some(Ok(ball)) => Ok(Box::new(ball)),
        _ => Err(keys.bad("radius", "a ball needs a positive finite radius (for no bound, kind = \"free\")")),
    },
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn huge_and_tiny_vectors_keep_their_direction() {
        let ball = Ball { radius: 5.0 };
        for big in [1e200, 1e308, f64::INFINITY] {
            let mut x = [3.0, big, -big, 0.0];
            ball.project(&mut x);
            let side = 5.0 / 2.0_f64.sqrt();
            assert!((x[1] - side).abs() < 1e-12 && (x[2] + side).abs() < 1e-12, "{x:?}");
            assert!(x[0].abs() < 1e-100 && x[3] == 0.0);
        }
        let mut x = [3e-200, 4e-200];
        Ball { radius: 1e-200 }.project(&mut x);
        assert!((x[0] / 1e-200 - 0.6).abs() < 1e-12);
        let mut zero = [0.0, 0.0];
        ball.project(&mut zero);
        assert_eq!(zero, [0.0, 0.0]);
        assert_eq!(ball.floor(&[0.0, 0.0]), 0.0);
        let mut far = [0.0; 2];
        ball.prox_each(&[f64::INFINITY, 1.0], &[1.0, 2.0], &mut far);
        assert_eq!(far, [-5.0, 0.0]);
        ball.prox_each(&[3e307, 4e307], &[1.0, 1.0], &mut far);
        assert!((far[0] + 3.0).abs() < 1e-9 && (far[1] + 4.0).abs() < 1e-9, "{far:?}");
        assert!((ball.floor(&[3e-200, -4e-200]) / 1e-200 + 25.0).abs() < 1e-12);
    }
}
