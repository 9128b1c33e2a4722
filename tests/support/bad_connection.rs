//! A bad connection to a registry: it passes as much as the test allows, and breaks when the test says so.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// The most that is passed on at once.
const PIECE: usize = 16 * 1024;

pub struct BadConnection {
    gate: Arc<Gate>,
    pub port: u16,
}

struct Gate {
    state: Mutex<ConnectionState>,
    moved: Condvar,
}

struct ConnectionState {
    /// Bytes that may pass towards the engine; `None` = all.
    left: Option<usize>,
    /// New connections are refused.
    shut: bool,
    over: bool,
    waiting: usize,
    /// Both ends of every open connection, by its number.
    connections: Vec<(u64, TcpStream, TcpStream)>,
    next: u64,
}

impl BadConnection {
    /// A connection on which everything passes.
    pub fn to(port: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let gate = Arc::new(Gate {
            state: Mutex::new(ConnectionState {
                left: None,
                shut: false,
                over: false,
                waiting: 0,
                connections: Vec::new(),
                next: 0,
            }),
            moved: Condvar::new(),
        });
        let connection = Self {
            port: listener.local_addr().expect("an address").port(),
            gate: Arc::clone(&gate),
        };
        thread::spawn(move || {
            for stream in listener.incoming() {
                if gate.state().over {
                    return;
                }
                if let Ok(stream) = stream {
                    gate.take(stream, port);
                }
            }
        });
        connection
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Lets no more than this many bytes pass from now on.
    pub fn let_pass(&self, bytes: usize) {
        self.change(|state| state.left = Some(bytes));
    }

    pub fn open(&self) {
        self.change(|state| {
            state.left = None;
            state.shut = false;
        });
    }

    /// Every connection breaks, and new ones are refused until it is opened.
    pub fn shut(&self) {
        self.change(|state| state.shut = true);
        self.cut();
    }

    /// Every connection breaks; new ones may be opened.
    pub fn cut(&self) {
        let connections = std::mem::take(&mut self.gate.state().connections);
        for (_, one, other) in connections {
            let _ = one.shutdown(Shutdown::Both);
            let _ = other.shutdown(Shutdown::Both);
        }
        self.gate.moved.notify_all();
    }

    /// The number of connections on which something waits to pass. Engines keep idle ones for later.
    pub fn waiting(&self) -> usize {
        self.gate.state().waiting
    }

    fn change(&self, change: impl FnOnce(&mut ConnectionState)) {
        change(&mut self.gate.state());
        self.gate.moved.notify_all();
    }
}

impl Drop for BadConnection {
    fn drop(&mut self) {
        self.change(|state| state.over = true);
        self.cut();
        // The thread that waits for the next one is woken.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, ConnectionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(self: &Arc<Self>, engine: TcpStream, port: u16) {
        if self.state().shut {
            return;
        }
        let Ok(registry) = TcpStream::connect(("127.0.0.1", port)) else {
            return;
        };
        let copy = |stream: &TcpStream| stream.try_clone().expect("a second handle");
        let number = {
            let mut state = self.state();
            state.next += 1;
            let number = state.next;
            state
                .connections
                .push((number, copy(&engine), copy(&registry)));
            number
        };
        let (up, down) = (Arc::clone(self), Arc::clone(self));
        let (from, to) = (copy(&engine), copy(&registry));
        thread::spawn(move || up.pump(from, to, number, false));
        thread::spawn(move || down.pump(registry, engine, number, true));
    }

    fn pump(&self, mut from: TcpStream, mut to: TcpStream, number: u64, slowed: bool) {
        let mut piece = vec![0; PIECE];
        while let Ok(length) = from.read(&mut piece) {
            let goes = length > 0 && (!slowed || self.wait(length, number));
            if !goes || to.write_all(&piece[..length]).is_err() {
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
        self.state()
            .connections
            .retain(|(known, ..)| *known != number);
        self.moved.notify_all();
    }

    /// Waits until this much may pass; `false` = the connection is closed.
    fn wait(&self, length: usize, number: u64) -> bool {
        let mut state = self.state();
        state.waiting += 1;
        let passes = loop {
            if !state.connections.iter().any(|(known, ..)| *known == number) {
                break false;
            }
            match &mut state.left {
                None => break true,
                Some(left) if *left >= length => {
                    *left -= length;
                    break true;
                }
                Some(_) => {}
            }
            state = self
                .moved
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        };
        state.waiting -= 1;
        passes
    }
}
