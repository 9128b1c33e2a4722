//! Panels on top of a view: all of them, and the actions that open them.

pub mod apps;
pub mod bulk;
pub mod bulk_priority;
pub mod columns;
pub mod commands;
pub mod commit;
pub mod conflict;
pub mod contexts;
pub mod control_room;
pub mod custom_command;
pub mod dashboard;
pub mod explorer;
pub mod export;
pub mod extend;
pub mod folders;
pub mod help;
pub mod history;
pub mod layouts;
pub mod login_code;
pub mod new_shell;
pub mod notifications;
pub mod palette;
mod panel;
pub mod ports;
pub mod priority;
pub mod pull;
pub mod recents;
pub mod rename;
pub mod rescue;
pub mod scroll;
pub mod settings;
pub mod shells;
mod stack;
pub mod terminate;
pub mod themes;
pub mod transfers;
pub mod waiting;

use self::{
    apps::AppLauncher,
    bulk::{BulkDialog, report::BulkResults},
    bulk_priority::BulkPriority,
    columns::ColumnPicker,
    commands::CommandList,
    commit::CommitForm,
    conflict::ConflictDialog,
    contexts::ContextPicker,
    control_room::ControlRoom,
    custom_command::CommandDialog,
    dashboard::Dashboard,
    explorer::Explorer,
    export::ExportForm,
    extend::ExtendDialog,
    folders::FoldersPanel,
    help::Help,
    history::HistoryTable,
    layouts::LayoutList,
    login_code::LoginCode,
    new_shell::NewShell,
    notifications::NoticeList,
    palette::Palette,
    ports::PortBoard,
    priority::PriorityForm,
    pull::PullDialog,
    recents::Recents,
    rename::Rename,
    rescue::RescueForm,
    settings::SettingsPage,
    shells::ShellPicker,
    stack::panels,
    terminate::TerminateDialog,
    themes::ThemePicker,
    transfers::TransferList,
    waiting::WaitingDialog,
};
use super::{launcher::Launcher, panes::ShellPlace, step::Step};
use crate::{action::Action, model::notice::Level};

pub use panel::{
    DialogButton, FILTER_HINTS, Hint, INPUT_HINTS, MOVE, Panel, PanelEnv, PromptLine, TERM_HINTS,
    full, selected_kernel,
};
pub use stack::{PanelType, Panels};

/// Calls a macro with all panels, from the lowest layer to the highest. A panel that opens late doesn't take
/// the keys from a panel of a higher layer.
macro_rules! each_panel {
    ($with:ident) => {
        $with! {
            prompts {
                Rename(Rename),
                Priority(PriorityForm),
                BulkPriority(BulkPriority),
                Export(ExportForm),
                Commit(CommitForm),
                Rescue(RescueForm),
                LoginCode(LoginCode),
            }
            dialogs {
                Room(ControlRoom),
                NewShell(NewShell),
                Shells(ShellPicker),
                Contexts(ContextPicker),
                Columns(ColumnPicker),
                Layouts(LayoutList),
                Themes(ThemePicker),
                Settings(SettingsPage),
                Launcher(Launcher),
                Recents(Recents),
                Explorer(Explorer),
                History(HistoryTable),
                Folders(FoldersPanel),
                Ports(PortBoard),
                Dashboard(Dashboard),
                Transfers(TransferList),
                Conflict(ConflictDialog),
                Apps(AppLauncher),
                Notices(NoticeList),
                Pull(PullDialog),
                Waiting(WaitingDialog),
                Extend(ExtendDialog),
                Terminate(TerminateDialog),
                Bulk(BulkDialog),
                CustomCommand(CommandDialog),
                BulkResults(BulkResults),
                Commands(CommandList),
                Help(Help),
                Palette(Palette),
            }
        }
    };
}
pub(crate) use each_panel;
each_panel!(panels);

/// The panel that an action opens, with its requests, or a message if it can't open. Returns `None`
/// if the action opens no panel. Panels of a session are opened by `session_actions`.
pub fn opened_by(action: Action, env: &PanelEnv<'_>) -> Option<(Option<AnyPanel>, Vec<Step>)> {
    let info = |text| (None, vec![Step::toast(Level::Info, text)]);
    let open = |panel| (Some(panel), Vec::new());
    Some(match action {
        Action::Contexts if !env.mirror.has_several_contexts() => info(tr!(
            "only one context is configured. Add others to contexts.toml"
        )),
        Action::Contexts => open(ContextPicker::new(env).into()),
        Action::ContextLogIn => match LoginCode::new(env) {
            Some(prompt) => open(prompt.into()),
            None => info(tr!(
                "no login of the shown contexts needs a one-time password"
            )),
        },
        Action::ThemePick => (Some(ThemePicker::new(env).into()), vec![ThemePicker::ask()]),
        Action::LauncherRecents => (Some(Recents::default().into()), vec![Recents::ask()]),
        Action::PanePick => open(ShellPicker::new(env.mirror, env.panes, &env.facts.host).into()),
        Action::WindowNewAs => {
            let pane = env.panes.active()?;
            match pane.place {
                ShellPlace::Host => info(tr!(
                    "a shell of this machine has no windows: split the pane for another one"
                )),
                place => open(NewShell::new(place, &pane.name).into()),
            }
        }
        _ => return None,
    })
}
