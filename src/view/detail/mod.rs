//! The detail of one session.

mod cluster;
mod containers;
mod ending;
mod group;
mod history;
mod idle_checks;
mod loss;
mod pull;
mod usage;
mod usage_chart;

use std::fmt::Write as _;

use jiff::Timestamp;
use ratatui::layout::{Rect, Size};

use self::usage_chart::ChartPlan;
use super::{
    glyphs::Glyphs,
    paint::{Paint, Piece},
    status, text,
};
use crate::{
    app::{app::App, area::Areas, detail::Detail, durations},
    model::{
        catalogue::AcceleratorKind,
        environment::EnvironmentSource,
        resources::{Cpu, ResourceSlots},
        session::Session,
    },
    theme::face::Face,
};

/// Cells of the labels.
const LABEL: usize = 14;

type DetailLine = Vec<Piece>;

/// All lines of the detail.
#[derive(Default)]
pub struct DetailContent {
    pub lines: Vec<DetailLine>,
    /// How many of the lines are before the history, which is the last section.
    pub before_history: usize,
}

pub fn draw(paint: &mut Paint<'_>, app: &App, detail: &Detail, areas: &Areas, now: Timestamp) {
    let Some(area) = areas.detail else { return };
    draw_edge(paint, detail, areas, area);
    let size = Size::new(area.width, area.height);
    let content = content(app, detail, size, paint.glyphs, now);
    let shown = content.lines.iter().skip(detail.scroll());
    for (line, pieces) in shown.take(usize::from(area.height)).enumerate() {
        paint.pieces(area.x, area.y + line as u16, area.width, pieces);
    }
    if detail.has_more_below() {
        let down = paint.glyphs.down;
        paint.right(area.x, area.bottom() - 1, area.width, down, Face::Accent);
    }
}

/// Draws a line between the list and the detail, on the side of the list.
fn draw_edge(paint: &mut Paint<'_>, detail: &Detail, areas: &Areas, area: Rect) {
    let face = if detail.focused {
        Face::BorderFocused
    } else {
        Face::Border
    };
    if areas.detail_beside {
        let x = area.x.saturating_sub(2);
        for y in areas.rule.bottom()..area.bottom() {
            let glyph = paint.glyphs.vertical;
            paint.text(x, y, 1, glyph, face);
        }
    } else if areas.rows.height > 0 {
        let glyph = paint.glyphs.rule;
        paint.line(0, area.y - 1, areas.screen.width, glyph, face);
    }
}

/// The input for the view's lines.
struct DetailView<'a> {
    app: &'a App,
    detail: &'a Detail,
    session: &'a Session,
    /// Cells of a line.
    width: usize,
    glyphs: &'a Glyphs,
    now: Timestamp,
}

/// Returns all lines for an area of this size. Their number doesn't depend on `now`.
pub fn content(
    app: &App,
    detail: &Detail,
    size: Size,
    glyphs: &Glyphs,
    now: Timestamp,
) -> DetailContent {
    // The last column has the mark for more lines.
    let width = usize::from(size.width.saturating_sub(2));
    let grouped = app.sessions.selected_group().zip(app.sessions.grouping());
    if let Some((group, grouping)) = grouped.filter(|_| !detail.focused) {
        return DetailContent {
            lines: group::lines(app, group, grouping, (width, glyphs), now),
            before_history: 0,
        };
    }
    let Some(session) = app.full(detail.session()) else {
        return DetailContent::default();
    };
    let session = &session;
    let view = DetailView {
        app,
        detail,
        session,
        width,
        glyphs,
        now,
    };
    let all = sections(&view, ChartPlan::default());
    // The charts take the lines that nothing else needs.
    let free = usize::from(size.height).saturating_sub(all.lines.len());
    let charts = ChartPlan::of(usage::charted(&view), free);
    if charts.count == 0 {
        return all;
    }
    sections(&view, charts)
}

/// All sections, with charts in place of the first sparklines.
fn sections(view: &DetailView<'_>, charts: ChartPlan) -> DetailContent {
    let (app, detail, session) = (view.app, view.detail, view.session);
    let (width, glyphs, now) = (view.width, view.glyphs, view.now);
    let mut lines = title(view);
    // An ended session first shows its usage and the last lines of its log.
    let ended = !ending::ending_lines(view).is_empty();
    if ended {
        lines.extend(usage::lines(view, charts));
        lines.extend(ending::last_lines(view));
    }
    lines.push(idle_checks::alert(view));
    lines.extend(pull::lines(view));
    let label = session.environment.label();
    lines.extend(wrapped_row(tr!("Environment"), &label, width));
    lines.extend(reference(session, width));
    lines.extend(cluster::command(session, width));
    lines.extend(allocation(session, width));
    if !ended {
        lines.extend(usage::lines(view, charts));
    }
    lines.extend(idle_checks::lines(view));
    lines.extend(loss::lines(view));
    lines.extend(containers::table(view));
    lines.extend([Vec::new(), vec![(tr!("Session").to_owned(), Face::Title)]]);
    lines.extend(cluster::placement(app, session, width));
    lines.extend(containers::single(view));
    lines.extend(times(app, detail, session, now));
    lines.extend(places(app, session, width));
    lines.push(Vec::new());
    let before_history = lines.len();
    lines.extend(history::lines(app, detail, width, glyphs));
    DetailContent {
        lines,
        before_history,
    }
}

/// The name and the status, then how the session ended or the reason for its status, then its request.
fn title(view: &DetailView<'_>) -> Vec<DetailLine> {
    let (session, width, glyphs) = (view.session, view.width, view.glyphs);
    let word = status::piece(session, glyphs);
    let room = width.saturating_sub(text::width(&word.0) + 2);
    let name = text::fit_middle(session.name.as_str(), room, glyphs.ellipsis);
    let gap = " ".repeat(width.saturating_sub(text::width(&name) + text::width(&word.0)));
    let mut lines = vec![vec![(name, Face::Title), (gap, Face::Text), word]];
    let ending = ending::ending_lines(view);
    let reason = match (&session.status_message, &session.status_info) {
        _ if !ending.is_empty() => None,
        (Some(message), _) if !message.is_empty() => Some(message),
        (_, info) => info.as_ref(),
    };
    lines.extend(ending);
    for (text, face) in [
        (reason, Face::Text),
        (session.pending_request.as_ref(), Face::StatusProgress),
    ] {
        if let Some(text) = text {
            let wrapped = text::wrap(text.as_str(), width);
            lines.extend(wrapped.into_iter().map(|line| vec![(line, face)]));
        }
    }
    lines
}

/// The full image reference, unless the name of the environment already shows it.
fn reference(session: &Session, width: usize) -> Vec<DetailLine> {
    match &session.environment.source {
        EnvironmentSource::Image { reference } if *reference != session.environment.label() => {
            unbroken(tr!("Image"), reference, width)
        }
        _ => Vec::new(),
    }
}

fn row(label: &str, value: impl Into<String>) -> DetailLine {
    vec![
        (text::pad(label, LABEL), Face::Label),
        (value.into(), Face::Value),
    ]
}

/// The resources that the engine allocated, otherwise those requested. Shows a warning if the engine
/// allocated less than requested.
fn allocation(session: &Session, width: usize) -> Vec<DetailLine> {
    let (asked, given) = (&session.requested_slots, &session.occupied_slots);
    let granted = *given != ResourceSlots::default();
    let label = tr!("Resources");
    let mut lines = wrapped_row(label, &amounts(if granted { given } else { asked }), width);
    if granted && !asked.fits(given) {
        let mut line = row("", "");
        line.push((
            tr!("fewer than requested: {asked}", asked = amounts(asked)),
            Face::Warning,
        ));
        lines.push(line);
    }
    lines.push(row(tr!("Shared memory"), session.shmem.to_string()));
    if let Some(most) = session.disk_limit {
        lines.push(row(tr!("Disk limit"), most.to_string()));
    }
    lines
}

/// `4 CPU, 16 GiB, 1 GPU`.
fn amounts(slots: &ResourceSlots) -> String {
    let mut text = tr!("{cpu} CPU, {mem}", cpu = slots.cpu, mem = slots.mem);
    for (slot, amount) in &slots.accelerators {
        let unit = AcceleratorKind::usual_unit(slot);
        let _ = write!(text, ", {} {unit}", Cpu::from_millis(*amount));
    }
    text
}

fn times(app: &App, detail: &Detail, session: &Session, now: Timestamp) -> Vec<DetailLine> {
    let seconds = session.elapsed_seconds(now);
    let elapsed = if detail.focused || session.terminated_at.is_some() {
        durations::fine(seconds)
    } else {
        durations::coarse(seconds)
    };
    let waited = session
        .started_at
        .map(|at| at.as_second() - session.created_at.as_second());
    let label = match waited {
        Some(_) => tr!("Run time"),
        None if session.terminated_at.is_some() => tr!("Waited"),
        None => tr!("Waiting"),
    };
    let mut lines = vec![row(label, elapsed)];
    // Starting takes a few seconds, which don't count as waiting.
    let waited = waited.filter(|seconds| *seconds >= 5);
    lines.extend(waited.map(|seconds| row(tr!("Waited"), durations::fine(seconds))));
    lines.push(row(tr!("Created"), moment(app, session.created_at)));
    for (label, at) in [
        (
            tr!("Starts at"),
            session.starts_at.filter(|_| session.started_at.is_none()),
        ),
        (tr!("Started"), session.started_at),
        (tr!("Ended"), session.terminated_at),
    ] {
        if let Some(at) = at {
            lines.push(row(label, moment(app, at)));
        }
    }
    lines.extend(
        session
            .timeout
            .map(|it| row(tr!("Timeout"), it.to_string())),
    );
    lines
}

fn moment(app: &App, at: Timestamp) -> String {
    at.to_zoned(app.facts.time_zone.clone())
        .strftime("%Y-%m-%d %H:%M:%S")
        .to_string()
}

/// Formats a time near `now`. Adds the day only if it isn't today.
pub(super) fn short_moment(app: &App, at: Timestamp, now: Timestamp) -> String {
    let zone = &app.facts.time_zone;
    let (at, now) = (at.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let form = if at.date() == now.date() {
        "%H:%M"
    } else {
        "%m-%d %H:%M"
    };
    at.strftime(form).to_string()
}

/// The home directory, then the ids.
fn places(app: &App, session: &Session, width: usize) -> Vec<DetailLine> {
    let mut lines = Vec::new();
    if let Some(home) = &session.home {
        lines.extend(unbroken(tr!("Home"), &app.facts.short_path(home), width));
    }
    lines.extend(unbroken(tr!("Id"), &session.id.to_string(), width));
    lines.extend(containers::id(session, width));
    lines
}

/// Splits a text into lines without changing it, so that it can be copied line by line. A path breaks after a
/// slash.
fn unbroken(label: &str, value: &str, width: usize) -> Vec<DetailLine> {
    let room = width.saturating_sub(LABEL);
    let (mut rest, mut label) = (value, label);
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let mut head = text::take(rest, room);
        if head.is_empty() {
            break;
        }
        if head.len() < rest.len()
            && let Some(end) = breaks_at(head)
        {
            head = &head[..=end];
        }
        lines.push(row(label, head));
        rest = &rest[head.len()..];
        label = "";
    }
    lines
}

/// Breaks after a directory, otherwise after a part of an id.
fn breaks_at(text: &str) -> Option<usize> {
    let slash = text.rfind('/').filter(|at| *at > 0);
    slash.or_else(|| text.rfind('-'))
}

/// A label and a text that can need several lines.
fn wrapped_row(label: &str, value: &str, width: usize) -> Vec<DetailLine> {
    let mut label = label;
    let mut lines = Vec::new();
    for line in text::wrap(value, width.saturating_sub(LABEL)) {
        lines.push(row(label, line));
        label = "";
    }
    lines
}
