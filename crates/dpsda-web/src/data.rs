//! The JSON that the page's script reads: cells, curves, networks.

use serde_json::{Map, Value, json};

use crate::{
    Run,
    bands::{Bands, Curve, bands},
    cells::{Cell, swept},
    columns::percent,
    look::Looks,
    measures::MEASURES,
    names::short,
    network,
};

/// Points per curve: more than a panel has pixels to show differently.
const POINTS: usize = 160;

/// Columns that bound another one, before the run and along it: drawn beside that one if asked.
const PROMISES: [&str; 2] = ["regret_bound", "theorem1"];
/// What they bound.
const PROMISED: &str = "regret_per_round";

/// The page's data as text that is safe inside a script element.
pub(crate) fn data(runs: &[Run], cells: &[Cell]) -> String {
    let folders: Vec<&str> = runs.iter().map(|r| r.name.as_str()).collect();
    let keys = swept(cells);
    let looks = Looks::of(cells);
    let value = json!({
        "folders": folders,
        "hues": looks.hues,
        "floor": looks.floor,
        "cells": cells.iter().map(|c| cell(c, &keys, &folders)).collect::<Vec<_>>(),
        "measures": measures(runs, cells),
        "networks": runs.iter().flat_map(|r| network::list(r).iter().map(network::links)).collect::<Vec<_>>(),
    });
    // `<` occurs only inside strings, where its escape means the same: no end tag, no comment.
    value.to_string().replace('<', "\\u003c")
}

/// The keys along which charts can be cut, and this cell's labels.
fn cell(cell: &Cell, swept: &[&str], folders: &[&str]) -> Value {
    let mut keys = Map::new();
    keys.insert("algorithm".into(), cell.algorithm.clone().into());
    for (key, label) in &cell.settings {
        // The same name in every cell, whichever of two keys that end alike it has.
        keys.insert(short(key, swept).into(), label.clone().into());
    }
    if folders.len() > 1 {
        // Two folders may share a name; the number keeps them apart.
        let name = folders.get(cell.folder).copied().unwrap_or_default();
        let twin = folders.iter().filter(|f| **f == name).count() > 1;
        keys.insert(
            "folder".into(),
            if twin { format!("{name} ({})", cell.folder + 1) } else { name.into() }.into(),
        );
    }
    json!({"keys": keys, "central": cell.central})
}

fn measures(runs: &[Run], cells: &[Cell]) -> Vec<Value> {
    let per_folder: Vec<Vec<Bands>> = runs.iter().map(|r| bands(&r.series)).collect();
    let mut keys: Vec<&str> = MEASURES.iter().map(|m| m.key).collect();
    for band in per_folder.iter().flatten() {
        if !keys.contains(&band.column.as_str()) && !PROMISES.contains(&band.column.as_str()) {
            keys.push(&band.column);
        }
    }
    keys.into_iter().filter_map(|key| measure(key, &per_folder, cells)).collect()
}

/// One column with its curves in every folder, or nothing if it is empty everywhere.
fn measure(key: &str, per_folder: &[Vec<Bands>], cells: &[Cell]) -> Option<Value> {
    let mut curves = Vec::new();
    let (mut low, mut high, mut ended) = (f64::INFINITY, f64::NEG_INFINITY, false);
    for (folder, bands) in per_folder.iter().enumerate() {
        for curve in bands.iter().filter(|b| b.column == key).flat_map(|b| &b.curves) {
            let at = cells.iter().position(|c| c.folder == folder && c.run == curve.run)?;
            ended |= curve.ends.is_some();
            low = curve.mean.iter().copied().fold(low, f64::min);
            high = curve.mean.iter().copied().fold(high, f64::max);
            curves.push(points(at, &curve.thin(POINTS)));
        }
    }
    if curves.is_empty() {
        return None;
    }
    let known = MEASURES.iter().find(|m| m.key == key);
    Some(json!({
        "key": key,
        "label": known.map_or(key, |m| m.label),
        "note": known.map_or("", |m| m.note),
        "regret": known.is_some_and(|m| m.regret),
        "percent": percent(key),
        "floor": known.and_then(|m| m.floor),
        "ceiling": known.and_then(|m| m.ceiling),
        // A curve that never moves is better said than drawn; one that ends does not stay the same.
        "constant": if low == high && !ended { short_number(low) } else { Value::Null },
        "bounds": if key == PROMISED { promises(per_folder, cells) } else { Vec::new() },
        "curves": curves,
    }))
}

/// The bounds on regret, in the order of [`PROMISES`].
fn promises(per_folder: &[Vec<Bands>], cells: &[Cell]) -> Vec<Value> {
    let mut found = Vec::new();
    for (folder, band) in
        per_folder.iter().enumerate().flat_map(|(k, bands)| bands.iter().map(move |b| (k, b)))
    {
        let Some(along) = PROMISES.iter().position(|p| *p == band.column) else { continue };
        for curve in &band.curves {
            let Some(at) = cells.iter().position(|c| c.folder == folder && c.run == curve.run) else {
                continue;
            };
            let mut value = points(at, &curve.thin(POINTS));
            value["along"] = (along == 1).into();
            value["sd"] = vec![Value::Null; value["t"].as_array().map_or(0, Vec::len)].into();
            found.push(value);
        }
    }
    found
}

fn points(cell: usize, curve: &Curve) -> Value {
    json!({
        "cell": cell,
        "trials": curve.trials,
        "ends": curve.ends,
        "t": curve.t,
        "mean": curve.mean.iter().map(|&v| short_number(v)).collect::<Vec<_>>(),
        "sd": curve.sd.iter().map(|v| v.map_or(Value::Null, short_number)).collect::<Vec<_>>(),
    })
}

/// Five significant digits: finer than a pixel, and a third of the bytes.
fn short_number(v: f64) -> Value {
    let rounded: f64 = format!("{v:.4e}").parse().unwrap_or(v);
    if rounded.fract() == 0.0 && rounded.abs() < 1e9 { json!(rounded as i64) } else { json!(rounded) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cells::cells, synthetic};

    fn parsed(runs: &[Run]) -> Value {
        serde_json::from_str(&data(runs, &cells(runs))).unwrap()
    }

    #[test]
    fn every_run_has_a_curve_in_every_measure_it_has_values_for() {
        let data = parsed(&[synthetic::dense()]);
        for measure in data["measures"].as_array().unwrap() {
            // The centralised runs have nobody to disagree with.
            let runs = if measure["key"] == "disagreement" { 12 } else { 16 };
            assert_eq!(measure["curves"].as_array().unwrap().len(), runs, "{}", measure["key"]);
        }
        assert_eq!(data["measures"][0]["key"], "regret_per_round");
    }

    #[test]
    fn a_measure_that_never_moves_is_marked_and_unknown_ones_keep_their_name() {
        let data = parsed(&[synthetic::dense()]);
        let of = |key: &str| {
            data["measures"].as_array().unwrap().iter().find(|m| m["key"] == key).cloned().unwrap_or_default()
        };
        assert_eq!(of("violation")["constant"], 0);
        assert_eq!(of("fitness")["constant"], Value::Null);
        assert_eq!(of("messages")["label"], "messages");
    }

    #[test]
    fn what_cannot_be_negative_has_a_floor_and_regret_has_none() {
        let data = parsed(&[synthetic::dense()]);
        for measure in data["measures"].as_array().unwrap() {
            let free = measure["key"].as_str().unwrap().contains("regret") || measure["key"] == "messages";
            assert_eq!(measure["floor"].is_null(), free, "{}", measure["key"]);
            assert_eq!(measure["ceiling"] == 1.0, measure["key"] == "accuracy_progressive");
        }
    }

    #[test]
    fn a_curve_that_ends_says_in_which_round_and_is_not_constant() {
        let mut run = synthetic::diverging();
        for row in run.series.rows.iter_mut().filter(|r| r[3] == Some(f64::INFINITY)) {
            row[8] = None;
        }
        let data = parsed(&[run]);
        for key in ["fitness", "violation"] {
            let measure = data["measures"].as_array().unwrap().iter().find(|m| m["key"] == key).unwrap();
            assert_eq!(
                (&measure["curves"][3]["ends"], &measure["curves"][2]["ends"]),
                (&json!(11), &Value::Null)
            );
            assert_eq!(measure["curves"][3]["t"].as_array().unwrap().len(), 10);
            assert_eq!(measure["constant"], Value::Null);
        }
    }

    #[test]
    fn folders_become_a_key_only_when_there_are_several() {
        let one = parsed(&[synthetic::dense()]);
        assert_eq!(one["cells"][0]["keys"].get("folder"), None);
        let two = parsed(&[synthetic::dense(), synthetic::dense()]);
        assert_eq!(two["cells"][16]["keys"]["folder"], "dense (2)");
        assert_eq!(two["cells"].as_array().unwrap().len(), 32);
    }

    #[test]
    fn a_key_has_one_name_in_all_cells_and_none_in_a_cell_it_does_not_matter_to() {
        let mut run = synthetic::graphs();
        run.manifest["runs"][0]["settings"]["data.graph"] = "x".into();
        let data = parsed(&[run]);
        let keys = |i: usize| data["cells"][i]["keys"].clone();
        assert_eq!(keys(0), json!({"algorithm": "dpsda-c", "data.graph": "x", "network.graph": "ring"}));
        assert_eq!(keys(1), json!({"algorithm": "dpsda-c", "network.graph": "grid"}));
        assert_eq!(keys(12), json!({"algorithm": "dpcda"}));
    }

    #[test]
    fn bounds_stand_beside_regret_and_are_no_measures_of_their_own() {
        let mut run = synthetic::dense();
        assert_eq!(parsed(&[run.clone()])["measures"][0]["bounds"], json!([]));
        run.series.columns.extend(["regret_bound".into(), "theorem1".into()]);
        run.series.rows.iter_mut().for_each(|row| row.extend([Some(70.0), Some(30.0)]));
        let data = parsed(&[run]);
        let measures = data["measures"].as_array().unwrap();
        assert!(measures.iter().all(|m| m["key"] != "regret_bound" && m["key"] != "theorem1"));
        let bounds = measures[0]["bounds"].as_array().unwrap();
        assert_eq!(
            (bounds.len(), &bounds[0]["along"], &bounds[16]["along"]),
            (32, &json!(false), &json!(true))
        );
        assert_eq!((&bounds[3]["mean"][0], &bounds[19]["mean"][0]), (&json!(70), &json!(30)));
        assert!(measures[1..].iter().all(|m| m["bounds"] == json!([])));
    }

    #[test]
    fn no_string_can_end_the_script() {
        let text = data(&[synthetic::hostile()], &cells(&[synthetic::hostile()]));
        assert!(!text.contains('<'));
    }
}
