//! The key hints of the launcher, by the selected row.

use super::{FolderRow, LAUNCH, Launcher, Overlay, Page};
use crate::{
    action::{Action, Scope},
    app::panels::{Hint, INPUT_HINTS, MOVE},
    model::launch_field::LaunchField as Field,
};

const S: Scope = Scope::Launcher;
const TURN: &[Action] = &[Action::LauncherLess, Action::LauncherMore];

const NEXT_STEP: Hint = (S, &[Action::LauncherContinue], tr_later!("next step"));
const BACK_TO_REVIEW: Hint = (S, &[Action::LauncherContinue], tr_later!("back to review"));
const FIELD: Hint = (S, &[Action::LauncherNext], tr_later!("field"));
const REVIEW: Hint = (S, &[Action::LauncherReview], tr_later!("review"));
const NOW: Hint = (S, &[Action::LauncherLaunch], tr_later!("launch now"));
const EXPLAIN: Hint = (S, &[Action::LauncherExplain], tr_later!("explain"));
const CANCEL: Hint = (Scope::Global, &[Action::Back], tr_later!("cancel"));

const QUESTION: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], tr_later!("yes")),
    (Scope::Confirm, &[Action::ConfirmNo], tr_later!("no")),
    (
        Scope::Confirm,
        &[Action::ConfirmToggle],
        tr_later!("other button"),
    ),
    (Scope::Confirm, &[Action::ConfirmPress], tr_later!("press")),
];
const EXPLAINED: &[Hint] = &[(Scope::Global, &[Action::Back], tr_later!("close"))];
const TYPED: &[Hint] = &[
    NEXT_STEP,
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
    (S, &[Action::LauncherRecents], tr_later!("recent")),
];
const CHOSEN: &[Hint] = &[
    NEXT_STEP,
    (S, TURN, tr_later!("change")),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const LISTED: &[Hint] = &[
    NEXT_STEP,
    (S, MOVE, tr_later!("choose")),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
/// An image that you created from a session.
const OWN_IMAGE: &[Hint] = &[
    NEXT_STEP,
    (S, MOVE, tr_later!("choose")),
    (S, &[Action::LauncherCopyImage], tr_later!("copy reference")),
    (S, &[Action::LauncherRemove], tr_later!("remove image")),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const VARIABLE: &[Hint] = &[
    NEXT_STEP,
    FIELD,
    (S, &[Action::LauncherRemove], tr_later!("remove")),
    (S, &[Action::LauncherRemoveAll], tr_later!("remove all")),
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const NUMBER: &[Hint] = &[
    NEXT_STEP,
    (S, TURN, tr_later!("change")),
    (
        S,
        &[Action::ListFirst, Action::ListLast],
        tr_later!("min, max"),
    ),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
/// A number that can be automatic.
const AUTOMATIC: &[Hint] = &[
    NEXT_STEP,
    (S, &[Action::LauncherToggle], tr_later!("automatic")),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const SCRIPT: &[Hint] = &[
    (S, &[Action::LauncherContinue], tr_later!("new line")),
    (S, &[Action::LauncherEditor], tr_later!("editor")),
    FIELD,
    (S, &[Action::LauncherNextPage], tr_later!("next step")),
    REVIEW,
    EXPLAIN,
    CANCEL,
];
const LOOK_UP: &[Hint] = &[
    (S, &[Action::LauncherContinue], tr_later!("look up")),
    FIELD,
    (S, &[Action::LauncherNextPage], tr_later!("next step")),
    EXPLAIN,
    CANCEL,
];
const FOLDER: &[Hint] = &[
    NEXT_STEP,
    (S, &[Action::LauncherToggle], tr_later!("mount")),
    (S, &[Action::LauncherReadOnly], tr_later!("read-only")),
    (S, &[Action::LauncherAdd], tr_later!("new")),
    (S, &[Action::LauncherSearch], tr_later!("search")),
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const NEW_FOLDER: &[Hint] = &[
    NEXT_STEP,
    (S, &[Action::LauncherAdd], tr_later!("create")),
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const FOLDER_NAME: &[Hint] = &[
    (S, &[Action::LauncherContinue], tr_later!("create")),
    (Scope::Global, &[Action::Back], tr_later!("cancel")),
    (S, &[Action::LauncherNextPage], tr_later!("next step")),
    EXPLAIN,
];
const FOLDER_SEARCH: &[Hint] = &[
    (S, &[Action::LauncherContinue], tr_later!("list")),
    (Scope::Global, &[Action::Back], tr_later!("all folders")),
    (S, &[Action::LauncherNextPage], tr_later!("next step")),
    EXPLAIN,
];
const CARD: &[Hint] = &[
    (S, &[Action::LauncherContinue], tr_later!("edit")),
    (S, MOVE, tr_later!("move")),
    NOW,
    CANCEL,
];
const LAUNCHING: &[Hint] = &[
    (S, &[Action::LauncherContinue], tr_later!("launch")),
    (S, MOVE, tr_later!("cards")),
    (S, &[Action::LauncherCopyLine], tr_later!("copy command")),
    (S, &[Action::LauncherSaveRecipe], tr_later!("save recipe")),
    (S, &[Action::LauncherPreviousPage], tr_later!("back")),
    CANCEL,
    (S, &[Action::LauncherRecents], tr_later!("recent")),
    (S, &[Action::LauncherOpenRecipe], tr_later!("open recipe")),
];

pub(super) fn hints(launcher: &Launcher) -> Vec<Hint> {
    let hints = of_row(launcher);
    if !launcher.goes_back_to_review() {
        return hints.to_vec();
    }
    // Enter has the same effect, so a hint for another key would only take room.
    let others = hints.iter().filter(|hint| **hint != REVIEW);
    others
        .map(|hint| {
            if *hint == NEXT_STEP {
                BACK_TO_REVIEW
            } else {
                *hint
            }
        })
        .collect()
}

fn of_row(launcher: &Launcher) -> &'static [Hint] {
    match launcher.overlay() {
        Some(Overlay::Explain(_)) => return EXPLAINED,
        Some(Overlay::Question(_)) => return QUESTION,
        Some(Overlay::Prompt(_)) => return INPUT_HINTS,
        None => {}
    }
    let row = launcher.row();
    match launcher.page() {
        Page::Review if row == LAUNCH => LAUNCHING,
        Page::Review => CARD,
        Page::Kind => match row.field {
            Field::StartupCommand | Field::BootstrapScript | Field::StopHook => SCRIPT,
            Field::SessionType | Field::Context => CHOSEN,
            Field::Owner if row.item == 0 => LOOK_UP,
            Field::Owner => CHOSEN,
            _ => TYPED,
        },
        Page::Storage => match FolderRow::of(row) {
            FolderRow::Folder(_) => FOLDER,
            FolderRow::New if launcher.storage.is_naming() => FOLDER_NAME,
            FolderRow::New => NEW_FOLDER,
            FolderRow::Search => FOLDER_SEARCH,
            FolderRow::Path(_) => TYPED,
        },
        Page::Allocation => match row.field {
            Field::Environment if launcher.allocation.has_own_image() => OWN_IMAGE,
            Field::Environment => LISTED,
            Field::Image | Field::Disk => TYPED,
            Field::Variables => VARIABLE,
            _ if launcher.allocation.automatic(row).is_some() => AUTOMATIC,
            _ if launcher.allocation.slider(row).is_some() => NUMBER,
            _ => CHOSEN,
        },
        Page::Network => TYPED,
    }
}
