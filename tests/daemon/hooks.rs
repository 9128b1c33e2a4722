//! A user's own command, which the daemon runs for notifications.

use std::path::PathBuf;

use serde_json::Value;
use workbay::model::{
    notice::EVENTS,
    settings::{HookSettings, Settings},
    span::Span,
};

use super::batch::batch;
use crate::support::{TestDaemon, eventually, test_daemon::settings};

/// `script` is a shell's, with a directory of the test as `$1`.
fn hooked(script: &str, events: &[&str], timeout: u64) -> (Settings, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().display().to_string();
    let words = ["/bin/sh", "-c", script, "hook", &place];
    let hooks = HookSettings {
        command: words.map(str::to_owned).to_vec(),
        events: events.iter().map(|&it| it.to_owned()).collect(),
        timeout: Span(timeout),
    };
    let settings = Settings {
        hooks,
        ..settings()
    };
    (settings, dir)
}

fn lines(file: &PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_hook_gets_the_notice_and_its_session() {
    let script =
        r#"printf '%s %s %s\n' "$WORKBAY_EVENT" "$WORKBAY_SESSION" "$(cat)" >> "$1/reported""#;
    let (settings, dir) = hooked(script, &["batch-ended", "failed"], 10);
    let daemon = TestDaemon::with(settings).await;
    let client = daemon.client().await;
    let id = client.launch(batch("fails", "exit 3")).await.unwrap().id;
    let file = dir.path().join("reported");
    eventually("the hook has run", || lines(&file).len() == 1).await;
    let line = lines(&file).remove(0);
    let [event, session, words] = *line.splitn(3, ' ').collect::<Vec<_>>() else {
        panic!("{line}");
    };
    assert_eq!((event, session), ("batch-ended", id.to_string().as_str()));
    let notice: Value = serde_json::from_str(words).unwrap();
    assert_eq!(
        (&notice["event"], &notice["exit_code"]),
        (&event.into(), &3.into())
    );
    assert_eq!(notice["level"], "error");
}

#[tokio::test]
async fn four_run_at_once_and_the_rest_wait_their_turn() {
    // Each reports that it runs, and ends when the gate exists.
    let script = r#"echo x >> "$1/begun"; until [ -e "$1/gate" ]; do sleep 0.02; done
                    echo x >> "$1/ended""#;
    let (settings, dir) = hooked(script, &["launched"], 60);
    let daemon = TestDaemon::with(settings).await;
    let client = daemon.client().await;
    for number in 0..7 {
        let name = format!("many-{number}");
        client.launch(batch(&name, "make")).await.unwrap();
    }
    let (begun, ended) = (dir.path().join("begun"), dir.path().join("ended"));
    eventually("four have begun", || lines(&begun).len() == 4).await;
    assert_eq!(lines(&begun).len(), 4);
    std::fs::write(dir.path().join("gate"), "").unwrap();
    eventually("all have ended", || lines(&ended).len() == 7).await;
}

#[tokio::test]
async fn a_hook_that_hangs_is_ended_with_all_it_started_and_reported_once() {
    let script = r#"trap '' TERM; sleep 600 & echo $! >> "$1/children"; wait; sleep 600"#;
    let (settings, dir) = hooked(script, &EVENTS, 1);
    let daemon = TestDaemon::with(settings).await;
    let mut client = daemon.client().await;
    client.launch(batch("works", "exit 0")).await.unwrap();
    client.until_notified("didn't end within 1 second").await;
    let children = lines(&dir.path().join("children"));
    assert!(!children.is_empty());
    for child in children {
        let there = PathBuf::from(format!("/proc/{child}/exe"));
        eventually("what it started is gone", || !there.exists()).await;
    }
    client.launch(batch("again", "exit 0")).await.unwrap();
    eventually("they failed again", || {
        lines(&dir.path().join("children")).len() > 3
    })
    .await;
    let notices = client.received.iter().filter(|change| {
        let text = format!("{change:?}");
        text.contains("the hook for")
    });
    assert_eq!(notices.count(), 1);
}

#[tokio::test]
async fn a_program_that_is_not_there_is_reported() {
    let mut settings = settings();
    settings.hooks = HookSettings {
        command: vec!["/nowhere/at/all".to_owned()],
        events: vec!["running".to_owned()],
        timeout: Span(10),
    };
    let daemon = TestDaemon::with(settings).await;
    let mut client = daemon.client().await;
    client.run("hookless").await;
    client.until_notified("/nowhere/at/all can't be run").await;
}
