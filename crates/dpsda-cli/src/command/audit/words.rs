//! The text of an audit.

use std::fmt::Write as _;

use dpsda_audit::attack::Membership;
use dpsda_audit::audit::{Audit, CONFIDENCE, FALSE_ALARM, Finding};
use dpsda_audit::canary::Canary;
use dpsda_audit::{Arena, View};
use dpsda_config::RunConfig;
use dpsda_sim::Experiment;
use dpsda_web::text::count;

use super::Attacks;
use crate::command::check::folded;

pub(crate) fn never_proves() -> String {
    plain(
        "An audit never proves privacy: it shows what these attacks found. The proof is in the plan (`dpsda check`).",
    )
}

/// A sentence about a run, folded to the width of the terminal.
fn line(text: &str) -> String {
    folded(text).replacen("  - ", "  ", 1) + "\n"
}

/// A sentence about the whole audit, folded to the width of the terminal.
fn plain(text: &str) -> String {
    folded(text).replacen("  - ", "", 1)
}

/// Where the event is.
pub(crate) fn whose(arena: &Arena, view: View) -> String {
    match view {
        View::Node(i) => format!("event at node {i}"),
        View::All if arena.by_agent() => "event at each node in turn".into(),
        View::All => "event at all nodes".into(),
    }
}

/// How many nodes are listed. If there are more, those with the largest bounds are.
const SHOWN: usize = 8;

pub(crate) fn headline(experiment: &Experiment) -> String {
    let title = experiment.runs.first().map_or("", |c| c.title.as_str());
    let who = "An adversary taps every link, sees every decision, and knows all data except one event. It guesses which of \
               two worlds it is in.";
    format!("{title}\n{}\n", plain(who))
}

/// The name of a run.
pub(crate) fn name(run: &RunConfig) -> String {
    let swept = run.settings.iter().filter(|(key, _)| key != "algorithm.name");
    let set: Vec<_> =
        swept.map(|(key, value)| format!("{} {value}", key.rsplit('.').next().unwrap_or(key))).collect();
    if set.is_empty() {
        run.spec.algorithm().name().into()
    } else {
        format!("{} ({})", run.spec.algorithm().name(), set.join(", "))
    }
}

pub(crate) fn run(
    name: &str,
    run: &RunConfig,
    arena: &Arena,
    audit: Option<&Audit>,
    one_run: bool,
) -> String {
    let mut text = format!("{name}\n{}", line(&format!("Claim: {}", run.spec.plan().claim())));
    if run.spec.plan().asked().clip.is_some() {
        text += &line(&format!("An event is {}.", run.event));
    }
    let Some(audit) = audit else {
        let silent = arena.claimed.mechanism().is_silent();
        let why = if silent { "there is no noise" } else { "nothing bounds an event" };
        text +=
            &line(&format!("No game is played: {why}, so there is no claim to test. What the attacks find:"));
        return text;
    };
    let horizon = arena.claimed.rounds();
    if one_run {
        let _ = writeln!(text, "  One run of {} rounds, each with an event to guess.", count(horizon));
        if horizon < 1000 {
            let _ =
                writeln!(text, "  Few rounds give weak bounds. With 10,000 rounds they come near the claim.");
        }
    } else {
        let played = if audit.played < horizon {
            format!(
                "of the first {} of {} rounds (part of what the run shows, under the run's plan)",
                count(audit.played),
                count(horizon)
            )
        } else {
            format!("of {} rounds", count(horizon))
        };
        text += &line(&format!(
            "{} runs per world, each {played}. The event is in round {}.",
            count(audit.runs),
            audit.event
        ));
        if horizon < run.split.rounds {
            text += &line(&format!(
                "The noise cancels over time, so whole runs are played: a run of {horizon} rounds is planned for the same claim, \
                 and played instead of {}.",
                count(run.split.rounds)
            ));
        }
    }
    if arena.spec.style().is_central() {
        text += "  Nothing crosses a link: the adversary only sees decisions.\n";
    }
    text += &table(arena, audit);
    text += &verdict(audit);
    if run.spec.plan().mechanism().is_ideal() && audit.findings.iter().any(Finding::accuses) {
        text += &line(
            "The noise is idealised: its promise holds for real numbers, and floating point breaks it. Use a \
             \"discrete-\" mechanism.",
        );
    }
    if let Some((view, picture)) = &audit.picture {
        let _ = writeln!(
            text,
            "\n  Log-likelihood ratio, {}, canary {}:\n     ratio  world 0{:27}world 1",
            whose(arena, *view),
            Canary::AtTheClip.name(),
            ""
        );
        picture.lines().iter().for_each(|line| _ = writeln!(text, " {line}"));
    }
    text
}

/// One line per view: the claim, and the bound from every canary.
fn table(arena: &Arena, audit: &Audit) -> String {
    let mut canaries: Vec<Option<Canary>> = Vec::new();
    let mut views: Vec<View> = Vec::new();
    for finding in &audit.findings {
        if !canaries.contains(&finding.canary) {
            canaries.push(finding.canary);
        }
        if !views.contains(&finding.view) {
            views.push(finding.view);
        }
    }
    let hidden = views.len().saturating_sub(SHOWN + 1);
    if hidden > 0 {
        let most = |view: &View| {
            audit.findings.iter().filter(|f| f.view == *view).map(|f| f.bound).fold(0.0, f64::max)
        };
        views.sort_by(|a, b| most(b).total_cmp(&most(a)));
        let all = views.iter().position(|v| *v == View::All).map(|at| views.remove(at));
        views.truncate(SHOWN);
        views.extend(all);
    }
    let mut text = format!("\n  {:<11}{:>9}", "event at", "claim");
    for canary in &canaries {
        let _ = write!(text, "{:>14}", canary.map_or("one run", Canary::name));
    }
    text += "   won by\n";
    for view in &views {
        let of: Vec<&Finding> = audit.findings.iter().filter(|f| f.view == *view).collect();
        let who = match view {
            View::Node(i) => format!("node {i}"),
            View::All if arena.by_agent() => "each node".into(),
            View::All => "all nodes".into(),
        };
        let claim = of.first().and_then(|f| f.claim).map_or_else(|| "none".into(), |c| format!("{c:.4}"));
        let _ = write!(text, "  {who:<11}{claim:>9}");
        of.iter().for_each(|f| _ = write!(text, "{:>14}", format!(">= {:.4}", f.bound)));
        let best = of.iter().max_by(|a, b| a.bound.total_cmp(&b.bound)).map_or("none", |f| f.statistic);
        let _ = writeln!(text, "   {best}");
    }
    if hidden > 0 {
        let _ = writeln!(text, "  ({hidden} more nodes with smaller bounds)");
    }
    let _ = writeln!(
        text,
        "  Each bound means: epsilon is at least this, with {:.0} % confidence{}.",
        100.0 * CONFIDENCE,
        delta(audit)
    );
    text
}

fn delta(audit: &Audit) -> String {
    if audit.delta > 0.0 { format!(", for delta {:e}", audit.delta) } else { String::new() }
}

fn verdict(audit: &Audit) -> String {
    let accusing: Vec<&Finding> = audit.findings.iter().filter(|f| f.accuses()).collect();
    let worst = accusing.iter().max_by(|a, b| a.certain.total_cmp(&b.certain));
    if let Some(worst) = worst {
        return line(&format!(
            "FAIL: epsilon is at least {:.4}, but {:.4} is claimed ({}). The chance of a false alarm is below {FALSE_ALARM:e}.",
            worst.certain,
            worst.claim.unwrap_or(0.0),
            worst.statistic
        ));
    }
    if audit.findings.iter().all(|f| f.claim.is_none()) {
        return "  There is no claim to test.\n".into();
    }
    if audit.findings.iter().any(Finding::suspects) {
        return line(&format!(
            "Undecided: a bound is above its claim, but that may be an accident (a verdict needs a chance below \
             {FALSE_ALARM:e}). Use more --runs."
        ));
    }
    line(&held(audit))
}

/// Says that the claim holds, and how much of it the attacks reached.
fn held(audit: &Audit) -> String {
    let more = if audit.findings.iter().any(|f| f.canary.is_none()) { "rounds" } else { "--runs" };
    let claimed = audit.findings.iter().filter_map(|f| Some((f.bound, f.claim?)));
    let (bound, claim) = claimed.max_by(|a, b| (a.0 * b.1).total_cmp(&(b.0 * a.1))).unwrap_or_default();
    if bound < 0.005 * claim {
        return format!(
            "These runs are too few to see anything: every bound is 0 or nearly 0. Use more {more}."
        );
    }
    format!(
        "The claim holds against these attacks: they reached at most {bound:.2} of {claim:.2}. A claim that is wrong by less \
         than that gap would go unnoticed; more {more} make the gap smaller."
    )
}

/// Membership inference and model inversion are attacks on samples.
pub(crate) fn no_samples() -> String {
    line("No attack on single examples is tried: this cost has none.")
}

pub(crate) fn attacks(arena: &Arena, attacks: &Attacks) -> String {
    let mut text = String::from("  On the experiment's own data:\n");
    match &attacks.membership {
        Some(found) => {
            let Membership { accuracy, found: share, wrongly, runs, statistic } = *found;
            let (low, high) = found.interval(CONFIDENCE);
            let most = arena.claim().map_or_else(String::new, |claim| {
                format!(", and the claim allows {:.1} %", 100.0 * Membership::ceiling(claim, arena.delta()))
            });
            text += &bullet(&format!(
                "membership inference is right in {:.1} % of cases ({:.1} to {:.1} % with {:.0} % confidence). \
                 A coin is right in 50 %{most}. The attack finds {:.1} % of members, and names {:.1} % of others by mistake \
                 ({} runs per world, {statistic})",
                100.0 * accuracy,
                100.0 * low,
                100.0 * high,
                100.0 * CONFIDENCE,
                100.0 * share,
                100.0 * wrongly,
                count(runs)
            ));
        }
        None => {
            text += &bullet("membership inference: not tried, because all examples are in the played rounds");
        }
    }
    for found in &attacks.inversion {
        let example = found.example.map_or_else(String::new, |c| {
            format!("; cosine to the example {c:.3}, that of a blind guess {:.3}", found.blind)
        });
        text += &bullet(&format!(
            "model inversion from {}: {:.1} % of gradients are exact up to rounding; median relative error {}; \
             cosine to the gradient {:.3}{example}{}",
            found.from,
            100.0 * found.exact,
            short(found.error),
            found.cosine,
            if found.inactive < 0.9995 {
                format!(
                    ". These count the {:.1} % of coordinates where the projection is inactive",
                    100.0 * found.inactive
                )
            } else {
                String::new()
            }
        ));
    }
    text
}

fn bullet(text: &str) -> String {
    folded(text) + "\n"
}

fn short(x: f64) -> String {
    match x {
        0.0 => "0".into(),
        _ if (1e-3..1e4).contains(&x) => format!("{x:.3}"),
        _ => format!("{x:.1e}"),
    }
}
