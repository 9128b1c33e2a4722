//! A terminal that only takes what a program writes, as fast as it comes: what is measured is the way
//! there, not the reader.

use std::{
    io::{Read as _, Write as _},
    sync::{Arc, Condvar, Mutex},
    time::{Duration, Instant},
};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

use crate::terminal::{PATIENCE, now};

/// So much of the end is kept, to look for a word in.
const TAIL: usize = 64 * 1024;

#[derive(Default)]
struct Taken {
    tail: Vec<u8>,
    bytes: usize,
}

/// A program on such a terminal; ended when it is dropped.
pub struct Drain {
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn std::io::Write + Send>,
    _master: Box<dyn MasterPty + Send>,
    taken: Arc<(Mutex<Taken>, Condvar)>,
}

impl Drain {
    pub fn start(argv: &[&str], env: &[(String, String)], columns: u16, rows: u16) -> Self {
        let size = PtySize {
            rows,
            cols: columns,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system()
            .openpty(size)
            .expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(argv[0]);
        command.args(&argv[1..]);
        for (name, value) in [("TERM", "xterm-256color"), ("LANG", "C.UTF-8")] {
            command.env(name, value);
        }
        command.env_remove("TMUX");
        for (name, value) in env {
            command.env(name, value);
        }
        let child = pair
            .slave
            .spawn_command(command)
            .expect("the program starts");
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let writer = pair.master.take_writer().expect("a writer");
        let taken = Arc::<(Mutex<Taken>, Condvar)>::default();
        let own = Arc::clone(&taken);
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                let mut taken = own.0.lock().expect("no holder panics");
                taken.bytes += length;
                taken.tail.extend_from_slice(&buffer[..length]);
                if taken.tail.len() > 2 * TAIL {
                    let old = taken.tail.len() - TAIL;
                    taken.tail.drain(..old);
                }
                own.1.notify_all();
            }
        });
        Self {
            child,
            writer,
            _master: pair.master,
            taken,
        }
    }

    pub fn type_(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).expect("keys go in");
        self.writer.flush().expect("keys go in");
    }

    pub fn bytes(&self) -> usize {
        self.taken.0.lock().expect("no holder panics").bytes
    }

    pub fn pid(&self) -> u32 {
        self.child.process_id().expect("it runs")
    }

    /// Forgets what came, so that the next word is a new one.
    pub fn forget(&self) {
        let mut taken = self.taken.0.lock().expect("no holder panics");
        taken.tail.clear();
    }

    /// When `word` has come.
    pub fn wait_word(&self, word: &str) -> Instant {
        self.wait(word, |taken| {
            let word = word.as_bytes();
            // Most of what comes has not even its last letter.
            let may_be = word.last().is_some_and(|last| taken.tail.contains(last));
            may_be && taken.tail.windows(word.len()).any(|part| part == word)
        })
    }

    /// When more than so many bytes have come.
    pub fn wait_bytes(&self, before: usize) -> Instant {
        self.wait("a byte", |taken| taken.bytes > before)
    }

    fn wait(&self, what: &str, condition: impl Fn(&Taken) -> bool) -> Instant {
        let deadline = now() + PATIENCE;
        let mut taken = self.taken.0.lock().expect("no holder panics");
        while !condition(&taken) {
            assert!(now() < deadline, "it never came: {what}");
            let waited = self.taken.1.wait_timeout(taken, Duration::from_millis(200));
            taken = waited.expect("no holder panics").0;
        }
        now()
    }
}

impl Drop for Drain {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
