//! What each container of a cluster session uses, in the detail.

use workbay::{
    model::{
        change::Change,
        figures::{Figures, Series},
        request::SessionRequest,
        status::Status,
    },
    protocol::message::Reply,
};

use crate::{
    cluster::in_full,
    screen::noon,
    sessions_of_a_cluster::{read_in_full, seoul},
    usage,
};

/// Its main container is busy; the other one is idle, and the manager reports less about it.
fn of_both() -> Figures {
    let figures = usage::figures();
    let newest = |parts: u64, metrics: usize| {
        let series = figures.series.iter().take(metrics).map(|series| Series {
            values: vec![series.values.last().copied().flatten().map(|it| it / parts)],
            ..series.clone()
        });
        Figures {
            at: vec![noon()],
            series: series.collect(),
            ..Figures::default()
        }
    };
    let kernels = in_full().kernels;
    Figures {
        kernels: [
            (kernels[0].id, newest(1, 9)),
            (kernels[1].id, newest(99, 2)),
        ]
        .into(),
        ..figures
    }
}

#[test]
fn each_container_shows_what_it_uses() {
    for (columns, rows, keys) in [(80, 30, "G"), (140, 60, "")] {
        let screen = read_in_full(seoul(columns, rows).press("j enter"));
        let screen = usage::answered(screen, of_both()).press(keys);
        insta::assert_snapshot!(format!("usage_of_containers_{columns}"), screen.text());
    }
}

#[test]
fn of_an_ended_session_each_container_shows_what_it_used() {
    let mut ended = in_full();
    ended.status = Status::Terminated;
    ended.terminated_at = Some(noon());
    let screen = seoul(140, 60).press("j enter").notice(Change::Session {
        session: Box::new(ended.clone()),
    });
    let screen = screen.press("2 enter").answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Detail)),
        Ok(Reply::Session {
            session: Box::new(ended),
        }),
    );
    let screen = usage::answered(screen, of_both());
    assert!(screen.sees("on average  memory"), "{}", screen.text());
    assert!(!screen.sees("disk read"), "{}", screen.text());
}

#[test]
fn a_session_of_one_container_shows_its_usage_once() {
    let mut one = in_full();
    one.kernels.truncate(1);
    let reply = Reply::Session {
        session: Box::new(one),
    };
    let screen = seoul(140, 60).press("j enter");
    let screen = screen.answer(
        |r| matches!(r.of_session(), Some(SessionRequest::Detail)),
        Ok(reply),
    );
    let screen = usage::answered(screen, usage::figures());
    assert_eq!(screen.text().matches("Memory of").count(), 1);
    assert!(!screen.sees("memory 1"), "{}", screen.text());
}
