//! The list of all actions that a user can invoke.
//!
//! Help, palette, hints, keymap checks and documentation derive from it. The panels implement the actions.
//! Names are `panel.verb`, as in keymap files.

mod movement;
mod scope;

pub use scope::Scope;

use std::{collections::HashMap, sync::LazyLock};

use crate::locale;

/// The word for an action in the last line, and the views that show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActionHint {
    /// In English: it is translated where it is shown.
    pub word: &'static str,
    /// Each view with the weight of the hint there. Heavier hints come first and are shown on narrower screens.
    views: &'static [(Scope, u8)],
}

impl ActionHint {
    /// The weight in a view, `None` if the view doesn't show the hint.
    pub fn weight(&self, view: Scope) -> Option<u8> {
        let (_, weight) = self.views.iter().find(|(it, _)| *it == view)?;
        Some(*weight)
    }
}

/// One row: the variant, its name, its one-line description, its scopes, and its hint in the views of sessions if
/// it has one: the word, and each view with a weight. Hints of panels are in `app/panels/`.
macro_rules! actions {
    ($(
        $variant:ident $name:literal $doc:literal [$($scope:ident),+]
        $({ $word:literal: $($view:ident $weight:literal),+ })?
    )+) => {
        /// An action that a user can invoke.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Action { $( #[doc = $doc] $variant, )+ }

        impl Action {
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// `panel.verb`.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// One line for help and palette.
            pub fn doc(self) -> &'static str {
                locale::text(self.doc_in_english())
            }

            /// The same in the source's language, for programs and generated pages.
            pub fn doc_in_english(self) -> &'static str {
                match self { $(Self::$variant => $doc,)+ }
            }

            /// The scopes that may bind the action.
            pub fn scopes(self) -> &'static [Scope] {
                match self { $(Self::$variant => &[$(Scope::$scope),+],)+ }
            }

            /// The hint in the views of sessions.
            pub fn hint(self) -> Option<ActionHint> {
                match self {
                    $($(Self::$variant => Some(ActionHint {
                        word: $word,
                        views: &[$((Scope::$view, $weight)),+],
                    }),)?)+
                    _ => None,
                }
            }
        }
    };
}

actions! {
    Quit "app.quit" "back; from the list: quit (sessions and shells keep running)" [Global]
    Interrupt "app.interrupt" "cancel; twice in the list: quit" [Global]
    Suspend "app.suspend" "suspend to the shell" [Global]
    Redraw "app.redraw" "redraw the screen" [Global]
    Help "app.help" "keys of this view" [Global, Leader]
    ToggleMouse "app.toggle-mouse" "mouse on or off" [Global, Leader]
    HostShell "app.host-shell" "open a shell on this machine" [Global]
    Panes "app.panes" "show the open shells" [Global] { "terminals": Sessions 70 }
    TabNext "tab.next" "next tab" [Global]
    TabPrevious "tab.previous" "previous tab" [Global]
    TabRunning "tab.running" "show the tab Running" [Global]
    TabFinished "tab.finished" "show the tab Finished" [Global]
    TabOthers "tab.others" "show the tab Others" [Global]
    Notices "app.notices" "show notifications" [Global, Leader] { "notifications": Sessions 100 }
    ControlRoom "app.control-room" "control room: the screens of the marked sessions, or all running ones" [Global, Leader] { "control room": Sessions 14 }
    Layouts "app.layouts" "layouts of panes: save, restore, delete" [Global, Leader]
    Folders "app.folders" "show the folders (data page)" [Global, Leader] { "data": Sessions 25 }
    Ports "app.ports" "show all forwards (port board)" [Global, Leader] { "ports": Sessions 75 }
    Dashboard "app.dashboard" "show the dashboard: machine or agents, groups, owners, reclaims, failures" [Global, Leader] { "dashboard": Sessions 22 }
    Quiet "app.quiet" "quiet mode: no bell, toasts only for warnings and errors" [Global, Notices]
    Back "app.back" "back, clear the filter, or close" [Global] { "back": Detail 100 }
    ThemePick "theme.pick" "choose the theme, with a preview" [Global]
    Settings "app.settings" "settings: show and change them" [Global, Leader]
    Command "app.command" "command palette: actions, sessions, environments, settings" [Global, Leader]
    CommandLog "app.command-log" "command log: the equivalent commands of what you did" [Global, Leader]

    ListDown "list.down" "one line down" [Sessions, Detail, Launcher, Contexts, Themes, Shells, Recents, Apps, Opened, Folders, Ports, Explorer, Transfers, Columns, Notices, History, Logs, Confirm, Help, Palette, Commands, Dashboard, Settings, Room, Layouts]
    ListUp "list.up" "one line up" [Sessions, Detail, Launcher, Contexts, Themes, Shells, Recents, Apps, Opened, Folders, Ports, Explorer, Transfers, Columns, Notices, History, Logs, Confirm, Help, Palette, Commands, Dashboard, Settings, Room, Layouts]
    ListPageDown "list.page-down" "one page down" [Sessions, Detail, Contexts, Themes, Shells, Apps, Opened, Folders, Ports, Explorer, Transfers, Columns, Notices, History, Logs, Help, Palette, Commands, Dashboard, Settings, Room, Layouts]
    ListPageUp "list.page-up" "one page up" [Sessions, Detail, Contexts, Themes, Shells, Apps, Opened, Folders, Ports, Explorer, Transfers, Columns, Notices, History, Logs, Help, Palette, Commands, Dashboard, Settings, Room, Layouts]
    ListHalfDown "list.half-down" "half a page down" [Sessions, Detail, Explorer, Logs, Help, Dashboard]
    ListHalfUp "list.half-up" "half a page up" [Sessions, Detail, Explorer, Logs, Help, Dashboard]
    ListFirst "list.first" "go to the first line" [Sessions, Detail, Launcher, Apps, Opened, Folders, Ports, Explorer, Transfers, Columns, Notices, History, Logs, Help, Commands, Dashboard, Settings, Room, Layouts]
    ListLast "list.last" "go to the last line" [Sessions, Detail, Launcher, Apps, Opened, Folders, Ports, Explorer, Transfers, Columns, Notices, History, Logs, Help, Commands, Dashboard, Settings, Room, Layouts]

    SessionOpen "session.open" "show details" [Sessions] { "details": Sessions 120 }
    SessionShell "session.shell" "open a shell in the session" [Sessions, Detail, Notices] { "shell": Sessions 150, Detail 90 }
    SessionLogs "session.logs" "show the log" [Sessions, Detail, Notices] { "log": Sessions 130, Detail 70 }
    SessionApps "session.apps" "show the apps: start, open, forward a port, SSH" [Sessions, Detail, Notices] { "apps": Sessions 145, Detail 85 }
    SessionFiles "session.files" "browse or recover files" [Sessions, Detail, Notices] { "files": Sessions 125, Detail 65 }
    SessionRename "session.rename" "rename" [Sessions, Detail] { "rename": Sessions 90, Detail 40 }
    SessionTerminate "session.terminate" "terminate (asks for confirmation)" [Sessions, Detail, Notices] { "terminate": Sessions 110, Detail 60 }
    SessionCommit "session.commit" "create an image from the session" [Sessions, Detail]
    SessionExtend "session.extend" "extend, or exempt from idle checks" [Sessions, Detail, Notices] { "extend": Sessions 60, Detail 50 }
    SessionLaunch "session.launch" "launch a session" [Sessions] { "launch": Sessions 160 }
    SessionAgain "session.again" "relaunch with the same settings" [Sessions, Detail, Notices] { "relaunch": Sessions 105, Detail 45 }
    SessionsMark "sessions.mark" "mark or unmark, for actions on several sessions" [Sessions] { "mark": Sessions 15 }
    SessionsMarkAll "sessions.mark-all" "mark all sessions of the list, or none of them" [Sessions]
    SessionsMarkRange "sessions.mark-range" "mark the rows from the last marked one to this one" [Sessions]
    SessionsMarkDown "sessions.mark-down" "mark, and go one line down" [Sessions]
    SessionsMarkUp "sessions.mark-up" "mark, and go one line up" [Sessions]
    SessionsUnmarkAll "sessions.unmark-all" "remove all marks" [Sessions]
    SessionsColumns "sessions.columns" "choose, order and size the columns" [Sessions]
    SessionsGroup "sessions.group" "group by the next: environment, owner, status and others" [Sessions] { "group": Sessions 12 }
    SessionsFold "sessions.fold" "fold the group, or hide the session's containers" [Sessions]
    SessionsUnfold "sessions.unfold" "unfold the group, or list the session's containers" [Sessions]
    SessionsFoldAll "sessions.fold-all" "fold or unfold all groups, or the sessions of several containers" [Sessions]
    SessionsExport "sessions.export" "export the marked or listed sessions as CSV or JSON" [Sessions]
    BulkResults "sessions.results" "show the results of the last action on several sessions" [Sessions]
    SessionSameHome "session.same-home" "relaunch in the same home directory" [Sessions, Detail, Notices, Explorer] { "same home": Sessions 35, Detail 35 }
    SessionsRefresh "sessions.refresh" "refresh; retry a disconnected engine" [Sessions] { "retry": Sessions 170 }
    SessionsFilter "sessions.filter" "filter: words, status:failed, cpu>=2, age>2h" [Sessions] { "filter": Sessions 80 }
    SessionsSort "sessions.sort" "sort by the next column" [Sessions] { "sort": Sessions 50 }
    SessionsStatistics "sessions.statistics" "show or hide the resource bars" [Sessions, Detail]
    SessionsReverse "sessions.reverse" "reverse the sort order" [Sessions]
    SessionWhyNot "session.why-not" "show why a session waits and what could start now" [Sessions, Detail] { "why waiting": Sessions 140, Detail 80 }
    SessionPriority "session.priority" "change the priority of a waiting session" [Sessions, Detail] { "priority": Sessions 10, Detail 10 }
    SessionHistory "session.history" "show the scheduling history" [Sessions, Detail]
    CopyId "session.copy-id" "copy the session id" [Sessions, Detail] { "copy id": Detail 20 }
    CopyKernelId "session.copy-kernel-id" "copy the id of the selected container's kernel" [Sessions, Detail]
    CopyContainerId "session.copy-container-id" "copy the engine's id of the container" [Sessions, Detail]
    Contexts "contexts.open" "choose the context (engine and account)" [Sessions, Detail] { "context": Sessions 30 }
    ThemeChoose "theme.choose" "use this theme, and save it in your settings" [Themes]
    SettingEdit "settings.edit" "change the setting, or save the new value" [Settings]
    SettingReset "settings.reset" "reset to the default: remove the setting from your file" [Settings]
    SettingsEditor "settings.editor" "open your configuration file in your editor ($EDITOR)" [Settings]
    ContextLogIn "contexts.log-in" "type the one-time password that the login of a context needs" [Sessions, Detail] { "log in": Sessions 95 }
    ContextChoose "contexts.choose" "show this context" [Contexts]
    DetailNextKernel "detail.next-kernel" "select the next container, for shell, log and ids" [Detail]
    DetailPreviousKernel "detail.previous-kernel" "select the previous container" [Detail]
    DetailSteps "detail.steps" "show all steps of the history, or only failed ones" [Detail] { "steps": Detail 30 }

    LauncherContinue "launcher.go-on" "next page; on the last page: launch" [Launcher]
    LauncherLaunch "launcher.launch" "launch now" [Launcher]
    LauncherReview "launcher.review" "go to the last page" [Launcher]
    LauncherNext "launcher.next" "next field" [Launcher]
    LauncherPrevious "launcher.previous" "previous field" [Launcher]
    LauncherMore "launcher.more" "next or larger value" [Launcher]
    LauncherLess "launcher.less" "previous or smaller value" [Launcher]
    LauncherNextPage "launcher.next-page" "next page" [Launcher]
    LauncherPreviousPage "launcher.previous-page" "previous page" [Launcher]
    LauncherPageOne "launcher.page-1" "go to the page Session type" [Launcher]
    LauncherPageTwo "launcher.page-2" "go to the page Environments & resource allocation" [Launcher]
    LauncherPageThree "launcher.page-3" "go to the page Data & storage" [Launcher]
    LauncherPageFour "launcher.page-4" "go to the page Network" [Launcher]
    LauncherToggle "launcher.toggle" "select or deselect, on or off" [Launcher]
    LauncherAdd "launcher.add" "add a line, or create a folder" [Launcher]
    LauncherRemove "launcher.remove" "remove the line; on your own image: remove it (asks for confirmation)" [Launcher]
    LauncherRemoveAll "launcher.remove-all" "remove all lines (asks for confirmation)" [Launcher]
    LauncherReadOnly "launcher.read-only" "mount read-only or read-write" [Launcher]
    LauncherSearch "launcher.search" "search in the list" [Launcher]
    LauncherEdit "launcher.edit" "edit the page of the card" [Launcher]
    LauncherEditor "launcher.editor" "edit in your editor ($EDITOR)" [Launcher]
    LauncherExplain "launcher.explain" "explain the field" [Launcher]
    LauncherRecents "launcher.recents" "show recent launches" [Launcher, Sessions] { "recent": Sessions 20 }
    LauncherReset "launcher.reset" "reset all fields (asks for confirmation)" [Launcher]
    LauncherCopyImage "launcher.copy-image" "copy the reference of the environment's image" [Launcher]
    LauncherCopyLine "launcher.copy-line" "copy the equivalent command line" [Launcher]
    LauncherSaveRecipe "launcher.save-recipe" "save as a recipe" [Launcher]
    LauncherOpenRecipe "launcher.open-recipe" "open a recipe" [Launcher]

    RecentOpen "recents.open" "review and relaunch" [Recents]
    RecentPin "recents.pin" "pin or unpin" [Recents]
    RecentRename "recents.rename" "change the title" [Recents]
    RecentRemove "recents.remove" "remove from the list" [Recents]

    AppOpen "apps.open" "open; start the app first if it doesn't run" [Apps, Opened]
    AppOptions "apps.options" "choose options: arguments, variables, port, public" [Apps]
    AppProxy "apps.proxy" "open the app at the cluster's app proxy, without a port of this machine" [Apps]
    AppLog "apps.log" "show the last lines that the app printed" [Apps]
    AppStop "apps.stop" "stop the app (asks for confirmation)" [Apps]
    AppRestart "apps.restart" "restart the app (asks for confirmation)" [Apps]
    AppsRefresh "apps.refresh" "refresh" [Apps]

    ForwardBrowse "forwards.browse" "open in the browser of this machine ($BROWSER)" [Opened, Ports]
    ForwardCopy "forwards.copy" "copy the URL with its token, or the command" [Opened, Ports]
    ForwardCopyTunnel "forwards.copy-tunnel" "copy the ssh -L command for your computer" [Opened, Ports]
    ForwardReveal "forwards.reveal" "show or hide the token of the URL" [Opened, Ports]
    ForwardQr "forwards.qr" "show or hide the QR code of a public URL" [Opened, Ports]
    ForwardShow "forwards.show" "show the session" [Ports]
    ForwardClose "forwards.close" "close the forward (asks for confirmation)" [Ports]
    ForwardFilter "forwards.filter" "filter by session, app or port" [Ports]

    DashboardOpen "dashboard.open" "list the sessions of the row, or show the session" [Dashboard]
    DashboardRefresh "dashboard.refresh" "refresh the agents" [Dashboard]
    RoomOpen "room.open" "open the terminal" [Room]
    RoomLeft "room.left" "select the screen on the left" [Room]
    RoomRight "room.right" "select the screen on the right" [Room]
    RoomScale "room.scale" "show whole screens scaled down, or their newest lines" [Room]
    LayoutRestore "layouts.restore" "show the panes of the layout" [Layouts]
    LayoutSave "layouts.save" "save the open panes as a layout" [Layouts]
    LayoutDelete "layouts.delete" "delete the layout (asks for confirmation)" [Layouts]

    FolderOpen "folders.open" "show the files; in the trash: restore; accept an invitation" [Folders]
    FolderCreate "folders.create" "create a folder, or give a user access" [Folders]
    FolderRename "folders.rename" "rename" [Folders]
    FolderClone "folders.clone" "copy under another name" [Folders]
    FolderQuota "folders.quota" "set or remove the quota" [Folders]
    FolderTrash "folders.trash" "move to the trash; in the trash: delete (asks for confirmation)" [Folders]
    FolderRestore "folders.restore" "restore from the trash" [Folders]
    FolderTrashView "folders.trash-view" "show the trash, or the folders" [Folders]
    FolderLaunch "folders.launch" "launch a session with this folder" [Folders]
    FolderShare "folders.share" "show and change who has access" [Folders]
    FolderInvitations "folders.invitations" "show invitations of other users" [Folders]
    FolderCopyPath "folders.copy-path" "copy the path on this machine" [Folders]
    FolderFilter "folders.filter" "filter by name, host or owner" [Folders]
    FolderSort "folders.sort" "sort by the next column" [Folders]
    FolderReverse "folders.reverse" "reverse the sort order" [Folders]
    FolderRefresh "folders.refresh" "refresh" [Folders]
    FolderContext "folders.context" "show the folders of the next context" [Folders]
    ExplorerOpen "explorer.open" "open the directory, or the file in your editor" [Explorer]
    ExplorerParent "explorer.parent" "go to the directory above" [Explorer]
    ExplorerMark "explorer.mark" "mark or unmark, for copy, delete and download" [Explorer]
    ExplorerMarkAll "explorer.mark-all" "mark all loaded entries, or none" [Explorer]
    ExplorerUpload "explorer.upload" "upload from this machine" [Explorer]
    ExplorerDownload "explorer.download" "download to this machine" [Explorer]
    ExplorerEdit "explorer.edit" "edit in your editor ($EDITOR)" [Explorer]
    ExplorerRename "explorer.rename" "rename" [Explorer]
    ExplorerDelete "explorer.delete" "delete (asks for confirmation)" [Explorer]
    ExplorerCopy "explorer.copy" "copy, to paste elsewhere" [Explorer]
    ExplorerCut "explorer.cut" "cut, to move elsewhere" [Explorer]
    ExplorerPaste "explorer.paste" "paste what was copied or cut" [Explorer]
    ExplorerNewDirectory "explorer.new-directory" "create a directory" [Explorer]
    ExplorerNewFile "explorer.new-file" "create an empty file" [Explorer]
    ExplorerFilter "explorer.filter" "filter by name" [Explorer]
    ExplorerHidden "explorer.hidden" "show or hide names that begin with a dot" [Explorer]
    ExplorerSort "explorer.sort" "sort by the next column" [Explorer]
    ExplorerReverse "explorer.reverse" "reverse the sort order" [Explorer]
    ExplorerRefresh "explorer.refresh" "refresh" [Explorer]
    ExplorerPlaces "explorer.places" "open the files of another session or folder" [Explorer]
    ExplorerCopyPath "explorer.copy-path" "copy the path" [Explorer]
    Transfers "app.transfers" "show the transfers of files" [Global, Explorer, Leader]
    TransferCancel "transfers.cancel" "cancel the transfer" [Transfers]
    TransferResume "transfers.resume" "resume or repeat the transfer" [Transfers]
    TransferForget "transfers.forget" "remove from the list" [Transfers]
    TransferOpen "transfers.open" "show the files, or answer the question" [Transfers]
    ConflictNext "conflict.next" "next answer" [Conflict]
    ConflictPrevious "conflict.previous" "previous answer" [Conflict]
    ConflictPress "conflict.press" "give the selected answer" [Conflict]
    ConflictAll "conflict.all" "give the same answer for all others, or not" [Conflict]
    ConflictSkip "conflict.skip" "skip the file" [Conflict]

    ColumnToggle "columns.toggle" "show or hide the column" [Columns]
    ColumnDown "columns.down" "move the column to the right" [Columns]
    ColumnUp "columns.up" "move the column to the left" [Columns]
    ColumnWider "columns.wider" "make the column wider" [Columns]
    ColumnNarrower "columns.narrower" "make the column narrower" [Columns]
    ColumnAutomatic "columns.automatic" "fit the width to the contents" [Columns]
    ColumnReset "columns.reset" "show the default columns" [Columns]

    NoticeOpen "notices.open" "show the session" [Notices]
    NoticeCopy "notices.copy" "copy the notification" [Notices]
    NoticeForget "notices.forget" "remove from the list" [Notices]
    NoticeForgetAll "notices.forget-all" "clear the list" [Notices]
    HistoryUnfold "history.unfold" "show or hide the steps of the entry" [History]
    HistoryFilter "history.filter" "filter by phase:, result:, from:, to:, error:, message:, id:, created:, updated:" [History]
    HistorySort "history.sort" "sort by updated or created time" [History]
    HistoryReverse "history.reverse" "reverse the sort order" [History]
    HistoryRefresh "history.refresh" "refresh" [History]
    HistoryCopyId "history.copy-id" "copy the entry's id" [History]

    LogsFollow "logs.follow" "follow new lines, or stop" [Logs]
    LogsWrap "logs.wrap" "wrap long lines, or not" [Logs]
    LogsSearch "logs.search" "search" [Logs]
    LogsNext "logs.next" "next match" [Logs]
    LogsPreviousHit "logs.previous" "previous match" [Logs]
    LogsTimes "logs.times" "show or hide times" [Logs]
    LogsError "logs.error" "go to the first, then the next error" [Logs]
    LogsQuickSelect "logs.quick-select" "quick select: copy or open a URL, path, hash or address by its letters" [Logs]
    LogsSave "logs.save" "save to a file" [Logs]
    LogsNextKernel "logs.next-kernel" "show the log of the next container" [Logs]
    LogsPreviousKernel "logs.previous-kernel" "show the log of the previous container" [Logs]
    LogsLeft "logs.left" "scroll left" [Logs]
    LogsRight "logs.right" "scroll right" [Logs]

    TerminalLeader "terminal.leader" "leader key: the next key is for workbay" [Terminal]
    PaneDetach "pane.detach" "back to the list (the shell keeps running)" [Leader]
    PaneClose "pane.close" "close this pane (the shell keeps running)" [Leader]
    PaneNext "pane.next" "next shell" [Leader, Panes]
    PanePrevious "pane.previous" "previous shell" [Leader, Panes]
    PanePick "pane.pick" "choose a shell (of any session)" [Leader, Panes]
    PaneRelaunch "pane.relaunch" "relaunch the ended session of the pane" [Panes]
    PaneSplitRight "pane.split-right" "new pane on the right (split)" [Leader]
    PaneSplitBelow "pane.split-below" "new pane below (split)" [Leader]
    PaneLeft "pane.left" "go to the pane on the left" [Leader]
    PaneDown "pane.down" "go to the pane below" [Leader]
    PaneUp "pane.up" "go to the pane above" [Leader]
    PaneRight "pane.right" "go to the pane on the right" [Leader]
    PaneGrowLeft "pane.grow-left" "move the border to the left" [Leader]
    PaneGrowDown "pane.grow-down" "move the border down" [Leader]
    PaneGrowUp "pane.grow-up" "move the border up" [Leader]
    PaneGrowRight "pane.grow-right" "move the border to the right" [Leader]
    PaneZoom "pane.zoom" "full screen on or off" [Leader]
    PaneScroll "pane.scroll" "scroll back (through the output)" [Leader]
    PaneCopyMode "pane.copy-mode" "copy mode: select and copy with the keyboard" [Leader]
    PaneSearch "pane.search" "search in the output" [Leader]
    PaneScratch "pane.scratch" "floating shell: show or hide it" [Global, Leader] { "floating shell": Sessions 11 }
    PaneMark "pane.mark" "mark this pane (for broadcast), or unmark it" [Leader]
    PaneBroadcast "pane.broadcast" "broadcast: type into the marked panes, or all of this screen; again: stop" [Leader]
    PaneRecord "pane.record" "record this pane, or stop" [Leader]
    PaneQuickSelect "pane.quick-select" "quick select: copy or open a URL, path, hash or address by its letters" [Leader]
    PaneSaveHistory "pane.save-history" "save the output (to a file)" [Leader]
    PaneSaveCopy "pane.save-copy" "save the last copy: writes the copied text to a file" [Leader]
    PaneAllowClipboard "pane.allow-clipboard" "allow the clipboard: programs in this session may write to it" [Leader]
    PaneRefuseClipboard "pane.refuse-clipboard" "block the clipboard: programs in this session can't write to it" [Leader]
    PaneLiteral "pane.literal" "send the leader key (to the session)" [Leader]
    PaneSendPrefix "pane.send-prefix" "send Ctrl-B (to tmux in the session)" [Leader]
    ShellShow "shells.show" "go to this shell" [Shells]
    ShellBeside "shells.beside" "open this shell in a pane on the right" [Shells]
    ShellBelow "shells.below" "open this shell in a pane below" [Shells]
    WindowNew "window.new" "new window (a shell)" [Leader]
    WindowNewAs "window.new-as" "ask for a new window: shell, directory and user" [Leader]
    WindowRename "window.rename" "rename this window" [Leader]
    WindowNext "window.next" "next window" [Leader]
    WindowPrevious "window.previous" "previous window" [Leader]
    WindowClose "window.close" "close this window (ends its shell)" [Leader]
    WindowOne "window.1" "go to window 1" [Leader]
    WindowTwo "window.2" "go to window 2" [Leader]
    WindowThree "window.3" "go to window 3" [Leader]
    WindowFour "window.4" "go to window 4" [Leader]
    WindowFive "window.5" "go to window 5" [Leader]
    WindowSix "window.6" "go to window 6" [Leader]
    WindowSeven "window.7" "go to window 7" [Leader]
    WindowEight "window.8" "go to window 8" [Leader]
    WindowNine "window.9" "go to window 9" [Leader]

    ConfirmYes "confirm.yes" "confirm" [Confirm]
    ConfirmNo "confirm.no" "cancel" [Confirm]
    ConfirmToggle "confirm.toggle" "select the other button" [Confirm]
    ConfirmForce "confirm.force" "switch force on or off" [Confirm]
    ConfirmPress "confirm.press" "press the selected button" [Confirm]
    ConfirmRescue "confirm.rescue" "copy files to a folder, then terminate" [Confirm]
    ConfirmChoose "confirm.choose" "choose the marked file for the copy" [Confirm]

    InputSubmit "input.submit" "accept" [Input]
    InputCancel "input.cancel" "cancel" [Input]
    TourSkip "tour.skip" "go to the next step of the tour" [Tour]
    TourLeave "tour.leave" "end the tour, and delete its session" [Tour]
    HelpRun "help.run" "run the selected action" [Help]
    PaletteRun "palette.run" "run the selected entry, or the typed command" [Palette]
    PaletteComplete "palette.complete" "complete the typed command" [Palette]
    CommandCopy "commands.copy" "copy the command" [Commands]
    CommandCopyAll "commands.copy-all" "copy all commands" [Commands]
}

impl Action {
    /// The names of several actions: `list.down, list.up`.
    pub fn names(actions: &[Self]) -> String {
        let names: Vec<&str> = actions.iter().map(|action| action.name()).collect();
        names.join(", ")
    }

    /// The action of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        // A keymap has hundreds of names.
        static BY_NAME: LazyLock<HashMap<&str, Action>> =
            LazyLock::new(|| Action::ALL.iter().map(|it| (it.name(), *it)).collect());
        BY_NAME.get(name).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_read_back() {
        for action in Action::ALL {
            assert_eq!(Action::from_name(action.name()), Some(*action));
            assert!(!action.scopes().is_empty() && !action.doc().is_empty());
        }
    }

    #[test]
    fn weights_are_unique_in_each_view() {
        for view in Scope::ALL {
            let hints = Action::ALL.iter().filter_map(|action| action.hint());
            let mut weights: Vec<u8> = hints.filter_map(|hint| hint.weight(view)).collect();
            let count = weights.len();
            weights.sort_unstable();
            weights.dedup();
            assert_eq!(weights.len(), count, "{}", view.name());
        }
    }
}
