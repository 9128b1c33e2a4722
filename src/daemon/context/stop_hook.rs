//! Runs a stop hook: first its command, then the copies of its files, within one time limit.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use crate::{
    engine::api::{Attached, Containers, ExecCommand, Output},
    model::{history::Outcome, id::SessionId, text::Clean},
    scheduler::{fact::StopHookEnd, order::StopHookPlan},
};

/// The number of characters that are kept of its last output.
const WORDS: usize = 300;
/// The number of output bytes that are kept for them.
const HELD: usize = 4 * 1024;

/// `$1` is the destination, and the other arguments are the files to save. Sparse files stay sparse if the
/// session's `cp` supports that. Missing files and errors are reported at the end, after the other files were
/// saved.
const SAVE: &str = r#"place=$1; shift; mkdir -p -- "$place" || exit 1
sparse=; cp --help 2>&1 | grep -q -e --sparse && sparse=--sparse=always
failed=
for one; do
  if [ ! -e "$one" ] && [ ! -L "$one" ]; then failed="$failed '$one' (not found)"
  elif ! cp -a $sparse -- "$one" "$place"/; then failed="$failed '$one' (not copied completely)"
  fi
done
[ -z "$failed" ] || { echo "saved to $place, but not$failed" >&2; exit 1; }"#;

pub(in crate::daemon) async fn carry_out(
    engine: &Arc<dyn Containers>,
    session: SessionId,
    what: &StopHookPlan,
) -> StopHookEnd {
    let limit = Duration::from_secs(what.stop_hook.timeout.seconds());
    // Dropping the future at the timeout also ends its programs.
    let outcome = timeout(limit, in_order(engine, session, what)).await;
    let (outcome, words) = match outcome {
        Ok(Ok(words)) => (Outcome::Success, words),
        Ok(Err(why)) => (Outcome::Failure, why),
        Err(_) => {
            let text = format!("it didn't end within {}", what.stop_hook.timeout.in_words());
            (Outcome::Expired, text)
        }
    };
    StopHookEnd {
        outcome,
        words: Clean::new(&last(&words)),
    }
}

pub(in crate::daemon) fn failed(words: Clean) -> StopHookEnd {
    let outcome = Outcome::Failure;
    StopHookEnd { outcome, words }
}

/// Runs the command first, because it may create the files to save.
async fn in_order(
    engine: &Arc<dyn Containers>,
    session: SessionId,
    what: &StopHookPlan,
) -> Result<String, String> {
    let mut results = Vec::new();
    if let Some(command) = &what.stop_hook.command {
        let words = run(engine, session, &["sh", "-c", command]).await?;
        results.extend(Some(words).filter(|words| !words.is_empty()));
    }
    if what.stop_hook.save.is_empty() {
        return Ok(results.join("; "));
    }
    results.push(match &what.place {
        Some(place) => {
            let words = ["sh", "-c", SAVE, "stop-hook", place.as_str()];
            let paths = what.stop_hook.save.iter().map(String::as_str);
            let words: Vec<&str> = words.into_iter().chain(paths).collect();
            run(engine, session, &words).await?;
            format!("saved to {place}")
        }
        None => {
            let saved = engine.save(session, &what.stop_hook.save, &what.file).await;
            let file = saved.map_err(|error| error.to_string())?;
            format!("saved to {}", file.display())
        }
    });
    Ok(results.join("; "))
}

/// Returns the last output, or an error if the program failed.
async fn run(
    engine: &Arc<dyn Containers>,
    session: SessionId,
    words: &[&str],
) -> Result<String, String> {
    let command = ExecCommand {
        argv: words.iter().map(|&word| word.to_owned()).collect(),
        tty: None,
        kernel: None,
    };
    let attached = engine.exec(session, command).await;
    let Attached { mut output, input } = attached.map_err(|error| error.to_string())?;
    // The program has no input: it reads an end of file.
    drop(input);
    let mut said = Vec::new();
    let ended = loop {
        match output.recv().await {
            Some(Output::Stdout(bytes) | Output::Stderr(bytes)) => {
                said.extend_from_slice(&bytes);
                let surplus = said.len().saturating_sub(HELD);
                said.drain(..surplus);
            }
            Some(Output::End { exit_code }) => break exit_code,
            Some(Output::Lost { why }) => return Err(why.into_string()),
            None => break None,
        }
    };
    let said = String::from_utf8_lossy(&said).trim().to_owned();
    match ended {
        Some(0) => Ok(said),
        Some(code) if said.is_empty() => Err(format!("it ended with exit code {code}")),
        Some(code) => Err(format!("exit code {code}: {}", last(&said))),
        None => Err("the session ended before it finished".to_owned()),
    }
}

/// The end of the output, joined to one line of text.
fn last(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let count = line.chars().count();
    line.chars().skip(count.saturating_sub(WORDS)).collect()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::MetadataExt as _, process::Command};

    use super::*;

    #[test]
    fn inside_a_session_what_exists_is_saved_sparse_and_the_rest_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let sparse = fs::File::create(dir.path().join("sparse")).unwrap();
        sparse.set_len(1 << 30).unwrap();
        fs::write(dir.path().join("-odd"), "x").unwrap();
        let mut command = Command::new("sh");
        command.current_dir(dir.path());
        command.args(["-c", SAVE, "stop-hook", "place"]);
        let output = command
            .args(["nowhere", "sparse", "-odd"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(said.trim(), "saved to place, but not 'nowhere' (not found)");
        let copy = fs::metadata(dir.path().join("place/sparse")).unwrap();
        assert_eq!((copy.len(), copy.blocks()), (1 << 30, 0));
        assert!(dir.path().join("place/-odd").exists());
        let mut command = Command::new("sh");
        command.current_dir(dir.path());
        command.args(["-c", SAVE, "stop-hook", "place", "sparse"]);
        assert!(command.status().unwrap().success());
    }
}
