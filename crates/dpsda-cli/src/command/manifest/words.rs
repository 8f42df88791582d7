//! The text that a member should read before signing.

use std::fmt::Write as _;

use dpsda_config::RunConfig;
use dpsda_node::identity::hex;
use dpsda_node::manifest::{Manifest, Signed};
use toml::{Table, Value};

use crate::command::check::filled;

/// A manifest in words; with more detail if its experiment could be read.
pub(super) fn words(signed: &Signed, run: Option<&RunConfig>) -> String {
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
    // The promise as this program derives it from the experiment: the words in the file promise nothing by themselves.
    let claim = run.map_or_else(|| promise.claim.clone(), |run| run.spec.plan().claim());
    let _ = writeln!(text, "{}", under("Promise: ", &claim));
    if claim != promise.claim {
        let _ = writeln!(text, "{}", under("In the manifest's words: ", &promise.claim));
    }
    let noise = format!(
        "{} of scale {}, in multiples of {:e}; it protects one {}",
        run.map_or(promise.mechanism.as_str(), |run| run.spec.plan().mechanism().name()),
        promise.scale,
        promise.unit,
        promise.event()
    );
    let _ = writeln!(text, "{}", under("Noise: ", &noise));
    if let Some(rules) = stated(manifest) {
        let _ = writeln!(text, "Rules: {rules}");
    }
    if let Some(run) = run {
        let _ = writeln!(
            text,
            "Run: {} of {}, {} with {} in all",
            counted(run.split.rounds, "round"),
            run.spec.algorithm().name(),
            counted(run.spec.blocks().nodes() as u64, "node"),
            counted(run.spec.blocks().dim() as u64, "coordinate")
        );
    }
    let clip = privacy(manifest, "clip").map_or_else(|| "none".into(), |clip| clip.to_string());
    let _ = writeln!(text, "Clip: {clip}\n{}\n", under("Budget: ", &budget(manifest)));
    let width = manifest.member.iter().map(|member| member.name.chars().count()).max().unwrap_or(0);
    let blocks: Vec<String> =
        manifest.member.iter().map(|member| counted(member.coordinates, "coordinate")).collect();
    let wide = blocks.iter().map(String::len).max().unwrap_or(0);
    let (good, outdated) = (signed.signers(), signed.outdated());
    for (k, (member, block)) in manifest.member.iter().zip(&blocks).enumerate() {
        let state = match (good.contains(&k), outdated.contains(&k)) {
            (true, _) => "signed",
            (false, true) => "signed, and changed since",
            (false, false) => "NOT signed",
        };
        let _ = writeln!(text, "  {k:>2}  {:width$}  {}  {block:>wide$}  {state}", member.name, member.key);
    }
    for warning in run.iter().flat_map(|run| run.spec.plan().warnings()) {
        let _ = writeln!(text, "\n{}", under("warning: ", &warning));
    }
    text.trim_end().to_owned()
}

/// A line that begins with its subject.
fn under(about: &str, line: &str) -> String {
    filled(line, about, "    ")
}

/// The rules that the experiment states.
fn stated(manifest: &Manifest) -> Option<Value> {
    manifest.experiment.parse::<Table>().ok()?.remove("rules")
}

/// A key of the experiment's `[privacy]`.
pub(super) fn privacy(manifest: &Manifest, key: &str) -> Option<Value> {
    let table: Table = manifest.experiment.parse().ok()?;
    table.get("privacy")?.get(key).cloned()
}

/// The three limits.
fn budget(manifest: &Manifest) -> String {
    let Some(limits) = privacy(manifest, "budget") else { return "none (privacy.budget)".into() };
    let limit = |key: &str| limits.get(key).map_or_else(|| "none".into(), Value::to_string);
    let events = limits.get("events_per_person").map_or_else(String::new, |n| format!(" ({n} events)"));
    format!(
        "event {}, person {}{events}, lifetime {} (privacy.budget: epsilons for delta {:e}, all nodes together)",
        limit("event"),
        limit("person"),
        limit("lifetime"),
        manifest.promise.delta
    )
}

fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
