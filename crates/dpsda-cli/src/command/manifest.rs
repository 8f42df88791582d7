//! `dpsda manifest`: what the members of a run agree on.

use std::fmt::Write as _;
use std::path::Path;

use dpsda::experiment::Cell;
use dpsda_node::identity::{Identity, PublicKey, hex};
use dpsda_node::manifest::{Manifest, Member, Promise, Signed, Unfit, differences};

use crate::args::ManifestCommand;
use crate::command::check::folded;
use crate::command::node::hosted;
use crate::command::run::read;
use crate::failure::Failure;
use crate::{folder, say};

pub(crate) fn manifest(command: &ManifestCommand) -> Result<(), Failure> {
    match command {
        ManifestCommand::Make { file, member, needs, epoch, name, out } => {
            let members = member.iter().map(|text| named(text)).collect::<Result<Vec<_>, _>>()?;
            let signed = make(&read(file)?, file, &members, *needs, *epoch, name.as_deref())?;
            if out.exists() {
                return Err(Failure::Input(format!(
                    "{} exists: it is not overwritten (give another name with --out)",
                    out.display()
                )));
            }
            write(&signed, out)?;
            say::out(&words(&signed))?;
            Ok(say::out(&format!(
                "\nwrote {0}\nnow each member: dpsda manifest sign {0} --key node.key",
                out.display()
            ))?)
        }
        ManifestCommand::Sign { file, key } => {
            let mut signed = load(file)?;
            let identity = Identity::read(key).map_err(|e| Failure::Input(e.to_string()))?;
            signed.sign(&identity).map_err(|why| unfit(file, &why))?;
            write(&signed, file)?;
            say::out(&words(&signed))?;
            Ok(say::out(&format!("\nsigned {} as {}", file.display(), identity.public()))?)
        }
        ManifestCommand::Join { files } => join(files),
        ManifestCommand::Show { file } => Ok(say::out(&words(&load(file)?))?),
    }
}

/// A manifest of an experiment that nobody has signed.
pub(crate) fn make(
    text: &str,
    file: &Path,
    members: &[(String, PublicKey)],
    needs: Option<u32>,
    epoch: u64,
    name: Option<&str>,
) -> Result<Signed, Failure> {
    let base = file.parent().unwrap_or(Path::new(""));
    let (_, cell) = hosted(text, &[], base).map_err(|e| Failure::from(e).in_file(file))?;
    let sizes = cell.blocks.sizes();
    if sizes.len() != members.len() {
        return Err(Failure::Input(format!(
            "--member: {} given, and {} has {} nodes (give one for each, in the order of the nodes)",
            members.len(),
            file.display(),
            sizes.len()
        )));
    }
    let member = |((name, key), size): (&(String, PublicKey), usize)| Member {
        name: name.clone(),
        key: *key,
        coordinates: size as u64,
    };
    let manifest = Manifest {
        name: name.unwrap_or(&cell.title).to_owned(),
        epoch,
        needs: needs.unwrap_or(members.len() as u32),
        experiment: experiment(text)?,
        promise: Promise::of(&cell),
        member: members.iter().zip(sizes).map(member).collect(),
    };
    check(&manifest, &cell, file)?;
    Ok(Signed::new(manifest))
}

/// The experiment without what is one host's own.
fn experiment(text: &str) -> Result<String, Failure> {
    let table = dpsda::experiment::sweep::parse(text, &[])?;
    let whole: toml::Table = text.parse().map_err(|e: toml::de::Error| Failure::Syntax(e.to_string()))?;
    Ok(if whole.contains_key("node") { table.to_string() } else { text.to_owned() })
}

/// What a node would say of it, but for signatures.
fn check(manifest: &Manifest, cell: &Cell, file: &Path) -> Result<(), Failure> {
    let Some(first) = manifest.member.first() else { return Ok(()) };
    match Signed::new(manifest.clone()).admit(&first.key, cell) {
        Err(Unfit::Unsigned { .. }) | Ok(_) => Ok(()),
        Err(why) => Err(unfit(file, &why)),
    }
}

/// Signatures of the others are added to the first, where all are over the same manifest.
fn join(files: &[std::path::PathBuf]) -> Result<(), Failure> {
    let Some((first, others)) = files.split_first() else { return Ok(()) };
    let mut signed = load(first)?;
    for other in others {
        let more = load(other)?;
        if more.manifest != signed.manifest {
            let lines = differences(&signed.manifest, &more.manifest).join("\n  ");
            return Err(Failure::Input(format!(
                "{} is another manifest than {} (signatures are over one):\n  {lines}",
                other.display(),
                first.display()
            )));
        }
        for vote in more.signature {
            if signed.signature.iter().all(|known| known.by != vote.by) {
                signed.signature.push(vote);
            }
        }
    }
    write(&signed, first)?;
    Ok(say::out(&words(&signed))?)
}

fn named(text: &str) -> Result<(String, PublicKey), Failure> {
    let wrong = |why: String| Failure::Input(format!("--member {text}: {why}"));
    let (name, key) = text
        .split_once('=')
        .ok_or_else(|| wrong("expected NAME=KEY (`dpsda node init` prints it)".into()))?;
    if name.is_empty() || name.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(wrong("expected a name without spaces before =".into()));
    }
    Ok((name.to_owned(), key.parse().map_err(|e: dpsda_node::identity::KeyError| wrong(e.to_string()))?))
}

fn load(file: &Path) -> Result<Signed, Failure> {
    let text = folder::text(file)
        .map_err(|e| Failure::Input(format!("{}: {e} (make one: dpsda manifest make)", file.display())))?;
    Signed::read(&text).map_err(|why| unfit(file, &why))
}

pub(crate) fn write(signed: &Signed, file: &Path) -> Result<(), Failure> {
    let text = signed.write().map_err(|why| unfit(file, &why))?;
    folder::replace(file, text.as_bytes()).map_err(|e| Failure::Io(format!("{}: {e}", file.display())))
}

fn unfit(file: &Path, why: &Unfit) -> Failure {
    Failure::Input(format!("{}: {why}", file.display()))
}

/// What somebody who is asked to sign should read.
fn words(signed: &Signed) -> String {
    let (manifest, mut text) = (&signed.manifest, String::new());
    let promise = &manifest.promise;
    let _ = writeln!(
        text,
        "{}, epoch {}: {} members, {} signatures needed",
        manifest.name,
        manifest.epoch,
        manifest.member.len(),
        manifest.needs
    );
    let _ = writeln!(text, "Digest: {}", hex(&manifest.digest()));
    let _ = writeln!(text, "{}", folded(&format!("Promise: {}", promise.claim)));
    let _ = writeln!(
        text,
        "Noise: {} of scale {} on a unit of {}, one {} protected\n",
        promise.mechanism, promise.scale, promise.unit, promise.adjacency
    );
    let width = manifest.member.iter().map(|member| member.name.chars().count()).max().unwrap_or(0);
    let good = signed.signers();
    for (k, member) in manifest.member.iter().enumerate() {
        let state = if good.contains(&k) { "signed" } else { "NOT signed" };
        let _ = writeln!(
            text,
            "  {k:>2}  {:width$}  {}  {:>6} coordinates  {state}",
            member.name, member.key, member.coordinates
        );
    }
    text.trim_end().to_owned()
}
