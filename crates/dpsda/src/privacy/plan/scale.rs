//! The grid, and the scale of the noise, that a plan needs.

use super::{Coverage, MAX_SCALE, Plan, Scale, Target};
use crate::Error;
use crate::privacy::Price;
use crate::privacy::guard::{moved, price};
use crate::privacy::mechanism::Noise;

/// A clip has at least this many units, unless a user sets the grid: rounding is then small against any noise.
const FINE: f64 = (1 << 24) as f64;
/// The finest grid that is chosen or taken.
pub const MAX_BITS: u32 = 52;
/// Rounding may raise the sensitivity of correlated noise by this share before a finer grid is chosen.
const SLACK: f64 = 0.01;
/// Noise beyond so many scales does not occur: below `exp(-64)` for Laplace, far less for Gauss.
const FAR: f64 = 64.0;

impl Plan {
    /// The coarsest grid on which the clip has enough units and the rounding of correlated noise costs little.
    pub(super) fn choose_grid(&mut self, clip: f64) -> Result<u32, Error> {
        let least = (FINE / clip).log2().ceil().clamp(0.0, f64::from(MAX_BITS)) as u32;
        for bits in least..MAX_BITS {
            self.set_grid(clip, bits)?;
            let rough =
                self.groups().into_iter().any(|(i, _)| match self.noise_at(i, Scale::Units(MAX_SCALE)) {
                    Noise::Exact(noise) => {
                        self.clip(i).is_some_and(|clip| noise.rounding(moved(clip)) > SLACK)
                    }
                    _ => false,
                });
            if !rough {
                return Ok(bits);
            }
        }
        Ok(MAX_BITS)
    }

    pub(super) fn set_scale(&mut self) -> Result<(), Error> {
        let exact = self.wanted.mechanism.is_exact();
        self.scale = match self.wanted.target {
            _ if self.wanted.is_silent() => Scale::Real(0.0),
            Target::Level(level) if self.wanted.coverage == Coverage::Sent => Scale::Real(1.0 / level), // as Fig. 7 does it
            Target::Level(level) => {
                let real = self.gain / (self.sizes.len() as f64 * level);
                if exact { Scale::Units(self.units(level, real)?) } else { Scale::Real(real) }
            }
            Target::Epsilon(epsilon) if exact => {
                let fits = |scale: u64| self.fits(Scale::Units(scale), epsilon);
                if !fits(MAX_SCALE) {
                    return Err(self.unreachable(epsilon));
                }
                Scale::Units(least(1, MAX_SCALE, fits))
            }
            Target::Epsilon(epsilon) => {
                // Steps of 2^-40 of the largest move, as integers: the same search.
                let clips = self.clips.iter().flat_map(|clips| clips.iter());
                let step = clips.map(|c| moved(*c)).max().unwrap_or(1) as f64 * self.unit;
                let scale = |k: u64| Scale::Real(step * k as f64 * (-40_f64).exp2());
                let fits = |k: u64| self.fits(scale(k), epsilon);
                if !fits(1 << 62) {
                    return Err(self.unreachable(epsilon));
                }
                scale(least(1, 1 << 62, fits))
            }
        };
        Ok(())
    }

    /// Whether all nodes together stay within `epsilon` with noise of this scale.
    fn fits(&self, scale: Scale, epsilon: f64) -> bool {
        let spent = self.joint_at(scale).as_epsilon(self.delta());
        spent.is_some_and(|spent| spent <= epsilon * (1.0 + 1e-12))
    }

    fn joint_at(&self, scale: Scale) -> Price {
        self.joint(|plan, i| price(&plan.noise_at(i, scale), plan.clip(i), plan.unit, 1))
    }

    fn units(&self, level: f64, real: f64) -> Result<u64, Error> {
        let units = (real / self.unit).ceil();
        if units <= MAX_SCALE as f64 {
            return Ok((units as u64).max(1));
        }
        let remedy = "so much noise has too many units of the grid (use a coarser `grid`, or a larger level)";
        Err(Error::value("level", level, remedy))
    }

    fn unreachable(&self, epsilon: f64) -> Error {
        let name = self.wanted.mechanism.name();
        let remedy = match self.joint_at(Scale::Units(MAX_SCALE)) {
            Price::Zcdp { .. } if self.delta() <= 0.0 => {
                format!("\"{name}\" noise has an epsilon only at a delta (set e.g. delta = 1e-5)")
            }
            Price::Unbounded => format!("\"{name}\" noise promises no epsilon (use \"discrete-gaussian\")"),
            _ => {
                let least =
                    self.joint_at(Scale::Units(MAX_SCALE)).shown(self.delta()).unwrap_or(f64::INFINITY);
                format!(
                    "prices are counted in millionths of epsilon or thousand-millionths of rho for each node, and noise has at \
                     most 2^48 units: {least:e} is the least here (use that or more)"
                )
            }
        };
        Error::value("epsilon", epsilon, remedy)
    }

    /// Refuses a grid on which the sum over the run and over nodes could leave 63 bits. Where gradients have a public part, at
    /// least half of the room is for that part, and its coordinates are held within what is left.
    pub(super) fn check_range(&mut self) -> Result<(), Error> {
        let (Some(clips), Scale::Units(scale)) = (&self.clips, self.scale) else { return Ok(()) };
        let Some(clip) = clips.iter().max_by_key(|c| c.bound) else { return Ok(()) };
        let release = clip.bound as f64 * self.batch as f64 + FAR * scale as f64;
        let releases = self.rounds as f64 * self.sizes.len() as f64;
        let largest = if self.by_agent() { 2.0 * release } else { release } * releases;
        let over = (largest.log2() - 62.0).ceil();
        if over <= 0.0 {
            self.room = (62_f64.exp2() / releases - release) as i64;
            return Ok(());
        }
        let most = f64::from(clip.bits) - over;
        let remedy = format!("sums over the run could leave 63 bits (use a grid of at most {most})");
        Err(Error::value("grid", clip.bits, remedy))
    }
}

/// The least number from `low` to `high` that fits, given that `high` fits and so does every number above one that fits.
fn least(mut low: u64, mut high: u64, fits: impl Fn(u64) -> bool) -> u64 {
    while low < high {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}
