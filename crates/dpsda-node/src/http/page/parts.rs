//! The sections of the page, each made from the board.

use dpsda::privacy::Price;
use dpsda_web::text::{count, escape};

use super::super::Moment;
use super::words::{bytes, duration, number};
use crate::board::{Decision, Now, Who};
use crate::metrics::{SpentTotal, spent};

/// Numbers of a decision that are shown.
const FIRST: usize = 12;
/// Refusals that are shown.
const REFUSALS: usize = 50;

pub(super) fn trouble(now: &Now) -> String {
    let words = now.trouble.as_deref().map(escape);
    words.map_or_else(String::new, |words| format!("<p class=\"warning bad\" role=\"alert\">{words}</p>"))
}

pub(super) fn tiles(who: &Who, now: &Now) -> String {
    let mut out = String::new();
    let mut tile = |name: &str, big: String, under: String| {
        out += &format!("<div class=\"tile\"><p>{name}</p><p class=\"big\">{big}</p><p>{under}</p></div>");
    };
    tile("Round", count(now.round), format!("of {}", count(who.horizon)));
    tile("Rounds per second", number(now.rate), "over the last 5 seconds".into());
    tile("Releases", count(now.releases), format!("epoch {}", count(now.epoch)));
    match now.staleness {
        Some(rounds) => tile("Oldest block", count(rounds), "rounds behind".into()),
        None => tile("Late rounds", count(now.late), "ended without some peer".into()),
    }
    let store = format!("{}\u{a0}ms", number(now.store_micros as f64 / 1e3));
    tile("Time to store", store, "for the last release".into());
    let memory = now.memory.map_or_else(|| "unknown".into(), bytes);
    tile("Memory", memory, "of the process".into());
    out
}

/// Rounds per second over the last minutes.
pub(super) fn pace(past: &[Moment]) -> String {
    let (Some(first), Some(last)) = (past.first(), past.last()) else {
        return "<p class=\"empty\">No data yet.</p>\n".into();
    };
    let span = last.seconds - first.seconds;
    if span.is_nan() || span <= 0.0 {
        return "<p class=\"empty\">The node has just started.</p>\n".into();
    }
    let finite = |rate: f64| if rate.is_finite() { rate } else { 0.0 };
    let top = past.iter().map(|moment| finite(moment.rate)).fold(0.0, f64::max);
    let line: Vec<String> = past
        .iter()
        .map(|moment| {
            let x = 600.0 * (moment.seconds - first.seconds) / span;
            let y = 100.0 - 92.0 * finite(moment.rate) / top.max(1e-9);
            format!("{x:.1} {y:.1}")
        })
        .collect();
    let line = line.join("L");
    let (top, span) = (number(top), duration(span));
    format!(
        "<figure class=\"curve\"><svg viewBox=\"0 0 600 101\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"Rounds \
         per second over the last {span}, at most {top}\"><path class=\"fill\" d=\"M0 100L{line}L600 100Z\"/><path \
         d=\"M{line}\"/></svg><span class=\"top\">{top} rounds per second</span></figure>\n<p class=\"ends\"><span>{span} \
         ago</span><span>now</span></p>\n"
    )
}

pub(super) fn privacy(who: &Who, now: &Now) -> String {
    let mut out = format!("<p>{}</p>\n", escape(&who.claim));
    if let Some(caveat) = &now.caveat {
        out += &format!("<p class=\"warning bad\" role=\"alert\">{}</p>\n", escape(caveat));
    }
    out += "<p class=\"note\">The totals below are this node's own; the promise covers all nodes together.</p>\n";
    let costs = [Some(now.spent.event), now.spent.person, Some(now.spent.lifetime)];
    let all = spent(&now.spent, &who.budget, who.delta);
    for (one, cost) in all.iter().zip(costs.into_iter().flatten()) {
        out += &bar(one, cost, who.delta);
    }
    out
}

fn bar(one: &SpentTotal, cost: Price, delta: f64) -> String {
    let whom = match one.of {
        "event" => "One event",
        "person" => "One person",
        _ => "Someone who takes part in every event",
    };
    let rule = match cost {
        _ if cost == Price::default() => "Nothing has been charged yet.".to_owned(),
        Price::Pure { .. } => "Charges are pure ε and add up.".to_owned(),
        Price::Zcdp { .. } => {
            let rho = number(cost.as_rho().unwrap_or(f64::INFINITY));
            format!("Charges are zCDP and add up in ρ: {rho} so far. ε holds for δ = {}.", number(delta))
        }
        Price::Unbounded => "The privacy loss has no bound.".to_owned(),
    };
    let (tone, amount, drawn) = match (one.limit, one.left, one.share) {
        (Some(limit), Some(left), Some(share)) => {
            // One event is charged once, and may spend its whole limit.
            let within = one.of == "event" && one.epsilon <= limit;
            let tone = match share {
                _ if within => "",
                share if share <= 0.0 => "bad",
                share if share < 0.1 => "warn",
                _ => "",
            };
            let used = 100.0 * (1.0 - share).clamp(0.0, 1.0);
            let drawn = format!(
                "<svg viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{whom}: {used:.0} percent \
                 of the budget spent\"><rect width=\"{used:.2}\" height=\"1\"/></svg>"
            );
            let (limit, left, share) = (number(limit), number(left), 100.0 - used);
            let unit = if matches!(cost, Price::Zcdp { .. }) { " (of ρ)" } else { "" };
            let amount = if one.epsilon.is_finite() {
                format!("ε {} of {limit}; {left} left, {share:.0}%{unit}", number(one.epsilon))
            } else {
                format!("unbounded, limit ε {limit}")
            };
            (tone, amount, drawn)
        }
        _ => ("", format!("ε {} spent, no limit", number(one.epsilon)), String::new()),
    };
    format!(
        "<div class=\"budget {tone}\"><p><strong>{whom}</strong><span>{amount}</span></p>{drawn}<p class=\"note\">{rule}</p>\
         </div>\n"
    )
}

pub(super) fn peers(who: &Who, now: &Now) -> String {
    let own = now.versions.get(who.number).map(|(_, version)| *version);
    let mut rows = String::new();
    for (number, peer) in now.peers.iter().enumerate().filter(|(number, _)| *number != who.number) {
        let version = now.versions.get(number).map(|(_, version)| *version);
        // If blocks are not relayed, the round of a peer that does not send to this node is unknown.
        let known = version.filter(|version| now.staleness.is_some() || *version > 0);
        let behind = own.zip(known).map(|(own, version)| own.saturating_sub(version));
        let state = match peer.traffic.unreached {
            _ if peer.traffic.connected => "<span class=\"good\">connected</span>".into(),
            Some(why) => format!("<span class=\"bad\">away: {why}</span>"),
            None => "<span class=\"bad\">away</span>".into(),
        };
        let refused: u64 = now
            .refused
            .iter()
            .filter(|one| one.from == peer.name)
            .map(|one| one.times)
            .fold(0, u64::saturating_add);
        let differs: String = peer.differs.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
        let differs = if differs.is_empty() {
            String::new()
        } else {
            format!(
                "<tr><td colspan=\"8\"><span class=\"bad\">It runs another manifest:</span><ul>{differs}</ul></td></tr>"
            )
        };
        rows += &format!(
            "<tr><td>{}</td><td>{state}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td \
             class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>{differs}",
            escape(&peer.name),
            behind.map_or_else(|| "–".into(), count),
            count(peer.traffic.heard),
            bytes(peer.traffic.heard_bytes),
            count(peer.traffic.sent),
            count(peer.traffic.dropped),
            count(refused),
        );
    }
    if rows.is_empty() {
        return "<p class=\"empty\">This node has no peers.</p>\n".into();
    }
    table(
        "Peers",
        "<th>Name</th><th>State</th><th class=\"n\">Rounds behind</th><th class=\"n\">Heard</th><th class=\"n\">Bytes heard\
         </th><th class=\"n\">Sent</th><th class=\"n\">Dropped</th><th class=\"n\">Refused</th>",
        &rows,
    )
}

pub(super) fn refused(now: &Now) -> String {
    if now.refused.is_empty() {
        return "<p class=\"empty\">Nothing was refused.</p>\n".into();
    }
    let row = |one: &crate::board::Refused| {
        let times = count(one.times);
        format!(
            "<tr><td>{}</td><td>{}</td><td class=\"n\">{times}</td></tr>",
            escape(&one.from),
            escape(&one.why)
        )
    };
    let rows: String = now.refused.iter().take(REFUSALS).map(row).collect();
    let more = match now.refused.len().saturating_sub(REFUSALS) {
        0 => String::new(),
        more => format!(
            "<p class=\"note\">{} more rows: see <a href=\"/metrics\">metrics</a>.</p>\n",
            count(more as u64)
        ),
    };
    table("Refused", "<th>From</th><th>Why</th><th class=\"n\">Times</th>", &rows) + &more
}

pub(super) fn stream(now: &Now) -> String {
    let stream = &now.stream;
    let state = if stream.ended { "ended" } else { "open" };
    list(&[
        ("State", state.into()),
        ("Costs learned from", count(stream.taken)),
        ("Costs ignored after learning stopped", count(stream.unused)),
        ("Rounds without a cost", count(stream.gaps)),
        ("Costs for past rounds", count(stream.duplicates)),
        ("Gradients for rounds that had not begun", count(stream.early)),
        ("Gradients taken at another estimate of their round", count(stream.stale)),
        ("Costs for rounds after the last one", count(stream.over)),
        ("Lines that are not a valid cost", count(stream.malformed)),
    ])
}

pub(super) fn decision(decision: Option<&Decision>, unwritten: u64) -> String {
    let Some(decision) = decision else { return "<p class=\"empty\">No decision yet.</p>\n".into() };
    let first: Vec<String> = decision.block.iter().take(FIRST).map(|v| number(*v)).collect();
    let more = match decision.block.len().saturating_sub(FIRST) {
        0 => String::new(),
        more => format!(" and {} <a href=\"/decision\">more</a>", count(more as u64)),
    };
    let (round, epoch) = (count(decision.round), count(decision.epoch));
    let lost = match unwritten {
        0 => String::new(),
        lost => format!(
            "<p class=\"warning bad\" role=\"alert\">{} decisions could not be written: the log says why.</p>",
            count(lost)
        ),
    };
    format!(
        "{lost}<p class=\"note\">This node's block, round {round}, epoch {epoch}:</p><p class=\"numbers\">{}{more}</p>\n",
        first.join(", ")
    )
}

pub(super) fn who(who: &Who) -> String {
    list(&[
        ("Algorithm", escape(&format!("{}, {} rounds", who.algorithm, who.rounds))),
        ("Public key", format!("<code>{}</code>", escape(&who.key))),
        ("Manifest", format!("<code>{}</code>", escape(&who.manifest))),
        ("Listens for peers at", escape(&who.listen.join(", "))),
        ("Members", escape(&who.members.join(", "))),
    ])
}

fn list(rows: &[(&str, String)]) -> String {
    let row = |(name, value): &(&str, String)| format!("<div><dt>{name}</dt><dd>{value}</dd></div>");
    format!("<dl>{}</dl>\n", rows.iter().map(row).collect::<String>())
}

fn table(name: &str, head: &str, rows: &str) -> String {
    let head = head.replace("<th", "<th scope=\"col\"");
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{name}\"><table><thead><tr>{head}</tr></thead>\
         <tbody>{rows}</tbody></table></div>\n"
    )
}
