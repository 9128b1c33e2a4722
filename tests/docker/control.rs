//! The control connection: reports windows, takes commands, leaves nothing behind.

use std::process::{Command as Process, Stdio};

use workbay::{
    engine::api::{Attached, Input, Output, Streams as _},
    model::{
        id::{KernelId, SessionId},
        inside,
    },
    terminal::control::{Command, ControlEvent, Listing, Reader, Target},
};

use crate::{
    clusters::{attach_in, cluster},
    support::{Bench, containers, host_spec, record, until, within},
};

/// A control connection as the TUI has one.
struct Control {
    attached: Attached,
    reader: Reader,
    events: Vec<ControlEvent>,
}

impl Control {
    async fn open(bench: &Bench, session: SessionId) -> Self {
        Self::open_in(bench, session, None).await
    }

    async fn open_in(bench: &Bench, session: SessionId, kernel: Option<KernelId>) -> Self {
        let mut opened = Self {
            attached: bench.engine.control(session, kernel).await.unwrap(),
            reader: Reader::default(),
            events: Vec::new(),
        };
        // What is asked before may be refused, as the client is none yet (tmux 3.3a); the TUI asks again.
        while opened.next().await != ControlEvent::Attached {}
        opened
    }

    async fn next(&mut self) -> ControlEvent {
        while self.events.is_empty() {
            match within(self.attached.output.recv()).await {
                Some(Output::Stdout(bytes)) => {
                    self.reader.feed(&bytes, |one| self.events.push(one));
                }
                other => panic!("the line ended with {other:?}"),
            }
        }
        self.events.remove(0)
    }

    async fn ask(&mut self, command: &Command) -> Result<Vec<u8>, String> {
        let line = Input::Bytes(command.line().into());
        self.attached.input.send(line).await.unwrap();
        loop {
            if let ControlEvent::Answer(answer) = self.next().await {
                return answer;
            }
        }
    }

    /// Waits until a change of the screen is reported.
    async fn screen(&mut self) -> ControlEvent {
        loop {
            let event = self.next().await;
            if matches!(event, ControlEvent::Screen(_)) {
                return event;
            }
        }
    }

    async fn listing(&mut self) -> Listing {
        Listing::read(&self.ask(&Command::list()).await.unwrap())
    }
}

async fn clients(bench: &Bench, session: SessionId) -> String {
    bench
        .sh(session, "tmux list-clients -F '#{client_flags}'")
        .await
}

async fn until_no_control_line(bench: &Bench, session: SessionId) {
    until(async || {
        let left = clients(bench, session).await;
        (!left.contains("control-mode")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn it_is_notified_of_all_new_windows() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    let mut control = Control::open(&bench, session).await;
    let own = inside::pane_session("one");
    assert_eq!(
        control.listing().await.seen_by(&own).unwrap().windows.len(),
        1
    );

    pane.type_text("\u{2}c").await;
    while control.next().await != ControlEvent::Changed {}
    let listing = control.listing().await;
    let group = listing.seen_by(&own).unwrap();
    assert_eq!(group.active().unwrap().index, 2);

    let target = Target::session(&own);
    let name = "학습 '; kill-server #(touch /home/work/ran) \\ \"$HOME\" %1";
    control
        .ask(&Command::rename_window(&target, 2, name))
        .await
        .unwrap();
    let listing = control.listing().await;
    let renamed = listing.seen_by(&own).unwrap().active().unwrap();
    assert_eq!(renamed.name, *name);
    assert!(!bench.home(session).join("ran").exists(), "a name was run");

    let refused = control.ask(&Command::select_window(&target, 7)).await;
    assert!(refused.unwrap_err().contains('7'));
    control
        .ask(&Command::close_window(&target, 2))
        .await
        .unwrap();
    let listing = control.listing().await;
    assert_eq!(listing.seen_by(&own).unwrap().windows.len(), 1);
}

#[tokio::test]
async fn scrolling_and_searching_are_seen_and_the_history_is_whole() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 40, 12).await;
    pane.wait_for("work@bench").await;
    pane.type_text("seq 1000 1200; printf '%060d한글\\n' 7; echo do''ne\r")
        .await;
    pane.wait_for("done").await;
    let mut control = Control::open(&bench, session).await;
    let own = inside::pane_session("one");
    let target = Target::session(&own);
    control.ask(&Command::watch()).await.unwrap();
    control.ask(&Command::copy_keys(true)).await.unwrap();
    control.ask(&Command::copy_mode(&target)).await.unwrap();
    control
        .ask(&Command::search(&target, "1017"))
        .await
        .unwrap();
    let listing = control.listing().await;
    let window = listing.seen_by(&own).unwrap().active().unwrap();
    let at = window.copy_mode.expect("copy mode");
    // What was typed takes two lines, 1000 is on the third.
    assert_eq!(at.line, 20, "{at:?}");
    assert!(at.vi && at.lines > 200, "{at:?}");

    let history = control.ask(&Command::history(&target)).await.unwrap();
    let history = String::from_utf8(history).unwrap();
    let long = format!("{:060}한글", 7);
    assert!(history.lines().any(|line| line == long), "{history}");
    assert!(history.lines().any(|line| line == "1000"), "{history}");
}

#[tokio::test]
async fn a_dropped_connection_leaves_no_client_behind() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut control = Control::open(&bench, session).await;
    control.listing().await;
    assert!(clients(&bench, session).await.contains("control-mode"));
    drop(control);
    until_no_control_line(&bench, session).await;
}

#[tokio::test]
async fn the_connection_of_a_killed_daemon_ends_on_its_own() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut keeper = bench.terminal(session, "one", 80, 24).await;
    keeper.wait_for("work@bench").await;
    // The engine's own client takes the role of the daemon: killed, it doesn't close anything.
    let entry = record(session)["Config"]["Entrypoint"].clone();
    let words: Vec<&str> = entry
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .take_while(|word| *word != "runner")
        .collect();
    let mut holder = Process::new("docker")
        .args(["exec", "-i", &containers(session)[0]])
        .args(words)
        .args(["runner", "control"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    until(async || {
        let there = clients(&bench, session).await;
        there.contains("control-mode").then_some(())
    })
    .await;
    holder.kill().unwrap();
    holder.wait().unwrap();
    until_no_control_line(&bench, session).await;
}

#[tokio::test]
async fn lines_of_a_dead_daemon_can_be_detached() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut control = Control::open(&bench, session).await;
    control.listing().await;
    bench.engine.detach_all(session).await.unwrap();
    until_no_control_line(&bench, session).await;
}

#[tokio::test]
async fn each_container_of_a_cluster_has_a_connection_to_its_own_tmux() {
    let bench = Bench::new();
    let plan = cluster(host_spec(), 1);
    bench.launch(&plan).await;
    let sub = Some(plan.subs[0]);
    let mut pane = attach_in(&bench, plan.session, "there", sub).await;
    pane.wait_for("work@").await;
    let mut control = Control::open_in(&bench, plan.session, sub).await;
    let target = Target::session(&inside::pane_session("there"));
    control.ask(&Command::new_window(&target)).await.unwrap();
    let listing = control.listing().await;
    let group = listing.seen_by(&inside::pane_session("there")).unwrap();
    assert_eq!(group.windows.len(), 2);
    // The main container's tmux knows nothing of it.
    let mut main = Control::open(&bench, plan.session).await;
    let listing = main.listing().await;
    assert!(listing.seen_by(&inside::pane_session("there")).is_none());
}

#[tokio::test]
async fn a_screen_is_reported_when_it_changes_and_is_read_with_its_colors() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut control = Control::open(&bench, session).await;
    control.ask(&Command::watch_screen(true)).await.unwrap();
    let ControlEvent::Screen(size) = control.screen().await else {
        panic!("no screen");
    };
    // A session that nobody has looked at has the size of its first shell, and keeps it.
    assert_eq!((size.columns, size.rows), (80, 24));
    let printing = "tmux send-keys -t main 'printf \"\\033[3%dmred\\n\" 1' Enter";
    bench.sh(session, printing).await;
    let main = Target::session(inside::TMUX_SESSION);
    loop {
        control.screen().await;
        let screen = control.ask(&Command::screen(&main)).await.unwrap();
        if String::from_utf8_lossy(&screen).contains("\x1b[31mred") {
            break;
        }
    }
    control.ask(&Command::watch_screen(false)).await.unwrap();
    let flags = clients(&bench, session).await;
    assert!(flags.contains("ignore-size"), "{flags}");
}
