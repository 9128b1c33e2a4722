//! What the guide says in each step and place.

use super::{
    GuidePart::{self, Key, Text},
    TourPlace, TourScene, TourStep,
};
use crate::action::{Action, Scope};

const BACK: Shown = Some((Scope::Global, Action::Back));

pub(super) fn of(step: Option<TourStep>, name: &str, scene: &TourScene) -> Vec<GuidePart> {
    let Some(step) = step else {
        return guide(tr_pieces!(
            "The tour is over. {key} leaves it and deletes {name}. {other} launches your own session.",
            None,
            key = key(Some((Scope::Tour, Action::TourLeave))),
            other = key(Some((Scope::Sessions, Action::SessionLaunch))),
            name = (name.to_owned(), None)
        ));
    };
    let here = in_place(step, name, scene);
    here.unwrap_or_else(|| to_list(scene.place))
}

/// What to do in this place. `None` = the step begins in the list.
fn in_place(step: TourStep, name: &str, scene: &TourScene) -> Option<Vec<GuidePart>> {
    let in_list = matches!(scene.place, TourPlace::List | TourPlace::Detail);
    Some(match (step, scene.place) {
        (TourStep::Leader, TourPlace::Shell) => guide(tr_pieces!(
            "A shell in the session. Type a command, then {key} (the leader key), then {other} for the list. It keeps running.",
            None,
            key = key(Some((Scope::Terminal, Action::TerminalLeader))),
            other = key(Some((Scope::Leader, Action::PaneDetach)))
        )),
        (TourStep::Shell, TourPlace::Shell) => vec![text(tr!("The shell is being opened."))],
        (TourStep::Filter, TourPlace::Filter) => guide(tr_pieces!(
            "Type tour. The list shows what matches. Then press {key}.",
            None,
            key = key(Some((Scope::Input, Action::InputSubmit)))
        )),
        (TourStep::Terminate, TourPlace::Terminate) => guide(tr_pieces!(
            "Read what is lost and what is kept. Then press {key} to terminate it.",
            None,
            key = key(Some((Scope::Confirm, Action::ConfirmYes)))
        )),
        (TourStep::Finished, _) if in_list => guide(tr_pieces!(
            "{name} ends. Press {key} for the finished sessions, with their logs and results.",
            None,
            key = key(Some((Scope::Global, Action::TabFinished))),
            name = (name.to_owned(), None)
        )),
        (TourStep::Palette, _) if in_list => guide(tr_pieces!(
            "Press {key} for the command palette: every action, session and setting by name.",
            None,
            key = key(Some((Scope::Global, Action::Command)))
        )),
        (TourStep::Help, _) if in_list => guide(tr_pieces!(
            "Press {key} for the keys of the view that you are in.",
            None,
            key = key(Some((Scope::Global, Action::Help)))
        )),
        (TourStep::Filter, _) if in_list => guide(tr_pieces!(
            "Press {key} to filter the list. Then type tour.",
            None,
            key = key(Some((Scope::Sessions, Action::SessionsFilter)))
        )),
        (_, _) if in_list && !scene.is_selected => guide(tr_pieces!(
            "Select {name} in the list with {key} and {other}.",
            None,
            key = key(Some((Scope::Sessions, Action::ListDown))),
            other = key(Some((Scope::Sessions, Action::ListUp))),
            name = (name.to_owned(), None)
        )),
        (TourStep::Details, _) if in_list => guide(tr_pieces!(
            "This is the list of sessions. {name} is yours. Press {key} for its details.",
            None,
            key = key(Some((Scope::Sessions, Action::SessionOpen))),
            name = (name.to_owned(), None)
        )),
        (TourStep::Log, _) if in_list => guide(tr_pieces!(
            "The details show what it uses and how it began. Press {key} for its log.",
            None,
            key = key(Some((Scope::Sessions, Action::SessionLogs)))
        )),
        (TourStep::Shell, _) if in_list => guide(tr_pieces!(
            "Press {key} for a shell in {name}.",
            None,
            key = key(Some((Scope::Sessions, Action::SessionShell))),
            name = (name.to_owned(), None)
        )),
        (TourStep::Apps, _) if in_list => guide(tr_pieces!(
            "Press {key} for its apps and ports: each gets a URL on this machine.",
            None,
            key = key(Some((Scope::Sessions, Action::SessionApps)))
        )),
        (TourStep::Terminate, _) if in_list => guide(tr_pieces!(
            "Press {key} to terminate {name}. workbay asks for confirmation.",
            None,
            key = key(Some((Scope::Sessions, Action::SessionTerminate))),
            name = (name.to_owned(), None)
        )),
        _ => return None,
    })
}

/// How to get to the list.
fn to_list(place: TourPlace) -> Vec<GuidePart> {
    match place {
        TourPlace::Log => guide(tr_pieces!(
            "The log grows while you read it. Press {key} to go back to the list.",
            None,
            key = key(BACK)
        )),
        TourPlace::Apps => guide(tr_pieces!(
            "An app that you start here gets a port and a URL. Press {key} to go back.",
            None,
            key = key(BACK)
        )),
        TourPlace::Palette => guide(tr_pieces!(
            "Type a part of a name, and Enter runs it. Press {key} to close the palette.",
            None,
            key = key(BACK)
        )),
        TourPlace::Help => guide(tr_pieces!(
            "Type to search for a key or an action. Press {key} to close the help.",
            None,
            key = key(BACK)
        )),
        TourPlace::Filter => guide(tr_pieces!(
            "Press {key} to go back to the list.",
            None,
            key = key(Some((Scope::Input, Action::InputSubmit)))
        )),
        TourPlace::Terminate => guide(tr_pieces!(
            "Press {key} to go back to the list.",
            None,
            key = key(Some((Scope::Confirm, Action::ConfirmNo)))
        )),
        TourPlace::Shell => guide(tr_pieces!(
            "Press {key} and {other} to go back to the list.",
            None,
            key = key(Some((Scope::Terminal, Action::TerminalLeader))),
            other = key(Some((Scope::Leader, Action::PaneDetach)))
        )),
        TourPlace::OtherPanel | TourPlace::List | TourPlace::Detail => guide(tr_pieces!(
            "Press {key} to go back to the list.",
            None,
            key = key(BACK)
        )),
    }
}

/// A key of the keymap, or words.
type Shown = Option<(Scope, Action)>;

fn key(key: Shown) -> (String, Shown) {
    (String::new(), key)
}

fn guide(pieces: Vec<(String, Shown)>) -> Vec<GuidePart> {
    let mut parts = Vec::new();
    for (words, key) in pieces {
        match (key, parts.last_mut()) {
            (Some((scope, action)), _) => parts.push(Key(scope, action)),
            (None, Some(Text(before))) => before.push_str(&words),
            (None, _) => parts.push(Text(words)),
        }
    }
    parts
}

fn text(text: &str) -> GuidePart {
    Text(text.to_owned())
}
