//! The node's page, for people. It shows everything without scripts; with scripts it updates itself.

mod parts;
mod words;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use dpsda_web::text::{escape, fill};

use super::ask::typed;
use super::{Desk, Moment};
use crate::board::{Board, Health};
use words::duration;

const TEMPLATE: &str = include_str!("../../assets/page.html");
/// One look for all pages of the project.
const STYLE: &str =
    concat!(include_str!("../../../dpsda-web/assets/style.css"), include_str!("../../assets/page.css"));
const SCRIPT: &str = concat!(
    "(() => {\n\"use strict\";\n",
    include_str!("../../../dpsda-web/assets/js/errors.js"),
    include_str!("../../../dpsda-web/assets/js/theme.js"),
    include_str!("../../assets/page.js"),
    "})();\n",
);

pub(super) async fn whole(State(desk): State<Arc<Desk>>) -> Response {
    typed("text/html; charset=utf-8", page(&desk.board, &desk.past()))
}

pub(super) async fn style() -> Response {
    typed("text/css; charset=utf-8", STYLE)
}

pub(super) async fn script() -> Response {
    typed("text/javascript; charset=utf-8", SCRIPT)
}

fn page(board: &Board, past: &[Moment]) -> String {
    let (who, now) = (board.who(), board.now());
    let latest = board.decisions().borrow().clone();
    let (tone, words) = manner(now.health);
    fill(TEMPLATE, |name| match name {
        "title" => escape(&format!("{}: {} ({})", who.node, now.health.word(), who.run)),
        "meta" => {
            let run = format!("run {} · node {} · {} members", who.run, who.number, who.members.len());
            escape(&format!("dpsda {} · {run}", who.version))
        }
        "node" => escape(&who.node),
        "tone" => tone.into(),
        "health" => now.health.word().into(),
        "lead" => format!("{words} It has been up for {}.", duration(now.uptime)),
        "trouble" => parts::trouble(&now),
        "tiles" => parts::tiles(who, &now),
        "pace" => parts::pace(past),
        "privacy" => parts::privacy(who, &now),
        "peers" => parts::peers(who, &now),
        "refused" => parts::refused(&now),
        "stream" => parts::stream(&now),
        "decision" => parts::decision(latest.as_deref(), now.unwritten),
        "who" => parts::who(who),
        _ => String::new(),
    })
}

/// A colour and a sentence for each state.
fn manner(health: Health) -> (&'static str, &'static str) {
    match health {
        Health::Starting => ("warn", "It is starting and has made no decision yet."),
        Health::Running => ("good", "It learns, releases and decides."),
        Health::Exhausted => (
            "warn",
            "<strong>The privacy budget is spent</strong>: it releases nothing more, but still relays and decides.",
        ),
        Health::Halted => {
            ("bad", "<strong>It no longer releases anything</strong>: the reason is below, under Privacy.")
        }
        Health::Finished => ("good", "All rounds are done, or the stream has ended. It still relays."),
        Health::Stopping => ("warn", "It is stopping."),
        Health::Failed => ("bad", "<strong>It has failed.</strong>"),
    }
}
