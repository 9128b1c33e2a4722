//! The conversation with the user: sentences, questions, and messages between them. It prints lines of text and
//! nothing else: no cursor movement and no colors.

use std::{
    io::{self, IsTerminal as _, Write as _},
    sync::mpsc::{self, Receiver, Sender},
};

use rustix::termios::{self, LocalModes};
use signal_hook::consts::{SIGHUP, SIGTERM};

use super::{
    editor::{Editor, Typed},
    reader::Reader,
};
use crate::{
    model::text::Clean,
    terminal::{fatal, raw::Raw},
};

/// What happens while the console waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Byte(u8),
    /// The end of the input.
    End,
    /// Ctrl-C.
    Interrupt,
    /// A state changed. One or more sentences.
    Message(String),
}

/// Why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// Ctrl-C: back to the menu.
    Cancel,
    /// The end of the input, or a second Ctrl-C.
    Quit,
}

pub struct Console {
    events: Receiver<Event>,
    reader: Reader,
    editor: Editor,
    /// Whether the user types at a terminal. Otherwise, lines come from a file or a pipe.
    is_terminal: bool,
    /// Whether typed text appears. Programs such as Emacs show it themselves.
    echoes: bool,
    /// Whether Ctrl-C was pressed since the last line.
    interrupted: bool,
}

impl Console {
    /// Returns the console, and where its events are sent to.
    pub fn open() -> io::Result<(Self, Sender<Event>)> {
        let (sender, events) = mpsc::channel();
        let is_terminal = io::stdin().is_terminal();
        let modes = termios::tcgetattr(io::stdin());
        let console = Self {
            events,
            reader: Reader::start(sender.clone())?,
            editor: Editor::default(),
            is_terminal,
            echoes: modes.map_or(true, |modes| modes.local_modes.contains(LocalModes::ECHO)),
            interrupted: false,
        };
        Ok((console, sender))
    }

    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Prints one or more lines.
    #[expect(
        clippy::unused_self,
        reason = "only who has the console may print, because a question may be open"
    )]
    pub fn say(&self, text: &str) {
        put(&format!("{text}\n"));
    }

    /// Prints the messages that arrived, and forgets a Ctrl-C that was for a command.
    pub fn catch_up(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            match event {
                Event::Message(text) => self.say(&text),
                Event::Byte(byte) => {
                    self.reader.arrived();
                    self.editor.take(byte);
                }
                Event::End => self.reader.arrived(),
                // The terminal has echoed it as ^C.
                Event::Interrupt => put("\n"),
            }
        }
    }

    /// Asks until the user has typed a line.
    pub fn ask(&mut self, prompt: &str) -> Result<String, Leave> {
        let modes = self.is_terminal.then(|| {
            let signals = [fatal::UNEXPECTED, &[SIGTERM, SIGHUP]].concat();
            Raw::lines(&signals)
        });
        let answer = self.answer(prompt);
        drop(modes);
        answer
    }

    fn answer(&mut self, prompt: &str) -> Result<String, Leave> {
        put(&format!("{prompt}{}", self.editor.line()));
        loop {
            self.reader.want();
            // The sender is in this process as long as the console.
            let event = self.events.recv().unwrap_or(Event::End);
            match event {
                Event::Message(text) => {
                    put(&format!("\n{text}\n{prompt}{}", self.editor.line()));
                }
                Event::Interrupt => return Err(self.interrupt()),
                Event::End => {
                    self.reader.arrived();
                    put("\n");
                    return match self.editor.line() {
                        "" => Err(Leave::Quit),
                        _ => Ok(self.line()),
                    };
                }
                Event::Byte(byte) => {
                    self.reader.arrived();
                    if let Some(answer) = self.byte(byte) {
                        return answer;
                    }
                }
            }
        }
    }

    fn byte(&mut self, byte: u8) -> Option<Result<String, Leave>> {
        match self.editor.take(byte) {
            Typed::Echo(text) => {
                if self.is_terminal && self.echoes {
                    put(&text);
                }
                None
            }
            Typed::Line(line) => {
                self.interrupted = false;
                // A script's lines appear in its output, too.
                if !self.is_terminal {
                    put(&line);
                }
                put("\n");
                Some(Ok(line.trim().to_owned()))
            }
            Typed::End => {
                put("\n");
                Some(Err(Leave::Quit))
            }
        }
    }

    /// The last line of a file may lack its end.
    fn line(&mut self) -> String {
        let line = self.editor.line().trim().to_owned();
        put(&line);
        put("\n");
        self.editor.clear();
        line
    }

    fn interrupt(&mut self) -> Leave {
        self.editor.clear();
        put("\n");
        if std::mem::replace(&mut self.interrupted, true) {
            Leave::Quit
        } else {
            Leave::Cancel
        }
    }
}

/// Prints text. A closed output ends the program at the next question.
fn put(text: &str) {
    // Backspace is the one control character that the editor echoes.
    let parts: Vec<String> = text
        .split('\u{8}')
        .map(|part| Clean::multiline(part).into_string())
        .collect();
    let mut out = io::stdout().lock();
    let _ = out.write_all(parts.join("\u{8}").as_bytes());
    let _ = out.flush();
}
