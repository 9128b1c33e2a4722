//! A real tmux client with the toolbox's settings, between a stream and our emulator.

use std::{
    io::{Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc::{Receiver, channel},
    time::Duration,
};

use jiff::Timestamp;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use workbay::terminal::emulator::Emulator;

use super::{COLUMNS, ROWS};
use crate::alacritty;

const CONF: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/engine/docker/toolbox/tmux.conf"
);
const ATTACH: &str = include_str!("../../../src/runner/attach.rs");
/// Long enough for a loaded machine; never waited for where all is well.
const DEADLINE: Duration = Duration::from_secs(60);

/// Its version, where there is one.
pub fn version() -> Option<String> {
    let output = Command::new("tmux").arg("-V").output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    Some(said.trim().strip_prefix("tmux ")?.to_owned())
}

/// What the session's runner reports to tmux about our emulator.
fn features() -> &'static str {
    let rest = ATTACH.split("const FEATURES: &str =").nth(1);
    rest.and_then(|rest| rest.split('"').nth(1)).unwrap()
}

pub struct Tmux {
    home: tempfile::TempDir,
    child: Box<dyn Child + Send + Sync>,
    _master: Box<dyn MasterPty + Send>,
    writer: Box<dyn std::io::Write + Send>,
    bytes: Receiver<Vec<u8>>,
    pub ours: Emulator,
    pub theirs: alacritty::ReferenceScreen,
    /// Where a program in it would write.
    tty: String,
}

impl Tmux {
    pub fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        let size = PtySize {
            rows: ROWS,
            cols: COLUMNS,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new("tmux");
        command.args(["-u", "-S"]);
        command.arg(home.path().join("socket"));
        command.args(["-f", CONF, "-T", features(), "new-session", "-s", "main"]);
        command.arg("stty raw -echo; exec sleep 100000");
        for setting in [["set-titles", "on"], ["set-titles-string", "#{pane_title}"]] {
            command.args([";", "set-option", "-g"]);
            command.args(setting);
        }
        for (name, value) in [
            ("TERM", "xterm-256color"),
            ("LC_ALL", "C.UTF-8"),
            ("WORKBAY_SHELL", "/bin/sh"),
            ("WORKBAY_TERM", "screen-256color"),
        ] {
            command.env(name, value);
        }
        command.env("HOME", home.path());
        command.env_remove("TMUX");
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, bytes) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 65536];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let mut tmux = Self {
            home,
            child,
            writer: pair.master.take_writer().unwrap(),
            _master: pair.master,
            bytes,
            ours: Emulator::new(COLUMNS, ROWS),
            theirs: alacritty::ReferenceScreen::new(COLUMNS, ROWS),
            tty: String::new(),
        };
        // It has read its settings when it has asked for the keys.
        while tmux.ours.modes().other_keys == 0 {
            assert!(tmux.take(DEADLINE), "tmux did not come up");
        }
        let tty = tmux.said(&["display-message", "-p", "#{pane_tty}"]);
        tty.trim().clone_into(&mut tmux.tty);
        tmux
    }

    /// Takes what comes next; `false` = nothing came.
    pub fn take(&mut self, patience: Duration) -> bool {
        let Ok(bytes) = self.bytes.recv_timeout(patience) else {
            return false;
        };
        self.ours.feed(&bytes, Timestamp::UNIX_EPOCH);
        self.theirs.feed(&bytes);
        self.writer.write_all(&self.ours.take_answers()).unwrap();
        true
    }

    /// Prints a stream on an empty screen, and takes what comes of it.
    pub fn print(&mut self, name: &str, stream: &str) {
        let all = format!("\x1bc{stream}\x1b]2;{name}\x1b\\");
        std::fs::write(Path::new(&self.tty), all).unwrap();
        while self.ours.title().is_none_or(|title| title != name) {
            assert!(self.take(DEADLINE), "'{name}' was not painted");
        }
    }

    fn said(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command
            .args(["-u", "-S"])
            .arg(self.home.path().join("socket"));
        let output = command
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// The text that tmux has.
    pub fn text(&self) -> String {
        let said = self.said(&["capture-pane", "-p", "-t", "main"]);
        let lines: Vec<&str> = said.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.said(&["kill-server"]);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
