//! What a session uses, in the detail: now, on average, at most, and over the last minutes.

use jiff::SignedDuration;
use workbay::{
    model::{
        capability::{Capability, EngineState},
        change::Change,
        failure::Failure,
        figures::{Figures, Metric, Series},
        request::SessionRequest,
        resources::Bytes,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    screen::{Screen, facts, noon},
    world::{busy, day, snapshot},
};

const SAMPLES: i64 = 300;

/// Ten minutes; nobody looked during two of them.
pub fn figures() -> Figures {
    let at = (0..SAMPLES).map(|n| noon() - SignedDuration::from_secs((SAMPLES - n) * 2));
    let series = |metric, limit, value: &dyn Fn(i64) -> u64| {
        let gap = 100..160;
        let values = (0..SAMPLES).map(|n| (!gap.contains(&n)).then(|| value(n)));
        let values: Vec<Option<u64>> = values.collect();
        let known = values.iter().flatten();
        Series {
            metric,
            average: Some(known.clone().sum::<u64>() / known.clone().count() as u64),
            peak: known.max().copied(),
            limit,
            total: None,
            values,
        }
    };
    let wave = |n: i64| (n * 13 % 97).unsigned_abs();
    let gpu = || Clean::new("GPU 0");
    Figures {
        at: at.collect(),
        series: vec![
            series(Metric::Cpu, Some(4_000), &|n| wave(n / 12) * 41),
            series(Metric::Mem, Some(16 * Bytes::GIB), &|n| {
                (9 + n.unsigned_abs() / 50) * Bytes::GIB
            }),
            series(Metric::Accelerator { name: gpu() }, Some(10_000), &|n| {
                9_900 - wave(n / 3) * 10
            }),
            series(
                Metric::AcceleratorMem { name: gpu() },
                Some(40 * Bytes::GIB),
                &|_| 31 * Bytes::GIB + 700 * Bytes::MIB,
            ),
            series(Metric::Home, None, &|n| n.unsigned_abs() * Bytes::MIB),
            series(Metric::BlockRead, None, &|n| wave(n / 30) * 12_000),
            series(Metric::BlockWrite, None, &|_| 0),
            series(Metric::NetworkIn, None, &|n| wave(n / 7) * 1_200_000),
            series(Metric::NetworkOut, None, &|n| wave(n / 9) * 999),
        ],
        ..Figures::default()
    }
}

fn is_figures(request: &Request) -> bool {
    matches!(request.of_session(), Some(SessionRequest::Figures))
}

pub fn answered(screen: Screen, figures: Figures) -> Screen {
    let figures = Box::new(figures);
    screen.answer(is_figures, Ok(Reply::Figures { figures }))
}

fn asked(screen: &Screen) -> usize {
    screen.questions().filter(|(_, r)| is_figures(r)).count()
}

/// The detail of the busy session.
fn open(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .press("j j enter")
}

#[test]
fn all_that_a_session_uses() {
    for (columns, rows) in [(80, 24), (120, 40), (140, 40), (200, 50)] {
        let screen = answered(open(columns, rows), figures());
        insta::assert_snapshot!(format!("usage_{columns}x{rows}"), screen.text());
    }
}

#[test]
fn plain_letters_draw_it_too() {
    let mut facts = facts();
    facts.unicode = false;
    let screen = Screen::with(140, 40, facts)
        .daemon(snapshot(day()))
        .press("j j enter");
    let screen = answered(screen, figures());
    insta::assert_snapshot!(screen.text());
}

#[test]
fn before_figures_come_the_newest_sample_is_shown() {
    let screen = open(140, 40);
    assert!(screen.sees("loading"), "{}", screen.text());
    let sampled = screen.notice(Change::Usage { samples: busy() });
    assert!(sampled.sees("CPU of 4"), "{}", sampled.text());
    assert!(sampled.sees("2.65"), "{}", sampled.text());
    let none = answered(open(140, 40), Figures::default());
    assert!(none.sees("no data yet"), "{}", none.text());
}

#[test]
fn an_engine_that_reports_none_and_a_failure_say_why() {
    let mut lacking = snapshot(day());
    if let EngineState::Connected { info } = &mut lacking.contexts[0].engine {
        let why = Clean::new("this engine reports no figures");
        info.capabilities.missing.push((Capability::LiveUsage, why));
    }
    let screen = Screen::new(140, 40).daemon(lacking).press("j j enter");
    assert!(screen.sees("this engine reports no figures"));
    assert_eq!(asked(&screen), 0);
    let failure = Failure::internal(Clean::new("the store is full"));
    let failed = open(140, 40).answer(is_figures, Err(failure));
    assert!(failed.sees("the store is full"));
}

#[test]
fn it_is_asked_again_when_the_session_moved_but_not_more_often_than_every_two_seconds() {
    let moved = |screen: Screen| screen.notice(Change::Usage { samples: busy() });
    let screen = answered(open(140, 40), figures());
    assert_eq!(asked(&screen), 1);
    let screen = moved(moved(screen));
    assert_eq!(asked(&screen), 1, "two seconds have not passed");
    let screen = screen.wait(2);
    assert_eq!(asked(&screen), 2);
    // Nothing moves: nothing is asked.
    let screen = answered(screen, figures()).wait(30);
    assert_eq!(asked(&screen), 2);
    let screen = moved(screen);
    assert_eq!(asked(&screen), 3);
    // What was asked and not answered is not asked again, except on a new connection to the daemon.
    let screen = moved(screen.wait(10));
    assert_eq!(asked(&screen), 3);
    assert_eq!(asked(&screen.daemon(snapshot(day()))), 4);
}

#[test]
fn the_help_says_what_one_core_is() {
    let screen = open(140, 40).press("enter ?");
    assert!(
        screen.sees("CPU is in cores: 1.00 is 100% in `docker stats` (one busy core"),
        "{}",
        screen.text()
    );
}
