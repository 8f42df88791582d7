//! Values that may leave the host: noised values and everything computed from them.

use std::ops::Range;

use super::Numbers;

/// Values that may leave the host. Whole multiples of a unit stay whole as long as they are only added up; mixing with real
/// weights makes them real numbers. Everything here is post-processing: it uses released values alone.
///
/// ```
/// use dpsda::prelude::*;
/// # let asked = Privacy::epsilon(1.0).clip(1.0).mechanism(DiscreteLaplace);
/// # let spec = Spec::new(Blocks::even(2, 1)?).set(Free).algorithm(Central).privacy(asked).rounds(1).check()?;
/// # let (mut guard, mut ledger) = (spec.plan().guard(0, Seed::new(1)), spec.plan().ledger());
/// let noise: Released = guard.release(guard.nothing(2), 0, &mut ledger);
/// let mut sum = spec.plan().zeros(2);
/// sum.add_block(0..2, &noise);
/// assert_eq!(sum, noise); // whole multiples of a unit, added up exactly
/// sum.add(0.5, &noise);
/// assert_eq!(sum.units(), None); // real numbers now
/// # Ok::<(), dpsda::Error>(())
/// ```
///
/// They come from [`Guard::release`](super::Guard::release), from combining others, or from a verified message. There is no way
/// to make one from plain numbers:
///
/// ```compile_fail
/// let forged: dpsda::privacy::Released = vec![0.5, -0.25].into();
/// ```
///
/// ```compile_fail
/// let forged = dpsda::privacy::Released(vec![0.5, -0.25]); // private
/// ```
///
/// ```compile_fail
/// fn read(bytes: &[u8]) -> dpsda::privacy::Released {
///     serde_json::from_slice(bytes).unwrap() // it is not `Deserialize`
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Released(pub(crate) Numbers);

/// A message that arrived over a wire and was verified: its owner's signature, or the connection it came by, was checked. A
/// transport implements this only for the type that its check returns.
///
/// ```
/// use dpsda::privacy::{Released, Verified};
/// /// The one way to this type is through the check.
/// struct Signed(Vec<i64>);
/// impl Signed {
///     fn check(units: Vec<i64>, signature: u8) -> Option<Self> {
///         (signature == 7).then_some(Self(units)) // a real transport checks a real signature
///     }
/// }
/// impl Verified for Signed {
///     fn units(&self) -> &[i64] {
///         &self.0
///     }
/// }
/// let heard = |signature| Signed::check(vec![3, -1], signature).map(|signed| Released::from_wire(&signed, 0.5).to_reals());
/// assert_eq!((heard(7), heard(8)), (Some(vec![1.5, -0.5]), None));
/// ```
pub trait Verified {
    /// The numbers, in units of the plan's grid.
    fn units(&self) -> &[i64];

    /// Sums of squares, where steps follow from them.
    fn squares(&self) -> Option<&[f64]> {
        None
    }
}

impl Released {
    /// The zero vector, which depends on no data.
    pub fn zeros(len: usize) -> Self {
        Self(Numbers::Real(vec![0.0; len]))
    }

    /// The zero vector on the grid of multiples of `unit`.
    pub fn zeros_on_grid(len: usize, unit: f64) -> Self {
        Self(Numbers::Grid { units: vec![0; len], unit })
    }

    /// Values that another host released and sent, on a grid of this unit.
    pub fn from_wire(entry: &impl Verified, unit: f64) -> Self {
        Self::on_grid(entry.units().to_vec(), unit)
    }

    /// These multiples of `unit`, which follow from released ones.
    pub(crate) fn on_grid(units: Vec<i64>, unit: f64) -> Self {
        Self(Numbers::Grid { units, unit })
    }

    /// How many numbers.
    pub fn len(&self) -> usize {
        match &self.0 {
            Numbers::Real(v) => v.len(),
            Numbers::Grid { units, .. } => units.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// As real numbers.
    pub fn to_reals(&self) -> Vec<f64> {
        self.0.to_reals()
    }

    /// Appends them as real numbers.
    pub(crate) fn write_reals(&self, to: &mut Vec<f64>) {
        match &self.0 {
            Numbers::Real(v) => to.extend_from_slice(v),
            Numbers::Grid { units, unit } => to.extend(units.iter().map(|k| *k as f64 * unit)),
        }
    }

    /// As multiples of a unit, and that unit, if it is on a grid.
    pub fn units(&self) -> Option<(&[i64], f64)> {
        match &self.0 {
            Numbers::Real(_) => None,
            Numbers::Grid { units, unit } => Some((units, *unit)),
        }
    }

    /// `self += c other`, over the reals.
    pub fn add(&mut self, c: f64, other: &Self) {
        let all = 0..self.len();
        self.add_reals(all, c, &other.0);
    }

    /// `self[block] += other`. Exact where both are on the same grid (a sum beyond 63 bits saturates; plans keep well below
    /// that).
    ///
    /// # Panics
    ///
    /// If `block` reaches beyond the last number, as a slice does.
    pub fn add_block(&mut self, block: Range<usize>, other: &Self) {
        match (&mut self.0, &other.0) {
            (Numbers::Grid { units, unit }, Numbers::Grid { units: more, unit: same }) if *unit == *same => {
                units[block].iter_mut().zip(more).for_each(|(s, o)| *s = s.saturating_add(*o));
            }
            _ => self.add_reals(block, 1.0, &other.0),
        }
    }

    /// `self[block] += other^2`, coordinate by coordinate, over the reals.
    ///
    /// # Panics
    ///
    /// If `block` reaches beyond the last number, as a slice does.
    pub fn add_squares(&mut self, block: Range<usize>, other: &Self) {
        let squares = other.to_reals().into_iter().map(|v| v * v).collect();
        self.add_reals(block, 1.0, &Numbers::Real(squares));
    }

    /// Adds what `of` makes of released numbers to the first number here: as public as they are.
    pub(crate) fn add_one(&mut self, other: &Self, of: impl FnOnce(&mut [f64]) -> f64) {
        let one = of(&mut other.to_reals());
        self.add_reals(0..1, 1.0, &Numbers::Real(vec![one]));
    }

    /// `reals += self`, for values that were released before and are kept as real numbers.
    pub(crate) fn add_to(&self, reals: &mut [f64]) {
        self.0.add_to(1.0, reals);
    }

    /// The same of some of the numbers.
    pub(crate) fn add_some_to(&self, some: Range<usize>, reals: &mut [f64]) {
        match &self.0 {
            Numbers::Real(all) => reals.iter_mut().zip(&all[some]).for_each(|(s, o)| *s += o),
            Numbers::Grid { units, unit } => {
                reals.iter_mut().zip(&units[some]).for_each(|(s, k)| *s += *k as f64 * unit);
            }
        }
    }

    fn add_reals(&mut self, block: Range<usize>, c: f64, other: &Numbers) {
        if let Numbers::Grid { .. } = self.0 {
            self.0 = Numbers::Real(self.to_reals());
        }
        let Numbers::Real(mine) = &mut self.0 else { return };
        other.add_to(c, &mut mine[block]);
    }
}
