//! The key hints of the launcher, by the selected row.

use super::{FolderRow, LAUNCH, Launcher, Overlay, Page};
use crate::{
    action::{Action, Scope},
    app::panels::{Hint, INPUT_HINTS, MOVE},
    model::launch_field::LaunchField as Field,
};

const S: Scope = Scope::Launcher;
const TURN: &[Action] = &[Action::LauncherLess, Action::LauncherMore];

const GO_ON: Hint = (S, &[Action::LauncherGoOn], "next step");
const BACK_TO_REVIEW: Hint = (S, &[Action::LauncherGoOn], "back to review");
const FIELD: Hint = (S, &[Action::LauncherNext], "field");
const REVIEW: Hint = (S, &[Action::LauncherReview], "review");
const NOW: Hint = (S, &[Action::LauncherLaunch], "launch now");
const EXPLAIN: Hint = (S, &[Action::LauncherExplain], "explain");
const CANCEL: Hint = (Scope::Global, &[Action::Back], "cancel");

const QUESTION: &[Hint] = &[
    (Scope::Confirm, &[Action::ConfirmYes], "yes"),
    (Scope::Confirm, &[Action::ConfirmNo], "no"),
    (Scope::Confirm, &[Action::ConfirmToggle], "other button"),
    (Scope::Confirm, &[Action::ConfirmPress], "press"),
];
const EXPLAINED: &[Hint] = &[(Scope::Global, &[Action::Back], "close")];
const TYPED: &[Hint] = &[
    GO_ON,
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
    (S, &[Action::LauncherRecents], "recent"),
];
const CHOSEN: &[Hint] = &[
    GO_ON,
    (S, TURN, "change"),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const LISTED: &[Hint] = &[
    GO_ON,
    (S, MOVE, "choose"),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
/// An image that you created from a session.
const OWN_IMAGE: &[Hint] = &[
    GO_ON,
    (S, MOVE, "choose"),
    (S, &[Action::LauncherCopyImage], "copy reference"),
    (S, &[Action::LauncherRemove], "remove image"),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const VARIABLE: &[Hint] = &[
    GO_ON,
    FIELD,
    (S, &[Action::LauncherRemove], "remove"),
    (S, &[Action::LauncherRemoveAll], "remove all"),
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const NUMBER: &[Hint] = &[
    GO_ON,
    (S, TURN, "change"),
    (S, &[Action::ListFirst, Action::ListLast], "min, max"),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
/// A number that can be automatic.
const AUTOMATIC: &[Hint] = &[
    GO_ON,
    (S, &[Action::LauncherToggle], "automatic"),
    FIELD,
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const SCRIPT: &[Hint] = &[
    (S, &[Action::LauncherGoOn], "new line"),
    (S, &[Action::LauncherEditor], "editor"),
    FIELD,
    (S, &[Action::LauncherNextPage], "next step"),
    REVIEW,
    EXPLAIN,
    CANCEL,
];
const LOOK_UP: &[Hint] = &[
    (S, &[Action::LauncherGoOn], "look up"),
    FIELD,
    (S, &[Action::LauncherNextPage], "next step"),
    EXPLAIN,
    CANCEL,
];
const FOLDER: &[Hint] = &[
    GO_ON,
    (S, &[Action::LauncherToggle], "mount"),
    (S, &[Action::LauncherReadOnly], "read-only"),
    (S, &[Action::LauncherAdd], "new"),
    (S, &[Action::LauncherSearch], "search"),
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const NEW_FOLDER: &[Hint] = &[
    GO_ON,
    (S, &[Action::LauncherAdd], "create"),
    REVIEW,
    NOW,
    EXPLAIN,
    CANCEL,
];
const FOLDER_NAME: &[Hint] = &[
    (S, &[Action::LauncherGoOn], "create"),
    (Scope::Global, &[Action::Back], "cancel"),
    (S, &[Action::LauncherNextPage], "next step"),
    EXPLAIN,
];
const FOLDER_SEARCH: &[Hint] = &[
    (S, &[Action::LauncherGoOn], "list"),
    (Scope::Global, &[Action::Back], "all folders"),
    (S, &[Action::LauncherNextPage], "next step"),
    EXPLAIN,
];
const CARD: &[Hint] = &[
    (S, &[Action::LauncherGoOn], "edit"),
    (S, MOVE, "move"),
    NOW,
    CANCEL,
];
const LAUNCHING: &[Hint] = &[
    (S, &[Action::LauncherGoOn], "launch"),
    (S, MOVE, "cards"),
    (S, &[Action::LauncherCopyLine], "copy command"),
    (S, &[Action::LauncherSaveRecipe], "save recipe"),
    (S, &[Action::LauncherPreviousPage], "back"),
    CANCEL,
    (S, &[Action::LauncherRecents], "recent"),
    (S, &[Action::LauncherOpenRecipe], "open recipe"),
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
            if *hint == GO_ON {
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
