//! A year of SimBench's profiles: the table that `experiments/applications/demand.toml` reads, made from SimBench's Python package.
//! Eight weeks of it are bundled beside that file.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use csv::ReaderBuilder;
use dpsda::Error;

use super::cached::{CachedFile, Download, PackageClient};
use super::wheel;

/// The name of this data set. No experiment has it as `problem.data`: the file in the cache is given as `problem.path`.
pub(super) const NAME: &str = "simbench";

/// In the cache: one row per quarter of an hour of 2016, from the second on.
pub(super) static CACHED: CachedFile = CachedFile {
    name: NAME,
    file: "simbench-year.csv",
    bytes: 2_986_563,
    sha256: "eaea21d5d0d1f34dd4d331ea2b938557e17f64ca30bed804f874753cf109d232",
    home: None, // SimBench publishes its profiles in the package
    package: (
        "simbench==1.6.3",
        Download {
            from: "simbench-1.6.3-py3-none-any.whl",
            bytes: 90_969_064,
            sha256: "8b48bdab2445286a96649eb18bb09476d000a0e212fd57fdba83399df54af4de",
        },
    ),
    client: PackageClient::Pip,
    folder: ("1-complete_data-mixed-all-0-sw", "LoadProfile.csv and RESProfile.csv of scenario 0"),
    decode: read,
};

/// No archive and no table in it is larger.
const MOST: u64 = 200_000_000;
const LOADS: &str = "1-complete_data-mixed-all-0-sw/LoadProfile.csv";
const RENEWABLES: &str = "1-complete_data-mixed-all-0-sw/RESProfile.csv";
const WIND: &str = "WP7";
/// The target is this many times the wind.
const SHARE: f64 = 8.0;
const DEVICES: [&str; 19] = [
    "H0-A",
    "H0-B",
    "H0-C",
    "H0-G",
    "H0-L",
    "Air_Alternative_1",
    "Air_Parallel_1",
    "Air_Semi-Parallel_1",
    "Soil_Alternative_1",
    "Air_Alternative_2",
    "Air_Parallel_2",
    "Air_Semi-Parallel_2",
    "Soil_Alternative_2",
    "HLS_A_3.7",
    "HLS_B_3.7",
    "HLS_C_3.7",
    "HLS_A_11.0",
    "HLS_B_11.0",
    "HLS_A_22.0",
];

const HEAD: &str = "\
# SimBench profiles of 2016, one row per quarter of an hour, from 1 January, 00:15.
# Source: SimBench, https://simbench.de, Python package simbench 1.6.3, scenario 0 (LoadProfile.csv, RESProfile.csv).
# Copyright University of Kassel, TU Dortmund, RWTH Aachen University and Fraunhofer IEE Kassel.
# Licence: Open Database License (ODbL) 1.0; contents: Database Contents License (DbCL) 1.0. This table keeps that licence.
# target: 8 times the wind farm WP7 in this quarter of an hour. wind: the same wind farm one quarter of an hour earlier.
# All other columns: active power of one device as a share of its largest. H0-*: homes, HLS_*: car chargers at home, others: heat pumps.
";

/// The table, from the wheel or from a folder with the two files.
fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let wrong = |problem: String| Error::data(path.display(), problem);
    let told = |e: std::io::Error| wrong(format!("cannot be read: {e}"));
    let about = fs::metadata(path).map_err(told)?;
    let [loads, renewables] = if about.is_dir() {
        let inside = |name: &str| {
            let file = path.join(name.rsplit('/').next().unwrap_or(name));
            fs::read(&file).map_err(|e| Error::data(file.display(), format!("cannot be read: {e}")))
        };
        [inside(LOADS)?, inside(RENEWABLES)?]
    } else if about.len() > MOST {
        return Err(wrong(format!("more than {MOST} bytes")));
    } else {
        let archive = fs::read(path).map_err(told)?;
        let inside = |name: &str| wheel::find(&archive, name, MOST).map_err(wrong);
        [inside(LOADS)?, inside(RENEWABLES)?]
    };
    let place = path.display().to_string();
    let named = DEVICES.map(|device| format!("{device}_pload"));
    let loads = columns(&format!("{place}, {LOADS}"), &loads, &named)?;
    let wind = columns(&format!("{place}, {RENEWABLES}"), &renewables, &[WIND.to_owned()])?;
    Ok(table(&loads, &wind).into_bytes())
}

/// Rows of the named columns. What is below zero by rounding is zero.
fn columns(place: &str, bytes: &[u8], names: &[String]) -> Result<Vec<Vec<f64>>, Error> {
    let mut reader = ReaderBuilder::new().delimiter(b';').from_reader(bytes);
    let wrong =
        |e: csv::Error| Error::data(place, format!("is not a table of values with `;` between them: {e}"));
    let header = reader.headers().map_err(wrong)?.clone();
    let find = |name: &String| header.iter().position(|column| column == name);
    let missing = |name: &String| Error::data(place, format!("has no column `{name}`"));
    let places =
        names.iter().map(|name| find(name).ok_or_else(|| missing(name))).collect::<Result<Vec<_>, _>>()?;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(wrong)?;
        let number =
            |at: &usize| record.get(*at)?.parse::<f64>().ok().filter(|x| x.is_finite()).map(|x| x.max(0.0));
        let row = places.iter().map(number).collect::<Option<Vec<f64>>>();
        let line = record.position().map_or(0, csv::Position::line);
        rows.push(row.ok_or_else(|| Error::data(format!("{place}, line {line}"), "expected numbers"))?);
    }
    Ok(rows)
}

fn table(loads: &[Vec<f64>], wind: &[Vec<f64>]) -> String {
    let mut text = format!("{HEAD}target,wind,{}\n", DEVICES.join(","));
    for (loads, wind) in loads.iter().skip(1).zip(wind.windows(2)) {
        let [before, now] = [0, 1].map(|k| wind.get(k).and_then(|row| row.first()).copied().unwrap_or(0.0));
        let row: Vec<String> = [SHARE * now, before].iter().chain(loads).map(|x| four_digits(*x)).collect();
        let _ = writeln!(text, "{}", row.join(","));
    }
    text
}

/// At most four digits after the point.
fn four_digits(x: f64) -> String {
    let text = format!("{x:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables() -> [String; 2] {
        let names = DEVICES.map(|device| format!("{device}_qload;{device}_pload"));
        let row =
            |x: f64| (0..19).map(|k| format!("9;{}", x + f64::from(k) / 100.0)).collect::<Vec<_>>().join(";");
        let loads =
            format!("time;{}\n00;{}\n01;{}\n02;{}\n", names.join(";"), row(0.1), row(-0.1), row(0.00004));
        [loads, "time;PV1;WP7\n00;5;0.5\n01;5;-0.0\n02;5;0.33333\n".to_owned()]
    }

    #[test]
    fn a_row_has_eight_times_the_wind_the_wind_before_it_and_nineteen_devices() {
        let [loads, wind] = tables();
        let archive = wheel::tests::zip(&[
            (&format!("s/{RENEWABLES}"), wind.as_bytes()),
            (&format!("s/{LOADS}"), loads.as_bytes()),
        ]);
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("simbench.whl");
        fs::write(&file, archive).unwrap();
        let text = String::from_utf8(read(&file).unwrap()).unwrap();
        let rows: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(rows.len(), 3);
        assert!(rows[0].starts_with("target,wind,H0-A,H0-B,") && rows[0].ends_with(",HLS_A_22.0"));
        assert_eq!(rows[1], "0,0.5,0,0,0,0,0,0,0,0,0,0,0,0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08");
        assert!(rows[2].starts_with("2.6666,0,0,0.01,"), "{}", rows[2]);
        for (name, content) in [("LoadProfile.csv", loads), ("RESProfile.csv", wind)] {
            fs::write(folder.path().join(name), content).unwrap();
        }
        assert_eq!(read(folder.path()).unwrap(), text.as_bytes(), "a folder gives the same");
    }

    #[test]
    fn what_is_missing_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains("LoadProfile.csv: cannot be read"), "{error}");
        let [loads, _] = tables();
        fs::write(folder.path().join("LoadProfile.csv"), loads).unwrap();
        fs::write(folder.path().join("RESProfile.csv"), "time;WP1\n00;1\n").unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("has no column `WP7`"));
        fs::write(folder.path().join("RESProfile.csv"), "time;WP7\n00;calm\n").unwrap();
        assert!(read(folder.path()).unwrap_err().to_string().contains("line 2: expected numbers"));
    }

    #[test]
    fn the_bundled_weeks_are_named_and_written_as_the_year_is() {
        let weeks =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/applications/simbench-weeks.csv");
        let weeks = fs::read_to_string(weeks).unwrap();
        let mut lines = weeks.lines().filter(|line| !line.starts_with('#'));
        assert_eq!(lines.next().unwrap(), format!("target,wind,{}", DEVICES.join(",")));
        assert!(HEAD.lines().skip(1).all(|line| weeks.contains(line)), "source, licence and meaning");
        let rows: Vec<Vec<f64>> =
            lines.map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
        assert_eq!(rows.len(), 8 * 7 * 96);
        for (now, next) in rows.iter().zip(&rows[1..]) {
            assert!((SHARE * next[1] - now[0]).abs() < 1e-3, "the wind one row later is this row's target");
        }
    }
}
