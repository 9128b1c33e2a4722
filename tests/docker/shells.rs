//! How terminals begin: which shell, as whom, where, and the toolbox's own for images without any.

use std::sync::OnceLock;

use workbay::{
    engine::api::{AttachRequest, Output, Streams as _},
    model::{id::SessionId, inside, shell_start::ShellStart},
};

use crate::support::{
    Bench, Terminal, busybox, empty_image, file, image_session, import, link, until, within,
};

/// An image whose user `work` has a shell of its own choice, and whose root has a home.
fn passwd_image() -> &'static str {
    static IMAGE: OnceLock<&str> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let name = "workbay-test/passwd:1";
        let mut tar = tar::Builder::new(Vec::new());
        busybox(&mut tar);
        link(&mut tar, "bin/ash", "busybox");
        // busybox answers to its name only, so the shells report theirs by a script.
        file(&mut tar, "opt/mine", 0o755, b"#!/bin/sh\nexec /bin/sh\n");
        let passwd = "root:x:0:0:root:/root:/bin/sh\nwork:x:1000:1000::/home/work:/opt/mine\n";
        file(&mut tar, "etc/passwd", 0o644, passwd.as_bytes());
        file(&mut tar, "root/.keep", 0o644, b"");
        import(name, tar);
        name
    })
}

/// An image of this machine's bash and a few programs with their libraries, and no locale.
fn bare_image() -> &'static str {
    static IMAGE: OnceLock<&str> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let name = "workbay-test/bare:1";
        let mut tar = tar::Builder::new(Vec::new());
        let mut taken = std::collections::BTreeSet::new();
        for program in ["bash", "ls", "less", "clear", "cat"] {
            let own = format!("/usr/bin/{program}");
            let listed = std::process::Command::new("ldd")
                .arg(&own)
                .output()
                .unwrap();
            let listed = String::from_utf8(listed.stdout).unwrap();
            let needs = listed
                .split_whitespace()
                .filter(|word| word.starts_with('/'));
            for place in needs.chain([own.as_str()]) {
                if taken.insert(place.to_owned()) {
                    let contents = std::fs::read(place).unwrap();
                    file(&mut tar, place.trim_start_matches('/'), 0o755, &contents);
                }
            }
        }
        file(&mut tar, "tmp/.keep", 0o644, b"");
        import(name, tar);
        name
    })
}

async fn begin(bench: &Bench, session: SessionId, tag: &str, start: ShellStart) -> Terminal {
    let request = AttachRequest {
        tag: tag.to_owned(),
        columns: 100,
        rows: 30,
        start,
    };
    let attached = bench.engine.attach(session, request).await.unwrap();
    Terminal::new(attached, 100, 30)
}

/// What the program of the pane's window is called with.
async fn started(bench: &Bench, session: SessionId, tag: &str) -> String {
    let ask = format!(
        "tmux display -p -t '=wb-{tag}:' '#{{pane_start_command}} in #{{pane_start_path}}'"
    );
    bench.sh(session, &ask).await
}

#[tokio::test]
async fn the_shell_of_the_passwd_file_is_taken_and_a_preferred_one_before_it() {
    let bench = Bench::new();
    let session = image_session(&bench, passwd_image()).await;
    let shell = "tmux show -gv default-shell";
    let _pane = begin(&bench, session, "one", ShellStart::default()).await;
    let output = until(async || {
        let (said, code) = bench.run(session, &["sh", "-c", shell]).await;
        (code == Some(0)).then(|| said.trim().to_owned())
    });
    assert_eq!(output.await, "/opt/mine");

    for (preferred, wanted) in [("ash", "/bin/ash"), ("no-such-shell", "/opt/mine")] {
        let bench = Bench::preferring(preferred);
        let session = image_session(&bench, passwd_image()).await;
        let _pane = begin(&bench, session, "one", ShellStart::default()).await;
        let output = until(async || {
            let (said, code) = bench.run(session, &["sh", "-c", shell]).await;
            (code == Some(0)).then(|| said.trim().to_owned())
        });
        assert_eq!(output.await, wanted);
    }
}

#[tokio::test]
async fn what_is_chosen_begins_in_a_window_of_its_own_and_only_once() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut first = bench.terminal(session, "first", 100, 30).await;
    first.wait_for("work@bench").await;
    let chosen = ShellStart {
        shell: Some("sh".to_owned()),
        directory: Some("/usr/share".to_owned()),
        ..ShellStart::default()
    };
    let mut pane = begin(&bench, session, "chosen", chosen.clone()).await;
    pane.type_text("echo at-$(pwd)-$((6*7))\r").await;
    pane.wait_for("at-/usr/share-42").await;
    let output = started(&bench, session, "chosen").await;
    assert!(output.contains("/sh -l in /usr/share"), "{output}");
    drop(pane);
    // The same pane again comes back to it.
    let mut pane = begin(&bench, session, "chosen", chosen).await;
    pane.wait_for("at-/usr/share-42").await;
    let windows = bench.sh(session, "tmux list-windows -t main | wc -l").await;
    assert_eq!(windows, "2");
}

#[tokio::test]
async fn a_command_is_run_word_by_word_and_its_window_ends_with_it() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let command = |words: &[&str]| ShellStart {
        command: words.iter().map(ToString::to_string).collect(),
        directory: Some("/tmp".to_owned()),
        ..ShellStart::default()
    };
    let words = [
        "sh",
        "-c",
        "printf '<%s>' \"$@\"; pwd; read x",
        "-",
        "한글 $HOME;",
        ";",
        "a  b",
    ];
    let mut pane = begin(&bench, session, "one", command(&words)).await;
    pane.wait_for("<한글 $HOME;><;><a  b>/tmp").await;
    pane.type_text("\r").await;
    // It was the first window, so the session's tmux ends with it.
    assert!(matches!(within(pane.end()).await, Output::End { .. }));

    let mut pane = begin(&bench, session, "two", command(&["no-such-program"])).await;
    let missing = Output::End {
        exit_code: Some(127),
    };
    assert_eq!(within(pane.end()).await, missing);
    assert!(
        pane.text().contains("program 'no-such-program' not found"),
        "{}",
        pane.text()
    );
}

#[tokio::test]
async fn a_visitor_has_a_tmux_and_a_home_of_their_own() {
    let bench = Bench::new();
    let session = image_session(&bench, passwd_image()).await;
    let mut mine = begin(&bench, session, "mine", ShellStart::default()).await;
    mine.type_text("echo me-$(id -u)\r").await;
    mine.wait_for("me-1000").await;
    let root = ShellStart {
        user: Some("root".to_owned()),
        ..ShellStart::default()
    };
    let mut pane = begin(&bench, session, "root", root).await;
    pane.type_text("echo who-$(id -u)-$HOME-$(pwd)\r").await;
    pane.wait_for("who-0-/root-/root").await;
    let sessions = bench
        .sh(session, "tmux list-sessions -F '#{session_name}'")
        .await;
    assert!(!sessions.contains("wb-root"), "{sessions}");

    let nobody = ShellStart {
        user: Some("no-such-user".to_owned()),
        ..ShellStart::default()
    };
    let request = AttachRequest {
        tag: "nobody".to_owned(),
        columns: 100,
        rows: 30,
        start: nobody,
    };
    let why = match bench.engine.attach(session, request).await {
        Err(error) => error.to_string(),
        Ok(attached) => {
            let mut pane = Terminal::new(attached, 100, 30);
            within(pane.end()).await;
            pane.text()
        }
    };
    assert!(why.contains("no-such-user"), "{why}");
}

#[tokio::test]
async fn an_image_without_a_shell_says_so_and_gets_the_toolbox_s() {
    let bench = Bench::new();
    let session = image_session(&bench, empty_image()).await;
    let mut pane = begin(&bench, session, "one", ShellStart::default()).await;
    let none = Output::End {
        exit_code: Some(inside::NO_SHELL.into()),
    };
    assert_eq!(within(pane.end()).await, none);
    assert!(
        pane.text().contains("workbay shell --toolbox"),
        "{}",
        pane.text()
    );

    let toolbox = ShellStart {
        toolbox: true,
        ..ShellStart::default()
    };
    let mut pane = begin(&bench, session, "one", toolbox).await;
    pane.wait_for("$").await;
    pane.type_text("echo 한글 > 파일; ls -d 파*; cat 파일; echo done-$((6*7))\r")
        .await;
    pane.wait_for("\n파일\n한글\ndone-42").await;
    // A second window has a shell too, as far as it goes.
    pane.type_text("\u{2}c").await;
    pane.wait_for("BusyBox").await;
    pane.type_text("echo again-$((6*7))\r").await;
    pane.wait_for("again-42").await;
}

#[tokio::test]
async fn korean_is_typed_listed_and_shown_at_its_width_in_an_image_without_locales() {
    let bench = Bench::new();
    let session = image_session(&bench, bare_image()).await;
    let mut pane = begin(&bench, session, "one", ShellStart::default()).await;
    pane.wait_for("$").await;
    pane.type_text("echo 안녕하세요 > '한글 이름'; ls -d 한*\r")
        .await;
    pane.wait_for("\n'한글 이름'").await;
    // The line is edited by characters, each of which is two cells wide.
    pane.type_text("echo 가나다\u{7f}\u{7f}하-$((6*7))\r").await;
    pane.wait_for("echo 가하-$((6*7))\n가하-42").await;
    pane.type_text("less '한글 이름'\r").await;
    pane.wait_for("안녕하세요\n").await;
    pane.type_text("q").await;
    // A pane counts as tmux does: the cursor is behind two cells for each syllable.
    pane.type_text(
        "clear; printf '가나다'; printf '\\033[6n'; read -rsd R at; echo \"-${at#*;}\"\r",
    )
    .await;
    // The answer may be quicker than `read`, and then is shown as well.
    pane.wait_for("-7\n").await;
}
