//! `problem.scale` and `problem.intercept`: what is done to the features of every example.

use dpsda::features::Scaling;
use dpsda::keys::Value;
use dpsda::{Error, Keys};

/// What the keys of `[problem]` ask for, and whether it fits examples of `dim` features.
pub fn scaling(keys: &Keys<'_>, dim: usize) -> Result<Scaling, Error> {
    let scaling = read(keys)?;
    match (scaling.fits(dim), keys.raw("scale")) {
        (Err(error), Some(Value::Table(own))) => Err(Keys::new(keys.name("scale"), own).locate(error)),
        (fits, _) => fits.map(|()| scaling),
    }
}

pub(crate) fn read(keys: &Keys<'_>) -> Result<Scaling, Error> {
    let intercept = keys.bool("intercept")?.unwrap_or(false);
    let scaling = match keys.raw("scale") {
        None => Scaling::none(),
        Some(Value::Table(own)) => bounds(Keys::new(keys.name("scale"), own))?,
        Some(Value::String(_)) => match keys.choice("scale", &[("none", false), ("unit", true)])? {
            true => Scaling::unit(),
            false => Scaling::none(),
        },
        Some(_) => {
            let expected = "expected \"none\", \"unit\" or public bounds, e.g. { lower = -3.0, upper = 3.0 }";
            return Err(keys.bad("scale", expected));
        }
    };
    Ok(scaling.intercept(intercept))
}

fn bounds(keys: Keys<'_>) -> Result<Scaling, Error> {
    let both = ["lower", "upper"].map(|key| keys.raw(key));
    if both.contains(&None) {
        keys.known()?; // a misspelt key
    }
    let scaling = match (side(&keys, "lower")?, side(&keys, "upper")?) {
        (BoundSide::One(lower), BoundSide::One(upper)) => Scaling::between(lower, upper),
        (BoundSide::One(lower), BoundSide::Each(upper)) => {
            Scaling::between_each(vec![lower; upper.len()], upper)
        }
        (BoundSide::Each(lower), BoundSide::One(upper)) => {
            let upper = vec![upper; lower.len()];
            Scaling::between_each(lower, upper)
        }
        (BoundSide::Each(lower), BoundSide::Each(upper)) => Scaling::between_each(lower, upper),
    };
    let scaling = scaling.map_err(|error| keys.locate(error))?;
    keys.finish()?;
    Ok(scaling)
}

/// One bound for all features, or one per feature.
enum BoundSide {
    One(f64),
    Each(Vec<f64>),
}

fn side(keys: &Keys<'_>, key: &str) -> Result<BoundSide, Error> {
    let expected =
        || keys.bad(key, "give a public bound of the features: a number, or one number per feature");
    match keys.raw(key) {
        Some(Value::List(_)) => keys.f64s(key)?.map(BoundSide::Each).ok_or_else(expected),
        Some(_) => keys.f64(key)?.map(BoundSide::One).ok_or_else(expected),
        None => Err(expected()),
    }
}
