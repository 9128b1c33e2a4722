//! Commands in a session, and the control connection of its tmux, through its sshd.

use workbay::{
    engine::api::{Attached, ExecCommand, Input, Output},
    model::id::SessionId,
};

use crate::{
    pane::Pane,
    support::{Bench, read_until, small, within},
};

/// What a command has printed, and how it ended.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ran {
    stdout: String,
    stderr: String,
    code: Option<i64>,
}

async fn start(bench: &Bench, session: SessionId, argv: &[&str]) -> Attached {
    let argv = argv.iter().map(ToString::to_string).collect();
    let command = ExecCommand {
        argv,
        tty: None,
        kernel: None,
    };
    within(bench.engine.exec(session, command)).await.unwrap()
}

async fn finish(mut running: Attached) -> Ran {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let code = loop {
        match within(running.output.recv())
            .await
            .expect("an end is reported")
        {
            Output::Stdout(bytes) => stdout.extend_from_slice(&bytes),
            Output::Stderr(bytes) => stderr.extend_from_slice(&bytes),
            Output::End { exit_code } => break exit_code,
            Output::Lost { why } => panic!("{why}"),
        }
    };
    Ran {
        stdout: String::from_utf8(stdout).unwrap(),
        stderr: String::from_utf8(stderr).unwrap(),
        code,
    }
}

async fn run(bench: &Bench, session: SessionId, argv: &[&str]) -> Ran {
    finish(start(bench, session, argv).await).await
}

#[tokio::test]
async fn commands_run_with_their_words_their_input_and_their_end() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let id = ours.id();

    let ran = run(
        &bench,
        id,
        &["printf", "%s|", "한글 $HOME", "it's", "a\\b", "", "*"],
    )
    .await;
    assert_eq!(ran.stdout, "한글 $HOME|it's|a\\b||*|");
    assert_eq!(ran.code, Some(0));

    let ran = run(
        &bench,
        id,
        &["sh", "-c", "pwd; whoami; echo oh >&2; exit 7"],
    )
    .await;
    assert_eq!(ran.stdout, "/home/work\nwork\n");
    assert_eq!(ran.stderr, "oh\n");
    assert_eq!(ran.code, Some(7));

    let ran = run(&bench, id, &["sh", "-c", "kill -9 $$"]).await;
    assert_eq!(ran.code, Some(137));
    let ran = run(&bench, id, &["no-such-program"]).await;
    assert_eq!(ran.code, Some(127));

    // Its input has an end, and more comes back than any window has room for.
    let counting = start(
        &bench,
        id,
        &["sh", "-c", "wc -c; head -c 8000000 /dev/zero"],
    )
    .await;
    let zeroes = vec![0_u8; 64 * 1024];
    for _ in 0..64 {
        let piece = Input::Bytes(zeroes.clone().into());
        within(counting.input.send(piece)).await.unwrap();
    }
    counting.input.send(Input::Eof).await.unwrap();
    let ran = finish(counting).await;
    let (count, rest) = ran.stdout.split_once('\n').unwrap();
    assert_eq!(count, (64 * 64 * 1024).to_string());
    assert_eq!(rest.len(), 8_000_000);
    assert_eq!(ran.code, Some(0));

    // One that nobody listens to any more ends.
    let forgotten = start(&bench, id, &["sleep", "98765"]).await;
    drop(forgotten);
    let gone = "until ! pgrep -f 'sleep 9876[5]'; do sleep 0.1; done";
    assert_eq!(run(&bench, id, &["sh", "-c", gone]).await.code, Some(0));
    let open = "until [ $(grep -c ':0898 [0-9A-F:]* 01 ' /proc/net/tcp) = 1 ]; do sleep 0.1; done";
    assert_eq!(
        run(&bench, id, &["sh", "-c", open]).await.code,
        Some(0),
        "no connection but this one is left"
    );
}

#[tokio::test]
async fn a_command_on_a_terminal_knows_its_size() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let command = ExecCommand {
        argv: ["sh", "-c", "stty size; read go; stty size; tty"]
            .map(str::to_owned)
            .to_vec(),
        tty: Some((100, 30)),
        kernel: None,
    };
    let mut running = within(bench.engine.exec(ours.id(), command)).await.unwrap();
    let mut said = String::new();
    read_until(&mut running, &mut said, |said| said.contains("30 100")).await;
    let size = Input::Resize {
        columns: 120,
        rows: 40,
    };
    running.input.send(size).await.unwrap();
    let go = Input::Bytes(b"\r"[..].into());
    running.input.send(go).await.unwrap();
    read_until(&mut running, &mut said, |said| {
        said.contains("40 120") && said.contains("/dev/pts/")
    })
    .await;
}

#[tokio::test]
async fn the_control_connection_makes_windows_that_a_terminal_shows() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let mut pane = Pane::open(&bench, ours.id(), "pane-a").await;
    let mut control = within(bench.engine.control(ours.id(), None)).await.unwrap();
    let mut said = String::new();
    read_until(&mut control, &mut said, |said| {
        said.contains("%session-changed")
    })
    .await;
    let say = |words: &str| {
        let line = Input::Bytes(format!("{words}\n").into_bytes().into());
        control.input.send(line)
    };
    say("new-window -n 둘째").await.unwrap();
    say("send-keys 'echo from-$((20+1))' Enter").await.unwrap();
    pane.wait_for_line("from-21").await;
    say("rename-window 'second one'").await.unwrap();
    say("list-windows -F '#{window_index} #{window_name} #{window_active}'")
        .await
        .unwrap();
    say("copy-mode").await.unwrap();
    say("display-message -p 'mode #{pane_in_mode}'")
        .await
        .unwrap();
    say("send-keys -X cancel").await.unwrap();
    say("select-window -t :0").await.unwrap();
    say("capture-pane -p -t :1").await.unwrap();
    read_until(&mut control, &mut said, |said| {
        said.contains("\n1 second one 1") && said.contains("\nmode 1") && said.contains("\nfrom-21")
    })
    .await;
    assert!(said.contains("%window-add"), "{said}");
    assert!(!said.contains("%output"), "{said}");
    // Its own size is nobody's.
    pane.type_("echo wide-$(stty size | cut -d' ' -f2)\r").await;
    pane.wait_for_line("wide-80").await;
    drop(control);
    let clients = "until [ $(/opt/kernel/tmux list-clients | wc -l) = 1 ]; do sleep 0.1; done";
    assert_eq!(
        run(&bench, ours.id(), &["sh", "-c", clients]).await.code,
        Some(0)
    );
}
