//! The JSON that the page's script reads: runs (`cells`), curves, networks.

use dpsda::metric::{self, Id, Metric, Unit, algorithm, epsilon, level};
use serde_json::{Map, Value, json};

use crate::{
    RunFolder,
    bands::{Bands, MeanCurve, bands},
    cells::{ListedRun, swept},
    look::Looks,
    names::{FOLDER, short},
    network,
};

/// Points per curve. More could not be told apart in a panel.
const POINTS: usize = 160;

/// The page's data as text that is safe inside a script element.
pub(crate) fn data(runs: &[RunFolder], cells: &[ListedRun]) -> String {
    let folders: Vec<&str> = runs.iter().map(|r| r.name.as_str()).collect();
    let keys = swept(cells);
    let looks = Looks::of(cells);
    let value = json!({
        "folders": folders,
        // Keys with a meaning for the script: the first sets colours, the last list sets panels.
        "names": { "algorithm": algorithm::LISTING.name, "folder": FOLDER, "panels": [level::LISTING.name, epsilon::LISTING.name] },
        "hues": looks.hues,
        "floor": looks.floor,
        "cells": cells.iter().map(|c| cell(c, &keys, &folders)).collect::<Vec<_>>(),
        "measures": measures(runs, cells),
        "networks": runs.iter().flat_map(|r| network::list(r).iter().map(network::links)).collect::<Vec<_>>(),
    });
    // `<` occurs only inside strings, where its escape means the same. So no tag ends and no comment starts.
    value.to_string().replace('<', "\\u003c")
}

/// The keys by which charts can be split, and this run's labels.
fn cell(cell: &ListedRun, swept: &[&str], folders: &[&str]) -> Value {
    let mut keys = Map::new();
    keys.insert(algorithm::LISTING.name.into(), cell.algorithm.clone().into());
    for (key, label) in &cell.settings {
        // A key has the same short name in every run.
        keys.insert(short(key, swept).into(), label.clone().into());
    }
    if folders.len() > 1 {
        // Two folders may have the same name. A number tells them apart.
        let name = folders.get(cell.folder).copied().unwrap_or_default();
        let twin = folders.iter().filter(|f| **f == name).count() > 1;
        keys.insert(
            FOLDER.into(),
            if twin { format!("{name} ({})", cell.folder + 1) } else { name.into() }.into(),
        );
    }
    json!({"keys": keys, "central": cell.central})
}

/// The metrics with curves in their order, then columns that the family does not know.
fn measures(runs: &[RunFolder], cells: &[ListedRun]) -> Vec<Value> {
    let per_folder: Vec<Vec<Bands>> = runs.iter().map(|r| bands(&r.series)).collect();
    let drawn = |metric: &&Metric| metric.curve.as_ref().is_some_and(|curve| curve.bounds.is_none());
    let mut keys: Vec<&str> = metric::all().iter().filter(drawn).map(|metric| metric.name).collect();
    for band in per_folder.iter().flatten().filter(|band| band.metric().is_none()) {
        if !keys.contains(&band.column.as_str()) {
            keys.push(&band.column);
        }
    }
    keys.into_iter().filter_map(|key| measure(key, &per_folder, cells)).collect()
}

/// One column with its curves in every folder, or nothing if it is empty everywhere.
fn measure(key: &str, per_folder: &[Vec<Bands>], cells: &[ListedRun]) -> Option<Value> {
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
    let metric = metric::all().named(key);
    let curve = metric.and_then(|metric| metric.curve.as_ref());
    let bounds = metric.map(bounds).unwrap_or_default();
    Some(json!({
        "key": key,
        "label": metric.map_or(key, |metric| &metric.label),
        "note": curve.map_or("", |curve| curve.note),
        "total": curve.and_then(|c| c.total).map(|total| json!({ "label": total.label, "note": total.note })),
        "percent": metric.is_some_and(|metric| metric.unit == Unit::Share),
        "floor": curve.and_then(|curve| curve.floor),
        "ceiling": curve.and_then(|curve| curve.ceiling),
        // A curve that never moves is written as a number. A curve that ends early is not constant.
        "constant": if low == high && !ended { short_number(low) } else { Value::Null },
        "bounds": bounds.iter().map(|bound| bounding(bound, per_folder, cells)).collect::<Vec<_>>(),
        "curves": curves,
    }))
}

/// The metrics that bound this one: drawn beside it on request.
fn bounds(metric: &Metric) -> Vec<&'static Metric> {
    let id = Id::from(metric);
    metric::all().iter().filter(|m| m.curve.as_ref().is_some_and(|c| c.bounds == Some(id))).collect()
}

/// A bound with its curves in every folder. It has no band.
fn bounding(bound: &Metric, per_folder: &[Vec<Bands>], cells: &[ListedRun]) -> Value {
    let mut found = Vec::new();
    for (folder, bands) in per_folder.iter().enumerate() {
        for curve in bands.iter().filter(|b| b.column == bound.name).flat_map(|b| &b.curves) {
            let Some(at) = cells.iter().position(|c| c.folder == folder && c.run == curve.run) else {
                continue;
            };
            let mut value = points(at, &curve.thin(POINTS));
            value["sd"] = vec![Value::Null; value["t"].as_array().map_or(0, Vec::len)].into();
            found.push(value);
        }
    }
    json!({ "note": bound.curve.as_ref().map_or("", |curve| curve.note), "curves": found })
}

fn points(cell: usize, curve: &MeanCurve) -> Value {
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

    fn parsed(runs: &[RunFolder]) -> Value {
        serde_json::from_str(&data(runs, &cells(runs))).unwrap()
    }

    #[test]
    fn every_run_has_a_curve_in_every_measure_it_has_values_for() {
        let data = parsed(&[synthetic::dense()]);
        for measure in data["measures"].as_array().unwrap() {
            // A centralised run has no other node to disagree with.
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
    fn what_cannot_be_negative_has_a_floor_and_costs_and_regret_have_none() {
        let data = parsed(&[synthetic::dense()]);
        for measure in data["measures"].as_array().unwrap() {
            // A cost may be negative: a portfolio that grows has one.
            let key = measure["key"].as_str().unwrap();
            let free = key.contains("regret") || ["messages", "fitness"].contains(&key);
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
        let curves = |data: &Value, k: usize| data["measures"][0]["bounds"][k]["curves"].clone();
        let without = parsed(&[run.clone()]);
        assert_eq!((curves(&without, 0), curves(&without, 1)), (json!([]), json!([])));
        run.series.columns.extend(["regret_bound".into(), "theorem1".into()]);
        run.series.rows.iter_mut().for_each(|row| row.extend([Some(70.0), Some(30.0)]));
        let data = parsed(&[run]);
        let measures = data["measures"].as_array().unwrap();
        assert!(measures.iter().all(|m| m["key"] != "regret_bound" && m["key"] != "theorem1"));
        let [first, second] = [0, 1].map(|k| curves(&data, k).as_array().unwrap().clone());
        assert_eq!((first.len(), second.len()), (16, 16));
        assert_eq!((&first[3]["mean"][0], &second[3]["mean"][0]), (&json!(70), &json!(30)));
        assert!(measures[1..].iter().all(|m| m["bounds"] == json!([])));
    }

    #[test]
    fn no_string_can_end_the_script() {
        let text = data(&[synthetic::hostile()], &cells(&[synthetic::hostile()]));
        assert!(!text.contains('<'));
    }
}
