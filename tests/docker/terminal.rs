//! Terminals: tmux from the toolbox, whatever the image.

use workbay::{
    engine::api::{AttachRequest, Containers as _, Output, Streams as _},
    model::{id::SessionId, shell_start::ShellStart},
    terminal::{
        attributes::{Attributes, Color, Underline},
        encode,
    },
};

use crate::support::{
    Bench, Terminal, busybox_image, dropped_after, empty_image, image_spec, plan, until, within,
};

#[tokio::test]
async fn a_shell_of_the_host_shows_its_session_and_speaks_korean() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench:~$").await;
    pane.type_text("echo 한글-$((6*7))-세션\r").await;
    pane.wait_for("\n한글-42-세션").await;
}

#[tokio::test]
async fn the_size_is_right_from_the_first_byte_and_follows() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 101, 33).await;
    pane.wait_for("work@bench").await;
    pane.type_text("stty size\r").await;
    pane.wait_for("33 101").await;
    pane.resize(64, 17).await;
    until(async || {
        let size = bench
            .sh(
                session,
                "tmux display -p -t main '#{window_width}x#{window_height}'",
            )
            .await;
        (size == "64x17").then_some(())
    })
    .await;
}

#[tokio::test]
async fn coming_back_finds_the_same_shell() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("MARK=here; echo set-$MARK\r").await;
    pane.wait_for("set-here").await;
    drop(pane);
    let mut again = bench.terminal(session, "two", 80, 24).await;
    again.wait_for("work@bench").await;
    again.type_text("echo still-$MARK\r").await;
    again.wait_for("still-here").await;
}

#[tokio::test]
async fn what_tmux_needs_does_not_leak_into_the_shell() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 120, 40).await;
    pane.wait_for("work@bench").await;
    pane.type_text("env > seen; echo TERM=$TERM; echo written\r")
        .await;
    pane.wait_for("\nwritten").await;
    let seen = std::fs::read_to_string(bench.home(session).join("seen")).unwrap();
    for name in [
        "LOCPATH",
        "LC_ALL",
        "TERMINFO_DIRS",
        "WORKBAY_SHELL",
        "WORKBAY_TERM",
    ] {
        assert!(
            !seen
                .lines()
                .any(|line| line.starts_with(&format!("{name}="))),
            "{name}: {seen}"
        );
    }
    assert!(
        pane.text().contains("TERM=tmux-256color"),
        "{}",
        pane.text()
    );
    assert!(seen.contains("LANG=C.UTF-8"), "{seen}");
}

#[tokio::test]
async fn a_variable_of_the_user_survives_tmux_needing_it() {
    let bench = Bench::new();
    let mut plan = plan("bench", crate::support::host_spec());
    plan.spec.env.insert("LC_ALL".into(), "POSIX".into());
    bench.launch(&plan).await;
    let mut pane = bench.terminal(plan.session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("echo all=$LC_ALL\r").await;
    pane.wait_for("all=POSIX").await;
}

#[tokio::test]
async fn dropped_terminals_leave_no_client_behind() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    for round in 0_u16..20 {
        let mut pane = bench
            .terminal(session, &format!("tag{}", round % 3), 80 + round, 24)
            .await;
        pane.wait_for("work@bench").await;
    }
    let mut last = bench.terminal(session, "last", 90, 30).await;
    last.wait_for("work@bench").await;
    until(async || {
        let clients = bench
            .sh(session, "tmux list-clients -F '#{session_name}'")
            .await;
        (clients == "wb-last").then_some(())
    })
    .await;
}

#[tokio::test]
async fn terminals_dropped_while_they_open_leave_no_client_behind() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut kept = bench.terminal(session, "kept", 90, 30).await;
    kept.wait_for("work@bench").await;
    // Dropped at every point where it waits.
    let mut polls = 1;
    loop {
        let request = AttachRequest {
            tag: format!("dropped{polls}"),
            columns: 80,
            rows: 24,
            start: ShellStart::default(),
        };
        if dropped_after(polls, bench.engine.attach(session, request)).await {
            break;
        }
        polls += 1;
    }
    // When this one has opened, the engine has started the dropped ones, too.
    let mut last = bench.terminal(session, "last", 90, 30).await;
    last.wait_for("work@bench").await;
    until(async || {
        let clients = bench
            .sh(session, "tmux list-clients -F '#{session_name}' | sort")
            .await;
        (clients == "wb-kept\nwb-last").then_some(())
    })
    .await;
}

#[tokio::test]
async fn the_same_pane_again_replaces_its_older_client() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut old = bench.terminal(session, "pane", 80, 24).await;
    old.wait_for("work@bench").await;
    let mut new = bench.terminal(session, "pane", 100, 30).await;
    new.wait_for("work@bench").await;
    assert!(matches!(old.end().await, Output::End { .. }));
    let clients = bench
        .sh(
            session,
            "tmux list-clients -F '#{session_name} #{client_width}'",
        )
        .await;
    assert_eq!(clients, "wb-pane 100");
}

#[tokio::test]
async fn two_panes_show_two_windows_of_one_session() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut one = bench.terminal(session, "one", 80, 24).await;
    one.wait_for("work@bench").await;
    one.type_text("echo first-window\r").await;
    one.wait_for("\nfirst-window").await;
    let mut two = bench.terminal(session, "two", 80, 24).await;
    two.wait_for("\nfirst-window").await;
    two.type_text("\u{2}c").await;
    until(async || {
        let windows = bench.sh(session, "tmux list-windows -t main | wc -l").await;
        (windows == "2").then_some(())
    })
    .await;
    let current = "tmux display -p -t wb-one '#I'; tmux display -p -t wb-two '#I'";
    assert_eq!(bench.sh(session, current).await, "1\n2");
}

#[tokio::test]
async fn everything_of_a_dead_daemon_can_be_detached() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut one = bench.terminal(session, "one", 80, 24).await;
    let mut two = bench.terminal(session, "two", 80, 24).await;
    one.wait_for("work@bench").await;
    two.wait_for("work@bench").await;
    bench.engine.detach_all(session).await.unwrap();
    assert!(matches!(one.end().await, Output::End { .. }));
    assert!(matches!(two.end().await, Output::End { .. }));
    assert_eq!(
        bench
            .sh(session, "tmux list-clients; tmux display -p -t main '#S'")
            .await,
        "main"
    );
}

#[tokio::test]
async fn a_killed_client_ends_the_stream_and_the_shell_lives_on() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("MARK=here\r").await;
    bench
        .sh(session, "kill -9 $(tmux list-clients -F '#{client_pid}')")
        .await;
    assert!(matches!(
        pane.end().await,
        Output::End {
            exit_code: Some(137)
        }
    ));
    let mut again = bench.terminal(session, "one", 80, 24).await;
    again.wait_for("work@bench").await;
    again.type_text("echo still-$MARK\r").await;
    again.wait_for("still-here").await;
}

#[tokio::test]
async fn leaving_the_last_shell_ends_the_terminal_not_the_session() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("exit\r").await;
    assert_eq!(pane.end().await, Output::End { exit_code: Some(0) });
    let mut again = bench.terminal(session, "one", 80, 24).await;
    again.wait_for("work@bench").await;
}

#[tokio::test]
async fn an_image_of_busybox_alone_gets_a_terminal() {
    let bench = Bench::new();
    let plan = plan("tiny", image_spec(busybox_image()));
    bench.launch(&plan).await;
    let mut pane = bench.terminal(plan.session, "one", 80, 24).await;
    pane.wait_for("work@tiny").await;
    pane.type_text("echo 안녕-$TERM; which tmux\r").await;
    pane.wait_for("\n안녕-screen-256color").await;
    pane.wait_for("\n/opt/workbay/path/tmux").await;
    assert_eq!(
        bench
            .sh(
                plan.session,
                "tmux list-sessions -F '#S' -f '#{==:#S,main}'"
            )
            .await,
        "main"
    );
}

#[tokio::test]
async fn an_image_of_one_empty_file_runs_and_says_that_it_has_no_shell() {
    let bench = Bench::new();
    let plan = plan("void", image_spec(empty_image()));
    bench.launch(&plan).await;
    let mut pane = bench.terminal(plan.session, "one", 200, 24).await;
    assert_eq!(
        within(pane.end()).await,
        Output::End {
            exit_code: Some(workbay::model::inside::NO_SHELL.into())
        }
    );
    assert!(
        pane.text().contains("this environment has no shell"),
        "{}",
        pane.text()
    );
    let (said, code) = bench.run(plan.session, &["ls"]).await;
    assert_eq!(code, Some(127));
    assert!(said.contains("program 'ls' not found"), "{said}");
}

#[tokio::test]
async fn panes_that_go_at_once_take_no_shell_along() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut first = bench.terminal(session, "first", 80, 24).await;
    first.wait_for("work@bench").await;
    first.type_text("MARK=here; echo set-$MARK\r").await;
    first.wait_for("set-here").await;
    for _ in 0..5 {
        let mut panes = Vec::new();
        for tag in ["one", "two", "three", "four"] {
            let mut pane = bench.terminal(session, tag, 80, 24).await;
            pane.wait_for("set-here").await;
            panes.push(pane);
        }
        bench.engine.detach_all(session).await.unwrap();
        drop(panes);
    }
    let mut again = bench.terminal(session, "first", 80, 24).await;
    again.wait_for("set-here").await;
    again.type_text("echo still-$MARK\r").await;
    again.wait_for("still-here").await;
}

#[tokio::test]
async fn a_users_own_tmux_settings_win() {
    let bench = Bench::new();
    let plan = plan("bench", crate::support::host_spec());
    bench.engine.create(&plan).await.unwrap();
    let settings = bench.home(plan.session).join(".tmux.conf");
    std::fs::write(settings, "set -g prefix C-a\nset -g status on\n").unwrap();
    bench.engine.start(plan.session).await.unwrap();
    let mut pane = bench.terminal(plan.session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    assert_eq!(bench.sh(plan.session, "tmux show -gv prefix").await, "C-a");
    // The pane has a status line of its own around it.
    assert_eq!(
        bench
            .sh(plan.session, "tmux show -t wb-one -v status")
            .await,
        "off"
    );
    assert_eq!(bench.sh(plan.session, "tmux show -gv mouse").await, "on");
}

/// What a program prints is painted as it meant it, through tmux.
#[tokio::test]
async fn struck_text_and_underlines_of_every_style_arrive() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    let words = r"\033[4:3;58:2::1:2:3mcurly\033[0m \033[9mstruck\033[0m \033[21mtwo\033[0m.";
    pane.type_text(&format!("clear; printf '{words}\\n'\r"))
        .await;
    pane.wait_for("curly struck two.\n").await;
    let look = |column| pane.emulator.cell(column, 0).unwrap().look;
    let curly = Attributes {
        underline: Underline::Curly,
        underline_color: Color::Rgb(1, 2, 3),
        ..Attributes::default()
    };
    assert_eq!(pane.emulator.row_text(0), "curly struck two.");
    assert_eq!(look(0), curly);
    assert!(look(6).struck && !look(5).struck);
    assert_eq!(look(13).underline, Underline::Double);
    assert_eq!(look(16), Attributes::default());
}

/// Types keys as the pane has to send them now; `cat -v` in it writes down what arrives.
async fn assert_arrives(
    bench: &Bench,
    session: SessionId,
    pane: &Terminal,
    file: &str,
    keys: &[(&str, &str)],
) {
    let mut expected = String::new();
    for (name, shown) in keys {
        let bytes = encode::key(name.parse().unwrap(), pane.emulator.modes());
        pane.type_text(std::str::from_utf8(&bytes).unwrap()).await;
        expected.push_str(shown);
        let written = bench.home(session).join(file);
        until(async || {
            let seen = std::fs::read_to_string(&written).unwrap_or_default();
            assert!(
                expected.starts_with(&seen),
                "{name} sent {bytes:?}: {seen:?} and not {expected:?}"
            );
            (seen == expected).then_some(())
        })
        .await;
    }
}

/// A key, its bytes, tmux, a program: what arrives is what the key is.
#[tokio::test]
async fn keys_arrive_as_they_were_pressed() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("stty raw -echo; echo read''y; cat -v > plain\r")
        .await;
    pane.wait_for("ready").await;
    let asks_all_keys = |pane: &Terminal| pane.emulator.modes().other_keys == 1;
    pane.wait_until("tmux asks for all keys", asks_all_keys)
        .await;
    let plain: &[(&str, &str)] = &[
        ("a", "a"),
        ("한", "M-mM-^UM-^\\"),
        ("ctrl-c", "^C"),
        ("ctrl-space", "^@"),
        ("ctrl-/", "^_"),
        ("ctrl-]", "^]"),
        ("alt-f", "^[f"),
        ("alt-F", "^[F"),
        ("ctrl-alt-x", "^[^X"),
        ("enter", "^M"),
        ("alt-enter", "^[^M"),
        // A shell did not ask for more.
        ("shift-enter", "^M"),
        ("ctrl-enter", "^M"),
        ("ctrl-tab", "\t"),
        ("shift-tab", "^[[Z"),
        ("backspace", "^?"),
        ("shift-backspace", "^?"),
        ("ctrl-backspace", "^H"),
        ("up", "^[[A"),
        ("ctrl-left", "^[[1;5D"),
        ("alt-shift-up", "^[[1;4A"),
        ("home", "^[[1~"),
        ("shift-home", "^[[1;2H"),
        ("end", "^[[4~"),
        ("delete", "^[[3~"),
        ("pageup", "^[[5~"),
        ("ctrl-pagedown", "^[[6;5~"),
        ("F1", "^[OP"),
        ("F4", "^[OS"),
        ("F5", "^[[15~"),
        ("F12", "^[[24~"),
        ("ctrl-F4", "^[[1;5S"),
        ("F13", "^[[1;2P"),
        ("F24", "^[[24;2~"),
    ];
    assert_arrives(&bench, session, &pane, "plain", plain).await;
    // A program with the whole screen that asked for all keys.
    let mut pane = bench.terminal(session, "two", 80, 24).await;
    pane.wait_for("ready").await;
    pane.type_text("\u{2}c").await;
    pane.wait_for("work@bench").await;
    pane.type_text(
        "stty raw -echo; printf '\\033[?1049h\\033[>4;1m'; echo ask''ed; cat -v > asked\r",
    )
    .await;
    pane.wait_for("asked").await;
    pane.wait_until("tmux asks for all keys", asks_all_keys)
        .await;
    let asked: &[(&str, &str)] = &[
        ("a", "a"),
        ("ctrl-a", "^A"),
        ("enter", "^M"),
        ("shift-enter", "^[[13;2u"),
        ("ctrl-enter", "^[[13;5u"),
        ("ctrl-tab", "^[[9;5u"),
        ("ctrl-shift-tab", "^[[9;6u"),
        ("ctrl-A", "^[[65;6u"),
        ("ctrl-1", "^[[49;5u"),
        ("ctrl-,", "^[[44;5u"),
        ("shift-tab", "^[[Z"),
        ("ctrl-up", "^[[1;5A"),
    ];
    assert_arrives(&bench, session, &pane, "asked", asked).await;
}
