//! Conjugate gradients on a face.

use super::face::Face;
use super::preconditioner::{add, dot};

/// A step and what the Hessian makes of it.
pub(super) struct FaceStep {
    pub(super) way: Vec<f64>,
    pub(super) image: Vec<f64>,
    /// Products with the Hessian that it took.
    pub(super) products: usize,
}

/// Minimises `<g, d> + <d, H d>/2 + bend |d|^2/2` over the steps `d` along the face, until `enough(step, share)`. `share` is what is
/// left of the gradient along the face. `None` if nothing can be gained along the face.
pub(super) fn descend(
    g: &[f64],
    face: &Face<'_>,
    mut product: impl FnMut(&[f64], &mut [f64]),
    mut enough: impl FnMut(&FaceStep, f64) -> bool,
) -> Option<FaceStep> {
    let dim = g.len();
    let mut rest: Vec<f64> = g.iter().map(|g| -g).collect();
    face.project(&mut rest);
    let mut square = dot(&rest, &rest);
    let first = square;
    if !(square > 0.0 && square.is_finite()) {
        return None;
    }
    let mut step = FaceStep { way: vec![0.0; dim], image: vec![0.0; dim], products: 0 };
    let (mut ahead, mut image) = (rest.clone(), vec![0.0; dim]);
    loop {
        product(&ahead, &mut image);
        step.products += 1;
        let curvature = dot(&ahead, &image) + face.bend() * dot(&ahead, &ahead);
        let length = square / curvature;
        if !(curvature > 0.0 && length.is_finite()) {
            break; // as flat as rounding allows
        }
        add(&mut step.way, length, &ahead);
        add(&mut step.image, length, &image);
        if face.bend() != 0.0 {
            add(&mut image, face.bend(), &ahead);
        }
        add(&mut rest, -length, &image);
        face.project(&mut rest);
        let left = dot(&rest, &rest);
        if enough(&step, (left / first).sqrt()) || left == 0.0 || step.products > dim + 50 {
            break;
        }
        let beta = left / square;
        square = left;
        ahead.iter_mut().zip(&rest).for_each(|(ahead, rest)| *ahead = rest + beta * *ahead);
    }
    step.way.iter().any(|way| *way != 0.0).then_some(step)
}
