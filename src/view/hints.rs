//! The last line: the keys that matter in the current view, from the active keymap.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{
    paint::{Paint, Piece},
    text,
};
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::Areas,
        detail::Detail,
        focus::Focus,
        panels::{Hint, MOVE, TERM_HINTS, history::HistoryTable},
        sessions::lines::Group,
    },
    key::Key,
    locale,
    model::session::Session,
    theme::face::Face,
};

/// Always at the right end.
const ALWAYS: &[Hint] = &[
    (Scope::Global, &[Action::Help], tr_later!("help")),
    (Scope::Global, &[Action::Quit], tr_later!("quit")),
];

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    let area = areas.hints;
    if app.is_interrupted() {
        let leave = keys(app, Scope::Global, Action::Interrupt);
        let quit = keys(app, Scope::Global, Action::Quit);
        let pieces = tr_pieces!(
            "{leave} again, or {quit} to quit. Sessions and shells keep running.",
            Face::Hint,
            leave = (leave, Face::Key),
            quit = (quit, Face::Key)
        );
        paint.pieces(area.x + 1, area.y, area.width - 2, &pieces);
        return;
    }
    if let Some(problem) = app.panels.problem() {
        paint.text(
            area.x + 1,
            area.y,
            area.width - 2,
            &problem,
            Face::InputError,
        );
        return;
    }
    if app.focus() == Focus::Filter
        && let Some(error) = app.sessions.filter.error()
    {
        let face = if error.is_unfinished {
            Face::Hint
        } else {
            Face::InputError
        };
        paint.text(area.x + 1, area.y, area.width - 2, &error.message, face);
        return;
    }
    if let Some(typed) = app.unbound() {
        let pieces = unbound(app, typed);
        paint.pieces(area.x + 1, area.y, area.width - 2, &pieces);
        return;
    }
    if !app.pending.is_empty() {
        let pieces = pending(app);
        paint.pieces(area.x + 1, area.y, area.width - 2, &pieces);
        return;
    }
    let always = match app.focus() {
        Focus::Sessions | Focus::Detail => group(app, ALWAYS, usize::MAX),
        _ => Vec::new(),
    };
    let taken = measure(&always) as u16;
    let x = area.right().saturating_sub(taken + 1);
    paint.pieces(x, area.y, taken, &always);
    let room = usize::from(area.width.saturating_sub(taken + 4));
    let mut hints = of(app);
    if app.next_end(now).is_some() {
        // When a session is about to be reclaimed, the key that extends it is always visible.
        hints.sort_by_key(|(_, actions, _)| *actions != [Action::SessionExtend]);
    }
    let hints = group(app, &hints, room);
    paint.pieces(area.x + 1, area.y, room as u16, &hints);
}

fn of(app: &App) -> Vec<Hint> {
    match (app.focus(), app.top()) {
        (_, Some(top)) => top.panel().hints(),
        (Focus::Filter, _) => TERM_HINTS.to_vec(),
        (Focus::Detail, _) => {
            let mut hints = of_view(Scope::Detail);
            hints.push((Scope::Detail, MOVE, tr_later!("scroll")));
            hints
        }
        (Focus::Sessions, _) => of_view(Scope::Sessions),
        (Focus::Panel | Focus::Logs | Focus::Panes, _) => Vec::new(),
    }
}

/// The hints of a view from the list of actions, the heaviest first.
fn of_view(view: Scope) -> Vec<Hint> {
    let hints = Action::ALL.iter().filter_map(|action| {
        let hint = action.hint()?;
        let scope = if action.scopes().contains(&view) {
            view
        } else {
            Scope::Global
        };
        let alone = std::slice::from_ref(action);
        Some((hint.weight(view)?, (scope, alone, hint.word)))
    });
    let mut hints: Vec<(u8, Hint)> = hints.collect();
    hints.sort_by_key(|(weight, _)| Reverse(*weight));
    hints.into_iter().map(|(_, hint)| hint).collect()
}

/// Returns as many of the useful hints as fit. The key that leaves the view always has its place.
fn group(app: &App, hints: &[Hint], room: usize) -> Vec<Piece> {
    let gap = if app.is_narrow() { "  " } else { "   " };
    let useful = hints.iter().filter_map(|(scope, actions, word)| {
        if !actions.iter().all(|action| matters(app, *action)) {
            return None;
        }
        let keys = keys_of_all(app, *scope, actions);
        let word = format!(" {}", locale::text(word_now(app, actions, word)));
        let hint = [(keys, Face::Key), (word, Face::Hint)];
        let leaves = *actions == [Action::Back];
        (!hint[0].0.is_empty()).then_some((leaves, hint))
    });
    let useful: Vec<(bool, [Piece; 2])> = useful.collect();
    let width = |hint: &[Piece; 2]| measure(hint) + gap.len();
    // The first hint has no gap before it.
    let room = room.saturating_add(gap.len());
    let leave = useful.iter().position(|(leaves, _)| *leaves);
    let mut taken = 0;
    let mut shown = Vec::new();
    for (at, (_, hint)) in useful.iter().enumerate() {
        let later = leave.filter(|leave| *leave > at);
        let reserved = later.map_or(0, |leave| width(&useful[leave].1));
        if taken + width(hint) + reserved > room {
            shown.extend(later.filter(|_| taken + reserved <= room));
            break;
        }
        taken += width(hint);
        shown.push(at);
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for at in shown {
        if !pieces.is_empty() {
            pieces.push((gap.to_owned(), Face::Hint));
        }
        pieces.extend(useful[at].1.iter().cloned());
    }
    pieces
}

/// Returns the current meaning of keys whose meaning depends on the state.
fn word_now(app: &App, actions: &[Action], word: &'static str) -> &'static str {
    if actions == [Action::SessionOpen]
        && let Some((_, group)) = selected_group(app)
    {
        return if group.folded {
            tr_later!("unfold")
        } else {
            tr_later!("fold")
        };
    }
    // The details are already open next to the list.
    if actions == [Action::SessionOpen] && app.detail.is_some() {
        return tr_later!("scroll details");
    }
    if actions == [Action::SessionFiles] && app.current().is_some_and(Session::has_ended) {
        return tr_later!("recover files");
    }
    word
}

/// Whether the login of a shown context needs a one-time password.
fn needs_code(app: &App) -> bool {
    let mut shown = app.mirror.shown(app.sessions.shown());
    shown.any(|state| state.engine.needs_code())
}

/// The selected group of the list, while the list has the keys.
fn selected_group(app: &App) -> Option<(usize, &Group)> {
    let selected = app.sessions.selected_group();
    selected.filter(|_| app.focus() == Focus::Sessions)
}

fn matters(app: &App, action: Action) -> bool {
    match action {
        Action::Panes => !app.panes.is_empty(),
        Action::ControlRoom | Action::PaneScratch => !app.sessions.is_empty(),
        Action::Notices => app.notices.unread() > 0,
        Action::Folders => app.mirror.is_up(),
        Action::Ports => !app.mirror.forwards().is_empty(),
        Action::Contexts => app.mirror.has_several_contexts(),
        Action::ContextLogIn => needs_code(app),
        // The list refreshes automatically while the engine is connected.
        Action::SessionsRefresh => {
            app.mirror.has_lost(app.sessions.shown()) && app.why_not(action).is_none()
        }
        Action::NoticeOpen => app.why_not(Action::SessionOpen).is_none(),
        Action::NoticeCopy | Action::NoticeForget | Action::NoticeForgetAll => {
            !app.notices.is_empty()
        }
        Action::DetailSteps => app.detail.as_ref().is_some_and(Detail::has_steps),
        Action::HistoryUnfold => app.panels.get().is_some_and(HistoryTable::has_steps),
        Action::SessionOpen if selected_group(app).is_some() => true,
        Action::SessionsGroup => app.sessions.len() > 1,
        Action::Dashboard => app.mirror.is_up(),
        Action::SessionsFilter | Action::SessionsSort | Action::SessionsMark => {
            !app.sessions.is_empty()
        }
        // Without any session, there are no recent launches.
        Action::LauncherRecents => {
            app.mirror.sessions().next().is_some() && app.why_not(action).is_none()
        }
        _ => app.why_not(action).is_none(),
    }
}

const ARROWS: [&str; 4] = ["up", "down", "left", "right"];

/// Returns the most convenient key of each action, for example `up/down`, or `arrows` for all four. Returns an empty
/// text if one of them has no key.
fn keys_of_all(app: &App, scope: Scope, actions: &[Action]) -> String {
    let keys: Vec<String> = actions.iter().map(|a| keys(app, scope, *a)).collect();
    if keys.iter().any(String::is_empty) {
        return String::new();
    }
    if ARROWS
        .iter()
        .all(|arrow| keys.iter().any(|key| key == arrow))
    {
        return tr!("arrows").to_owned();
    }
    keys.join("/")
}

/// The most convenient key of an action.
pub fn keys(app: &App, scope: Scope, action: Action) -> String {
    app.keymap
        .keys_for(scope, action)
        .into_iter()
        .next()
        .unwrap_or_default()
}

fn pending(app: &App) -> Vec<Piece> {
    let typed: Vec<String> = app.pending.iter().map(ToString::to_string).collect();
    let mut pieces = vec![(typed.join(" "), Face::Accent)];
    for (key, action) in app.continuations() {
        let doc = action.map_or("...", Action::doc);
        pieces.push(("   ".to_owned(), Face::Hint));
        pieces.push((key.to_string(), Face::Key));
        pieces.push((format!(" {doc}"), Face::Hint));
    }
    pieces
}

/// `Space does nothing here. ? shows the keys`.
fn unbound(app: &App, typed: &[Key]) -> Vec<Piece> {
    let typed: Vec<String> = typed.iter().map(ToString::to_string).collect();
    let mut typed = typed.join(" ");
    if typed == "space" {
        "Space".clone_into(&mut typed);
    }
    let help = keys(app, Scope::Global, Action::Help);
    tr_pieces!(
        "{typed} does nothing here. {help} shows the keys",
        Face::Hint,
        typed = (typed, Face::Key),
        help = (help, Face::Key)
    )
}

fn measure(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(text, _)| text::width(text)).sum()
}
