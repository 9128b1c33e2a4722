//! The keys that quit `workbay top`: Ctrl-C, or `q` on a terminal.

use std::io::{self, IsTerminal, Read};

use signal_hook::consts::{SIGHUP, SIGTERM};
use tokio::sync::mpsc;

use crate::{
    cli::fail::Fail,
    terminal::{fatal, raw::Raw},
};

/// Until this is dropped, the terminal doesn't echo what the user types.
pub struct Quit {
    _quiet: Option<Raw>,
    keys: Option<mpsc::Receiver<u8>>,
}

impl Quit {
    pub fn listen(on_terminal: bool) -> Result<Self, Fail> {
        if !on_terminal || !io::stdin().is_terminal() {
            return Ok(Self {
                _quiet: None,
                keys: None,
            });
        }
        let ending = [fatal::UNEXPECTED, &[SIGTERM, SIGHUP]].concat();
        Ok(Self {
            _quiet: Some(Raw::quiet(&ending)?),
            keys: Some(read()),
        })
    }

    /// Returns the exit code when it is time to quit.
    pub async fn pressed(&mut self) -> u8 {
        let keys = self.keys.as_mut();
        let quit = async {
            let Some(keys) = keys else {
                return std::future::pending().await;
            };
            while let Some(key) = keys.recv().await {
                if key == b'q' {
                    return;
                }
            }
            // The terminal is gone. A signal then ends the process.
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = quit => 0,
            _ = tokio::signal::ctrl_c() => 0,
        }
    }
}

/// Reading blocks, so it has its own thread, which ends with the process.
fn read() -> mpsc::Receiver<u8> {
    let (pressed, keys) = mpsc::channel(16);
    std::thread::spawn(move || {
        let mut byte = [0];
        while let Ok(1) = io::stdin().lock().read(&mut byte) {
            if pressed.blocking_send(byte[0]).is_err() {
                return;
            }
        }
    });
    keys
}
