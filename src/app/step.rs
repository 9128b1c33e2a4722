//! What a panel returns after a message: effects, requests, and moves inside the TUI.

use std::path::PathBuf;

use jiff::tz::TimeZone;

use super::{
    bulk::{BulkPlan, BulkVerb},
    custom_commands::CommandPlan,
    effect::Effect,
    launcher::{EarlierLaunch, KeptHome},
    layouts::LayoutOrder,
    msg::Ticket,
    notices::toast::Launched,
    panels::{
        apps::AppsPurpose,
        explorer::ExplorerPurpose,
        folders::FoldersPurpose,
        palette::{PaletteQuery, entry::Choice, words::Command},
        shells::ShellTarget,
    },
    panes::{Axis, ShellPlace},
    sessions::columns::ColumnChoices,
    shown_contexts::ShownContexts,
    transfers::TransferStep,
};
use crate::{
    action::{Action, Scope},
    model::{
        failure::Failure,
        files::{FilePath, FilePlace},
        forward::ForwardId,
        id::{ContextName, KernelId, SessionKey},
        launch_field::LaunchField,
        notice::{Level, NoticesEdit},
        request::ForwardRequest,
        setting_kind::EditedValue,
        shell_start::ShellStart,
        spec::LaunchRequest,
        status::Tab,
        text::Clean,
    },
    protocol::message::{Request, StreamId},
    rules::launch::grown::Grown,
};

/// One result of a panel. `App` carries out the results in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// An effect, passed on without a change.
    Do(Effect),
    /// A request to the daemon. `purpose` decides where the answer goes.
    Ask {
        request: Request,
        purpose: Purpose,
    },
    /// Lists the sessions of a tab that meet a filter.
    List {
        tab: Tab,
        filter: String,
    },
    /// Copies to your clipboard. A toast reports the result.
    Copy(String),
    /// Writes to a new file. A toast shows its path.
    Save {
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// Saves all lines of an open log to a new file.
    SaveLog {
        log: StreamId,
        path: PathBuf,
        /// With their times, in this zone.
        times: Option<TimeZone>,
    },
    /// Writes to a new file that only you can read, in a directory that is created if necessary.
    SavePrivate {
        path: PathBuf,
        contents: Vec<u8>,
    },
    /// Opens a text in your editor.
    Edit {
        field: LaunchField,
        text: String,
    },
    /// Shows a theme and saves it as the setting `ui.theme`.
    KeepTheme(String),
    /// Writes a setting to your configuration file, or removes it. The settings page shows the result.
    SaveSetting {
        key: String,
        /// `None` = the default.
        value: Option<EditedValue>,
    },
    /// Opens your configuration file in your editor, at a line.
    EditSettings {
        line: Option<usize>,
    },
    /// Saves a launch to a new file, as a recipe.
    SaveRecipe {
        path: PathBuf,
        launch: Box<LaunchRequest>,
    },
    ReadRecipe {
        path: PathBuf,
    },
    /// Opens a URL in the browser of this machine. A toast reports the result.
    Browse(String),
    /// A short message in the corner.
    Toast {
        level: Level,
        text: Clean,
    },
    /// Sessions were launched, and a toast follows the first one.
    Launched(Launched),
    /// Opens a launcher with earlier settings. Asks for confirmation if another launcher has typed values.
    Relaunch(Box<EarlierLaunch>),
    /// Shows other columns in a tab.
    Columns {
        tab: Tab,
        columns: ColumnChoices,
    },
    /// Lists, saves or deletes layouts of panes.
    Layouts(LayoutOrder),
    /// Shows the panes of a layout.
    RestoreLayout(Clean),
    /// A command of the palette.
    Command(Command),
    /// Runs one of your own commands, which was confirmed.
    RunCommand(Box<CommandPlan>),
    /// Carries out an action on several sessions.
    Bulk(Box<BulkPlan>),
    /// Changes the notifications, also those that the daemon keeps.
    EditNotices(NoticesEdit),
    /// Opens a new shell in a session.
    NewShell {
        place: ShellPlace,
        name: Clean,
        start: Box<ShellStart>,
    },
    /// Shows the files of a place.
    Explore {
        place: FilePlace,
        path: FilePath,
    },
    /// Starts a transfer of files, or changes one.
    Transfer(TransferStep),
    /// Completes a typed path of this machine.
    CompletePath(String),
    /// Carries out an entry of the palette, and remembers its use.
    Choose {
        id: String,
        choice: Choice,
    },
    /// Invokes an action in a scope of the view below the panel.
    Invoke(Scope, Action),
    /// Goes to another place of the TUI.
    Go(Go),
}

impl Step {
    /// Closes the panel that returns it.
    pub const CLOSE: Self = Self::Go(Go::CloseTop);

    /// Requests a new URL of a forward.
    #[must_use]
    pub fn url(id: ForwardId, then: UrlUse) -> Self {
        Self::Ask {
            request: Request::Forward {
                request: ForwardRequest::Url { id },
            },
            purpose: Purpose::ForwardUrl { then },
        }
    }

    /// Shows the files of a folder or session.
    #[must_use]
    pub fn explore(place: FilePlace) -> Self {
        let path = FilePath::root();
        Self::Explore { place, path }
    }

    /// Creates a toast that reports a failure, with its hint.
    #[must_use]
    pub fn failure(failure: &Failure) -> Self {
        let text = match &failure.hint {
            Some(help) => format!("{}\n{help}", failure.message()),
            None => failure.message().to_string(),
        };
        Self::Toast {
            level: Level::Error,
            text: Clean::multiline(&text),
        }
    }

    /// Creates a toast from a text of the program, or one that is already clean.
    #[must_use]
    pub fn toast(level: Level, text: impl AsRef<str>) -> Self {
        Self::Toast {
            level,
            text: Clean::multiline(text.as_ref()),
        }
    }
}

/// A move inside the TUI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// To the sessions view. Logs are closed, terminals stay open in the background.
    Sessions,
    /// To the open terminals.
    Panes,
    /// To the view below the floating shell, which is hidden.
    Below,
    /// To a shell of this session: its pane, or a new one.
    Shell(SessionKey),
    /// To a shell in one of the session's containers.
    ContainerShell(SessionKey, KernelId),
    /// To the log of a session.
    Logs(SessionKey),
    /// Opens the detail of a session. If it is open already, gives it the keys or closes it.
    Detail(SessionKey),
    /// Closes the panel on top.
    CloseTop,
    /// Opens the panel of an action.
    Open(Action),
    /// Carries out an action on the current session.
    Act(Action),
    /// To the list of sessions of a context, or of all.
    Show(ShownContexts),
    /// Loads the allowed extensions and exemptions of a context.
    LoadExtensionRules(ContextName),
    /// To a session and its detail.
    ShowSession(SessionKey),
    /// To the list of transfers.
    Transfers,
    /// From the dialog that terminates a session to the prompt that copies its files first.
    Rescue,
    /// Asks for confirmation of an action on the marked sessions.
    Bulk(BulkVerb),
    /// To a shell, or to another view of it next to the focused pane.
    OpenShell(ShellTarget, Option<Axis>),
}

/// Where a launch came from, and what happens when it is answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaunchedFrom {
    /// The launcher that closes or shows the refusal, `None` if the launch came from no launcher.
    pub launcher: Option<u64>,
    /// The waiting session that leaves the queue when the new one is in it.
    pub replaces: Option<SessionKey>,
}

/// What a new URL of a forward is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlUse {
    Copy,
    /// Opens it in the browser.
    Browse,
    /// Shows it on the port board.
    Show,
}

/// The reason for a request. It decides where the answer goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    Launch(LaunchedFrom),
    /// The settings that a session was launched with, and its name if it wasn't generated.
    Again {
        context: ContextName,
        name: Option<Clean>,
        /// The session ran out of memory, so the new launch gets more.
        grown: Option<Grown>,
        /// The home directory that the new launch takes over.
        home: Option<KeptHome>,
    },
    /// The recent launches, loaded or changed.
    Recents,
    /// For the command palette.
    Palette(PaletteQuery),
    /// The configuration file is in your editor.
    Settings,
    /// A setting is written to your file.
    SaveSetting,
    /// The earlier notifications.
    Notices,
    /// A text is in your editor.
    Edit(LaunchField),
    /// A recipe is read.
    Recipe,
    /// The session's old name, for the message.
    Rename {
        session: SessionKey,
        name: Clean,
        /// The typed text.
        new: String,
    },
    /// Only a toast reports the success.
    Toast {
        level: Level,
        text: Clean,
    },
    History(SessionKey),
    Figures(SessionKey),
    /// The sessions that could start in its place.
    WhyNot(SessionKey),
    /// For the table of the whole history.
    Scheduling(SessionKey),
    /// The allowed extensions and exemptions.
    ExtensionRules(ContextName),
    /// A full reading of one session. A failure isn't shown.
    Detail(SessionKey),
    Catalogue {
        context: ContextName,
        project: Option<String>,
    },
    /// The user who will own the session.
    Owner {
        context: ContextName,
        email: String,
    },
    CreateFolder {
        context: ContextName,
        name: String,
    },
    /// More rows of a list. `before` is the number of rows before, `word` is the searched name.
    Reach {
        context: ContextName,
        tab: Tab,
        word: Option<String>,
        before: u64,
    },
    /// The environments for the launcher, requested again.
    Environments(ContextName),
    /// Failures aren't shown, because the next layout sends the request again.
    Watch,
    /// The list, read again because the terminal has got the focus. A failure isn't shown.
    Refresh,
    /// For the app launcher.
    Apps(AppsPurpose),
    /// For the data page.
    Folders(FoldersPurpose),
    /// The agents of a context, for the dashboard.
    Dashboard(ContextName),
    /// For the explorer.
    Explorer(ExplorerPurpose),
    /// The files of a session that aren't in a folder. A failure is shown where they would be.
    Unsaved(SessionKey),
    /// One session of an action on several.
    Bulk {
        job: u64,
        session: SessionKey,
    },
    /// A new URL of a forward.
    ForwardUrl {
        then: UrlUse,
    },
    /// An effect that answers with `Msg::Done`.
    Effect,
}

impl Purpose {
    /// Reports the success of a request with a toast. A failure is always reported.
    pub fn toast(level: Level, text: impl AsRef<str>) -> Self {
        Self::Toast {
            level,
            text: Clean::multiline(text.as_ref()),
        }
    }
}

/// Numbers for requests and streams, unique in this TUI.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    ticket: Ticket,
    stream: StreamId,
}

impl Ids {
    pub fn ticket(&mut self) -> Ticket {
        self.ticket += 1;
        self.ticket
    }

    pub fn stream(&mut self) -> StreamId {
        self.stream += 1;
        self.stream
    }
}
