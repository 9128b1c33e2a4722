//! `workbay ls`.

use std::{io::IsTerminal, sync::LazyLock};

use jiff::{Timestamp, tz::TimeZone};
use ratatui::style::Style;

use super::{
    args::{Ls, TabChoice},
    fail::Outcome,
    line::{self, Line},
    now, output,
    output::Cell,
};
use crate::{
    config::{paths::Paths, person},
    model::{capability::EngineState, session::Session, status::Tone},
    theme::{ColorDepth, Theme, face::Face},
};

const HEAD: [&str; 8] = [
    "NAME",
    "ID",
    "STATUS",
    "ENVIRONMENT",
    "CPU",
    "MEM",
    "ELAPSED",
    "CREATED",
];

pub fn ls(paths: &Paths, arguments: &Ls) -> Outcome {
    let snapshot = line::block_on(async { Line::connect(paths).await?.snapshot().await })?;
    for state in &snapshot.contexts {
        if let EngineState::Lost { why, .. } = &state.engine {
            let context = state.context.name;
            output::remark(&format!(
                "workbay: engine {context} is lost: {why}; shown is what was known last"
            ));
        }
    }
    let mut sessions: Vec<Session> = snapshot
        .sessions
        .into_iter()
        .filter(|session| arguments.tab.tab().is_none_or(|tab| session.tab() == tab))
        .filter(|session| {
            let words = arguments.filter.as_deref().unwrap_or_default();
            matches(session, words)
        })
        .collect();
    sessions.sort_by_key(|session| std::cmp::Reverse(session.created_at));
    if arguments.format.json {
        output::json(&sessions)?;
        return Ok(0);
    }
    if sessions.is_empty() && std::io::stdout().is_terminal() {
        output::line(nothing(arguments))?;
        return Ok(0);
    }
    let theme = colours();
    let rows: Vec<Vec<Cell>> = sessions
        .iter()
        .map(|session| row(session, now(), theme.as_ref()))
        .collect();
    output::print(&output::table(&HEAD, &rows, theme.is_some()))?;
    Ok(0)
}

fn nothing(arguments: &Ls) -> &'static str {
    match (arguments.filter.is_some(), arguments.tab) {
        (true, _) => "No session matches the filter.",
        (_, TabChoice::Running) => "No session is running; `workbay launch` starts one.",
        (_, TabChoice::Finished) => "No session has finished.",
        (_, TabChoice::Others) => "No session is in trouble.",
        (_, TabChoice::All) => "There are no sessions; `workbay launch` starts one.",
    }
}

/// The terminal's own colours, when stdout wants any.
pub fn colours() -> Option<Theme> {
    output::is_colourful()
        .then(|| Theme::builtin("ansi16", ColorDepth::Ansi16))
        .flatten()
}

/// The look of a session's status.
pub fn status_style(session: &Session, theme: Option<&Theme>) -> Style {
    let face = match session.status.tone() {
        Tone::Progress => Face::StatusProgress,
        Tone::Good => Face::StatusGood,
        Tone::Ending => Face::StatusEnding,
        Tone::Ended => Face::StatusEnded,
        Tone::Bad => Face::StatusBad,
        Tone::Neutral => Face::Text,
    };
    theme.map_or_else(Style::new, |theme| theme.style(face))
}

fn row(session: &Session, now: Timestamp, theme: Option<&Theme>) -> Vec<Cell> {
    vec![
        session.name.as_str().into(),
        session.id.short().into(),
        Cell::styled(session.status.word(), status_style(session, theme)),
        session.environment.label().into(),
        session.requested_slots.cpu.to_string().into(),
        session.requested_slots.mem.to_string().into(),
        elapsed(session.elapsed_seconds(now)).into(),
        moment(session.created_at).into(),
    ]
}

/// Every word is found in the name, id, environment or status, whatever its case.
fn matches(session: &Session, words: &str) -> bool {
    let text = format!(
        "{} {} {} {}",
        session.name,
        session.id,
        session.environment.label(),
        session.status
    )
    .to_lowercase();
    words
        .split_whitespace()
        .all(|word| text.contains(&word.to_lowercase()))
}

/// `42s`, `12m`, `3h 07m`, `2d 04h`.
pub fn elapsed(seconds: i64) -> String {
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86400);
    match seconds {
        ..60 => format!("{seconds}s"),
        60..3600 => format!("{minutes}m"),
        3600..86400 => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{days}d {:02}h", hours % 24),
    }
}

/// Read once: a long list has many times.
static ZONE: LazyLock<TimeZone> = LazyLock::new(person::time_zone);

/// A time for a person, in the zone they live in.
pub fn moment(at: Timestamp) -> String {
    at.to_zoned(ZONE.clone())
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elapsed_grows_coarser_with_time() {
        let shown: Vec<String> = [0, 59, 60, 3599, 3600, 86399, 86400, 190_000]
            .into_iter()
            .map(elapsed)
            .collect();
        assert_eq!(
            shown,
            [
                "0s", "59s", "1m", "59m", "1h 00m", "23h 59m", "1d 00h", "2d 04h"
            ]
        );
    }
}
