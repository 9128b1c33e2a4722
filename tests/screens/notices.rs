//! Notifications: their list, what rings, and what every view shows at its edge.

use jiff::{SignedDuration, Timestamp};
use workbay::{
    app::panels::notifications::NoticeList,
    app::{effect::Effect, msg::Msg},
    model::{
        change::Change,
        idle::{IdleCheck, IdleChecker, IdleState},
        notice::{Level, Notice, NoticeKind, NoticesEdit},
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::{Screen, facts, noon},
    world::{ago, key, session, snapshot},
};

fn notice(minutes: i64, n: u128, kind: NoticeKind, level: Level, text: &str) -> Notice {
    Notice {
        at: ago(minutes),
        kind,
        level,
        session: Some(key(n)),
        text: text.into(),
    }
}

fn soon() -> Timestamp {
    noon() + SignedDuration::from_secs(270)
}

fn warning() -> Notice {
    let checker = IdleChecker::NetworkTimeout;
    let until = soon();
    let kind = NoticeKind::IdleWarning { checker, until };
    let text = "notebook will be reclaimed in 5 minutes: it isn't used";
    notice(0, 1, kind, Level::Warning, text)
}

/// Oldest first, as the daemon keeps them.
fn notices() -> Vec<Notice> {
    let exit_code = Some(1);
    let long = "train-resnet failed: its command used more memory than its 512 MiB and was killed \
                (exit code 137)";
    vec![
        notice(
            1500,
            9,
            NoticeKind::Ended,
            Level::Warning,
            "gone-since ended: its container was removed",
        ),
        notice(
            90,
            1,
            NoticeKind::Launched,
            Level::Info,
            "notebook was launched",
        ),
        notice(
            89,
            1,
            NoticeKind::Running,
            Level::Success,
            "notebook is running",
        ),
        notice(
            40,
            2,
            NoticeKind::BatchEnded { exit_code },
            Level::Error,
            long,
        ),
        warning(),
    ]
}

fn begun(columns: u16, rows: u16) -> Screen {
    let until = soon();
    let check = IdleCheck::new(IdleChecker::NetworkTimeout, IdleState::Counting { until });
    let mut notebook = session(1, "notebook", Status::Running, 90);
    notebook.idle_checks = vec![check];
    let ended = session(2, "train-resnet", Status::Terminated, 300);
    Screen::new(columns, rows).daemon(snapshot(vec![notebook, ended]))
}

fn caught_up(columns: u16, rows: u16, unseen: usize) -> Screen {
    let reply = Reply::Notices {
        notices: notices(),
        unseen,
    };
    begun(columns, rows).answer(|r| *r == Request::Notices, Ok(reply))
}

fn changed(notice: Notice) -> Change {
    notice.into()
}

fn rings(screen: &Screen) -> (bool, bool) {
    let effects = screen.effects();
    let desktop = effects.iter().any(|it| matches!(it, Effect::Notify(_)));
    (effects.contains(&Effect::Bell), desktop)
}

#[test]
fn the_list_is_the_newest_first_with_what_can_be_done() {
    for (columns, rows) in [(80, 24), (140, 40)] {
        let screen = caught_up(columns, rows, 2);
        assert!(screen.sees("2 new") && screen.sees("notebook: reclaim in 4m"));
        let open = screen.press("B");
        insta::assert_snapshot!(format!("notices_{columns}x{rows}"), open.text());
        assert!(!open.sees("2 new"));
        let seen = Request::EditNotices {
            edit: NoticesEdit::Seen,
        };
        assert_eq!(open.wishes(), [&seen]);
    }
}

#[test]
fn a_long_list_shows_that_there_is_more() {
    let all = (0..40).map(|n| {
        let text = format!("notebook was launched {n} times");
        notice(n, 1, NoticeKind::Launched, Level::Info, &text)
    });
    let reply = Reply::Notices {
        notices: all.collect(),
        unseen: 0,
    };
    let screen = begun(80, 24).answer(|r| *r == Request::Notices, Ok(reply));
    let (above, below) = ("▴ ╮", "▾ ╯");
    let open = screen.press("B");
    assert!(open.sees(below) && !open.sees(above), "{}", open.text());
    let end = open.press("G");
    assert!(end.sees(above) && !end.sees(below), "{}", end.text());
}

#[test]
fn a_name_with_a_colon_is_not_repeated() {
    let text = "train-resnet: 실패했습니다";
    let reply = Reply::Notices {
        notices: vec![notice(1, 2, NoticeKind::Failed, Level::Error, text)],
        unseen: 0,
    };
    let screen = begun(80, 24).answer(|r| *r == Request::Notices, Ok(reply));
    let screen = screen.press("B");
    let row = " 실패했습니다";
    let text = screen.text();
    let line = text.lines().find(|line| line.contains(row)).unwrap();
    assert_eq!(line.matches("train-resnet").count(), 1, "{text}");
}

#[test]
fn an_empty_list_says_what_it_will_show_and_a_missing_one_why() {
    let asking = begun(80, 24).press("B");
    assert!(asking.sees("Loading notifications"), "{}", asking.text());
    let reply = Reply::Notices {
        notices: Vec::new(),
        unseen: 0,
    };
    let empty = asking.answer(|r| *r == Request::Notices, Ok(reply));
    insta::assert_snapshot!(empty.text());
    let lost = begun(80, 24).daemon_lost("it was stopped").press("B");
    assert!(lost.sees("Daemon disconnected"), "{}", lost.text());
}

#[test]
fn from_the_list_one_goes_to_the_session() {
    let open = caught_up(80, 24, 0).press("B down");
    let detail = open.press("enter");
    assert!(!detail.is_open::<NoticeList>());
    let shown = detail.app.detail.as_ref();
    let shown = shown.map(workbay::app::detail::Detail::session);
    assert_eq!(shown, Some(key(2)));
    assert!(detail.sees("Finished") && detail.app.sessions.selected() == Some(key(2)));
    let question = caught_up(80, 24, 0).press("B x");
    assert!(question.sees("Terminate notebook"), "{}", question.text());
    assert!(
        question.press("n").is_open::<NoticeList>(),
        "back in the list"
    );
    let log = caught_up(80, 24, 0).press("B l");
    assert!(log.sees("Log of notebook") && !log.is_open::<NoticeList>());
    let gone = caught_up(80, 24, 0).press("B G enter");
    assert!(gone.sees("isn't in the list any more"), "{}", gone.text());
}

#[test]
fn what_is_taken_out_is_taken_out_at_the_daemon_too() {
    let screen = caught_up(80, 24, 0).press("B d");
    assert!(!screen.sees("will be ended in 5 minutes"));
    let notice = Box::new(warning());
    let edit = NoticesEdit::Forget { notice };
    assert!(screen.wishes().contains(&&Request::EditNotices { edit }));
    let screen = screen.press("D");
    assert!(screen.sees("No notifications"), "{}", screen.text());
    let edit = NoticesEdit::Clear;
    assert!(screen.wishes().contains(&&Request::EditNotices { edit }));
    let copied = caught_up(80, 24, 0).press("B y");
    assert!(
        copied
            .effects()
            .iter()
            .any(|it| matches!(it, Effect::Copy { .. }))
    );
}

#[test]
fn the_marked_one_stays_when_another_comes() {
    let marked = |screen: &Screen| {
        let list = screen.panel::<NoticeList>();
        list.notice(&screen.app.notices).cloned()
    };
    let open = caught_up(80, 24, 0).press("B down down");
    let before = marked(&open);
    let text = "other failed: no space";
    let failed = notice(0, 3, NoticeKind::Failed, Level::Error, text);
    let after = open.notice(changed(failed));
    assert_eq!(marked(&after), before);
    assert_eq!(after.app.notices.unread(), 0, "the list is open");
}

#[test]
fn an_idle_warning_rings_wherever_one_is_and_quiet_is_quiet() {
    let screen = begun(80, 24).notice(changed(warning()));
    assert_eq!(rings(&screen), (true, true));
    insta::assert_snapshot!(screen.text());
    let quiet = begun(80, 24).press(": q u i e t enter").wait(10);
    assert!(quiet.sees("quiet"), "{}", quiet.text());
    let quiet = quiet.notice(changed(warning()));
    assert_eq!(rings(&quiet), (false, false));
    assert!(quiet.sees("reclaim in 4m") && quiet.sees("it isn't used"));
    let running = notice(
        0,
        3,
        NoticeKind::Running,
        Level::Success,
        "other is running",
    );
    assert!(!quiet.notice(changed(running)).sees("other is running"));
}

#[test]
fn the_key_against_an_end_is_seen_at_any_width() {
    for (columns, rows) in [(60, 16), (80, 24), (140, 40)] {
        let screen = begun(columns, rows).notice(changed(warning()));
        let text = screen.text();
        let hints = text.lines().last().unwrap();
        assert!(hints.contains("E extend"), "{text}");
    }
    let text = begun(80, 24).text();
    assert!(!text.lines().last().unwrap().contains("E extend"), "{text}");
}

#[test]
fn a_failure_rings_only_where_it_would_not_be_seen() {
    let failed = || {
        let text = "other failed: no space";
        changed(notice(0, 3, NoticeKind::Failed, Level::Error, text))
    };
    assert_eq!(rings(&begun(80, 24).notice(failed())), (false, false));
    let behind = begun(80, 24).send(Msg::Focus(false)).notice(failed());
    assert_eq!(rings(&behind), (true, true));
    let in_terminal = begun(80, 24).press("!").notice(failed());
    assert_eq!(rings(&in_terminal), (true, false));
    assert!(
        in_terminal.sees("other failed: no space"),
        "a toast over the terminal"
    );
    assert!(in_terminal.sees("1 new"), "{}", in_terminal.text());
    let listed = in_terminal.press("F12 B");
    assert!(listed.sees("Notifications"), "{}", listed.text());
    assert!(!listed.press("esc").sees("Notifications"));
    let mut silent = facts();
    silent.notifications.bell = false;
    let screen = Screen::with(80, 24, silent).send(Msg::Focus(false));
    assert_eq!(rings(&screen.notice(failed())), (false, true));
}

#[test]
fn beside_the_state_of_a_log_it_covers_nothing() {
    let log = caught_up(80, 24, 2).press("l");
    assert!(
        log.sees("opening   notebook: reclaim in 4m  2 new"),
        "{}",
        log.text()
    );
}

#[test]
fn the_last_minutes_are_counted_down() {
    let screen = begun(80, 24).notice(changed(warning()));
    let wake = screen.app.wake_at(noon()).unwrap();
    assert!(wake.as_second() - noon().as_second() <= 60);
    let later = screen.wait(231);
    assert!(later.sees("notebook: reclaim in 39s"), "{}", later.text());
    assert!(!later.wait(60).sees("reclaim in"));
}
