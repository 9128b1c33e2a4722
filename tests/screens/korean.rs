//! The main screens in Korean: every text fits, and no column is out of line.

use workbay::{
    locale::{self, embedded},
    model::request::SessionRequest,
    protocol::message::Reply,
};

use crate::{
    folders, launcher,
    screen::Screen,
    steps::working_day,
    world::{history, snapshot},
};

const SIZES: [(u16, u16); 2] = [(80, 24), (120, 40)];

fn detail(columns: u16, rows: u16) -> Screen {
    let entries = history(1);
    working_day(columns, rows).press("j j enter").answer(
        |request| matches!(request.of_session(), Some(SessionRequest::History)),
        Ok(Reply::History { entries }),
    )
}

/// What a screen shows in Korean. A text that is cut there must be cut in English, too.
fn in_korean(open: impl Fn(u16, u16) -> Screen) -> Vec<String> {
    let screens = SIZES.map(|(columns, rows)| {
        let english = open(columns, rows).text();
        let _korean = locale::in_this_thread(embedded::korean());
        let korean = open(columns, rows).text();
        let cut = |text: &str| text.matches('…').count();
        assert!(cut(&korean) <= cut(&english), "cut in Korean:\n{korean}");
        assert!(korean.contains(|c| ('가'..='힣').contains(&c)), "{korean}");
        korean
    });
    screens.to_vec()
}

/// Saves the screens of all sizes under the name of the test.
macro_rules! in_korean {
    ($name:ident, $open:expr) => {
        #[test]
        fn $name() {
            for (text, (columns, rows)) in in_korean($open).into_iter().zip(SIZES) {
                insta::assert_snapshot!(format!("{}_{columns}x{rows}", stringify!($name)), text);
            }
        }
    };
}

in_korean!(the_list, working_day);
in_korean!(the_finished_sessions, |c, r| working_day(c, r).press("2"));
in_korean!(no_session, |c, r| Screen::new(c, r)
    .daemon(snapshot(Vec::new())));
in_korean!(the_daemon_is_disconnected, |c, r| {
    working_day(c, r).daemon_lost("connection refused")
});
in_korean!(the_details, detail);
in_korean!(the_help, |c, r| working_day(c, r).press("?"));
in_korean!(the_palette, |c, r| working_day(c, r).press(":"));
in_korean!(the_question_before_the_end, |c, r| working_day(c, r)
    .press("j j x"));
in_korean!(a_new_name, |c, r| working_day(c, r).press("j j r"));
in_korean!(the_notifications, |c, r| working_day(c, r).press("B"));
in_korean!(the_settings, |c, r| working_day(c, r).press("S"));
in_korean!(the_columns, |c, r| working_day(c, r).press("C"));
in_korean!(the_dashboard, |c, r| working_day(c, r).press("M"));
in_korean!(the_filter, |c, r| working_day(c, r)
    .press("/")
    .typed("nothing"));
in_korean!(the_leader_key, |c, r| {
    working_day(c, r).press("j j s ctrl-]")
});
in_korean!(the_data_page, folders::page);
in_korean!(the_launcher_type, launcher::opened);
in_korean!(the_launcher_allocation, |c, r| launcher::opened(c, r)
    .press("tab ctrl-n"));
in_korean!(the_launcher_review, |c, r| launcher::opened(c, r)
    .press("ctrl-r"));

#[test]
fn other_threads_stay_english() {
    let _korean = locale::in_this_thread(embedded::korean());
    let english = std::thread::spawn(|| working_day(80, 24).text())
        .join()
        .unwrap();
    assert!(english.contains("Status"), "{english}");
    assert!(!working_day(80, 24).text().contains("Status"));
}

#[test]
fn how_a_session_ended_is_a_korean_sentence() {
    let _korean = locale::in_this_thread(embedded::korean());
    let shown = |text: &str| locale::sent(text).unwrap();
    assert_eq!(
        shown("train failed: its command ended with exit code 3"),
        "train: 실패했습니다: 명령이 끝났습니다 (종료 코드 3)"
    );
    assert_eq!(
        shown("train succeeded: its command ended with exit code 0"),
        "train: 성공했습니다: 명령이 종료 코드 0으로 끝났습니다"
    );
}
