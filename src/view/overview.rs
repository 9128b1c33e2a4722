//! Charts of the last minutes in the space below a short list: the selected session, and all sessions together.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    amount::short,
    bar,
    chart::{self, ChartSize},
    paint::{Paint, Piece},
    text,
};
use crate::{
    app::{
        app::App,
        area::Areas,
        mirror::LiveSessions,
        trail::{Trail, TrailMetric},
    },
    model::{
        capability::EngineState,
        resources::{Bytes, Cpu},
        session::Session,
        status::Tab,
    },
    theme::face::Face,
};

/// The rule above the charts and a blank line below it.
const HEAD: u16 = 2;
/// Rows of a chart.
const LOWEST: u16 = 3;
const HIGHEST: u16 = 6;
/// Cells between two charts.
const GAP: u16 = 3;
/// From this width, a third column shows the network and the disk.
const WIDE: u16 = 120;
/// Blank lines that stay between the list and the charts.
const AIR: u16 = 2;

/// The height of the charts below a list with `free` blank lines, `None` if there is no room or nothing to show.
pub fn height(app: &App, free: u16) -> Option<u16> {
    let running = app.sessions.tab() == Tab::Running && !app.sessions.is_empty();
    if !running || app.mirror.trails().all().is_empty() {
        return None;
    }
    let room = free.checked_sub(AIR + HEAD)?;
    let two = (room.saturating_sub(1) / 2).saturating_sub(1).min(HIGHEST);
    if two >= LOWEST {
        return Some(HEAD + 2 * (1 + two) + 1);
    }
    let one = room.saturating_sub(1).min(HIGHEST);
    (one >= LOWEST).then_some(HEAD + 1 + one)
}

/// One chart with its title.
struct Chart<'a> {
    title: Vec<Piece>,
    trail: Option<&'a Trail>,
    metric: TrailMetric,
    /// The value that fills the chart; `None` = the highest sample.
    top: Option<u64>,
    face: Face,
}

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas) {
    let Some(area) = areas.overview else { return };
    draw_head(paint, area);
    let mut lines = vec![all_charts(app)];
    if let Some(session) = app.current() {
        lines.insert(
            0,
            session_charts(app, session, (area.width, paint.glyphs.ellipsis)),
        );
    }
    let room = area.height - HEAD;
    // A group has no charts of its own, so those of all sessions take its room.
    let two = lines.len() == 2 && room > 2 * (1 + LOWEST);
    lines.truncate(if two { 2 } else { 1 });
    // With both lines, one of the rows separates them.
    let each = if two { (room - 1) / 2 } else { room };
    for (line, charts) in lines.iter().enumerate() {
        let y = area.y + HEAD + line as u16 * (each + 1);
        let columns = charts.len() as u16;
        let width = (area.width - 2 - GAP * (columns - 1)) / columns;
        for (column, it) in charts.iter().enumerate() {
            let x = area.x + 1 + column as u16 * (width + GAP);
            draw_chart(paint, Rect::new(x, y, width, each), it);
        }
    }
}

/// A rule with the title and the time that the charts cover.
fn draw_head(paint: &mut Paint<'_>, area: Rect) {
    let rule = paint.glyphs.rule;
    paint.line(area.x, area.y, area.width, rule, Face::Border);
    paint.text(
        area.x + 1,
        area.y,
        area.width - 2,
        tr!(" Last minutes "),
        Face::Title,
    );
}

fn draw_chart(paint: &mut Paint<'_>, area: Rect, chart: &Chart<'_>) {
    paint.pieces(area.x, area.y, area.width, &chart.title);
    let Some(trail) = chart.trail.filter(|trail| !trail.is_empty()) else {
        paint.text(
            area.x,
            area.y + 1,
            area.width,
            tr!("no samples yet"),
            Face::Dim,
        );
        return;
    };
    let values = trail.values(chart.metric);
    let highest = values.iter().flatten().copied().max().unwrap_or(0);
    let top = chart.top.unwrap_or(highest).max(1);
    let size = ChartSize {
        cells: usize::from(area.width),
        rows: usize::from(area.height - 1),
    };
    let times: Vec<Timestamp> = trail.times();
    let rows = chart::rows(&times, &values, top, size, paint.glyphs.spark);
    for (row, y) in rows.iter().zip(area.y + 1..area.bottom()) {
        paint.text(area.x, y, area.width, row, chart.face);
    }
}

/// Cells of the words and numbers after the name: `memory 15.2G/16G`, and a gap.
const TITLE_NUMBERS: usize = 20;

fn title(name: &str, what: &str, value: String) -> Vec<Piece> {
    vec![
        (format!("{name}  "), Face::Strong),
        (format!("{what} "), Face::Label),
        (value, Face::Value),
    ]
}

fn session_charts<'a>(
    app: &'a App,
    session: &Session,
    (width, ellipsis): (u16, &str),
) -> Vec<Chart<'a>> {
    let key = session.key();
    let (trail, usage) = (app.mirror.trails().of(key), app.mirror.usage(key));
    let slots = &session.requested_slots;
    // Each of the charts side by side has its numbers beside the name.
    let columns = if width >= WIDE { 4 } else { 2 };
    let room = usize::from(width / columns)
        .saturating_sub(TITLE_NUMBERS)
        .max(8);
    let name = text::fit_middle(session.name.as_str(), room, ellipsis);
    if trail.is_none() {
        return vec![Chart {
            title: vec![(name, Face::Strong)],
            trail,
            metric: TrailMetric::Cpu,
            top: None,
            face: Face::Dim,
        }];
    }
    let (cpu, memory) = (bar::cpu(session, usage), bar::memory(session, usage));
    let limit = |amount: u64| Some(amount).filter(|amount| *amount > 0);
    let mut charts = vec![
        Chart {
            title: title(&name, tr!("CPU"), cpu.numbers),
            trail,
            metric: TrailMetric::Cpu,
            top: limit(slots.cpu.millis()),
            face: cpu.face,
        },
        Chart {
            title: title(&name, tr!("memory"), memory.numbers),
            trail,
            metric: TrailMetric::Mem,
            top: limit(slots.mem.0),
            face: memory.face,
        },
    ];
    if width >= WIDE {
        charts.extend([
            rate(&name, tr!("network"), trail, TrailMetric::Network),
            rate(&name, tr!("disk"), trail, TrailMetric::Disk),
        ]);
    }
    charts
}

/// A chart of bytes per second, which fills with its highest sample.
fn rate<'a>(name: &str, what: &str, trail: Option<&'a Trail>, metric: TrailMetric) -> Chart<'a> {
    let values = trail.map(|trail| trail.values(metric)).unwrap_or_default();
    let now = values.last().copied().flatten();
    let now = now.map_or_else(|| "-".to_owned(), |now| format!("{}/s", short(Bytes(now))));
    Chart {
        title: title(name, what, now),
        trail,
        metric,
        top: None,
        face: Face::StatusProgress,
    }
}

/// The sessions whose use is added up: only those that were on the screen have samples.
fn summed(app: &App) -> String {
    let LiveSessions {
        all,
        sampled: known,
    } = app.mirror.live();
    if known < all {
        return tr!("{known} of {all} sessions", known, all);
    }
    tr!("All sessions").to_owned()
}

/// The sum of all sampled sessions, against what the engines have.
fn all_charts(app: &App) -> Vec<Chart<'_>> {
    let trail = app.mirror.trails().all();
    let engines = app.mirror.contexts().iter();
    let (cpus, memory) = engines
        .filter_map(|state| match &state.engine {
            EngineState::Connected { info } => Some((info.cpus.millis(), info.memory.0)),
            _ => None,
        })
        .fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let now = |metric| trail.values(metric).last().copied().flatten().unwrap_or(0);
    let of = |used: String, all: u64, shown: String| match all {
        0 => used,
        _ => tr!("{used} of {shown}", used, shown),
    };
    let (cpu, mem) = (now(TrailMetric::Cpu), now(TrailMetric::Mem));
    let name = summed(app);
    let chart = |what, value, metric, top: u64| Chart {
        title: title(&name, what, value),
        trail: Some(trail),
        metric,
        top: Some(top).filter(|top| *top > 0),
        face: Face::BarNormal,
    };
    let used = Cpu::from_millis(cpu).in_use();
    vec![
        chart(
            tr!("CPU"),
            of(used, cpus, Cpu::from_millis(cpus).to_string()),
            TrailMetric::Cpu,
            cpus,
        ),
        chart(
            tr!("memory"),
            of(short(Bytes(mem)), memory, short(Bytes(memory))),
            TrailMetric::Mem,
            memory,
        ),
    ]
}
