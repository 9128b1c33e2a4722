//! A connection to the engine that can be disturbed: cut, held back, slowed down. The engine itself isn't touched.

use std::{
    io::{Read as _, Write as _},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    path::{Path, PathBuf},
    sync::{
        Arc, Condvar, Mutex, MutexGuard,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// How it treats bytes and connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    Through,
    /// Connections are taken and requests read, and no answer comes; those held back come when this is over.
    Silent,
    /// Each answer takes this long.
    Slow(Duration),
}

/// A socket that leads to another one until this is dropped.
pub struct Relay {
    socket: PathBuf,
    shared: Arc<RelayState>,
}

struct RelayState {
    engine: PathBuf,
    manner: Mutex<Manner>,
    changed: Condvar,
    ended: AtomicBool,
    open: Mutex<Vec<UnixStream>>,
}

impl Relay {
    /// From `socket`, which is created, to the engine's.
    pub fn start(socket: &Path, engine: &Path) -> Self {
        let _ = std::fs::remove_file(socket);
        let listener = UnixListener::bind(socket).expect("a socket");
        let shared = Arc::new(RelayState {
            engine: engine.to_owned(),
            manner: Mutex::new(Manner::Through),
            changed: Condvar::new(),
            ended: AtomicBool::new(false),
            open: Mutex::new(Vec::new()),
        });
        let accepting = Arc::clone(&shared);
        thread::spawn(move || {
            while let Ok((ours, _)) = listener.accept() {
                if accepting.ended.load(Ordering::SeqCst) {
                    break;
                }
                accepting.carry(ours);
            }
        });
        Self {
            socket: socket.to_owned(),
            shared,
        }
    }

    pub fn endpoint(&self) -> String {
        format!("unix://{}", self.socket.display())
    }

    pub fn set(&self, manner: Manner) {
        *self.shared.manner() = manner;
        self.shared.changed.notify_all();
    }

    /// Ends the relay and every connection through it.
    pub fn cut(self) {
        drop(self);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::SeqCst);
        self.set(Manner::Through);
        // What waits for the next connection wakes up, and ends.
        let _ = UnixStream::connect(&self.socket);
        for stream in self.shared.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl RelayState {
    fn manner(&self) -> MutexGuard<'_, Manner> {
        self.manner.lock().unwrap()
    }

    /// Both directions of a connection. It ends at once without an engine.
    fn carry(self: &Arc<Self>, ours: UnixStream) {
        let Ok(theirs) = UnixStream::connect(&self.engine) else {
            return;
        };
        let twin = |stream: &UnixStream| stream.try_clone().expect("a second handle");
        self.open
            .lock()
            .unwrap()
            .extend([twin(&ours), twin(&theirs)]);
        // Something was asked since the last answer.
        let asked = Arc::new(AtomicBool::new(false));
        let (there, back) = ((twin(&ours), twin(&theirs)), (theirs, ours));
        let (one, other) = (Arc::clone(self), Arc::clone(self));
        let asking = Arc::clone(&asked);
        thread::spawn(move || one.copy(there, |_| asking.store(true, Ordering::SeqCst)));
        thread::spawn(move || {
            other.copy(back, |shared| {
                shared.hold_up(asked.swap(false, Ordering::SeqCst));
            });
        });
    }

    fn copy(&self, (mut from, mut to): (UnixStream, UnixStream), before: impl Fn(&Self)) {
        let mut piece = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = from.read(&mut piece) {
            before(self);
            if to.write_all(&piece[..length]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Write);
    }

    fn hold_up(&self, is_answer: bool) {
        let mut manner = self.manner();
        while *manner == Manner::Silent {
            manner = self.changed.wait(manner).unwrap();
        }
        if let Manner::Slow(time) = *manner
            && is_answer
        {
            drop(manner);
            // This simulates a slow engine. It isn't a wait of the test.
            thread::sleep(time);
        }
    }
}
