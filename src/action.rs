//! THE list of what a person can ask.
//!
//! Help, palette, hints, keymap checking and docs derive from it; behaviour lives in the panels.
//! Names are `panel.verb`, as keymap files write them.

/// Where keys are looked up, innermost first; `Global` last. `Terminal` is opaque: what it does not
/// bind goes to the child.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Global,
    Sessions,
    Detail,
    Launcher,
    Contexts,
    /// The list of all shells.
    Shells,
    /// Launches of before.
    Recents,
    /// What a person was told.
    Notices,
    /// The scheduling history.
    History,
    Logs,
    Panes,
    Terminal,
    /// After the leader key in a terminal pane.
    Leader,
    Confirm,
    Help,
    /// A one-line input: filter, search, rename.
    Input,
}

impl Scope {
    pub const ALL: [Self; 16] = [
        Self::Global,
        Self::Sessions,
        Self::Detail,
        Self::Launcher,
        Self::Contexts,
        Self::Shells,
        Self::Recents,
        Self::Notices,
        Self::History,
        Self::Logs,
        Self::Panes,
        Self::Terminal,
        Self::Leader,
        Self::Confirm,
        Self::Help,
        Self::Input,
    ];

    /// The table's name in keymap files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Sessions => "sessions",
            Self::Detail => "detail",
            Self::Launcher => "launcher",
            Self::Contexts => "contexts",
            Self::Shells => "shells",
            Self::Recents => "recents",
            Self::Notices => "notices",
            Self::History => "history",
            Self::Logs => "logs",
            Self::Panes => "panes",
            Self::Terminal => "terminal",
            Self::Leader => "leader",
            Self::Confirm => "confirm",
            Self::Help => "help",
            Self::Input => "input",
        }
    }

    /// What it is called on the screen.
    pub fn title(self) -> &'static str {
        match self {
            Self::Global => "Everywhere",
            Self::Sessions => "Sessions",
            Self::Detail => "Detail",
            Self::Launcher => "Launcher",
            Self::Contexts => "Contexts",
            Self::Shells => "Shells",
            Self::Recents => "Recent launches",
            Self::Notices => "Notifications",
            Self::History => "Scheduling history",
            Self::Logs => "Log",
            Self::Panes => "Terminals",
            Self::Terminal => "In a terminal",
            Self::Leader => "After the leader",
            Self::Confirm => "Dialog",
            Self::Help => "Help",
            Self::Input => "Text input",
        }
    }
}

/// One row: the variant, its name, its one-line doc, where it makes sense.
macro_rules! actions {
    ($( $variant:ident $name:literal $doc:literal [$($scope:ident),+] )+) => {
        /// What a person can ask for.
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
                match self { $(Self::$variant => $doc,)+ }
            }

            /// Where it may be bound.
            pub fn scopes(self) -> &'static [Scope] {
                match self { $(Self::$variant => &[$(Scope::$scope),+],)+ }
            }
        }
    };
}

actions! {
    Quit "app.quit" "back; at the top, leave (sessions and shells go on)" [Global]
    Interrupt "app.interrupt" "cancel; twice at the top leaves" [Global]
    Suspend "app.suspend" "suspend to the shell" [Global]
    Redraw "app.redraw" "paint the whole screen again" [Global]
    Help "app.help" "keys of this view" [Global, Leader]
    ToggleMouse "app.toggle-mouse" "mouse on or off" [Global, Leader]
    HostShell "app.host-shell" "a shell of this host in a pane" [Global]
    Panes "app.panes" "go to the open terminals" [Global]
    TabNext "tab.next" "next tab" [Global]
    TabPrevious "tab.previous" "previous tab" [Global]
    TabRunning "tab.running" "tab Running" [Global]
    TabFinished "tab.finished" "tab Finished" [Global]
    TabOthers "tab.others" "tab Others" [Global]
    Notices "app.notices" "what you were told: notifications" [Global, Leader]
    Quiet "app.quiet" "quiet: nothing rings, only what is grave pops up" [Global, Notices]
    Back "app.back" "one step back, clear the filter, close" [Global]
    Command "app.command" "a command: ctx NAME, help, quit, ..." [Global]

    ListDown "list.down" "one line down" [Sessions, Detail, Launcher, Contexts, Shells, Recents, Notices, History, Logs, Confirm, Help]
    ListUp "list.up" "one line up" [Sessions, Detail, Launcher, Contexts, Shells, Recents, Notices, History, Logs, Confirm, Help]
    ListPageDown "list.page-down" "a page down" [Sessions, Detail, Contexts, Shells, Notices, History, Logs, Help]
    ListPageUp "list.page-up" "a page up" [Sessions, Detail, Contexts, Shells, Notices, History, Logs, Help]
    ListHalfDown "list.half-down" "half a page down" [Sessions, Detail, Logs, Help]
    ListHalfUp "list.half-up" "half a page up" [Sessions, Detail, Logs, Help]
    ListFirst "list.first" "to the first line" [Sessions, Detail, Launcher, Notices, History, Logs, Help]
    ListLast "list.last" "to the last line" [Sessions, Detail, Launcher, Notices, History, Logs, Help]

    SessionOpen "session.open" "details" [Sessions]
    SessionShell "session.shell" "shell in the session" [Sessions, Detail, Notices]
    SessionLogs "session.logs" "log" [Sessions, Detail, Notices]
    SessionRename "session.rename" "rename" [Sessions, Detail]
    SessionTerminate "session.terminate" "terminate, after a question" [Sessions, Detail, Notices]
    SessionCommit "session.commit" "make an image of the session" [Sessions, Detail]
    SessionKeep "session.keep" "keep it from idle checks: extend, exempt" [Sessions, Detail, Notices]
    SessionLaunch "session.launch" "launch a session" [Sessions]
    SessionAgain "session.again" "launch again with the same settings" [Sessions, Detail, Notices]
    SessionsRefresh "sessions.refresh" "ask the engine again" [Sessions]
    SessionsFilter "sessions.filter" "filter by name, environment or id" [Sessions]
    SessionsSort "sessions.sort" "sort by the next column" [Sessions]
    SessionsStatistics "sessions.statistics" "resource bars on top: show or hide" [Sessions, Detail]
    SessionsReverse "sessions.reverse" "reverse the order" [Sessions]
    SessionWhyNot "session.why-not" "why it waits, and what could start now" [Sessions, Detail]
    SessionPriority "session.priority" "change the priority of a waiting session" [Sessions, Detail]
    SessionHistory "session.history" "scheduling history" [Sessions, Detail]
    CopyId "session.copy-id" "copy the id to your clipboard" [Sessions, Detail]
    CopyKernelId "session.copy-kernel-id" "copy the id of the kernel" [Sessions, Detail]
    CopyContainerId "session.copy-container-id" "copy the id of the container" [Sessions, Detail]
    Contexts "contexts.open" "choose the context: which engine's sessions" [Sessions, Detail]
    ContextChoose "contexts.choose" "show this context" [Contexts]
    DetailNextKernel "detail.next-kernel" "mark the next kernel, for its shell, log and ids" [Detail]
    DetailPreviousKernel "detail.previous-kernel" "mark the kernel before" [Detail]
    DetailSteps "detail.steps" "all steps of the history, or what failed" [Detail]

    LauncherGoOn "launcher.go-on" "go on; on the last page launch" [Launcher]
    LauncherLaunch "launcher.launch" "launch now, from any page" [Launcher]
    LauncherReview "launcher.review" "skip to the last page" [Launcher]
    LauncherNext "launcher.next" "next field" [Launcher]
    LauncherPrevious "launcher.previous" "previous field" [Launcher]
    LauncherMore "launcher.more" "next value, more" [Launcher]
    LauncherLess "launcher.less" "previous value, less" [Launcher]
    LauncherNextPage "launcher.next-page" "next page" [Launcher]
    LauncherPreviousPage "launcher.previous-page" "page before" [Launcher]
    LauncherPageOne "launcher.page-1" "page Session type" [Launcher]
    LauncherPageTwo "launcher.page-2" "page Environments & resource allocation" [Launcher]
    LauncherPageThree "launcher.page-3" "page Data & storage" [Launcher]
    LauncherPageFour "launcher.page-4" "page Network" [Launcher]
    LauncherToggle "launcher.toggle" "take or leave, on or off" [Launcher]
    LauncherAdd "launcher.add" "a new line; a new folder" [Launcher]
    LauncherRemove "launcher.remove" "take the line away" [Launcher]
    LauncherRemoveAll "launcher.remove-all" "take all lines away, after a question" [Launcher]
    LauncherReadOnly "launcher.read-only" "mount read-only or not" [Launcher]
    LauncherSearch "launcher.search" "search in the list" [Launcher]
    LauncherEdit "launcher.edit" "go to the page of the card" [Launcher]
    LauncherEditor "launcher.editor" "write it in your editor ($EDITOR)" [Launcher]
    LauncherExplain "launcher.explain" "what the field means" [Launcher]
    LauncherRecents "launcher.recents" "launches of before" [Launcher, Sessions]
    LauncherReset "launcher.reset" "back to how it began, after a question" [Launcher]
    LauncherCopyLine "launcher.copy-line" "copy the command line that does the same" [Launcher]
    LauncherSaveRecipe "launcher.save-recipe" "save as a recipe" [Launcher]
    LauncherOpenRecipe "launcher.open-recipe" "open a recipe" [Launcher]

    RecentOpen "recents.open" "launch it again, after a review" [Recents]
    RecentPin "recents.pin" "keep it here, or no longer" [Recents]
    RecentRename "recents.rename" "another title" [Recents]
    RecentRemove "recents.remove" "take it out of the list" [Recents]

    NoticeOpen "notices.open" "go to its session" [Notices]
    NoticeCopy "notices.copy" "copy it to your clipboard" [Notices]
    NoticeForget "notices.forget" "take it out of the list" [Notices]
    NoticeForgetAll "notices.forget-all" "empty the list" [Notices]
    HistoryUnfold "history.unfold" "steps of the entry, or hide them" [History]
    HistoryFilter "history.filter" "filter by phase:, result:, from:, to:, error:, message:, id:, created:, updated:" [History]
    HistorySort "history.sort" "sort by updated or created" [History]
    HistoryReverse "history.reverse" "reverse the order" [History]
    HistoryRefresh "history.refresh" "ask the engine again" [History]
    HistoryCopyId "history.copy-id" "copy the entry's id to your clipboard" [History]

    LogsFollow "logs.follow" "follow on or off" [Logs]
    LogsWrap "logs.wrap" "wrap on or off" [Logs]
    LogsSearch "logs.search" "search" [Logs]
    LogsNext "logs.next" "next hit" [Logs]
    LogsPreviousHit "logs.previous" "previous hit" [Logs]
    LogsTimes "logs.times" "times of the lines on or off" [Logs]
    LogsError "logs.error" "go to the first error, then to the next" [Logs]
    LogsSave "logs.save" "save to a file" [Logs]
    LogsNextKernel "logs.next-kernel" "log of the next kernel" [Logs]
    LogsPreviousKernel "logs.previous-kernel" "log of the kernel before" [Logs]
    LogsLeft "logs.left" "scroll left" [Logs]
    LogsRight "logs.right" "scroll right" [Logs]

    TerminalLeader "terminal.leader" "leader: the next key is for workbay" [Terminal]
    PaneDetach "pane.detach" "back to the list, the shell goes on" [Leader]
    PaneClose "pane.close" "close this pane, the shell goes on" [Leader]
    PaneNext "pane.next" "next terminal" [Leader, Panes]
    PanePrevious "pane.previous" "previous terminal" [Leader, Panes]
    PanePick "pane.pick" "choose among all sessions' shells" [Leader, Panes]
    PaneSplitRight "pane.split-right" "a pane to the right of this one" [Leader]
    PaneSplitBelow "pane.split-below" "a pane below this one" [Leader]
    PaneLeft "pane.left" "to the pane on the left" [Leader]
    PaneDown "pane.down" "to the pane below" [Leader]
    PaneUp "pane.up" "to the pane above" [Leader]
    PaneRight "pane.right" "to the pane on the right" [Leader]
    PaneGrowLeft "pane.grow-left" "move the border to the left" [Leader]
    PaneGrowDown "pane.grow-down" "move the border down" [Leader]
    PaneGrowUp "pane.grow-up" "move the border up" [Leader]
    PaneGrowRight "pane.grow-right" "move the border to the right" [Leader]
    PaneZoom "pane.zoom" "full screen without borders, and back" [Leader]
    PaneScroll "pane.scroll" "scroll back through what was printed" [Leader]
    PaneCopyMode "pane.copy-mode" "copy mode: move, mark, copy by keyboard" [Leader]
    PaneSearch "pane.search" "search in what was printed" [Leader]
    PaneSaveHistory "pane.save-history" "save all that was printed to a file" [Leader]
    PaneSaveCopy "pane.save-copy" "save what was copied last to a file" [Leader]
    PaneAllowClipboard "pane.allow-clipboard" "let programs here write to your clipboard" [Leader]
    PaneRefuseClipboard "pane.refuse-clipboard" "keep programs here from your clipboard" [Leader]
    PaneLiteral "pane.literal" "send the leader key itself" [Leader]
    PaneSendPrefix "pane.send-prefix" "send Ctrl-B, for the tmux inside" [Leader]
    ShellShow "shells.show" "go to this shell" [Shells]
    ShellBeside "shells.beside" "this shell in a pane to the right" [Shells]
    ShellBelow "shells.below" "this shell in a pane below" [Shells]
    WindowNew "window.new" "a new window with a shell of its own" [Leader]
    WindowNewAs "window.new-as" "a new shell: which, where, as whom" [Leader]
    WindowRename "window.rename" "rename this window" [Leader]
    WindowNext "window.next" "next window" [Leader]
    WindowPrevious "window.previous" "previous window" [Leader]
    WindowClose "window.close" "end this window's shell" [Leader]
    WindowOne "window.1" "window 1" [Leader]
    WindowTwo "window.2" "window 2" [Leader]
    WindowThree "window.3" "window 3" [Leader]
    WindowFour "window.4" "window 4" [Leader]
    WindowFive "window.5" "window 5" [Leader]
    WindowSix "window.6" "window 6" [Leader]
    WindowSeven "window.7" "window 7" [Leader]
    WindowEight "window.8" "window 8" [Leader]
    WindowNine "window.9" "window 9" [Leader]

    ConfirmYes "confirm.yes" "do it" [Confirm]
    ConfirmNo "confirm.no" "leave it" [Confirm]
    ConfirmToggle "confirm.toggle" "the other button" [Confirm]
    ConfirmForce "confirm.force" "force on or off" [Confirm]
    ConfirmPress "confirm.press" "press the marked button" [Confirm]

    InputSubmit "input.submit" "take it" [Input]
    InputCancel "input.cancel" "cancel" [Input]
    HelpSearch "help.search" "search in the help" [Help]
}

impl Action {
    /// The action of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|action| action.name() == name)
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
}
