//! Runs a stop hook: first its command, then the copies of its files, within one time limit.

use std::{sync::Arc, time::Duration};

use tokio::time::timeout;

use crate::{
    engine::api::{Attached, Containers, ExecCommand, Output},
    model::{history::Outcome, id::SessionId, resources::Bytes, text::Clean},
    scheduler::{fact::StopHookEnd, order::StopHookPlan},
};

/// The number of characters that are kept of its last output.
const WORDS: usize = 300;
/// The number of output bytes that are kept for them.
const HELD: usize = 4 * 1024;

/// `$1` is the destination, `$2` how many KiB the quota of its folder leaves (empty = any), and the other arguments are the
/// files to save. Sparse files stay sparse if the session's `cp` supports that. Missing files and errors are reported at the
/// end, after the other files were saved. An image without `du` can't keep to the quota.
const SAVE: &str = r#"place=$1; room=$2; shift 2; mkdir -p -- "$place" || exit 1
sparse=; cp --help 2>&1 | grep -q -e --sparse && sparse=--sparse=always
failed=
saved=
fits() {
  [ -n "$room" ] || return 0
  size=$(du -sk -- "$1" 2>/dev/null)
  size=${size%%[!0-9]*}
  [ -n "$size" ] || return 0
  [ "$size" -le "$room" ] || return 1
  room=$((room - size))
}
for one; do
  if [ ! -e "$one" ] && [ ! -L "$one" ]; then failed="$failed '$one' (not found)"
  elif ! fits "$one"; then failed="$failed '$one' ($size KiB: the quota of the folder leaves $room KiB)"
  elif ! cp -a $sparse -- "$one" "$place"/; then failed="$failed '$one' (not copied completely)"
  else saved=1
  fi
done
[ -n "$failed" ] || exit 0
if [ -n "$saved" ]; then echo "saved to $place, but not$failed" >&2
else echo "nothing was saved:$failed" >&2
fi
exit 1"#;

pub(in crate::daemon) async fn carry_out(
    engine: &Arc<dyn Containers>,
    session: SessionId,
    what: &StopHookPlan,
) -> StopHookEnd {
    let limit = Duration::from_secs(what.stop_hook.timeout.seconds());
    // Dropping the future at the timeout also ends its programs.
    let outcome = timeout(limit, in_order(engine, session, what)).await;
    let (outcome, words) = match outcome {
        Ok(parts) => total_outcome(&parts),
        Err(_) => {
            let text = tr_sent!(
                "it didn't end within {limit}",
                limit = what.stop_hook.timeout.in_words()
            );
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

/// What the command did, or what became of the files; `Err` if it failed.
type Part = Result<String, String>;

/// The result of the hook: a failure if a part failed, and what each part did.
fn total_outcome(parts: &[Part]) -> (Outcome, String) {
    let outcome = if parts.iter().all(Result::is_ok) {
        Outcome::Success
    } else {
        Outcome::Failure
    };
    let words = parts.iter().map(|part| match part {
        Ok(words) | Err(words) => words.as_str(),
    });
    let words: Vec<&str> = words.filter(|words| !words.is_empty()).collect();
    (outcome, words.join("; "))
}

/// Runs the command first, because it may create the files to save. They are saved even if it fails.
async fn in_order(
    engine: &Arc<dyn Containers>,
    session: SessionId,
    what: &StopHookPlan,
) -> Vec<Part> {
    let mut parts = Vec::new();
    if let Some(command) = &what.stop_hook.command {
        match run(engine, session, &["sh", "-c", command]).await {
            Ok(ended) => parts.push(of_command(ended)),
            // Without the session there is nothing to save.
            Err(why) => return vec![Err(why)],
        }
    }
    if !what.stop_hook.save.is_empty() {
        parts.push(save(engine, session, what).await);
    }
    parts
}

async fn save(engine: &Arc<dyn Containers>, session: SessionId, what: &StopHookPlan) -> Part {
    let paths = &what.stop_hook.save;
    let Some(place) = &what.place else {
        let saved = engine.save(session, paths, &what.file).await;
        let file = saved.map_err(|error| error.to_string())?;
        return Ok(tr_sent!("saved to {file}", file = file.display()));
    };
    let room = match &what.stop_hook.folder {
        Some(folder) => engine.room(folder).await,
        None => None,
    };
    let room = room.map_or_else(String::new, |left| (left.0 / Bytes::KIB).to_string());
    let words = ["sh", "-c", SAVE, "stop-hook", place.as_str(), &room];
    let words: Vec<&str> = words
        .into_iter()
        .chain(paths.iter().map(String::as_str))
        .collect();
    let ended = run(engine, session, &words).await?;
    match ended.code {
        0 => Ok(tr_sent!("saved to {place}", place)),
        _ if !ended.said.is_empty() => Err(last(&ended.said)),
        code => Err(tr_sent!(
            "saving to {place} ended with exit code {code}",
            place,
            code
        )),
    }
}

/// How a program ended, and its last output.
struct Ended {
    code: i64,
    said: String,
}

fn of_command(ended: Ended) -> Part {
    match ended.code {
        0 => Ok(ended.said),
        code if ended.said.is_empty() => {
            Err(tr_sent!("its command ended with exit code {code}", code))
        }
        code => {
            let said = last(&ended.said);
            Err(tr_sent!(
                "its command ended with exit code {code}: {said}",
                code,
                said
            ))
        }
    }
}

/// Returns the end of the program, or why the end isn't known.
async fn run(
    engine: &Arc<dyn Containers>,
    session: SessionId,
    words: &[&str],
) -> Result<Ended, String> {
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
        Some(code) => Ok(Ended { code, said }),
        None => Err(tr_sent!("the session ended before it finished").to_owned()),
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
        command.args(["-c", SAVE, "stop-hook", "place", ""]);
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
        command.args(["-c", SAVE, "stop-hook", "place", "", "sparse"]);
        assert!(command.status().unwrap().success());
        let mut command = Command::new("sh");
        command.current_dir(dir.path());
        command.args(["-c", SAVE, "stop-hook", "place", "", "nowhere"]);
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert_eq!(said.trim(), "nothing was saved: 'nowhere' (not found)");
    }

    #[test]
    fn what_the_quota_leaves_no_room_for_is_named_and_the_rest_is_saved() {
        let dir = tempfile::tempdir().unwrap();
        let file = |name: &str, kib: usize| {
            fs::write(dir.path().join(name), vec![1; kib << 10]).unwrap();
        };
        file("large", 600);
        file("small", 40);
        file("-more", 40);
        let mut command = Command::new("sh");
        command.current_dir(dir.path());
        command.args(["-c", SAVE, "stop-hook", "place", "100"]);
        let output = command.args(["large", "small", "-more"]).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.starts_with("saved to place, but not 'large' ("),
            "{said}"
        );
        assert!(said.contains("leaves 100 KiB)"), "{said}");
        let saved = |name: &str| dir.path().join("place").join(name).exists();
        assert!(!saved("large") && saved("small") && saved("-more"));
    }

    #[test]
    fn the_command_and_the_files_are_reported_separately() {
        let ended = |code, said: &str| Ended {
            code,
            said: said.to_owned(),
        };
        let saved = || Ok("saved to /home/work/kept".to_owned());
        let nothing = || Err("nothing was saved: 'nofile' (not found)".to_owned());
        for (command, files, outcome, words) in [
            (
                ended(0, "done"),
                saved(),
                Outcome::Success,
                "done; saved to /home/work/kept",
            ),
            (
                ended(0, ""),
                saved(),
                Outcome::Success,
                "saved to /home/work/kept",
            ),
            (
                ended(3, ""),
                nothing(),
                Outcome::Failure,
                "its command ended with exit code 3; nothing was saved: 'nofile' (not found)",
            ),
            (
                ended(3, "no network"),
                saved(),
                Outcome::Failure,
                "its command ended with exit code 3: no network; saved to /home/work/kept",
            ),
        ] {
            let found = total_outcome(&[of_command(command), files]);
            assert_eq!(found, (outcome, words.to_owned()));
        }
    }
}
