//! A user at a terminal: runs a program on a pseudo-terminal, types at it, reads its screen.

use std::{
    io::{Read, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::machine::ends_within;

/// How long a user waits for anything before giving up; generous, for machines under load.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// The output so far.
struct Seen {
    parser: vt100::Parser,
    raw: Vec<u8>,
    /// When the last bytes came.
    at: Instant,
    ended: bool,
}

/// A program on a terminal.
pub struct Terminal {
    patience: Duration,
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    writer: Arc<Mutex<Box<dyn Write + Send>>>,
    seen: Arc<(Mutex<Seen>, Condvar)>,
}

impl Terminal {
    /// Starts `argv` with these extra variables on a terminal of `columns` x `rows`.
    pub fn start(argv: &[&str], env: &[(String, String)], columns: u16, rows: u16) -> Self {
        Self::answering(argv, env, (columns, rows), &ANSWERS)
    }

    /// On a terminal that answers these sequences.
    pub fn answering(
        argv: &[&str],
        env: &[(String, String)],
        (columns, rows): (u16, u16),
        answers: &'static [TerminalAnswer],
    ) -> Self {
        let pair = native_pty_system()
            .openpty(PtySize {
                rows,
                cols: columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(argv[0]);
        command.args(&argv[1..]);
        command.env("TERM", "xterm-256color");
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        for removed in [
            "TMUX",
            "STY",
            "SSH_TTY",
            "SSH_CONNECTION",
            "NO_COLOR",
            "LC_ALL",
        ] {
            command.env_remove(removed);
        }
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program starts");
        drop(pair.slave);
        let reader = pair.master.try_clone_reader().expect("a reader");
        let writer = Arc::new(Mutex::new(pair.master.take_writer().expect("a writer")));
        let seen = Arc::new((
            Mutex::new(Seen {
                #[expect(clippy::disallowed_methods, reason = "a fixed, sane size")]
                parser: vt100::Parser::new(cells(rows), cells(columns), 0),
                raw: Vec::new(),
                at: now(),
                ended: false,
            }),
            Condvar::new(),
        ));
        std::thread::spawn({
            let (seen, writer) = (Arc::clone(&seen), Arc::clone(&writer));
            move || read_all(reader, &seen, &writer, answers)
        });
        Self {
            patience: PATIENCE,
            child,
            master: pair.master,
            writer,
            seen,
        }
    }

    /// For programs that wait for something slow.
    pub fn be_patient(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Types text or control bytes.
    pub fn type_(&mut self, text: &str) {
        let mut writer = self.writer.lock().expect("the reader did not panic");
        writer
            .write_all(text.as_bytes())
            .expect("the terminal takes keys");
        writer.flush().expect("the terminal takes keys");
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.0.lock().expect("the reader did not panic")
    }

    /// The screen as text, a line a row.
    pub fn screen(&self) -> String {
        self.seen().parser.screen().contents()
    }

    /// Every byte the program wrote to the terminal.
    pub fn raw(&self) -> Vec<u8> {
        self.seen().raw.clone()
    }

    /// The bytes after the first `from`.
    pub fn raw_since(&self, from: usize) -> Vec<u8> {
        self.seen().raw[from..].to_vec()
    }

    /// Row and column of the cursor, and whether it is hidden.
    pub fn cursor(&self) -> (u16, u16, bool) {
        let seen = self.seen();
        let screen = seen.parser.screen();
        let (row, column) = screen.cursor_position();
        (row, column, screen.hide_cursor())
    }

    /// Whether the program has closed its terminal.
    pub fn has_ended(&self) -> bool {
        self.seen().ended
    }

    pub fn raw_len(&self) -> usize {
        self.seen().raw.len()
    }

    /// When the last byte came.
    pub fn last_byte_at(&self) -> Instant {
        self.seen().at
    }

    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.seen()
            .parser
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self.master
            .resize(PtySize {
                rows,
                cols: columns,
                pixel_width: 0,
                pixel_height: 0,
            })
            .expect("the terminal resizes");
    }

    /// Waits until the text is on the screen.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.wait_until(&format!("'{text}' is on the screen"), |screen| {
            screen.contains(text)
        });
    }

    /// Waits until the text has left the screen.
    #[track_caller]
    pub fn wait_gone(&self, text: &str) {
        self.wait_until(&format!("'{text}' has left the screen"), |screen| {
            !screen.contains(text)
        });
    }

    /// Waits for a condition of the screen; shows the screen when it never comes.
    #[track_caller]
    pub fn wait_until(&self, what: &str, condition: impl Fn(&str) -> bool) {
        self.wait_timed(what, condition);
    }

    /// The same; returns when the bytes came that made it true.
    #[track_caller]
    pub fn wait_timed(&self, what: &str, condition: impl Fn(&str) -> bool) -> Instant {
        let deadline = now() + self.patience;
        let mut seen = self.seen();
        loop {
            let screen = seen.parser.screen().contents();
            if condition(&screen) {
                return seen.at;
            }
            let left = deadline.saturating_duration_since(now());
            assert!(
                !left.is_zero() && !seen.ended,
                "it never came that {what}; the screen:\n{screen}"
            );
            seen = self
                .seen
                .1
                .wait_timeout(seen, left)
                .expect("the reader did not panic")
                .0;
        }
    }

    /// Waits for output beyond `length` bytes; when it came.
    #[track_caller]
    pub fn wait_bytes(&self, length: usize) -> Instant {
        let deadline = now() + self.patience;
        let mut seen = self.seen();
        while seen.raw.len() <= length {
            let left = deadline.saturating_duration_since(now());
            assert!(!left.is_zero() && !seen.ended, "no byte came");
            seen = self
                .seen
                .1
                .wait_timeout(seen, left)
                .expect("the reader did not panic")
                .0;
        }
        seen.at
    }

    /// Checks after each output until `check` holds. `false` if it doesn't within this time, or before the program
    /// ends.
    pub fn comes_within(&self, patience: Duration, check: impl Fn(&Self) -> bool) -> bool {
        let deadline = now() + patience;
        loop {
            let state = |seen: &Seen| (seen.raw.len(), seen.ended);
            let before = state(&self.seen());
            if check(self) {
                return true;
            }
            let seen = self.seen();
            if state(&seen) != before {
                continue;
            }
            let left = deadline.saturating_duration_since(now());
            if left.is_zero() || seen.ended {
                return false;
            }
            drop(self.seen.1.wait_timeout(seen, left));
        }
    }

    /// Types the same again every few seconds until the condition holds.
    #[track_caller]
    pub fn type_until(&mut self, keys: &str, condition: impl Fn(&str) -> bool) {
        let deadline = now() + self.patience;
        while now() < deadline {
            self.type_(keys);
            if self.comes_within(Duration::from_secs(2), |it| condition(&it.screen())) {
                return;
            }
        }
        panic!(
            "typing {keys:?} never did it; the screen:\n{}",
            self.screen()
        );
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("a pid")
    }

    /// Waits for the program's end. Returns its exit code.
    #[track_caller]
    pub fn wait_end(&mut self) -> u32 {
        let pid = self.child.process_id().map(u32::cast_signed);
        assert!(
            pid.is_none_or(|pid| ends_within(pid, self.patience)),
            "the program never ended; the screen:\n{}",
            self.screen()
        );
        let status = self.child.wait().expect("the child can be waited for");
        status.exit_code()
    }

    /// Kills the program as `kill -9` does.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A sequence that a program sends, and the terminal's answer to it.
pub type TerminalAnswer = (&'static [u8], &'static [u8]);

/// What a terminal answers on its own: its kind, where its cursor is, its own two colours.
const ANSWERS: [TerminalAnswer; 4] = [
    (b"\x1b]10;?", b"\x1b]10;rgb:e0e0/e0e0/e0e0\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:1212/1212/1212\x1b\\"),
    (b"\x1b[c", b"\x1b[?62;22c"),
    (b"\x1b[6n", b"\x1b[1;1R"),
];

fn answer(asked: &[u8], answers: &[TerminalAnswer], writer: &Mutex<Box<dyn Write + Send>>) {
    for (question, answer) in answers {
        if asked.windows(question.len()).any(|part| part == *question)
            && let Ok(mut writer) = writer.lock()
        {
            // The program may have ended since.
            let _ = writer.write_all(answer).and_then(|()| writer.flush());
        }
    }
}

fn read_all(
    mut reader: Box<dyn Read + Send>,
    shared: &(Mutex<Seen>, Condvar),
    writer: &Mutex<Box<dyn Write + Send>>,
    answers: &[TerminalAnswer],
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => {
                answer(&buffer[..n], answers, writer);
                let mut seen = shared.0.lock().expect("no waiter panics while holding it");
                seen.at = now();
                seen.raw.extend_from_slice(&buffer[..n]);
                seen.parser.process(&buffer[..n]);
                shared.1.notify_all();
            }
        }
    }
    if let Ok(mut seen) = shared.0.lock() {
        seen.ended = true;
    }
    shared.1.notify_all();
}

fn cells(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).expect("a screen has cells")
}

#[expect(clippy::disallowed_methods, reason = "a test's deadline")]
pub fn now() -> Instant {
    Instant::now()
}
