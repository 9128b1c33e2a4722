//! What happened to the session and why: each attempt, and the steps that failed.

use super::{DetailLine, text};
use crate::{
    app::{
        app::App,
        detail::{Detail, History},
    },
    model::{
        capability::Capability,
        history::{HistoryEntry, Outcome, SubStep},
        text::Clean,
    },
    theme::face::Face,
    view::glyphs::Glyphs,
};

/// Column of an entry's texts.
const INDENT: usize = 10;

pub fn lines(app: &App, detail: &Detail, width: usize, glyphs: &Glyphs) -> Vec<DetailLine> {
    let mut lines = vec![vec![(tr!("History").to_owned(), Face::Title)]];
    match detail.history() {
        History::Asked => lines.push(vec![(tr!("loading").to_owned(), Face::Dim)]),
        History::Failed(why) => {
            let wrapped = text::wrap(why.as_str(), width);
            lines.extend(wrapped.into_iter().map(|line| vec![(line, Face::Bad)]));
        }
        History::Lacking(why) => {
            let wrapped = text::wrap(why.as_str(), width);
            lines.extend(wrapped.into_iter().map(|line| vec![(line, Face::Dim)]));
        }
        History::Known(entries) if entries.is_empty() => {
            lines.push(vec![(tr!("no entries").to_owned(), Face::Dim)]);
        }
        History::Known(entries) => {
            let session = app.mirror.session(detail.session());
            let ended = session.is_some_and(|it| it.status.is_final());
            let step = |entry, it| step(entry, it, ended, width, glyphs);
            let unfolds = |result: &Outcome| failed(result) && !(ended && is_retried(result));
            // Only the newest failed entry unfolds automatically.
            let failing = entries.iter().position(|entry| unfolds(&entry.result));
            for (at, entry) in entries.iter().enumerate() {
                lines.extend(head(app, entry, width, glyphs));
                let steps = entry.steps.iter();
                if detail.all_steps {
                    lines.extend(steps.flat_map(|it| step(entry, it)));
                } else if failing == Some(at) {
                    let newest = steps.rev().find(|it| unfolds(&it.result));
                    lines.extend(newest.into_iter().flat_map(|it| step(entry, it)));
                }
            }
            let context = detail.session().context;
            if let Some(why) = app.mirror.why_not(context, Capability::SchedulingSteps) {
                let wrapped = text::wrap(why.as_str(), width);
                lines.extend(wrapped.into_iter().map(|line| vec![(line, Face::Dim)]));
            }
        }
    }
    lines
}

/// An attempt that only has to be repeated. After the session's end nothing is repeated, so it explains
/// nothing.
fn is_retried(result: &Outcome) -> bool {
    face(result) == Face::Warning
}

fn face(result: &Outcome) -> Face {
    match result {
        Outcome::Success => Face::Text,
        Outcome::Failure | Outcome::Expired | Outcome::GiveUp => Face::Bad,
        Outcome::NeedRetry => Face::Warning,
        Outcome::Stale | Outcome::Skipped | Outcome::Other(_) => Face::Dim,
    }
}

fn failed(result: &Outcome) -> bool {
    matches!(face(result), Face::Bad | Face::Warning)
}

fn head(app: &App, entry: &HistoryEntry, width: usize, glyphs: &Glyphs) -> Vec<DetailLine> {
    let zone = &app.facts.time_zone;
    let at = entry.at.to_zoned(zone.clone());
    let step = match &entry.from {
        // An attempt that changed nothing.
        Some(from) if *from == entry.to => entry.to.to_string(),
        Some(from) => format!("{from} {} {}", glyphs.to, entry.to),
        None => entry.to.to_string(),
    };
    let face = face(&entry.result);
    let time = at.strftime("%H:%M:%S  ").to_string();
    let phase = entry.phase.as_str();
    let room = width.saturating_sub(INDENT);
    let mut lines = Vec::new();
    if text::width(&step) + 2 + text::width(phase) <= room {
        let phase = (format!("  {phase}"), Face::Dim);
        lines.push(vec![(time, Face::Dim), (step, face), phase]);
    } else {
        let step = text::wrap(&step, room).into_iter().map(|it| (it, face));
        let phase = text::wrap(phase, room).into_iter();
        let mut start = time;
        for (text, face) in step.chain(phase.map(|it| (it, Face::Dim))) {
            lines.push(vec![(start, Face::Dim), (text, face)]);
            start = " ".repeat(INDENT);
        }
    }
    if entry.attempts > 1 {
        let until = entry.until.map(|until| {
            let until = until.to_zoned(zone.clone());
            tr!(", the last at {time}", time = until.strftime("%H:%M:%S"))
        });
        let text = tr!(
            "{attempts} attempts{until}",
            attempts = entry.attempts,
            until = until.unwrap_or_default()
        );
        let wrapped = text::wrap(&text, width.saturating_sub(INDENT));
        lines.extend(wrapped.iter().map(|line| indented(line, Face::Dim)));
    }
    // "schedule-sessions success" adds nothing to the phase and the result.
    let repeats = |message: &Clean| {
        let rest = message.as_str().strip_prefix(entry.phase.as_str());
        entry.result == Outcome::Success && rest.is_some_and(|rest| rest.trim() == "success")
    };
    if let Some(message) = entry.message.as_ref().filter(|it| !repeats(it)) {
        let wrapped = text::wrap(message.as_str(), width.saturating_sub(INDENT));
        lines.extend(wrapped.iter().map(|line| indented(line, face)));
    }
    lines
}

fn indented(text: &str, face: Face) -> DetailLine {
    vec![(format!("{:INDENT$}{text}", ""), face)]
}

/// A step with a shape for its result. Its message is below, unless the entry has the same message. The steps
/// of a session that has `ended` need no attention any more.
fn step(
    entry: &HistoryEntry,
    step: &SubStep,
    ended: bool,
    width: usize,
    glyphs: &Glyphs,
) -> Vec<DetailLine> {
    let shapes = &glyphs.shapes;
    let face = face(&step.result);
    let shape = match face {
        Face::Bad | Face::Warning => shapes.bad,
        Face::Dim => shapes.neutral,
        _ => shapes.good,
    };
    let name = match face {
        Face::Text => Face::Dim,
        Face::Bad | Face::Warning if ended => Face::Text,
        face => face,
    };
    let room = width.saturating_sub(INDENT + 2);
    let mut lines = Vec::new();
    for (at, part) in text::wrap(step.step.as_str(), room).iter().enumerate() {
        let shape = if at == 0 { shape } else { " " };
        lines.push(indented(&format!("{shape} {part}"), name));
    }
    if let Some(message) = step
        .message
        .as_ref()
        .filter(|it| !it.is_empty() && entry.message.as_ref() != Some(it))
    {
        let wrapped = text::wrap(message.as_str(), room);
        lines.extend(
            wrapped
                .iter()
                .map(|line| indented(&format!("  {line}"), name)),
        );
    }
    lines
}
