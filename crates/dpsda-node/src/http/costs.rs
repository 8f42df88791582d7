//! Posted costs, one per line. A line is read only after the node has learned from the line before it. Until then TCP's flow
//! control makes the sender wait.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use http_body_util::BodyExt as _;
use serde::Serialize;
use tokio::sync::{mpsc, oneshot};

use super::Desk;
use super::ask::{LINES, busy};
use crate::lines::split::Splitter;
use crate::lines::{Form, Wrong, note_malformed};
use crate::stream::{Arrival, CostReply, GivenCost};

/// Lines that are answered one by one. A request may have any number of lines; further lines are counted together.
const ANSWERED: u64 = 4096;

/// The answer to one line.
#[derive(Serialize, Default)]
struct Fate {
    line: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    t: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicate: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    early: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    over: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spent: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    halted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    malformed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stopped: Option<bool>,
}

/// The answer to all lines together.
#[derive(Serialize, Default)]
struct Fates {
    lines: u64,
    taken: u64,
    duplicate: u64,
    early: u64,
    stale: u64,
    over: u64,
    malformed: u64,
    /// Malformed lines that were too long to be read.
    long: u64,
    #[serde(skip)]
    stopped: bool,
}

#[derive(Default)]
struct Minutes {
    text: String,
    count: Fates,
}

pub(super) async fn post(State(desk): State<Arc<Desk>>, mut body: Body) -> Response {
    let Some((form, to)) = &desk.costs else {
        let hint = "this node takes no costs over HTTP: node.stream in its file names another source\n";
        return (StatusCode::NOT_FOUND, hint).into_response();
    };
    let Ok(_turn) = desk.posts.try_acquire() else { return busy() };
    let (mut lines, mut book) = (Splitter::new(form.longest()), Minutes::default());
    while !book.count.stopped {
        let frame = tokio::select! {
            frame = body.frame() => frame,
            () = desk.stopped() => {
                book.count.stopped = true;
                break;
            }
        };
        let part = match frame {
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            Some(Err(_)) => break, // the sender has disconnected and reads no answer
            None => {
                if let Some(piece) = lines.end() {
                    let (number, read) = piece.read(form);
                    book.take(number, read, &desk, form, to).await;
                }
                break;
            }
        };
        let mut part = &part[..];
        while let Some(piece) = lines.next(&mut part) {
            let (number, read) = piece.read(form);
            book.take(number, read, &desk, form, to).await;
            if book.count.stopped {
                break;
            }
        }
    }
    book.answer()
}

impl Minutes {
    /// Passes a line on to the driver, and writes down the answer.
    async fn take(
        &mut self,
        line: u64,
        read: Result<(Option<u64>, GivenCost), Wrong>,
        desk: &Desk,
        form: &Form,
        to: &mpsc::Sender<Arrival>,
    ) {
        let said = Fate { line, ..Fate::default() };
        let (round, cost) = match read {
            Ok(read) => read,
            Err(wrong) => {
                note_malformed(&desk.board, line, &wrong);
                self.count.malformed += 1;
                self.count.long += u64::from(wrong == Wrong::Long(form.longest()));
                return self.say(&Fate { malformed: Some(wrong.to_string()), ..said });
            }
        };
        let said = Fate { t: round, ..said };
        let (answer, answered) = oneshot::channel();
        let learned = async {
            to.send(Arrival { round, cost, answer: Some(answer) }).await.ok()?;
            answered.await.ok()
        };
        let learned = tokio::select! {
            biased; // an answer that has arrived is passed on even while the node stops
            learned = learned => learned,
            () = desk.stopped() => None,
        };
        match learned {
            Some(CostReply::Taken { round, skipped }) => {
                self.count.taken += 1;
                let skipped = (skipped > 0).then_some(skipped);
                self.say(&Fate { taken: Some(round), skipped, ..said });
            }
            Some(CostReply::Duplicate(next)) => {
                self.count.duplicate += 1;
                self.say(&Fate { t: None, duplicate: round, next: Some(next), ..said });
            }
            Some(CostReply::Early(next)) => {
                self.count.early += 1;
                self.say(&Fate { t: None, early: round, next: Some(next), ..said });
            }
            Some(CostReply::Stale) => {
                self.count.stale += 1;
                self.say(&Fate { stale: Some(true), ..said });
            }
            Some(CostReply::Spent) => {
                self.count.over += 1;
                self.say(&Fate { spent: Some(true), ..said });
            }
            Some(CostReply::Halted) => {
                self.count.over += 1;
                self.say(&Fate { halted: Some(true), ..said });
            }
            Some(CostReply::Over) => {
                self.count.over += 1;
                self.say(&Fate { over: Some(true), ..said });
            }
            // The node may have learned from it. A sender that names the round can send it again: it is then a duplicate at
            // worst.
            None => {
                self.count.stopped = true;
                self.say(&Fate { stopped: Some(true), ..said });
            }
        }
    }

    fn say(&mut self, said: &Fate) {
        self.count.lines += 1;
        if self.count.lines <= ANSWERED {
            self.text += &serde_json::to_string(said).unwrap_or_default();
            self.text.push('\n');
        }
    }

    fn answer(mut self) -> Response {
        if self.count.lines > ANSWERED {
            let all = serde_json::json!({ "all": self.count });
            self.text += &format!("{all}\n");
        }
        let status = match &self.count {
            Fates { stopped: true, .. } => StatusCode::SERVICE_UNAVAILABLE,
            Fates { malformed, long, .. } if malformed > long => StatusCode::BAD_REQUEST,
            Fates { long: 1.., .. } => StatusCode::PAYLOAD_TOO_LARGE,
            Fates { duplicate: 1.., .. }
            | Fates { early: 1.., .. }
            | Fates { stale: 1.., .. }
            | Fates { over: 1.., .. } => StatusCode::CONFLICT,
            _ => StatusCode::OK,
        };
        (status, [(header::CONTENT_TYPE, LINES)], self.text).into_response()
    }
}
