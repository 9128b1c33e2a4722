//! The way from the list to the view or panel in which a scope has the keys.

use workbay::action::{Action, Scope};

use super::typist::{Typist, sequence};

/// The places of a scope in which its actions are tried, one after the other, until one has an effect.
pub fn places(scope: Scope) -> usize {
    match scope {
        // Its pages.
        Scope::Launcher => 5,
        // The dialog before a session is terminated, and one without a list.
        Scope::Confirm => 2,
        _ => 1,
    }
}

/// The fields of a place, each tried in turn.
pub fn fields(scope: Scope) -> usize {
    match scope {
        Scope::Launcher => 12,
        _ => 1,
    }
}

impl Typist<'_> {
    /// Leaves everything that is open, until only the list is shown and no message.
    pub fn return_to_list(&mut self) {
        let tries = 16;
        for _ in 0..tries {
            if self.terminal.has_ended() {
                self.start_again();
            }
            if self.is_list() {
                if !self.screen().contains("all-keys-1") {
                    self.act(Scope::Global, Action::TabRunning);
                    self.drawn();
                }
                // Marks, a filter, a detail beside the list, a message.
                let before = self.look();
                self.back();
                if self.look() == before {
                    return;
                }
                continue;
            }
            let before = self.look();
            self.back();
            if self.look() == before {
                self.leave_terminal();
            }
        }
        self.start_again();
    }

    fn back(&mut self) {
        for key in sequence("esc") {
            self.press(key);
        }
        self.drawn();
    }

    fn leave_terminal(&mut self) {
        self.act(Scope::Terminal, Action::TerminalLeader);
        if !self.terminal.has_ended() {
            self.act(Scope::Leader, Action::PaneDetach);
            self.drawn();
        }
    }

    /// The last line has the key that launches a session, which no other view shows.
    fn is_list(&self) -> bool {
        let keys = self.keymap.keys_for(Scope::Sessions, Action::SessionLaunch);
        let hint = format!("{} launch", keys[0]);
        self.screen()
            .lines()
            .last()
            .is_some_and(|it| it.contains(&hint))
    }

    /// Goes from the list to a place of the scope.
    pub fn reach(&mut self, scope: Scope, place: usize) {
        match scope {
            // The tour has a test of its own, which presses its keys.
            Scope::Global | Scope::Sessions | Scope::Tour => {}
            Scope::Detail => {
                let back = self.keymap.keys_for(Scope::Global, Action::Back);
                let hint = format!("{} back", back[0]);
                self.open(Scope::Sessions, Action::SessionOpen, &hint);
            }
            Scope::Launcher => self.reach_launcher(place),
            Scope::Contexts => self.open(Scope::Sessions, Action::Contexts, "spare"),
            Scope::Shells => {
                self.open_shell();
                self.act(Scope::Terminal, Action::TerminalLeader);
                self.open(Scope::Leader, Action::PanePick, "type to search");
            }
            Scope::Themes => self.open(Scope::Global, Action::ThemePick, "type to search"),
            Scope::Settings => self.open(Scope::Global, Action::Settings, "type to search"),
            Scope::Recents => self.open(Scope::Sessions, Action::LauncherRecents, "64 MiB"),
            Scope::Apps => self.open(Scope::Sessions, Action::SessionApps, "Ports and SSH"),
            Scope::Opened => {
                self.reach(Scope::Apps, place);
                self.act(Scope::Apps, Action::ListLast);
                self.open(Scope::Apps, Action::AppOpen, "ssh ");
            }
            Scope::Room => self.open(Scope::Global, Action::ControlRoom, "all-keys-2"),
            Scope::Layouts => self.open(Scope::Global, Action::Layouts, "second"),
            Scope::Folders => self.open(Scope::Global, Action::Folders, "folder-2"),
            Scope::Ports => self.open(Scope::Global, Action::Ports, "8001"),
            Scope::Dashboard => self.open(Scope::Global, Action::Dashboard, "Dashboard"),
            Scope::Explorer => self.open(Scope::Sessions, Action::SessionFiles, "file.txt"),
            Scope::Transfers => self.reach_transfers(),
            Scope::Conflict => self.reach_conflict(),
            Scope::Columns => self.open(Scope::Sessions, Action::SessionsColumns, "Columns"),
            Scope::Notices => self.open(Scope::Global, Action::Notices, "Notifications"),
            Scope::History => self.open(Scope::Sessions, Action::SessionHistory, "history"),
            Scope::Logs => self.open(Scope::Sessions, Action::SessionLogs, "line 300"),
            Scope::Panes => self.reach_ended_pane(),
            Scope::Terminal => self.open_shell(),
            Scope::Leader => {
                self.open_split();
                self.act(Scope::Terminal, Action::TerminalLeader);
            }
            Scope::Confirm if place == 0 => {
                self.open(Scope::Sessions, Action::SessionTerminate, "Terminate");
            }
            Scope::Confirm => {
                self.reach(Scope::Layouts, 0);
                self.act(Scope::Layouts, Action::LayoutDelete);
            }
            Scope::Help => self.open(Scope::Global, Action::Help, "Keys"),
            Scope::Palette => {
                self.open_palette();
                self.terminal.wait_for("type");
            }
            Scope::Commands => self.reach_commands(),
            Scope::Input => {
                self.act(Scope::Sessions, Action::SessionsFilter);
                self.type_text("all");
            }
        }
        self.drawn();
    }

    /// Invokes an action and waits for what only its view shows.
    fn open(&mut self, scope: Scope, action: Action, shows: &str) {
        self.act(scope, action);
        self.terminal.wait_for(shows);
        // The title may have arrived before the rest of the page.
        self.drawn();
    }

    fn reach_launcher(&mut self, place: usize) {
        self.open(Scope::Sessions, Action::SessionLaunch, "Launch a session");
        for _ in 0..place {
            self.act(Scope::Launcher, Action::LauncherNextPage);
        }
    }

    fn open_shell(&mut self) {
        self.act(Scope::Sessions, Action::SessionShell);
        self.terminal.wait_for("work@all-keys");
    }

    /// Four panes, of which the last has the focus. A program that echoes all keys runs there.
    fn open_split(&mut self) {
        self.open_shell();
        let panes = |screen: &str| screen.matches("all-keys").count() >= 4;
        if panes(&self.screen()) {
            return;
        }
        for (action, shells) in [
            (Action::PaneSplitRight, 2),
            (Action::PaneSplitBelow, 3),
            (Action::PaneLeft, 3),
            (Action::PaneSplitBelow, 4),
        ] {
            self.act(Scope::Terminal, Action::TerminalLeader);
            self.act(Scope::Leader, action);
            self.terminal
                .wait_until("the shells", |it| it.matches("work@all").count() >= shells);
        }
    }

    fn reach_conflict(&mut self) {
        self.upload("upload.txt");
        self.terminal.wait_for("already exists");
    }

    /// Uploads a file of this machine into the home of a session.
    fn upload(&mut self, name: &str) {
        self.reach(Scope::Explorer, 0);
        self.act(Scope::Explorer, Action::ExplorerUpload);
        self.terminal.wait_for("Upload from this machine");
        let file = self.machine.path(name);
        self.press("ctrl-u".parse().expect("a key"));
        self.type_text(&file.to_string_lossy());
        self.act(Scope::Input, Action::InputSubmit);
    }

    /// The list of commands, with several of them: each new folder adds one.
    fn reach_commands(&mut self) {
        self.open(Scope::Global, Action::CommandLog, "commands");
        if !self.screen().contains("Nothing was changed") {
            return;
        }
        self.back();
        for part in ["a", "b", "c"] {
            let name = format!("folder-{}-{part}", self.pressed);
            self.open(Scope::Global, Action::Folders, "folder-2");
            self.act(Scope::Folders, Action::FolderCreate);
            self.type_text(&name);
            self.act(Scope::Input, Action::InputSubmit);
            self.terminal.wait_for(&format!("{name} created"));
            self.back();
        }
        self.open(Scope::Global, Action::CommandLog, "commands");
    }

    /// The list of transfers, with several of them.
    fn reach_transfers(&mut self) {
        self.open(Scope::Global, Action::Transfers, "Transfers");
        if !self.screen().contains("No transfers") {
            return;
        }
        for part in ["a", "b", "c"] {
            self.back();
            let name = format!("upload-{}-{part}.txt", self.pressed);
            std::fs::write(self.machine.path(&name), "text\n").expect("a file");
            self.upload(&name);
            self.terminal.wait_until("the file is uploaded", |screen| {
                screen.lines().take(20).any(|line| line.contains(&name))
            });
        }
        self.back();
        self.open(Scope::Global, Action::Transfers, "Transfers");
    }

    /// A shell of this machine whose program has ended.
    fn reach_ended_pane(&mut self) {
        self.act(Scope::Global, Action::HostShell);
        // Root has another prompt.
        self.terminal.wait_until("a prompt", |screen| {
            let ends = |line: &str| line.trim_end().ends_with(['$', '#']);
            screen.lines().any(ends)
        });
        self.type_text("exit");
        self.press("enter".parse().expect("a key"));
        self.terminal.wait_for("shell ended");
    }
}
