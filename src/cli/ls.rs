//! `workbay ls`.

pub mod ended;
pub mod order;

use std::{collections::HashMap, io::IsTerminal};

use jiff::Timestamp;
use ratatui::style::Style;

use super::{
    Start,
    apart::Apart,
    args::{Ls, TabChoice},
    choice::Choice,
    fail::{Fail, Outcome},
    find::{self, Picture, Wanted},
    line::{self, Line},
    listed, now, output,
    output::Cell,
    reclaim,
    times::{elapsed, moment},
};
use crate::{
    model::{
        capability::EngineState,
        ending::{Ending, ending, is_meant, joined},
        id::ContextName,
        session::{Session, has_several_owners, newest_first, placement_words},
        short,
        status::Tab,
    },
    theme::{ColorDepth, Theme, color, face::Face},
};

const HEAD: [&str; 8] = [
    "NAME",
    "ID",
    "STATUS",
    "ENVIRONMENT",
    "CPU",
    "MEM",
    "RUN TIME",
    "CREATED",
];

/// The column that how a session ended stands behind.
const STATUS: usize = 2;

/// How many of a cluster's sessions are asked for, for each tab, unless told.
const PAGE: u32 = 100;

pub fn ls(start: &Start, arguments: &Ls) -> Outcome {
    let (picture, contexts) = line::block_on(look(start, arguments))?;
    let several = has_several_owners(&picture.snapshot.sessions);
    let mut sessions: Vec<Session> = picture
        .snapshot
        .sessions
        .iter()
        .filter(|session| {
            contexts.contains(&session.context) && is_wanted(session, arguments, several)
        })
        .cloned()
        .collect();
    if let ([context], true) = (contexts.as_slice(), sessions.is_empty())
        && let Some(failure) = picture.why_stale(*context)
    {
        // Nothing is known of it: an empty list would be a lie.
        return Err(failure.clone().into());
    }
    tell_stale(&picture, &contexts);
    sessions.sort_by(newest_first);
    tell_more(&picture, &contexts, &sessions, arguments);
    cut(&mut sessions, arguments.limit);
    order::sort(&mut sessions, arguments.sort, arguments.reverse);
    if arguments.format.json {
        listed::print_all(&sessions)?;
    } else if sessions.is_empty() && std::io::stdout().is_terminal() {
        output::line(nothing(arguments))?;
    } else {
        print(&sessions, &picture, &contexts)?;
    }
    match find::incomplete(&picture.snapshot, &contexts).next() {
        Some((_, failure)) => Err(failure.into()),
        None => Ok(0),
    }
}

fn print(sessions: &[Session], picture: &Picture, contexts: &[ContextName]) -> Result<(), Fail> {
    let theme = colours();
    let several = contexts.len() > 1;
    let reclaimed = reclaim::is_told(sessions);
    let ended = ended::is_told(sessions);
    let apart = Apart::of(sessions);
    let ids: Vec<String> = sessions.iter().map(|it| it.id.to_string()).collect();
    let rows: Vec<Vec<Cell>> = sessions
        .iter()
        .zip(short::all(&ids))
        .map(|(session, id)| {
            let mut cells = row(session, id, now(), theme.as_ref());
            if ended {
                let [how, when] = ended::cells(session, theme.as_ref());
                cells.insert(STATUS + 1, how);
                cells.push(when);
            }
            cells.extend(apart.cells(session));
            if reclaimed {
                cells.push(reclaim::cell(session, now(), theme.as_ref()));
            }
            if several {
                let style = accent(picture, session.context, theme.as_ref());
                cells.insert(0, Cell::styled(session.context.as_str(), style));
            }
            cells
        })
        .collect();
    let mut head: Vec<&str> = HEAD.to_vec();
    if ended {
        let [how, when] = ended::HEADS;
        head.insert(STATUS + 1, how);
        head.push(when);
    }
    head.extend(apart.heads());
    head.extend(reclaimed.then_some(reclaim::HEAD));
    if several {
        head.insert(0, "CONTEXT");
    }
    output::coloured(&output::table(&head, &rows, theme.is_some()))
}

/// The daemon's picture of the contexts that are meant, as far as each can be had.
async fn look(start: &Start, arguments: &Ls) -> Result<(Picture, Vec<ContextName>), Fail> {
    let line = Line::connect(&start.paths).await?;
    let tab = arguments.tab.tab();
    let snapshot = line.snapshot_of(tab).await?;
    let contexts = if arguments.all_contexts {
        snapshot.contexts.iter().map(|s| s.context.name).collect()
    } else {
        vec![Choice::of(start).context(&snapshot)?]
    };
    let picture = find::picture(&line, (snapshot, tab), &contexts, &wanted(arguments)).await?;
    Ok((picture, contexts))
}

/// The newest of each tab, and whatever has the filter's one word in its name.
fn wanted(arguments: &Ls) -> Vec<Wanted> {
    let count = arguments.limit.unwrap_or(PAGE);
    let tabs = Tab::ALL.into_iter().filter(|tab| {
        let asked = arguments.tab.tab();
        asked.is_none_or(|asked| asked == *tab)
    });
    let word = arguments.filter.as_deref().map(str::trim);
    let word = word.filter(|word| !word.is_empty() && !word.contains(char::is_whitespace));
    tabs.flat_map(|tab| {
        let newest = Wanted {
            tab,
            text: None,
            count,
        };
        let named = word.map(|word| Wanted {
            tab,
            text: Some(word.to_owned()),
            count,
        });
        std::iter::once(newest).chain(named)
    })
    .collect()
}

fn is_wanted(session: &Session, arguments: &Ls, several: bool) -> bool {
    let words = arguments.filter.as_deref().unwrap_or_default();
    let tab = arguments.tab.tab();
    tab.is_none_or(|tab| session.tab() == tab) && matches(session, words, several)
}

fn tell_stale(picture: &Picture, contexts: &[ContextName]) {
    for state in &picture.snapshot.contexts {
        let context = state.context.name;
        if !contexts.contains(&context) {
            continue;
        }
        let why = match (&state.engine, picture.why_stale(context)) {
            (EngineState::Lost { why, .. }, _) => why,
            (_, Some(failure)) => &failure.message,
            _ => continue,
        };
        output::remark(&format!(
            "workbay: engine {context} is lost: {why}; shown is what was known last"
        ));
    }
}

/// The newest `limit` of each context and tab; they are sorted already.
fn cut(sessions: &mut Vec<Session>, limit: Option<u32>) {
    let Some(limit) = limit else {
        return;
    };
    let mut counted: HashMap<(ContextName, Tab), u32> = HashMap::new();
    sessions.retain(|session| {
        let seen = counted.entry((session.context, session.tab())).or_default();
        *seen += 1;
        *seen <= limit
    });
}

/// Says where a cluster has more than is shown.
fn tell_more(picture: &Picture, contexts: &[ContextName], sessions: &[Session], arguments: &Ls) {
    if arguments.filter.is_some() {
        return;
    }
    for state in &picture.snapshot.contexts {
        let (name, Some(totals)) = (state.context.name, state.totals) else {
            continue;
        };
        if !contexts.contains(&name) {
            continue;
        }
        for (tab, total) in Tab::ALL.into_iter().zip(totals) {
            if arguments.tab.tab().is_some_and(|asked| asked != tab) {
                continue;
            }
            let here = sessions
                .iter()
                .filter(|s| s.context == name && s.tab() == tab);
            let here = here.count() as u64;
            let shown = here.min(arguments.limit.map_or(u64::MAX, u64::from));
            if shown < total {
                let title = tab.title().to_lowercase();
                output::remark(&format!(
                    "workbay: {name}: {shown} of {total} sessions under {title} are shown; --limit N shows more, 4000 at most"
                ));
            }
        }
    }
}

/// The colour of a context's name.
fn accent(picture: &Picture, context: ContextName, theme: Option<&Theme>) -> Style {
    let colour = find::state(&picture.snapshot, context)
        .and_then(|state| state.context.accent.as_ref())
        .and_then(|accent| color::parse(accent.as_str()))
        .and_then(|colour| color::reduce(colour, ColorDepth::Ansi16));
    match (theme, colour) {
        (Some(_), Some(colour)) => Style::new().fg(colour),
        _ => Style::new(),
    }
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
    let face = Face::from(session.status.tone());
    theme.map_or_else(Style::new, |theme| theme.style(face))
}

fn row(session: &Session, id: String, now: Timestamp, theme: Option<&Theme>) -> Vec<Cell> {
    vec![
        session.name.as_str().into(),
        id.into(),
        Cell::styled(session.status.word(), status_style(session, theme)),
        session.environment.label().into(),
        session.requested_slots.cpu.to_string().into(),
        session.requested_slots.mem.to_string().into(),
        session
            .run_seconds(now)
            .map_or_else(|| "-".to_owned(), elapsed)
            .into(),
        moment(session.created_at).into(),
    ]
}

/// Every word is found in the name, id, environment, status or result, whatever its case; with `several` owners
/// also in owner, project and agents.
fn matches(session: &Session, words: &str, several: bool) -> bool {
    let mut text = format!(
        "{} {} {} {}",
        session.name,
        session.id,
        session.environment.label(),
        session.status
    );
    if several {
        text.push(' ');
        text.push_str(&placement_words(session));
    }
    let text = text.to_lowercase();
    let ended = ending(session).map_or_else(String::new, Ending::words);
    joined(words)
        .to_lowercase()
        .split_whitespace()
        .all(|word| text.contains(word) || is_meant(&ended, word))
}
