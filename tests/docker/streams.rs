//! Commands beside a session, and its log while it runs.

use bytes::Bytes;
use futures_util::StreamExt as _;
use workbay::{
    engine::api::{Containers as _, ExecCommand, HelperTask, Input, Output, Streams as _},
    model::{failure::FailureKind, id::SessionId, log::LogOptions},
};

use crate::support::{Bench, busybox_image, drain, image_spec, plan, until, within};

fn command(argv: &[&str], tty: Option<(u16, u16)>) -> ExecCommand {
    ExecCommand {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        tty,
        kernel: None,
    }
}

#[tokio::test]
async fn output_errors_and_exit_codes_come_through() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let asked = command(&["sh", "-c", "pwd; echo bad >&2; exit 7"], None);
    let attached = bench.engine.exec(session, asked).await.unwrap();
    let (out, err, end) = drain(attached).await;
    assert_eq!((out.as_str(), err.as_str()), ("/home/work\n", "bad\n"));
    assert_eq!(end, Output::End { exit_code: Some(7) });
    let (said, code) = bench.run(session, &["no-such-program"]).await;
    assert_eq!(code, Some(127));
    assert!(
        said.contains("program 'no-such-program' not found"),
        "{said}"
    );
}

#[tokio::test]
async fn what_is_typed_is_read_to_its_end() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let attached = bench
        .engine
        .exec(session, command(&["cat"], None))
        .await
        .unwrap();
    attached
        .input
        .send(Input::Bytes(Bytes::from_static(b"one ")))
        .await
        .unwrap();
    attached
        .input
        .send(Input::Bytes(Bytes::from_static("둘".as_bytes())))
        .await
        .unwrap();
    attached.input.send(Input::Eof).await.unwrap();
    let (out, _, end) = drain(attached).await;
    assert_eq!(
        (out.as_str(), end),
        ("one 둘", Output::End { exit_code: Some(0) })
    );
}

#[tokio::test]
async fn a_terminal_has_its_size_and_follows() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let line =
        "stty size; while test \"$(stty size)\" != '30 99'; do sleep 0.05; done; echo followed";
    let mut attached = bench
        .engine
        .exec(session, command(&["sh", "-c", line], Some((77, 22))))
        .await
        .unwrap();
    let resize = Input::Resize {
        columns: 99,
        rows: 30,
    };
    let mut seen = Vec::new();
    loop {
        match within(attached.output.recv()).await.unwrap() {
            Output::Stdout(bytes) => seen.extend_from_slice(&bytes),
            end => {
                assert_eq!(end, Output::End { exit_code: Some(0) });
                break;
            }
        }
        if seen.ends_with(b"22 77\r\n") {
            attached.input.send(resize.clone()).await.unwrap();
        }
    }
    assert_eq!(String::from_utf8(seen).unwrap(), "22 77\r\nfollowed\r\n");
}

#[tokio::test]
async fn bytes_that_look_like_the_engines_frames_are_just_bytes() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let line = r"printf '\001\000\000\000\377\377\377\377after'";
    let attached = bench
        .engine
        .exec(session, command(&["sh", "-c", line], Some((80, 24))))
        .await
        .unwrap();
    let (out, _, end) = drain(attached).await;
    assert!(out.ends_with("after"), "{out:?}");
    assert_eq!(end, Output::End { exit_code: Some(0) });
}

#[tokio::test]
async fn a_dropped_command_is_ended() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    for tty in [None, Some((80, 24))] {
        let asked = command(&["sleep", "987654"], tty);
        let attached = bench.engine.exec(session, asked).await.unwrap();
        let count = async || {
            let line = "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c '^sleep 987[6]54\\|sleep 987[6]54 ' || true";
            bench.sh(session, line).await
        };
        until(async || (count().await == "1").then_some(())).await;
        drop(attached);
        until(async || (count().await == "0").then_some(())).await;
    }
}

#[tokio::test]
async fn a_reader_that_sleeps_holds_the_writer_back() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let line = "yes | head -c 30000000 > /dev/stdout; echo done > /home/work/done";
    let mut attached = bench
        .engine
        .exec(session, command(&["sh", "-c", line], None))
        .await
        .unwrap();
    let first = within(attached.output.recv()).await;
    assert!(matches!(first, Some(Output::Stdout(_))));
    // Other streams of the same session are not held up meanwhile.
    assert_eq!(bench.sh(session, "echo quick").await, "quick");
    assert!(
        !bench.home(session).join("done").exists(),
        "30 MB went nowhere"
    );
    let (out, _, end) = drain(attached).await;
    assert!(out.len() > 29_000_000, "{}", out.len());
    assert_eq!(end, Output::End { exit_code: Some(0) });
}

#[tokio::test]
async fn a_session_that_does_not_run_says_so() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench.engine.stop(session, 0).await.unwrap();
    until(async || {
        let error = bench
            .engine
            .exec(session, command(&["true"], None))
            .await
            .err()?;
        let said = error.to_string();
        (error.kind == FailureKind::Refused && said.contains("isn't running")).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_log_is_followed_and_its_end_comes_with_the_session() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let options = LogOptions {
        follow: true,
        tail: None,
        kernel: None,
        timestamps: false,
        before: None,
    };
    let mut log = bench.engine.logs(session, options).await.unwrap();
    let mut text = String::new();
    while !text.contains("workbay: ready") {
        let chunk = within(log.next()).await.unwrap().unwrap();
        text.push_str(&String::from_utf8_lossy(&chunk.bytes));
    }
    bench.engine.stop(session, 10).await.unwrap();
    while let Some(chunk) = within(log.next()).await {
        text.push_str(&String::from_utf8_lossy(&chunk.unwrap().bytes));
    }
    assert!(text.contains("SIGTERM received"), "{text}");
}

#[tokio::test]
async fn a_followed_log_shows_the_newest_line_only_when_asked() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    until(async || {
        let options = LogOptions {
            follow: false,
            tail: Some(1),
            kernel: None,
            timestamps: false,
            before: None,
        };
        let log = bench.engine.logs(session, options).await.unwrap();
        let chunks: Vec<_> = log.map(|chunk| chunk.unwrap().bytes).collect().await;
        (chunks.concat() == b"workbay: ready\n").then_some(())
    })
    .await;
}

/// Starts SFTP, greets it, and returns the processes of the session while it is open.
async fn processes_with_sftp(bench: &Bench, session: SessionId) -> String {
    let mut sftp = bench
        .engine
        .helper(session, HelperTask::Sftp)
        .await
        .unwrap();
    let greeting = Bytes::from_static(&[0, 0, 0, 5, 1, 0, 0, 0, 3]);
    sftp.input.send(Input::Bytes(greeting)).await.unwrap();
    let Some(Output::Stdout(answer)) = within(sftp.output.recv()).await else {
        panic!("no answer");
    };
    assert_eq!(answer[4..9], [2, 0, 0, 0, 3], "{answer:?}");
    let list = "cat /proc/[0-9]*/cmdline | tr '\\000' ' '";
    let processes = bench.sh(session, list).await;
    sftp.input.send(Input::Eof).await.unwrap();
    let end = within(sftp.output.recv()).await;
    assert_eq!(end, Some(Output::End { exit_code: Some(0) }));
    processes
}

#[tokio::test]
async fn sftp_passes_the_engine_only_without_the_shared_directory() {
    let bench = Bench::new();
    let plan = plan("sftp", image_spec(busybox_image()));
    bench.launch(&plan).await;
    let socket = bench.home(plan.session).with_file_name("run/connect.sock");
    until(async || socket.exists().then_some(())).await;
    let processes = processes_with_sftp(&bench, plan.session).await;
    assert!(processes.contains("runner main"), "{processes}");
    assert!(!processes.contains("runner sftp"), "{processes}");
    std::fs::remove_file(&socket).unwrap();
    let processes = processes_with_sftp(&bench, plan.session).await;
    assert!(processes.contains("runner sftp"), "{processes}");
}
