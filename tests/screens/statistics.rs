//! The bars above the list: what the user's sessions use of what they may use.

use workbay::model::{
    catalogue::{Limits, ResourceGroup, SlotLimits},
    change::Change,
    context::Context,
    resources::{Bytes, Cpu, ResourceSlots},
    statistics::Statistics,
};

use crate::{
    screen::Screen,
    world::{busy, day, snapshot},
};

fn slots(cores: u64, gib: u64, gpus: u64) -> ResourceSlots {
    let mut slots = ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB));
    slots
        .accelerators
        .insert("cuda.device".to_owned(), gpus * 1000);
    slots
}

/// Two groups; some GPUs are held in the other one.
fn held() -> Statistics {
    let group = |name: &str, using: ResourceSlots, remaining: ResourceSlots| ResourceGroup {
        name: name.into(),
        waiting: Some(0),
        capacity: Some(using.plus(&remaining)),
        free: None,
        using,
        remaining,
        free_by_agent: None,
    };
    let mut limits = Limits {
        using: slots(6, 18, 3),
        ..Limits::default()
    };
    limits.limits.cpu = Some(Cpu::from_millis(24_000));
    limits.limits.mem = Some(Bytes(64 * Bytes::GIB));
    Statistics {
        groups: vec![
            group("default", slots(5, 16, 1), slots(3, 4, 1)),
            group("gpu", slots(1, 2, 2), slots(8, 32, 0)),
        ],
        limits,
        sessions: Some(3),
        max_sessions: Some(10),
    }
}

fn reported(statistics: Option<Statistics>) -> Change {
    Change::Statistics {
        context: Context::local().name,
        statistics: statistics.map(Box::new),
    }
}

fn screen(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(snapshot(day()))
        .notice(Change::Usage { samples: busy() })
        .notice(reported(Some(held())))
}

#[test]
fn compact_80x24() {
    insta::assert_snapshot!(screen(80, 24).text());
}

#[test]
fn two_lines_140x40() {
    insta::assert_snapshot!(screen(140, 40).text());
}

#[test]
fn two_lines_200x50() {
    insta::assert_snapshot!(screen(200, 50).styled());
}

#[test]
fn plain_ascii() {
    let mut facts = crate::screen::facts();
    facts.unicode = false;
    let screen = Screen::with(80, 24, facts)
        .daemon(snapshot(day()))
        .notice(reported(Some(held())));
    insta::assert_snapshot!(screen.text().lines().take(3).collect::<Vec<_>>().join("\n"));
}

#[test]
fn a_key_hides_them_and_low_screens_have_none() {
    let shown = |screen: &Screen| screen.text().contains("3/10 sessions");
    let screen = screen(80, 24);
    assert!(shown(&screen));
    let screen = screen.press("b");
    assert!(!shown(&screen));
    assert!(shown(&screen.press("b")));
    let low = self::screen(80, 20);
    assert!(!shown(&low));
    let low = low.press("b").press("b");
    assert!(low.text().contains("need 24 rows"), "{}", low.text());
}

#[test]
fn an_engine_that_is_lost_reports_nothing() {
    let screen = screen(140, 40).notice(reported(None));
    assert!(!screen.text().contains("in total"));
}

#[test]
fn the_group_is_that_of_the_selected_session() {
    let mut sessions = day();
    for session in &mut sessions {
        session.placement.resource_group = Some("gpu".into());
    }
    let screen = Screen::new(140, 40)
        .daemon(snapshot(sessions))
        .notice(reported(Some(held())));
    let text = screen.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[2].trim_start().starts_with("gpu "), "{text}");
    assert!(lines[2].contains("1/9"), "{text}");
    assert!(lines[2].contains("2/2"), "{text}");
    assert!(lines[3].contains("6, limit 24"), "{text}");
}

/// One group without limits, of which others use the most.
fn shared(remaining: ResourceSlots) -> Statistics {
    let using = ResourceSlots::new(Cpu::from_millis(5050), Bytes(3 * Bytes::GIB / 2));
    let capacity = ResourceSlots::new(Cpu::from_millis(12_000), Bytes(48 * Bytes::GIB));
    Statistics {
        groups: vec![ResourceGroup {
            name: "default".into(),
            using,
            remaining,
            waiting: Some(2),
            capacity: Some(capacity),
            free: None,
            free_by_agent: None,
        }],
        sessions: Some(5),
        ..Statistics::default()
    }
}

#[test]
fn mine_others_and_free_are_parts_of_the_group() {
    let none = ResourceSlots::new(Cpu::from_millis(0), Bytes(40 * Bytes::GIB));
    let shown = |columns, rows| {
        let screen = Screen::new(columns, rows).daemon(snapshot(day()));
        screen.notice(reported(Some(shared(none.clone()))))
    };
    let narrow = shown(80, 24);
    assert!(
        narrow.sees("CPU") && narrow.sees("5.05+6.95/12"),
        "{}",
        narrow.text()
    );
    assert!(narrow.sees("1.5+6.5/48G"), "{}", narrow.text());
    let wide = shown(160, 40);
    assert!(
        wide.sees("5.05 yours, 6.95 others', 0 of 12 free"),
        "{}",
        wide.text()
    );
    // One group and no limit: one row shows everything.
    assert!(!wide.sees("in total"), "{}", wide.text());
    for (columns, rows) in [(80, 24), (120, 34), (200, 50)] {
        let name = format!("shared_{columns}x{rows}");
        insta::assert_snapshot!(name, shown(columns, rows).text());
    }
}

#[test]
fn what_others_use_alone_is_shown_too() {
    let mut all = shared(ResourceSlots::default());
    all.groups[0].using = ResourceSlots::default();
    let screen = Screen::new(80, 24)
        .daemon(snapshot(day()))
        .notice(reported(Some(all)));
    assert!(
        screen.sees("CPU") && screen.sees("0+12/12"),
        "{}",
        screen.text()
    );
}

/// A group of a cluster: the keypair may use 8 cores, and the memory isn't limited.
fn of_a_cluster(hidden: bool) -> Statistics {
    let slots = |cores: u64, gib: u64| {
        ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes::mib(gib << 10))
    };
    let limits = |cores: u64| SlotLimits {
        cpu: Some(Cpu::from_millis(cores * 1000)),
        ..SlotLimits::default()
    };
    Statistics {
        groups: vec![ResourceGroup {
            name: "gpu-a100".into(),
            using: slots(3, 16),
            remaining: slots(5, 200),
            waiting: None,
            capacity: Some(slots(128, 512)).filter(|_| !hidden),
            free: Some(slots(85, 200)).filter(|_| !hidden),
            free_by_agent: None,
        }],
        limits: Limits {
            limits: limits(8),
            using: slots(3, 16),
            remaining: limits(5),
        },
        sessions: Some(2),
        max_sessions: None,
    }
}

#[test]
fn what_a_limit_forbids_is_not_others_and_a_hidden_total_is_no_number() {
    for (hidden, name) in [(false, "visible"), (true, "hidden")] {
        for (columns, rows) in [(80, 24), (160, 40)] {
            let screen = Screen::new(columns, rows)
                .daemon(snapshot(day()))
                .notice(reported(Some(of_a_cluster(hidden))));
            let head = screen.text().lines().take(5).collect::<Vec<_>>().join("\n");
            insta::assert_snapshot!(format!("cluster_{name}_{columns}"), head);
        }
    }
}
