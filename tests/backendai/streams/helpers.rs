//! Helpers in a session: tar through its sshd.

use bytes::Bytes;
use workbay::engine::{
    api::{HelperTask, Input, Output, Streams as _},
    backendai::BackendAiEngine,
};

use super::{
    commands::lab,
    manager::{SESSION, StreamManager},
    sshd::USUAL,
};

/// Runs a helper with this input; its output, and its exit code.
async fn run(
    manager: &mut StreamManager,
    engine: &BackendAiEngine,
    task: HelperTask,
    input: Vec<u8>,
) -> (Vec<u8>, Option<i64>) {
    let serve = async {
        let (bytes, line) = manager.port().await;
        (line, USUAL.serve(bytes))
    };
    let (attached, _far) = tokio::join!(engine.helper(SESSION, task), serve);
    let mut attached = attached.unwrap();
    attached
        .input
        .send(Input::Bytes(Bytes::from(input)))
        .await
        .unwrap();
    attached.input.send(Input::Eof).await.unwrap();
    let mut printed = Vec::new();
    loop {
        match attached.output.recv().await.expect("an end is reported") {
            Output::Stdout(bytes) | Output::Stderr(bytes) => printed.extend_from_slice(&bytes),
            Output::End { exit_code } => return (printed, exit_code),
            Output::Lost { why } => panic!("{why}"),
        }
    }
}

#[tokio::test]
async fn files_are_packed_and_unpacked() {
    let mut manager = lab().await;
    let engine = manager.engine();
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name).display().to_string();
    std::fs::write(path("-one it's"), "content").unwrap();
    let task = HelperTask::Pack {
        path: path("-one it's"),
    };
    let (packed, code) = run(&mut manager, &engine, task, Vec::new()).await;
    assert_eq!(code, Some(0));
    let task = HelperTask::Unpack { path: path("two") };
    let (said, code) = run(&mut manager, &engine, task, packed).await;
    assert_eq!(code, Some(0), "{}", String::from_utf8_lossy(&said));
    assert_eq!(std::fs::read_to_string(path("two")).unwrap(), "content");
    let task = HelperTask::Pack { path: path("none") };
    let (said, code) = run(&mut manager, &engine, task, Vec::new()).await;
    assert_eq!(code, Some(1));
    assert!(String::from_utf8_lossy(&said).starts_with("workbay: /"));
}

#[tokio::test]
async fn a_path_with_a_nul_byte_is_refused() {
    let manager = lab().await;
    let path = "a\0b".to_owned();
    let error = manager
        .engine()
        .helper(SESSION, HelperTask::Pack { path })
        .await;
    assert!(error.map(drop).unwrap_err().to_string().contains("NUL"));
    // The key in the home directory is the one of the session's sshd.
    assert!(manager.engine().has_own_key_file());
}
