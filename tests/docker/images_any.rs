//! Images as people have them: a shell comes up in each, or a sentence says why not.

use std::process::Command;

use workbay::{
    engine::api::{Containers as _, Output, Streams as _},
    model::{failure::FailureKind, inside, shell_start::ShellStart, text::Clean},
};

use crate::support::{
    Bench, Terminal, busybox, docker, file, image_session, image_spec, import, import_as, link,
    plan, until, within,
};

/// A shell in which things work.
async fn works(pane: &mut Terminal) {
    pane.wait_for("$").await;
    pane.type_text("echo sum-$((6*7))-$(id -u)\r").await;
    pane.wait_for("sum-42-1000").await;
}

fn built() -> tar::Builder<Vec<u8>> {
    let mut tar = tar::Builder::new(Vec::new());
    busybox(&mut tar);
    tar
}

#[tokio::test]
async fn one_static_file_runs_and_a_shell_is_brought_along() {
    let name = "workbay-test/one-file:1";
    let mut tar = tar::Builder::new(Vec::new());
    let program = std::fs::read("/bin/busybox").expect("apt-get install busybox-static");
    file(&mut tar, "busybox", 0o755, &program);
    import(name, tar);

    let bench = Bench::new();
    let session = image_session(&bench, name).await;
    let (said, code) = bench.run(session, &["/busybox", "echo", "it runs"]).await;
    assert_eq!((said.as_str(), code), ("it runs\n", Some(0)));
    let mut pane = bench.terminal(session, "one", 100, 30).await;
    let none = Output::End {
        exit_code: Some(inside::NO_SHELL.into()),
    };
    assert_eq!(within(pane.end()).await, none);
    let said = pane.text();
    assert!(said.contains("this environment has no shell"), "{said}");
    assert!(said.contains("workbay shell --toolbox"), "{said}");

    let request = workbay::engine::api::AttachRequest {
        tag: "two".to_owned(),
        columns: 100,
        rows: 30,
        start: ShellStart {
            toolbox: true,
            ..ShellStart::default()
        },
    };
    let attached = bench.engine.attach(session, request).await.unwrap();
    works(&mut Terminal::new(attached, 100, 30)).await;
}

/// The settings of an image (command, user, volumes) are for containers that run it unchanged.
#[tokio::test]
async fn what_an_image_would_run_automatically_is_not_run_and_its_user_is_not_asked() {
    let name = "workbay-test/own-ways:1";
    let lines = [
        "USER app",
        "ENTRYPOINT [\"/bin/touch\", \"/tmp/entered\"]",
        "CMD [\"/bin/false\"]",
        "HEALTHCHECK --interval=1s CMD [\"/bin/touch\", \"/tmp/looked\"]",
        "WORKDIR /srv/none",
        "VOLUME /home/work",
    ];
    import_as(name, &lines, built());
    let bench = Bench::new();
    let session = image_session(&bench, name).await;
    let mut pane = bench.terminal(session, "one", 100, 30).await;
    works(&mut pane).await;
    pane.type_text("pwd; echo $(ls /tmp)-end\r").await;
    pane.wait_for("/home/work\n").await;
    pane.wait_until("nothing else ran", |pane| {
        let text = pane.text();
        text.contains("-end\n") && !text.contains("entered") && !text.contains("looked")
    })
    .await;
    // The home is ours, not a volume of the image.
    pane.type_text("echo kept > file\r").await;
    let kept = bench.home(session).join("file");
    until(async || kept.is_file().then_some(())).await;
}

#[tokio::test]
async fn a_path_that_leads_nowhere_and_a_library_that_is_not_there_prevent_no_shell() {
    for (name, path) in [
        ("workbay-test/no-path:1", "ENV PATH="),
        (
            "workbay-test/odd-path:1",
            "ENV PATH=relative:../up:/nowhere",
        ),
    ] {
        let library = "ENV LD_PRELOAD=/usr/lib/nothing.so LD_LIBRARY_PATH=/nowhere LC_ALL=xx_XX";
        import_as(name, &[path, library], built());
        let bench = Bench::new();
        let session = image_session(&bench, name).await;
        let mut pane = bench.terminal(session, "one", 100, 30).await;
        pane.wait_for("$").await;
        pane.type_text("echo sum-$((6*7))-$LD_PRELOAD-$WORKBAY_LD_PRELOAD-\r")
            .await;
        // Programs of the image are given it, and nothing else is.
        pane.wait_for("sum-42-/usr/lib/nothing.so--").await;
        let argv = ["/bin/sh", "-c", "echo $LD_PRELOAD-$WORKBAY_LD_PRELOAD-"];
        let (said, code) = bench.run(session, &argv).await;
        assert_eq!((said.as_str(), code), ("/usr/lib/nothing.so--\n", Some(0)));
        let log = bench.said(session, "ready").await;
        assert!(!log.contains("ld.so"), "{log}");
    }
}

/// Neither users nor a /tmp to write to; an old tmux of its own that would spoil everything; and the look of
/// a distribution without the usual C library.
#[tokio::test]
async fn no_users_a_tmux_of_its_own_another_c_library() {
    let bare = "workbay-test/no-users:1";
    import(bare, built());

    let odd = "workbay-test/odd-tmux:1";
    let mut tar = built();
    let script = b"#!/bin/sh\necho \"tmux 1.5: protocol version mismatch\" >&2\nexit 1\n";
    for place in ["usr/bin/tmux", "usr/local/bin/tmux"] {
        file(&mut tar, place, 0o755, script);
    }
    file(
        &mut tar,
        "etc/tmux.conf",
        0o644,
        b"set -g no-such-option 1\n",
    );
    import(odd, tar);

    let musl = "workbay-test/like-alpine:1";
    let mut tar = built();
    link(&mut tar, "bin/ash", "busybox");
    let passwd = "root:x:0:0:root:/root:/bin/ash\nwork:x:1000:1000::/home/work:/bin/ash\n";
    file(&mut tar, "etc/passwd", 0o644, passwd.as_bytes());
    file(&mut tar, "etc/alpine-release", 0o644, b"3.20.0\n");
    file(
        &mut tar,
        "lib/ld-musl-x86_64.so.1",
        0o755,
        b"of no use here",
    );
    import_as(musl, &["CMD [\"/bin/sh\"]", "ENV ENV=/etc/none"], tar);

    let bench = Bench::new();
    for (image, tag) in [(bare, "bare"), (odd, "odd"), (musl, "musl")] {
        let session = image_session(&bench, image).await;
        works(&mut bench.terminal(session, tag, 100, 30).await).await;
    }
}

#[tokio::test]
async fn an_image_for_another_processor_is_refused_with_both_names() {
    let name = foreign_image();
    let bench = Bench::new();
    let plan = plan("bench", image_spec(name));
    let error = bench.engine.create(&plan).await.unwrap_err();
    let failure = &error;
    assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
    let why = failure.to_string();
    let hint = failure.hint.clone().map(Clean::into_string);
    for word in [name, "mips64le processors", "the engine's machine is"] {
        assert!(why.contains(word), "{why}");
    }
    assert!(hint.as_ref().unwrap().contains("docker pull --platform"));
    assert!(!bench.home(plan.session).exists(), "a home is left");
}

/// An image that says it is for another processor. The engine imports for its own only, so one that it gave
/// out is changed and handed in again.
fn foreign_image() -> &'static str {
    let name = "workbay-test/foreign:1";
    if crate::support::try_docker(&["image", "inspect", name]) {
        return name;
    }
    let own = crate::support::empty_image();
    let saved = Command::new("docker").args(["save", own]).output().unwrap();
    assert!(saved.status.success());
    let mut read = tar::Archive::new(saved.stdout.as_slice());
    let mut changed = tar::Builder::new(Vec::new());
    for entry in read.entries().unwrap() {
        let mut entry = entry.unwrap();
        let (mut header, place) = (entry.header().clone(), entry.path().unwrap().into_owned());
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        if place.extension().is_some_and(|kind| kind == "json") {
            let text = String::from_utf8(bytes).unwrap();
            let other = text
                .replace("\"amd64\"", "\"mips64le\"")
                .replace("\"arm64\"", "\"mips64le\"");
            bytes = other.replace(own, name).into_bytes();
        }
        header.set_size(bytes.len() as u64);
        changed
            .append_data(&mut header, place, bytes.as_slice())
            .unwrap();
    }
    let dir = tempfile::tempdir().unwrap();
    let archive = dir.path().join("image.tar");
    std::fs::write(&archive, changed.into_inner().unwrap()).unwrap();
    docker(&["load", "--input", archive.to_str().unwrap()]);
    name
}
