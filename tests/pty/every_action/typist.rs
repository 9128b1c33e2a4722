//! Presses keys one after the other, and reports for each what the program did: the action that it invoked, by the
//! program's own log, and whether anything on the terminal changed.

use std::{
    fs::File,
    io::{Read as _, Seek as _, SeekFrom},
    path::PathBuf,
    time::Duration,
};

use workbay::{
    action::{Action, Scope},
    key::{Key, KeyCode},
    keymap::Keymap,
    terminal::encode::{self, Modes},
};

use crate::{
    machine::{BINARY, Machine},
    terminal::{PATIENCE, Terminal},
    wait::poll,
};

/// The terminal gets the focus, and the program asks for its colors: the answer to all keys before is drawn then.
const FENCE: &str = "\x1b[I";
const FENCE_ANSWER: &[u8] = b"\x1b]11;?";

/// What a terminal shows or does besides text: bells, copies, notifications, the mouse, a repaint.
const SIGNS: [&[u8]; 6] = [
    b"\x07",
    b"\x1b]52;",
    b"\x1b]9;",
    b"\x1b[?1000",
    b"\x1b[?1002",
    b"\x1b[2J",
];

/// The log of the program, of which only the last invoked actions are read.
struct InvokedLog {
    path: PathBuf,
    offset: u64,
    rest: String,
    count: usize,
    last: Option<(String, String)>,
}

impl InvokedLog {
    fn read(&mut self) {
        let Ok(mut file) = File::open(&self.path) else {
            return;
        };
        let mut new = String::new();
        let read = file
            .seek(SeekFrom::Start(self.offset))
            .and_then(|_| file.read_to_string(&mut new));
        self.offset += read.unwrap_or(0) as u64;
        self.rest.push_str(&new);
        while let Some(end) = self.rest.find('\n') {
            let line: String = self.rest.drain(..=end).collect();
            if line.contains("last action") {
                self.count += 1;
                self.last = field(&line, "scope").zip(field(&line, "action"));
            }
        }
    }
}

fn field(line: &str, name: &str) -> Option<String> {
    let (_, rest) = line.split_once(&format!("{name}=\""))?;
    Some(rest.split('"').next()?.to_owned())
}

/// What the terminal shows, to notice changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    text: String,
    cursor: (u16, u16, bool),
}

impl Look {
    fn of(terminal: &Terminal) -> Self {
        Self {
            text: terminal.screen(),
            cursor: terminal.cursor(),
        }
    }

    /// Without what changes by time alone: numbers, bars and charts.
    fn lasting(&self) -> String {
        let lasts = |c: char| c.is_alphabetic() || "✓✗●○▪▫▸▾▴◂›»*#!?/|".contains(c);
        let kept = self.text.chars().map(|c| if lasts(c) { c } else { ' ' });
        let kept: String = kept.collect();
        kept.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// A user at the TUI with one keymap.
pub struct Typist<'a> {
    pub machine: &'a Machine,
    pub keymap: Keymap,
    pub name: &'static str,
    pub terminal: Terminal,
    log: InvokedLog,
    /// How many keys were pressed.
    pub pressed: usize,
}

impl<'a> Typist<'a> {
    pub fn start(machine: &'a Machine, name: &'static str) -> Self {
        let path = machine.state().join("tui.log");
        let keymap = Keymap::builtin(name).expect("a built-in keymap");
        let mut typist = Self {
            machine,
            keymap,
            name,
            terminal: begin(machine, name),
            log: InvokedLog {
                path,
                offset: 0,
                rest: String::new(),
                count: 0,
                last: None,
            },
            pressed: 0,
        };
        typist.log.read();
        typist.settle();
        typist
    }

    /// Starts the TUI again after it has ended, or where nothing else leads back to the list.
    pub fn start_again(&mut self) {
        self.terminal.kill();
        self.terminal = begin(self.machine, self.name);
        self.log.read();
        self.settle();
    }

    /// Starts a TUI that remembers no order, columns, groups and panes.
    pub fn start_over(&mut self) {
        self.terminal.kill();
        // Nothing is remembered yet if no key changed anything.
        let _ = std::fs::remove_file(self.machine.state().join("tui.json"));
        self.start_again();
    }

    /// The first action makes the log complete: every later key has a line.
    fn settle(&mut self) {
        self.terminal.wait_for("all-keys-1");
        self.press(Key::ctrl('l'));
        self.drawn();
    }

    pub fn screen(&self) -> String {
        self.terminal.screen()
    }

    pub fn look(&self) -> Look {
        Look::of(&self.terminal)
    }

    /// Presses a key and waits until the program has handled it.
    #[track_caller]
    pub fn press(&mut self, key: Key) {
        self.pressed += 1;
        self.send(&bytes(key), &key.to_string(), 1);
    }

    /// Types a text.
    #[track_caller]
    pub fn type_text(&mut self, text: &str) {
        self.send(text, text, text.chars().count());
    }

    #[track_caller]
    fn send(&mut self, bytes: &str, what: &str, keys: usize) {
        self.log.read();
        let before = self.log.count;
        self.terminal.type_(bytes);
        let handled = poll(Duration::from_millis(1), || {
            self.log.read();
            let is_handled = self.log.count >= before + keys || self.terminal.has_ended();
            is_handled.then_some(())
        });
        assert!(
            handled.is_some(),
            "{what:?} was never handled; the screen:\n{}",
            self.screen()
        );
    }

    /// The scope and action that were invoked last.
    pub fn invoked(&self) -> Option<(&str, &str)> {
        let (scope, action) = self.log.last.as_ref()?;
        Some((scope, action))
    }

    /// Waits until everything that the keys changed at once is on the screen.
    #[track_caller]
    pub fn drawn(&mut self) {
        let before = self.terminal.raw_len();
        self.log.read();
        self.terminal.type_(FENCE);
        let drawn = self.terminal.comes_within(PATIENCE, |terminal| {
            let raw = terminal.raw_since(before);
            let mut parts = raw.windows(FENCE_ANSWER.len());
            parts.any(|part| part == FENCE_ANSWER)
        });
        assert!(
            drawn || self.terminal.has_ended(),
            "nothing is drawn any more; the screen:\n{}",
            self.screen()
        );
        self.log.read();
    }

    /// Presses keys and waits for their effect. Returns whether there was one: at once, or after a request.
    pub fn has_effect(&mut self, keys: &[Key], waits: bool) -> bool {
        let before = self.look();
        let raw = self.terminal.raw_len();
        for key in keys {
            self.press(*key);
        }
        self.drawn();
        let signs = |terminal: &Terminal| {
            let new = terminal.raw_since(raw);
            let shown = |sign: &&[u8]| new.windows(sign.len()).any(|part| part == *sign);
            SIGNS.iter().any(shown)
        };
        let is_new = |terminal: &Terminal| {
            terminal.has_ended()
                || Look::of(terminal).lasting() != before.lasting()
                || signs(terminal)
        };
        self.terminal.has_ended()
            || self.look() != before
            || signs(&self.terminal)
            || waits && self.terminal.comes_within(Duration::from_secs(10), is_new)
    }

    /// Waits for the launcher, which an answer of the daemon opens.
    pub fn launcher_opens(&self) -> bool {
        let is_open = |terminal: &Terminal| terminal.screen().contains("Launch a session");
        self.terminal.comes_within(Duration::from_secs(10), is_open)
    }

    /// Invokes an action by its first key, or by the palette if it has none.
    #[track_caller]
    pub fn act(&mut self, scope: Scope, action: Action) {
        match self.keymap.keys_for(scope, action).first() {
            Some(keys) => sequence(keys).into_iter().for_each(|key| self.press(key)),
            None => self.act_by_palette(action),
        }
    }

    #[track_caller]
    pub fn act_by_palette(&mut self, action: Action) {
        self.open_palette();
        self.type_text(&format!(">{}", action.name()));
        self.act(Scope::Palette, Action::PaletteRun);
    }

    #[track_caller]
    pub fn open_palette(&mut self) {
        let keys = self.keymap.keys_for(Scope::Global, Action::Command);
        // A function key has no meaning as text.
        let function = keys.iter().find(|key| key.starts_with('F'));
        let keys = function.or(keys.first()).expect("the palette has a key");
        for key in sequence(keys) {
            self.press(key);
        }
    }
}

fn begin(machine: &Machine, keymap: &str) -> Terminal {
    let mut env = machine.env();
    let level = "warn,workbay::run::event_loop=debug".to_owned();
    env.push(("WORKBAY_LOG".to_owned(), level));
    // An editor that ends at once, and a browser that opens nothing.
    for name in ["EDITOR", "VISUAL", "BROWSER"] {
        env.push((name.to_owned(), "true".to_owned()));
    }
    let mut terminal = Terminal::start(&[BINARY, "--keymap", keymap], &env, 80, 24);
    terminal.be_patient(Duration::from_secs(20));
    terminal
}

/// The keys of a binding.
pub fn sequence(keys: &str) -> Vec<Key> {
    let read = |key: &str| key.parse().expect("a key");
    keys.split(' ').map(read).collect()
}

/// What a terminal sends for a key: the usual bytes, or those of the kitty protocol for keys that have none.
fn bytes(key: Key) -> String {
    let code = match key.code {
        KeyCode::Enter => Some(13),
        KeyCode::Backspace => Some(127),
        _ => None,
    };
    if let Some(code) = code.filter(|_| key.ctrl || key.alt || key.shift) {
        let held = 1 + u8::from(key.shift) + 2 * u8::from(key.alt) + 4 * u8::from(key.ctrl);
        return format!("\x1b[{code};{held}u");
    }
    String::from_utf8(encode::key(key, Modes::default())).expect("the bytes of a key are text")
}
