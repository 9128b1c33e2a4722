//! What the guide says in each step and place.

use super::{
    GuidePart::{self, Key, Text},
    TourPlace, TourScene, TourStep,
};
use crate::action::{Action, Scope};

const BACK: GuidePart = Key(Scope::Global, Action::Back);

pub(super) fn of(step: Option<TourStep>, name: &str, scene: &TourScene) -> Vec<GuidePart> {
    let Some(step) = step else {
        return vec![
            text("The tour is over. "),
            Key(Scope::Tour, Action::TourLeave),
            text(&format!(" leaves it and deletes {name}. ")),
            Key(Scope::Sessions, Action::SessionLaunch),
            text(" launches your own session."),
        ];
    };
    let here = in_place(step, name, scene);
    here.unwrap_or_else(|| to_list(scene.place))
}

/// What to do in this place. `None` = the step begins in the list.
fn in_place(step: TourStep, name: &str, scene: &TourScene) -> Option<Vec<GuidePart>> {
    let in_list = matches!(scene.place, TourPlace::List | TourPlace::Detail);
    Some(match (step, scene.place) {
        (TourStep::Leader, TourPlace::Shell) => vec![
            text("A shell in the session. Type a command, then "),
            Key(Scope::Terminal, Action::TerminalLeader),
            text(" (the leader key), then "),
            Key(Scope::Leader, Action::PaneDetach),
            text(" for the list. It keeps running."),
        ],
        (TourStep::Shell, TourPlace::Shell) => vec![text("The shell is being opened.")],
        (TourStep::Filter, TourPlace::Filter) => vec![
            text("Type tour. The list shows what matches. Then press "),
            Key(Scope::Input, Action::InputSubmit),
            text("."),
        ],
        (TourStep::Terminate, TourPlace::Terminate) => vec![
            text("Read what is lost and what is kept. Then press "),
            Key(Scope::Confirm, Action::ConfirmYes),
            text(" to terminate it."),
        ],
        (TourStep::Finished, _) if in_list => vec![
            text(&format!("{name} ends. Press ")),
            Key(Scope::Global, Action::TabFinished),
            text(" for the finished sessions, with their logs and results."),
        ],
        (TourStep::Palette, _) if in_list => vec![
            text("Press "),
            Key(Scope::Global, Action::Command),
            text(" for the command palette: every action, session and setting by name."),
        ],
        (TourStep::Help, _) if in_list => vec![
            text("Press "),
            Key(Scope::Global, Action::Help),
            text(" for the keys of the view that you are in."),
        ],
        (TourStep::Filter, _) if in_list => vec![
            text("Press "),
            Key(Scope::Sessions, Action::SessionsFilter),
            text(" to filter the list. Then type tour."),
        ],
        (_, _) if in_list && !scene.is_selected => vec![
            text(&format!("Select {name} in the list with ")),
            Key(Scope::Sessions, Action::ListDown),
            text(" and "),
            Key(Scope::Sessions, Action::ListUp),
            text("."),
        ],
        (TourStep::Details, _) if in_list => vec![
            text(&format!(
                "This is the list of sessions. {name} is yours. Press "
            )),
            Key(Scope::Sessions, Action::SessionOpen),
            text(" for its details."),
        ],
        (TourStep::Log, _) if in_list => vec![
            text("The details show what it uses and how it began. Press "),
            Key(Scope::Sessions, Action::SessionLogs),
            text(" for its log."),
        ],
        (TourStep::Shell, _) if in_list => vec![
            text("Press "),
            Key(Scope::Sessions, Action::SessionShell),
            text(&format!(" for a shell in {name}.")),
        ],
        (TourStep::Apps, _) if in_list => vec![
            text("Press "),
            Key(Scope::Sessions, Action::SessionApps),
            text(" for its apps and ports: each gets a URL on this machine."),
        ],
        (TourStep::Terminate, _) if in_list => vec![
            text("Press "),
            Key(Scope::Sessions, Action::SessionTerminate),
            text(&format!(
                " to terminate {name}. workbay asks for confirmation."
            )),
        ],
        _ => return None,
    })
}

/// How to get to the list.
fn to_list(place: TourPlace) -> Vec<GuidePart> {
    match place {
        TourPlace::Log => vec![
            text("The log grows while you read it. Press "),
            BACK,
            text(" to go back to the list."),
        ],
        TourPlace::Apps => vec![
            text("An app that you start here gets a port and a URL. Press "),
            BACK,
            text(" to go back."),
        ],
        TourPlace::Palette => vec![
            text("Type a part of a name, and Enter runs it. Press "),
            BACK,
            text(" to close the palette."),
        ],
        TourPlace::Help => vec![
            text("Type to search for a key or an action. Press "),
            BACK,
            text(" to close the help."),
        ],
        TourPlace::Filter => vec![
            text("Press "),
            Key(Scope::Input, Action::InputSubmit),
            text(" to go back to the list."),
        ],
        TourPlace::Terminate => vec![
            text("Press "),
            Key(Scope::Confirm, Action::ConfirmNo),
            text(" to go back to the list."),
        ],
        TourPlace::Shell => vec![
            text("Press "),
            Key(Scope::Terminal, Action::TerminalLeader),
            text(" and "),
            Key(Scope::Leader, Action::PaneDetach),
            text(" to go back to the list."),
        ],
        TourPlace::OtherPanel | TourPlace::List | TourPlace::Detail => {
            vec![text("Press "), BACK, text(" to go back to the list.")]
        }
    }
}

fn text(text: &str) -> GuidePart {
    Text(text.to_owned())
}
