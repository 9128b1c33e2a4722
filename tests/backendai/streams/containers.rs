//! Other containers of a cluster session: the manager leads to the main one, its sshd on to the others.

use workbay::{
    engine::api::{AttachRequest, ExecCommand, Input, Output, Streams as _},
    model::{failure::FailureKind, id::KernelId, shell_start::ShellStart},
};

use super::{
    commands::{command, finish, lab, lost, refused_at, start_at},
    manager::{KERNEL, RequestTopic, SESSION, SUB, containers},
    request,
    sshd::{self, MAIN, Sshd, SshdEvent, USUAL},
    tcpproxy::{Ended, Fault},
    typed,
};

fn kernel(id: &str) -> KernelId {
    id.parse().unwrap()
}

fn there(argv: &[&str]) -> ExecCommand {
    ExecCommand {
        kernel: Some(kernel(SUB)),
        ..command(argv)
    }
}

#[tokio::test]
async fn a_command_runs_in_another_container() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let script = there(&["sh", "-c", "cat; echo oh >&2; exit 7"]);
    let mut started = start_at(&mut manager, &engine, script, MAIN).await;
    let input = &started.attached.input;
    input.send(typed("hello")).await.unwrap();
    input.send(Input::Eof).await.unwrap();
    let ran = finish(&mut started.attached).await;
    assert_eq!(
        (&ran.stdout[..], &ran.stderr[..]),
        (&b"hello"[..], &b"oh\n"[..])
    );
    assert_eq!(ran.code, Some(7));
    // Nothing keeps the session from being idle.
    assert_eq!(started.proxy.ended().await, Ended::Farewell(Some(1000)));
    // The main container, when named, is reached directly.
    let main = ExecCommand {
        kernel: Some(kernel(KERNEL)),
        ..command(&["true"])
    };
    let mut started = start_at(&mut manager, &engine, main, USUAL).await;
    assert_eq!(finish(&mut started.attached).await.code, Some(0));
}

#[tokio::test]
async fn much_goes_both_ways_through_two_connections() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut started = start_at(&mut manager, &engine, there(&["cat"]), MAIN).await;
    let piece = vec![b'x'; 64 * 1024];
    let input = started.attached.input.clone();
    let feeding = tokio::spawn(async move {
        for _ in 0..64 {
            input
                .send(Input::Bytes(piece.clone().into()))
                .await
                .unwrap();
        }
        input.send(Input::Eof).await.unwrap();
    });
    let ran = finish(&mut started.attached).await;
    assert_eq!((ran.stdout.len(), ran.code), (64 * 64 * 1024, Some(0)));
    feeding.await.unwrap();
}

#[tokio::test]
async fn dropped_it_is_hung_up_and_both_connections_go() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut started = start_at(&mut manager, &engine, there(&["sleep", "1000"]), MAIN).await;
    drop(started.attached);
    loop {
        // The command that read the key has closed before.
        match started.events.recv().await {
            Some(SshdEvent::HungUp) => break,
            Some(_) => {}
            None => panic!("it was not hung up"),
        }
    }
    assert_eq!(started.proxy.ended().await, Ended::Farewell(Some(1000)));
}

#[tokio::test]
async fn a_connection_that_is_cut_is_a_loss_there_too() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let mut started = start_at(&mut manager, &engine, there(&["cat"]), MAIN).await;
    started.attached.input.send(typed("hello")).await.unwrap();
    let hello = started.attached.output.recv().await;
    assert!(matches!(hello, Some(Output::Stdout(_))), "{hello:?}");
    started.proxy.fault(Fault::Cut);
    let why = lost(&mut started.attached).await;
    assert!(
        why.starts_with("the connection to the manager broke"),
        "{why}"
    );
}

#[tokio::test]
async fn a_terminal_there_has_a_size_and_frees_its_place() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let request = AttachRequest {
        start: ShellStart {
            kernel: Some(kernel(SUB)),
            ..ShellStart::default()
        },
        ..request("pane")
    };
    let serve = async {
        let (bytes, proxy) = manager.port().await;
        (proxy, MAIN.serve(bytes))
    };
    let (attached, (proxy, mut events)) = tokio::join!(engine.attach(SESSION, request), serve);
    let mut attached = attached.unwrap();
    // The command that read the key has no terminal.
    let size = loop {
        if let SshdEvent::Terminal(columns, rows) = events.recv().await.expect("it is asked for") {
            break (columns, rows);
        }
    };
    assert_eq!(size, (100, 30));
    // As with those of the main container: one that takes its place, or a daemon that restarts, ends it.
    engine.detach_all(SESSION).await.unwrap();
    loop {
        match attached.output.recv().await.expect("an end is reported") {
            Output::Stdout(_) | Output::Stderr(_) => {}
            end => break assert_eq!(end, Output::End { exit_code: None }),
        }
    }
    assert_eq!(proxy.ended().await, Ended::Farewell(Some(1000)));
}

/// It takes another key than that of the session.
static OTHER: Sshd = Sshd {
    takes: "host",
    ..sshd::SUB
};

#[tokio::test]
async fn what_leads_nowhere_says_so() {
    let mut manager = lab().await;
    let engine = manager.engine();
    // The main container's sshd lets nothing through.
    let error = refused_at(&mut manager, &engine, there(&["true"]), USUAL).await;
    assert_eq!(
        error.to_string(),
        "the SSH server of the session refuses the connection to sub1:2200"
    );
    let closed = Sshd {
        sub: Some(&OTHER),
        ..MAIN
    };
    let error = refused_at(&mut manager, &engine, there(&["true"]), closed).await;
    assert_eq!(
        error.to_string(),
        "the SSH server of sub1 doesn't accept the key of its session"
    );
    let unknown = ExecCommand {
        kernel: Some(KernelId::random()),
        ..command(&["true"])
    };
    let error = engine.exec(SESSION, unknown).await.map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the session doesn't have this container");
    // A name that comes from outside leads nowhere else.
    for host in ["", "a b", "sub1;x", "[::1]"] {
        manager.answer(RequestTopic::Containers, [containers(host)]);
        let error = engine.exec(SESSION, there(&["true"])).await.map(|_| ());
        assert!(
            error
                .as_ref()
                .is_err_and(|error| error.kind == FailureKind::Refused),
            "{host:?}"
        );
    }
}
