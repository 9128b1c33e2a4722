//! Commands through a session's sshd, and how they are lost.

use bytes::Bytes;
use proptest::prelude::*;
use tokio::sync::mpsc;
use workbay::{
    engine::{
        api::{Attached, ExecCommand, Input, Output, Streams as _},
        backendai::BackendAiEngine,
    },
    model::{
        failure::{Failure, FailureKind},
        text::Clean,
    },
};

use super::{
    manager::{Answer, RequestTopic, SESSION, StreamManager, no_such},
    sshd::{self, Sshd, SshdEvent, USUAL},
    tcpproxy::{Ended, Fault, TcpProxy},
    typed,
};

pub fn command(argv: &[&str]) -> ExecCommand {
    ExecCommand {
        argv: argv.iter().map(ToString::to_string).collect(),
        tty: None,
        kernel: None,
    }
}

/// A manager with a session that has an sshd and its key.
pub async fn lab() -> StreamManager {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    manager.answer(RequestTopic::Key, [Answer::Text(sshd::key("id_container"))]);
    manager
}

/// A running command, and its far side.
pub struct Started {
    pub attached: Attached,
    pub proxy: TcpProxy,
    pub events: mpsc::UnboundedReceiver<SshdEvent>,
}

async fn start(
    manager: &mut StreamManager,
    engine: &BackendAiEngine,
    command: ExecCommand,
) -> Started {
    start_at(manager, engine, command, USUAL).await
}

/// The same with an sshd of another kind.
pub async fn start_at(
    manager: &mut StreamManager,
    engine: &BackendAiEngine,
    command: ExecCommand,
    sshd: Sshd,
) -> Started {
    let serve = async {
        let (bytes, proxy) = manager.port().await;
        (proxy, sshd.serve(bytes))
    };
    let (attached, (proxy, events)) = tokio::join!(engine.exec(SESSION, command), serve);
    Started {
        attached: attached.unwrap(),
        proxy,
        events,
    }
}

/// Why a command is not begun by this sshd.
async fn refused(manager: &mut StreamManager, engine: &BackendAiEngine, sshd: Sshd) -> Failure {
    refused_at(manager, engine, command(&["true"]), sshd).await
}

pub async fn refused_at(
    manager: &mut StreamManager,
    engine: &BackendAiEngine,
    command: ExecCommand,
    sshd: Sshd,
) -> Failure {
    let mut asked = std::pin::pin!(engine.exec(SESSION, command));
    loop {
        tokio::select! {
            answer = &mut asked => return answer.map(|_| ()).unwrap_err(),
            (bytes, _line) = manager.port() => drop(sshd.serve(bytes)),
        }
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Ran {
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub code: Option<i64>,
}

pub async fn finish(attached: &mut Attached) -> Ran {
    let mut ran = Ran::default();
    loop {
        match attached.output.recv().await.expect("an end is reported") {
            Output::Stdout(bytes) => ran.stdout.extend_from_slice(&bytes),
            Output::Stderr(bytes) => ran.stderr.extend_from_slice(&bytes),
            Output::End { exit_code } => {
                ran.code = exit_code;
                return ran;
            }
            Output::Lost { why } => panic!("{why}"),
        }
    }
}

/// The sentence of a loss.
pub async fn lost(attached: &mut Attached) -> String {
    loop {
        match attached.output.recv().await.expect("an end is reported") {
            Output::Lost { why } => return why.to_string(),
            Output::End { exit_code } => panic!("it ended with {exit_code:?}"),
            _ => {}
        }
    }
}

async fn run(argv: &[&str]) -> Ran {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut started = start(&mut manager, &engine, command(argv)).await;
    finish(&mut started.attached).await
}

#[tokio::test]
async fn a_command_has_its_output_its_errors_and_its_end() {
    let ran = run(&["sh", "-c", "printf 한글; echo oh >&2; exit 7"]).await;
    assert_eq!(ran.stdout, "한글".as_bytes());
    assert_eq!(ran.stderr, b"oh\n");
    assert_eq!(ran.code, Some(7));
    assert_eq!(run(&["sh", "-c", "kill -9 $$"]).await.code, Some(137));
    assert_eq!(run(&["sh", "-c", "kill -15 $$"]).await.code, Some(143));
    assert_eq!(run(&["/no/such/program"]).await.code, Some(127));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn its_words_arrive_as_they_are(words in prop::collection::vec("[^\0]{0,9}|['\"\\\\$`!* \n]{1,5}", 1..5)) {
        let mut argv = vec!["printf", "%s\\0"];
        argv.extend(words.iter().map(String::as_str));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let ran = runtime.block_on(run(&argv));
        let printed = String::from_utf8(ran.stdout).unwrap();
        let mut came: Vec<&str> = printed.split('\0').collect();
        came.pop();
        prop_assert_eq!(came, words);
    }
}

#[tokio::test]
async fn words_no_program_can_be_given_are_refused_before_anything_is_asked() {
    let manager = lab().await;
    for argv in [&[][..], &["a\0b"]] {
        let refused = manager.engine().exec(SESSION, command(argv)).await;
        let why = refused.map(|_| ()).unwrap_err().to_string();
        assert!(why.contains("invalid command"), "{why}");
    }
    assert!(manager.asked(RequestTopic::Standing).is_empty());
}

#[tokio::test]
async fn input_has_an_end_and_much_goes_both_ways() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let started = start(&mut manager, &engine, command(&["cat"])).await;
    let Attached { mut output, input } = started.attached;
    let piece: Vec<u8> = (0..40_000_u32).map(|byte| byte as u8).collect();
    let sent: Vec<u8> = std::iter::repeat_n(piece.clone(), 200).flatten().collect();
    let feeding = tokio::spawn(async move {
        for _ in 0..200 {
            let bytes = Input::Bytes(Bytes::from(piece.clone()));
            input.send(bytes).await.unwrap();
        }
        input.send(Input::Eof).await.unwrap();
        input
    });
    let mut came = Vec::new();
    loop {
        match output.recv().await.unwrap() {
            Output::Stdout(bytes) => {
                assert!(bytes.len() <= 16 * 1024);
                came.extend_from_slice(&bytes);
            }
            Output::End { exit_code } => break assert_eq!(exit_code, Some(0)),
            other => panic!("{other:?}"),
        }
    }
    assert!(came == sent, "{} of {} bytes", came.len(), sent.len());
    feeding.await.unwrap();
}

#[tokio::test]
async fn a_reader_that_waits_holds_the_program_back_and_nobody_else() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let flood = ["sh", "-c", "while printf %65536d 1; do printf . >&2; done"];
    let mut flooding = start(&mut manager, &engine, command(&flood)).await;
    // Nobody reads it; another command of the same session is not held up, nor is its input.
    for _ in 0..3 {
        let mut other = start(&mut manager, &engine, command(&["cat"])).await;
        other.attached.input.send(typed("here")).await.unwrap();
        other.attached.input.send(Input::Eof).await.unwrap();
        assert_eq!(finish(&mut other.attached).await.stdout, b"here");
    }
    // It continues as it is read.
    let mut came = 0;
    while came < 16 * 1024 * 1024 {
        if let Output::Stdout(bytes) = flooding.attached.output.recv().await.unwrap() {
            came += bytes.len();
        }
    }
}

#[tokio::test]
async fn a_terminal_has_a_size_and_no_end_of_its_input() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let on_a_terminal = ExecCommand {
        tty: Some((100, 30)),
        ..command(&["head", "-n1"])
    };
    let mut started = start(&mut manager, &engine, on_a_terminal).await;
    assert_eq!(
        started.events.recv().await,
        Some(SshdEvent::Terminal(100, 30))
    );
    let input = &started.attached.input;
    let size = Input::Resize {
        columns: 0,
        rows: 40,
    };
    input.send(Input::Eof).await.unwrap();
    input.send(size).await.unwrap();
    assert_eq!(started.events.recv().await, Some(SshdEvent::Size(1, 40)));
    input.send(typed("on\n")).await.unwrap();
    assert_eq!(finish(&mut started.attached).await.stdout, b"on\n");
}

#[tokio::test]
async fn dropped_it_is_hung_up_and_its_connection_goes() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut started = start(&mut manager, &engine, command(&["sleep", "1000"])).await;
    drop(started.attached);
    assert_eq!(started.events.recv().await, Some(SshdEvent::HungUp));
    assert_eq!(started.events.recv().await, Some(SshdEvent::Closed));
    assert_eq!(started.proxy.ended().await, Ended::Farewell(Some(1000)));
}

#[tokio::test]
async fn after_its_end_nothing_keeps_the_session_from_being_idle() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut one = start(&mut manager, &engine, command(&["true"])).await;
    let mut other = start(&mut manager, &engine, command(&["cat"])).await;
    assert_eq!(finish(&mut one.attached).await.code, Some(0));
    // A task that still has the end of a stream has no connection.
    assert_eq!(one.proxy.ended().await, Ended::Farewell(Some(1000)));
    other.attached.input.send(Input::Eof).await.unwrap();
    assert_eq!(finish(&mut other.attached).await.code, Some(0));
    assert_eq!(other.proxy.ended().await, Ended::Farewell(Some(1000)));
    assert_eq!(
        manager.asked(RequestTopic::Key).len(),
        1,
        "the key is read once"
    );
}

#[tokio::test]
async fn a_connection_that_is_cut_or_closed_is_a_loss() {
    for (fault, wanted) in [
        (Fault::Cut, "the connection to the manager broke"),
        (
            Fault::Close(1011),
            "the manager closed the connection to the session",
        ),
        (
            Fault::Close(1000),
            "the connection to the SSH server of the session was closed",
        ),
    ] {
        let mut manager = lab().await;
        let engine = manager.engine();
        let mut started = start(&mut manager, &engine, command(&["cat"])).await;
        started.attached.input.send(typed("hello")).await.unwrap();
        let hello = Output::Stdout(Bytes::from_static(b"hello"));
        assert_eq!(started.attached.output.recv().await, Some(hello));
        started.proxy.fault(fault);
        let why = lost(&mut started.attached).await;
        assert!(why.starts_with(wanted), "{fault:?}: {why}");
    }
}

#[tokio::test]
async fn another_host_key_is_another_server() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut started = start(&mut manager, &engine, command(&["true"])).await;
    finish(&mut started.attached).await;
    let strange = Sshd {
        host: "stranger",
        ..USUAL
    };
    let error = refused(&mut manager, &engine, strange).await;
    let failure = error;
    assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
    let why = failure.to_string();
    let hint = failure.hint.map(Clean::into_string);
    assert!(
        why.contains("has another key than before (SHA256:"),
        "{why}"
    );
    assert!(hint.unwrap().contains("workbay daemon stop"));
    // The one that is known is still let in.
    let mut started = start(&mut manager, &engine, command(&["true"])).await;
    assert_eq!(finish(&mut started.attached).await.code, Some(0));
}

#[tokio::test]
async fn a_key_that_does_not_open_is_read_again_once() {
    let mut manager = lab().await;
    let old = Answer::Text(sshd::key("stranger"));
    let new = Answer::Text(sshd::key("id_container"));
    manager.answer(RequestTopic::Key, [old.clone(), new]);
    let engine = manager.engine();
    let error = refused(&mut manager, &engine, USUAL).await.to_string();
    assert!(
        error.contains("doesn't accept the session's own key"),
        "{error}"
    );
    // It was not kept.
    let mut started = start(&mut manager, &engine, command(&["true"])).await;
    assert_eq!(finish(&mut started.attached).await.code, Some(0));
    // One that was kept is read again before its refusal is reported.
    manager.answer(RequestTopic::Key, [Answer::Text(sshd::key("host"))]);
    let changed = Sshd {
        takes: "host",
        host: "host",
        ..USUAL
    };
    let serve = async {
        for _ in 0..2 {
            let (bytes, _line) = manager.port().await;
            changed.serve(bytes);
        }
        std::future::pending::<()>().await;
    };
    tokio::select! {
        attached = engine.exec(SESSION, command(&["true"])) => {
            assert_eq!(finish(&mut attached.unwrap()).await.code, Some(0));
        }
        () = serve => {}
    }
}

#[tokio::test]
async fn a_session_without_key_or_sshd_is_reported_with_a_fix() {
    let mut manager = lab().await;
    manager.answer(RequestTopic::Key, [no_such("No such file.")]);
    let engine = manager.engine();
    let error = refused(&mut manager, &engine, USUAL).await;
    let failure = error;
    assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
    let why = failure.to_string();
    let hint = failure.hint.map(Clean::into_string);
    assert!(why.contains("id_container) can't be read"), "{why}");
    assert!(hint.unwrap().contains("Open a terminal instead"));

    let manager = lab().await;
    manager.answer(RequestTopic::Tcpproxy, [no_such("No such app service.")]);
    let apps = r#"[{"name":"ttyd","protocol":"http","ports":[7681]}]"#;
    manager.answer(RequestTopic::Apps, [super::manager::json(apps)]);
    let error = manager.engine().exec(SESSION, command(&["true"])).await;
    let failure = error.map(|_| ()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
    let why = failure.to_string();
    let hint = failure.hint.map(Clean::into_string);
    assert_eq!(why, "the session has no service 'sshd'. Available: ttyd");
    assert!(hint.unwrap().contains("workbay shell"));
}

#[tokio::test]
async fn an_sshd_that_runs_nothing_or_is_none_is_reported() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let idle = Sshd {
        runs: false,
        ..USUAL
    };
    let error = refused(&mut manager, &engine, idle).await.to_string();
    assert_eq!(error, "the SSH server of the session refuses the command");

    let mut manager = lab().await;
    let engine = manager.engine();
    let argv = command(&["true"]);
    let mut asked = std::pin::pin!(engine.exec(SESSION, argv));
    let error = tokio::select! {
        answer = &mut asked => answer.map(|_| ()).unwrap_err().to_string(),
        () = async {
            let (bytes, _line) = manager.port().await;
            sshd::babble(bytes).await;
            std::future::pending::<()>().await;
        } => unreachable!(),
    };
    assert!(error.contains("sent an unexpected answer"), "{error}");
}

#[tokio::test]
async fn the_key_is_in_nothing_that_is_said() {
    let mut manager = lab().await;
    let broken = sshd::key("id_container").replace("b3BlbnNzaC1rZXk", "broken0broken0b");
    manager.answer(RequestTopic::Key, [Answer::Text(broken)]);
    let engine = manager.engine();
    let error = refused(&mut manager, &engine, USUAL).await;
    let said = format!("{error} {error:?} {engine:?}");
    assert!(said.contains("has an unsupported type"), "{said}");
    assert!(!said.contains("broken0"), "{said}");
    let asked = manager.asked(RequestTopic::Key).remove(0);
    assert!(asked.target.ends_with("/download_single?file=id_container"));
}
