use jiff::Timestamp;

use super::{
    TopSort,
    rows::{Refresh, Row},
};
use crate::model::{
    figures::{Figures, Metric, Series},
    id::KernelId,
    kernel::Kernel,
    session::Session,
    status::Status,
    testing,
};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn series(metric: Metric, now: u64, limit: Option<u64>) -> Series {
    Series {
        metric,
        values: vec![Some(now)],
        average: None,
        peak: None,
        limit,
        total: None,
    }
}

fn row(number: u128, name: &str, series: Vec<Series>) -> Row {
    Row {
        session: Session {
            status: Status::Running,
            started_at: Some(at(0)),
            ..testing::session(number << 96, name)
        },
        figures: Figures {
            at: vec![at(100)],
            series,
            ..Figures::default()
        },
    }
}

fn refresh(second: i64) -> Refresh {
    let busy = vec![
        series(Metric::Cpu, 1_500, Some(2_000)),
        series(Metric::Mem, 64 << 20, Some(128 << 20)),
        series(Metric::NetworkIn, 2048, None),
    ];
    let large = vec![
        series(Metric::Cpu, 10, None),
        series(Metric::Mem, 1 << 30, None),
    ];
    Refresh {
        at: at(second),
        several: false,
        kernels: false,
        notes: Vec::new(),
        rows: vec![
            row(3, "unknown", Vec::new()),
            row(1, "busy", busy),
            row(2, "large", large),
        ],
    }
}

fn order(by: TopSort) -> Vec<String> {
    let json = serde_json::to_value(refresh(101).json(by)).unwrap();
    let sessions = json["sessions"].as_array().unwrap().iter();
    sessions
        .map(|it| it["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn sessions_are_sorted_by_what_they_use_and_unknown_ones_are_last() {
    assert_eq!(order(TopSort::Cpu), ["busy", "large", "unknown"]);
    assert_eq!(order(TopSort::Mem), ["large", "busy", "unknown"]);
    assert_eq!(order(TopSort::Network), ["busy", "large", "unknown"]);
    assert_eq!(order(TopSort::Name), ["busy", "large", "unknown"]);
}

#[test]
fn amounts_have_the_units_of_show_and_their_limits() {
    let table = refresh(101).table(TopSort::Cpu, None);
    let rows: Vec<Vec<&str>> = table
        .lines()
        .map(|line| {
            line.split("  ")
                .map(str::trim)
                .filter(|it| !it.is_empty())
                .collect()
        })
        .collect();
    assert_eq!(rows[0][..4], ["NAME", "ID", "CPU", "MEM"]);
    assert_eq!(
        rows[1][2..5],
        ["1.50 / 2 cores", "64 MiB / 128 MiB", "2 KiB/s"]
    );
    assert_eq!(rows[2][2..4], ["0.01 cores", "1 GiB"]);
    assert_eq!(rows[3][2..4], ["-", "-"]);
    assert!(!table.contains("ACCELERATORS"));
}

#[test]
fn accelerators_are_shown_where_there_are_any() {
    let mut refresh = refresh(101);
    for name in ["GPU 0", "GPU 1"] {
        let metric = Metric::Accelerator { name: name.into() };
        let device = series(metric, 4_250, Some(10_000));
        refresh.rows[0].figures.series.push(device);
    }
    let table = refresh.table(TopSort::Accelerator, None);
    assert!(table.contains("ACCELERATORS"), "{table}");
    let first = table.lines().nth(1).unwrap();
    assert!(
        first.starts_with("unknown") && first.contains("42.5%, 42.5%"),
        "{table}"
    );
}

#[test]
fn an_old_sample_is_not_shown_as_of_now() {
    let table = refresh(200).table(TopSort::Cpu, None);
    assert!(
        !table.contains("1.50") && table.contains("- / 2 cores"),
        "{table}"
    );
    assert!(!refresh(200).is_fresh() && !refresh(101).is_fresh());
}

#[test]
fn a_terminal_gets_the_time_and_the_number_of_sessions() {
    let mut refresh = refresh(101);
    refresh.notes = vec!["engine x isn't responding".to_owned()];
    let lines = refresh.lines(TopSort::Cpu, 80);
    assert!(lines[0].contains("3 running sessions"), "{lines:?}");
    assert_eq!(lines[1], "engine x isn't responding");
    assert_eq!(lines.len(), 6);
    refresh.rows.clear();
    assert!(refresh.lines(TopSort::Cpu, 80)[0].contains("no running sessions"));
}

#[test]
fn containers_of_a_cluster_session_have_rows_where_asked_for() {
    let mut refresh = refresh(101);
    let row = &mut refresh.rows[1];
    for (number, host, cpu) in [(1, "main1", 1_490), (2, "sub1", 10)] {
        let id = KernelId::from_u128(number);
        let kernel = Kernel::new(id, host.into(), Status::Running);
        row.session.kernels.push(kernel);
        let figures = Figures {
            at: vec![at(100)],
            series: vec![series(Metric::Cpu, cpu, None)],
            ..Figures::default()
        };
        row.figures.kernels.insert(id, figures);
    }
    assert_eq!(refresh.table(TopSort::Cpu, None).lines().count(), 4);
    let json = serde_json::to_value(refresh.json(TopSort::Cpu)).unwrap();
    let kernels = &json["sessions"][0]["kernel_usage"];
    assert_eq!(kernels[1]["hostname"], "sub1");
    assert_eq!(kernels[1]["usage"][0]["now"], 10);
    assert_eq!(json["sessions"][1]["kernel_usage"], serde_json::json!([]));
    refresh.kernels = true;
    let table = refresh.table(TopSort::Cpu, None);
    let lines: Vec<&str> = table.lines().map(str::trim_end).collect();
    assert!(lines[1].starts_with("busy ") && lines[1].contains("1.50 / 2 cores"));
    assert!(lines[2].starts_with("  main1 ") && lines[2].contains(" 1.49 cores "));
    assert!(lines[3].starts_with("  sub1 ") && lines[3].contains(" 0.01 cores "));
    assert!(lines[4].starts_with("large "), "{table}");
}

#[test]
fn a_narrow_terminal_lacks_whole_columns() {
    let refresh = refresh(101);
    let heads = |width| refresh.lines(TopSort::Cpu, width)[1].clone();
    assert!(heads(200).contains("DISK WRITE"));
    let narrow = heads(80);
    assert!(
        !narrow.contains("DISK") && narrow.contains("NET IN"),
        "{narrow}"
    );
    assert!(narrow.ends_with("RUN TIME"), "{narrow}");
    for width in [60, 70, 80, 90, 100] {
        let lines = refresh.lines(TopSort::Cpu, width);
        let widest = lines.iter().map(|line| line.chars().count()).max();
        assert!(widest <= Some(width), "{width}: {lines:?}");
    }
}
