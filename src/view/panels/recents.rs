//! Recent launches: their names, environments and resources.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    app::{app::App, area::DialogAreas, durations, launcher::Launcher, panels::recents::Recents},
    model::{
        environment::Environment, recent::Recent, secret_rules, session::SessionType,
        spec::LaunchRequest,
    },
    rules::{launch::environment, resolve},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 96;
/// Minimum rows of the list, also while it is empty.
const ROWS: u16 = 6;
/// Widths of the columns from the right: age, amounts, environment.
const AGO: u16 = 9;
const AMOUNTS: u16 = 18;
const PIN: u16 = 2;
/// A shorter part of a command would be useless.
const SHORTEST_COMMAND: u16 = 8;

impl Dialog for Recents {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        let count = self.entries().map_or(0, <[Recent]>::len) as u16;
        // The border, a blank above the rows, a blank and a line below them.
        let height = 2 + 1 + count.max(ROWS) + 2;
        let height = height.min(screen.height - 3);
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        dialog::areas(screen, area, dialog::rows(area, 2, 3))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp) {
        let rows = areas.rows;
        let inner = dialog::frame(
            paint,
            areas.screen,
            areas.area,
            tr!("Recent launches"),
            Face::Title,
        );
        let entries = self.entries().unwrap_or_default();
        dialog::more(paint, areas, self.list.scroll(), entries.len());
        let shown = entries.iter().enumerate().skip(self.list.scroll());
        for (line, (at, entry)) in shown.take(usize::from(rows.height)).enumerate() {
            let place = Rect::new(rows.x, rows.y + line as u16, rows.width, 1);
            if at == self.list.marked() {
                dialog::mark(paint, place);
            }
            let typed = (at == self.list.marked())
                .then(|| self.renaming())
                .flatten();
            draw_row(paint, app, entry, place, now);
            if let Some(input) = typed {
                let field = Rect::new(place.x + 1 + PIN, place.y, title_room(place), 1);
                paint.text(
                    field.x,
                    field.y,
                    field.width,
                    &" ".repeat(usize::from(field.width)),
                    Face::Input,
                );
                paint.input(field, input, true);
            }
        }
        if entries.is_empty() {
            let text = match self.entries() {
                None if app.mirror.is_up() => tr!("Loading recent launches"),
                None => tr!("Daemon disconnected. Recent launches appear after the reconnect."),
                Some(_) => {
                    tr!("No launches yet. Each launch is listed here, so that you can repeat it.")
                }
            };
            paint.text(rows.x + 1, rows.y, rows.width, text, Face::Dim);
        }
        draw_foot(paint, app, self, inner);
    }
}

fn title_room(place: Rect) -> u16 {
    let rest = place.width.saturating_sub(PIN + AGO + AMOUNTS + 1);
    rest / 2
}

fn draw_row(paint: &mut Paint<'_>, app: &App, entry: &Recent, place: Rect, now: Timestamp) {
    let launch = &entry.launch;
    if entry.pinned {
        let on = paint.glyphs.on;
        paint.text(place.x + 1, place.y, 1, on, Face::Accent);
    }
    let title = title_room(place);
    let x = place.x + 1 + PIN;
    paint.text(
        x,
        place.y,
        title.saturating_sub(2),
        entry.title.as_str(),
        Face::Value,
    );
    let x = x + title;
    let room = (place.right() - AGO - AMOUNTS).saturating_sub(x);
    let environment = environment_of(app, entry);
    let missing = is_missing(app, entry);
    let face = if missing { Face::Warning } else { Face::Dim };
    let ellipsis = paint.glyphs.ellipsis;
    let (label, _) = text::fit_path(&environment, usize::from(room.saturating_sub(2)), ellipsis);
    let end = paint.text(x, place.y, room, &label, face) + 2;
    // Shows as much of the command as fits. The foot shows more of it.
    let left = (x + room).saturating_sub(end + 2);
    if let Some(command) = command(launch).filter(|_| left >= SHORTEST_COMMAND) {
        paint.text(end, place.y, left, &command, Face::Label);
    }
    let amounts = amounts(launch, paint.glyphs.dot);
    let x = place.right() - AGO - AMOUNTS;
    paint.text(x, place.y, AMOUNTS, &amounts, Face::Dim);
    let seconds = now.as_second() - entry.at.as_second();
    let ago = durations::coarse(seconds);
    paint.right(place.right() - AGO, place.y, AGO, &ago, Face::Dim);
}

/// The name of the environment. A launch by an earlier version of workbay can lack a name and shows the
/// default environment.
fn environment_of(app: &App, entry: &Recent) -> String {
    let launch = &entry.launch;
    let named = launch.image.as_ref().or(launch.environment.as_ref());
    let default = || {
        let known = app.mirror.environments(entry.context);
        let found = environment::find(launch, known, &app.facts.launch.environment);
        found.map_or_else(
            || tr!("the default environment").to_owned(),
            Environment::label,
        )
    };
    named.cloned().unwrap_or_else(default)
}

/// The resources of each container. Only the launcher knows the amounts of a preset.
fn amounts(launch: &LaunchRequest, dot: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(
        launch
            .preset
            .as_ref()
            .map(|name| tr!("preset {name}", name)),
    );
    parts.extend(launch.cpu.map(|cpu| tr!("{cpu} CPU", cpu)));
    parts.extend(launch.mem.map(|mem| mem.to_string()));
    let joined = parts.join(&format!(" {dot} "));
    match launch.containers() {
        0 | 1 => joined,
        size => format!("{size} x {joined}"),
    }
}

/// The command of a batch session, in one line and without secrets.
fn command(launch: &LaunchRequest) -> Option<String> {
    let command = launch.startup_command.as_deref()?;
    let lines: Vec<&str> = command.split_whitespace().collect();
    let batch = launch.session_type == SessionType::Batch && !lines.is_empty();
    batch.then(|| secret_rules::mask(&lines.join(" ")))
}

/// Whether the context no longer has the launch's environment.
fn is_missing(app: &App, entry: &Recent) -> bool {
    let known = app.mirror.environments(entry.context);
    let Some(label) = &entry.launch.environment else {
        return false;
    };
    !known.is_empty() && resolve::find(known, label).is_none()
}

/// The details of the marked launch, or its problem.
fn draw_foot(paint: &mut Paint<'_>, app: &App, recents: &Recents, inner: Rect) {
    let y = inner.bottom().saturating_sub(1);
    let (x, room) = (inner.x + 1, inner.width.saturating_sub(1));
    if let Some(why) = recents.failure() {
        paint.text(x, y, room, why.as_str(), Face::Bad);
        return;
    }
    let marked = recents
        .entries()
        .and_then(|all| all.get(recents.list.marked()));
    let Some(entry) = marked else {
        return;
    };
    let mut said: Vec<String> = Vec::new();
    if app.mirror.has_several_contexts() {
        said.push(tr!("in {context}", context = entry.context));
    }
    if is_missing(app, entry) {
        said.push(tr!("its environment doesn't exist any more").to_owned());
    }
    match entry.launch.containers() {
        0 | 1 => {}
        size => said.push(tr!("cluster of {size} containers", size)),
    }
    match command(&entry.launch) {
        Some(command) => said.push(tr!("runs {command}", command)),
        None if entry.launch.session_type == SessionType::Batch => {
            said.push(tr!("batch").to_owned());
        }
        None => {}
    }
    if let [mount, ..] = entry.launch.mounts.as_slice() {
        let more = match entry.launch.mounts.len() {
            1 => String::new(),
            n => tr!(" and {n} more", n = n - 1),
        };
        said.push(tr!("with {folder}{more}", folder = mount.folder, more));
    }
    if app.panels.get().is_some_and(Launcher::is_touched) {
        said.push(tr!("replaces the launcher's fields").to_owned());
    }
    paint.text(x, y, room, &said.join(", "), Face::Dim);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::resources::{Bytes, Cpu};

    #[test]
    fn amounts_are_reported_by_number_or_by_preset() {
        let mut launch = LaunchRequest::default();
        assert_eq!(amounts(&launch, "-"), "");
        launch.preset = Some("small".to_owned());
        assert_eq!(amounts(&launch, "-"), "preset small");
        launch.mem = Some(Bytes(Bytes::GIB));
        assert_eq!(amounts(&launch, "-"), "preset small - 1 GiB");
        launch.preset = None;
        launch.cpu = Some(Cpu::from_millis(500));
        assert_eq!(amounts(&launch, "-"), "0.5 CPU - 1 GiB");
        launch.cluster_size = Some(4);
        assert_eq!(amounts(&launch, "-"), "4 x 0.5 CPU - 1 GiB");
        launch.startup_command = Some("make\n  test".to_owned());
        assert_eq!(command(&launch), None);
        launch.session_type = SessionType::Batch;
        assert_eq!(command(&launch).as_deref(), Some("make test"));
    }
}
