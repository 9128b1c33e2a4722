//! Runs your own commands in the background, and reports how each ended.

use std::{collections::VecDeque, process::Stdio, sync::Arc};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader},
    process::Command,
    sync::{Semaphore, mpsc},
};

use super::effects::remark;
use crate::{
    app::msg::Msg,
    model::{notice::Level, text::Clean},
};

/// How many commands run at once. Others wait.
const AT_ONCE: usize = 8;
/// The last lines of output that the notification has, and the longest line.
const LINES: usize = 3;
const LINE: u64 = 400;

/// The commands that run in the background. They end with the TUI.
#[derive(Debug)]
pub struct BackgroundCommands {
    places: Arc<Semaphore>,
    answers: mpsc::Sender<Msg>,
}

impl BackgroundCommands {
    pub fn new(answers: mpsc::Sender<Msg>) -> Self {
        Self {
            places: Arc::new(Semaphore::new(AT_ONCE)),
            answers,
        }
    }

    /// Starts a command. `session` is the name of the session that it is about.
    pub fn start(&self, command: Clean, session: Option<Clean>, argv: Vec<String>) {
        let (places, answers) = (Arc::clone(&self.places), self.answers.clone());
        tokio::spawn(async move {
            let Ok(_place) = places.acquire().await else {
                return;
            };
            let (level, end) = run(&argv).await;
            let what = match session {
                Some(session) => tr!("{command} on {session}", command, session),
                None => command.to_string(),
            };
            let _ = answers.send(remark(level, &format!("{what} {end}"))).await;
        });
    }
}

/// Runs a program. Returns how it ended, with its last lines.
async fn run(argv: &[String]) -> (Level, String) {
    let Some((program, arguments)) = argv.split_first() else {
        return (Level::Error, tr!("has no program").to_owned());
    };
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return (Level::Error, tr!("didn't start: {error}", error)),
    };
    let (lines_in, mut lines) = mpsc::channel(16);
    if let Some(output) = child.stdout.take() {
        tokio::spawn(read(output, lines_in.clone()));
    }
    if let Some(output) = child.stderr.take() {
        tokio::spawn(read(output, lines_in));
    }
    let mut last = VecDeque::new();
    // A program that it left in the background may keep the pipes open, so its own end counts.
    let ended = {
        let wait = child.wait();
        tokio::pin!(wait);
        loop {
            tokio::select! {
                ended = &mut wait => break ended,
                Some(line) = lines.recv() => keep(&mut last, line),
            }
        }
    };
    while let Ok(Some(line)) = tokio::time::timeout(DRAIN, lines.recv()).await {
        keep(&mut last, line);
    }
    let (level, how) = match ended {
        Ok(status) if status.success() => (Level::Success, tr!("ended (exit code 0)").to_owned()),
        Ok(status) => match status.code() {
            Some(code) => (Level::Error, tr!("failed (exit code {code})", code)),
            None => (Level::Error, tr!("was stopped ({status})", status)),
        },
        Err(error) => (Level::Error, tr!("was lost: {error}", error)),
    };
    let lines: Vec<String> = last.into();
    let text = if lines.is_empty() {
        how
    } else {
        format!("{how}\n{}", lines.join("\n"))
    };
    (level, text)
}

/// How long output is awaited after the program has ended.
const DRAIN: std::time::Duration = std::time::Duration::from_millis(200);

fn keep(last: &mut VecDeque<String>, line: String) {
    if last.len() == LINES {
        last.pop_front();
    }
    last.push_back(line);
}

/// Sends each line that has text, cut to its first bytes.
async fn read(output: impl AsyncRead + Unpin, lines: mpsc::Sender<String>) {
    let mut reader = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        match (&mut reader).take(LINE).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = Clean::new(String::from_utf8_lossy(&line).trim_end()).into_string();
        if !text.is_empty() && lines.send(text).await.is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    #[tokio::test]
    async fn the_end_has_the_exit_code_and_the_last_lines() {
        let (level, text) = run(&shell("for n in 1 2 3 4 5; do echo line $n; done")).await;
        assert_eq!(level, Level::Success);
        assert_eq!(text, "ended (exit code 0)\nline 3\nline 4\nline 5");
        let (level, text) = run(&shell("printf 'no\\033[31m space' >&2; exit 4")).await;
        assert_eq!(level, Level::Error);
        assert!(
            text.starts_with("failed (exit code 4)\nno") && !text.contains('\u{1b}'),
            "{text}"
        );
        let (_, text) = run(&shell("kill -9 $$")).await;
        assert!(text.starts_with("was stopped"), "{text}");
        let (_, text) = run(&["/no/such/program".to_owned()]).await;
        assert!(text.starts_with("didn't start"), "{text}");
        // What it leaves running doesn't hold back its end.
        let (_, text) = run(&shell("sleep 60 & echo left")).await;
        assert_eq!(text, "ended (exit code 0)\nleft");
    }
}
