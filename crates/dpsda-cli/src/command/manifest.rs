//! `dpsda manifest`: what the members of a run agree on.

mod words;

use std::path::Path;

use dpsda_config::{Rules, RunConfig, sweep};
use dpsda_data::Prepared;
use dpsda_node::identity::{Identity, PublicKey};
use dpsda_node::manifest::{Manifest, Member, Pledge, Signed, Unfit, differences};
use toml::Table;

use crate::args::ManifestCommand;
use crate::command::node::{self, hosted};
use crate::command::run::read;
use crate::failure::Failure;
use crate::{folder, say};

use self::words::{privacy, words};

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
            let (experiment, run) = experiment_of(&signed, file)?;
            if let Err(absent) = experiment.ready(0)
                && !experiment.arrives(0)
            {
                say::aside(&format!("warning: {absent} (the hosts of these agents need their own columns)"));
            }
            say::out(&words(&signed, Some(&run)))?;
            Ok(say::out(&format!(
                "\nwrote {0}\nnext, each member signs it: dpsda manifest sign {0} --key node.key\n\
                 then put it beside every node.toml (or set node.manifest to its path)",
                out.display()
            ))?)
        }
        ManifestCommand::Sign { file, key } => {
            let mut signed = load(file)?;
            crate::command::node::file::secret(key)?;
            let identity = Identity::read(key).map_err(|e| Failure::Input(e.to_string()))?;
            let (_, run) = experiment_of(&signed, file)?;
            signed.manifest.check(&run).map_err(|why| unfit(file, &why))?;
            signed.sign(&identity).map_err(|why| unfit(file, &why))?;
            write(&signed, file)?;
            say::out(&words(&signed, Some(&run)))?;
            Ok(say::out(&format!("\nsigned {} as {}", file.display(), identity.public()))?)
        }
        ManifestCommand::Join { files } => join(files),
        ManifestCommand::Show { file } => show(file),
    }
}

/// Shows a manifest, and fails if its promise or a signature is wrong.
fn show(file: &Path) -> Result<(), Failure> {
    let signed = load(file)?;
    let run = experiment_of(&signed, file).map(|(_, run)| run);
    say::out(&words(&signed, run.as_ref().ok()))?;
    let run = run.map_err(Failure::found)?;
    signed.manifest.check(&run).map_err(|why| unfit(file, &why).found())?;
    let names: Vec<&str> =
        signed.outdated().into_iter().map(|k| signed.manifest.member[k].name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    let names = names.join(", ");
    let why = format!("{}: it was changed after {names} signed it (have them sign it again)", file.display());
    Err(Failure::Input(why).found())
}

/// The experiment of a manifest, read as a node reads it.
fn experiment_of(signed: &Signed, file: &Path) -> Result<(Prepared, RunConfig), Failure> {
    let base = file.parent().unwrap_or(Path::new(""));
    node::signed(&signed.manifest.experiment, base)
        .map_err(|error| Failure::Input(format!("{}: its experiment cannot be run: {error}", file.display())))
}

/// An unsigned manifest of an experiment.
pub(crate) fn make(
    text: &str,
    file: &Path,
    members: &[(String, PublicKey)],
    needs: Option<u32>,
    epoch: u64,
    name: Option<&str>,
) -> Result<Signed, Failure> {
    let base = file.parent().unwrap_or(Path::new(""));
    let (_, run) = hosted(text, base).map_err(|e| Failure::from(e).in_file(file))?;
    let sizes = run.spec.blocks().sizes();
    if sizes.len() != members.len() {
        return Err(Failure::Input(format!(
            "--member: {} given, but {} has {} nodes (give one for each, in the order of the nodes)",
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
        name: name.unwrap_or(&run.title).to_owned(),
        epoch,
        needs: needs.unwrap_or(members.len() as u32),
        experiment: run.rules.stated(&experiment(text)?)?,
        promise: Pledge::of(&run),
        member: members.iter().zip(sizes).map(member).collect(),
    };
    manifest.check(&run).map_err(|why| unfit(file, &why))?;
    affordable(&manifest, &run)?;
    Ok(Signed::new(manifest))
}

/// The differences between an experiment and a manifest's. An experiment that states no rules has those of the manifest.
pub(crate) fn apart(mut own: Table, manifest: &Manifest) -> Result<Vec<String>, Failure> {
    let mut agreed = sweep::parse(&manifest.experiment, &[])?;
    Rules::First.state(&mut agreed); // a signed experiment that states none
    if let Some(rules) = agreed.get("rules").cloned() {
        own.entry("rules").or_insert(rules);
    }
    if own == agreed {
        return Ok(Vec::new());
    }
    let with = |experiment: Table| Manifest { experiment: experiment.to_string(), ..manifest.clone() };
    Ok(differences(&with(own), &with(agreed)))
}

/// The experiment without the table of a single host.
fn experiment(text: &str) -> Result<String, Failure> {
    let table = sweep::parse(text, &[])?;
    let whole: Table = text.parse().map_err(|e: toml::de::Error| Failure::Syntax(e.to_string()))?;
    Ok(if whole.contains_key("node") { table.to_string() } else { text.to_owned() })
}

/// Checks that the budget allows every node at least one release: one that allows none is a mistake.
fn affordable(manifest: &Manifest, run: &RunConfig) -> Result<(), Failure> {
    let seed = run.seed_of(0);
    let affords = |node: &usize| {
        let learner = run.spec.durable(*node, seed, None);
        learner.is_some_and(|learner| run.spec.plan().affords(*node, &learner.foresee(0)))
    };
    let Some(node) = (0..run.spec.blocks().nodes()).find(|node| !affords(node)) else { return Ok(()) };
    let budget = privacy(manifest, "budget").map_or_else(String::new, |budget| budget.to_string());
    let name = manifest.member.get(node).map_or("", |member| &member.name);
    let remedy = format!("{name} could not make a single release (allow more, or use a smaller epsilon)");
    Err(dpsda::Error::value("privacy.budget", budget, remedy).into())
}

/// Adds the signatures of the other files to the first. All must hold the same manifest.
fn join(files: &[std::path::PathBuf]) -> Result<(), Failure> {
    let Some((first, others)) = files.split_first() else { return Ok(()) };
    let mut signed = load(first)?;
    for other in others {
        let more = load(other)?;
        if more.manifest != signed.manifest {
            let lines = differences(&signed.manifest, &more.manifest).join("\n  ");
            return Err(Failure::Input(format!(
                "{} and {} are different manifests, so their signatures cannot be joined:\n  {lines}",
                other.display(),
                first.display()
            )));
        }
        let (good, theirs) = (keys(&signed), keys(&more));
        for vote in more.signature {
            let known = signed.signature.iter().any(|known| known.by == vote.by);
            // A signature from before a change does not count.
            if !known || theirs.contains(&vote.by) && !good.contains(&vote.by) {
                signed.signature.retain(|known| known.by != vote.by);
                signed.signature.push(vote);
            }
        }
    }
    write(&signed, first)?;
    let run = experiment_of(&signed, first).map(|(_, run)| run);
    Ok(say::out(&words(&signed, run.as_ref().ok()))?)
}

/// The keys of all valid signatures.
fn keys(signed: &Signed) -> Vec<PublicKey> {
    let members = &signed.manifest.member;
    signed.signers().into_iter().filter_map(|k| members.get(k)).map(|member| member.key).collect()
}

/// Whether this can be the name of a member.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_control() || c.is_whitespace() || c == '=')
}

fn named(text: &str) -> Result<(String, PublicKey), Failure> {
    let wrong = |why: String| Failure::Input(format!("--member {text}: {why}"));
    let (name, key) = text
        .split_once('=')
        .ok_or_else(|| wrong("expected NAME=KEY (`dpsda node init` prints it)".into()))?;
    if !is_name(name) {
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
