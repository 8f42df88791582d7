//! `dpsda report`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::{folder, say};

pub(crate) fn report(dirs: &[PathBuf], out: Option<&Path>, picture: Option<&Path>) -> Result<(), Failure> {
    if let Some(other) = out.filter(|p| p.extension().is_none_or(|e| e != "html")) {
        return Err(Failure::Input(format!(
            "--out {}: the report is an HTML page (end the name in .html)",
            other.display()
        )));
    }
    if let Some(other) = picture.filter(|p| p.extension().is_none_or(|e| e != "svg")) {
        return Err(Failure::Input(format!(
            "--picture {}: the picture is an SVG (end the name in .svg)",
            other.display()
        )));
    }
    let mut runs = dirs.iter().map(|dir| folder::read(dir)).collect::<Result<Vec<_>, _>>()?;
    if runs.len() > 1 {
        runs.iter_mut().zip(names(dirs)).for_each(|(run, name)| run.name = name);
    }
    let target = match (out, dirs) {
        (Some(out), _) => out.to_owned(),
        (None, [one]) => one.join("report.html"),
        _ => PathBuf::from("comparison.html"),
    };
    write(&target, &dpsda_web::report(&runs))?;
    if let (Some(picture), Some(first)) = (picture, runs.first()) {
        write(picture, &dpsda_web::picture(first))?;
    }
    Ok(())
}

/// The folders' own names, or their whole paths if two names are equal.
fn names(dirs: &[PathBuf]) -> Vec<String> {
    let own = |dir: &PathBuf| dir.file_name().map(|name| name.to_string_lossy().into_owned());
    let different: BTreeSet<_> = dirs.iter().map(own).collect();
    let whole = |dir: &PathBuf| dir.display().to_string();
    let alike = different.len() < dirs.len();
    dirs.iter().map(|dir| own(dir).filter(|_| !alike).unwrap_or_else(|| whole(dir))).collect()
}

fn write(path: &Path, content: &str) -> Result<(), Failure> {
    folder::replace(path, content.as_bytes())
        .map_err(|e| Failure::Input(format!("{} cannot be written: {e}", path.display())))?;
    Ok(say::out(&path.display().to_string())?)
}
