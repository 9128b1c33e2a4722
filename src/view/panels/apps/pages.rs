//! The pages of one app: its options, questions, its start, its log, and the commands for SSH.

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{LABEL, lines_of, of_failure, paragraph, piece, room, unbroken, with_rows};
use crate::{
    app::{
        area::DialogAreas,
        durations,
        panels::apps::{
            AppLog, EndQuestion, PUBLIC_WORD, PublicQuestion, StartFailure, Starting,
            form::{FieldKind, FormField, OptionsForm},
            ssh::SshPage,
        },
    },
    locale,
    model::text::Clean,
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

/// Cells of the labels of fields.
const FIELD: u16 = 19;
/// Cells of an input with a note after it.
const SHORT: u16 = 14;

pub fn draw_form(paint: &mut Paint<'_>, form: &OptionsForm, rows: Rect, inner: Rect) {
    for (at, field) in form.fields().enumerate().take(usize::from(rows.height)) {
        let place = Rect::new(rows.x, rows.y + at as u16, rows.width, 1);
        let focused = at == form.at();
        if focused {
            dialog::mark(paint, place);
        }
        draw_field(paint, form, field, place, focused);
    }
    let text = if form.public {
        tr!("Public: everyone in the allowed networks can use it, without a token.")
    } else {
        tr!("It listens on 127.0.0.1 of this machine, and needs the token of its URL.")
    };
    let face = if form.public { Face::Bad } else { Face::Dim };
    let y = rows.bottom() + 1;
    if y < inner.bottom() {
        paint.text(inner.x, y, inner.width, text, face);
    }
}

fn draw_field(
    paint: &mut Paint<'_>,
    form: &OptionsForm,
    field: &FormField,
    place: Rect,
    focused: bool,
) {
    let title = text::fit(&field.title, usize::from(FIELD - 2), paint.glyphs.ellipsis);
    let x = place.x + 1;
    paint.text(x, place.y, FIELD - 2, &title, Face::Label);
    let x = x + FIELD;
    let room = place.right().saturating_sub(x);
    let face = if focused {
        Face::InputFocused
    } else {
        Face::Value
    };
    match field.kind {
        FieldKind::Public => {
            let mark = if form.public {
                paint.glyphs.on
            } else {
                paint.glyphs.off
            };
            let word = match (form.public, form.may_be_public) {
                (true, _) => tr!("yes"),
                (false, true) => tr!("no"),
                (false, false) => tr!("not allowed by the setting apps.open-to-public"),
            };
            let face = match (form.public, form.may_be_public) {
                (true, _) => Face::Bad,
                (false, false) => Face::Dim,
                (false, true) => face,
            };
            paint.text(x, place.y, room, &format!("[{mark}] {word}"), face);
        }
        FieldKind::Protocol => {
            let word = form.protocol.word();
            let turning = paint.glyphs.turning;
            paint.text(x, place.y, room, &format!("{word}  {turning}"), face);
        }
        FieldKind::Argument(_) | FieldKind::Variables | FieldKind::Networks => {
            input(
                paint,
                field,
                Rect {
                    x,
                    width: room,
                    ..place
                },
                focused,
            );
        }
        FieldKind::Port | FieldKind::Preferred | FieldKind::Expires => {
            let width = SHORT.min(room);
            input(paint, field, Rect { x, width, ..place }, focused);
            let rest = room.saturating_sub(SHORT + 1);
            paint.text(x + SHORT + 1, place.y, rest, &field.note, Face::Dim);
        }
    }
}

/// An input, or what may be typed while it is empty.
fn input(paint: &mut Paint<'_>, field: &FormField, place: Rect, focused: bool) {
    paint.input(place, &field.input, focused);
    let is_short = place.width <= SHORT;
    if field.input.is_empty() && !is_short {
        paint.text(
            place.x,
            place.y,
            place.width,
            &field.note,
            Face::Placeholder,
        );
    }
}

fn warning(question: &PublicQuestion) -> String {
    let what = match question.chosen.target.app() {
        Some(app) => app.title.to_string(),
        None => tr!("port {app}", app = question.chosen.start.app),
    };
    let public = question.chosen.options.public.as_ref();
    let allowed = public.map_or(&[][..], |public| &public.allowed);
    let who = match allowed {
        [] => tr!("Everyone who reaches this machine").to_owned(),
        networks => tr!("Everyone in {networks}", networks = networks.join(", ")),
    };
    let until = match public.and_then(|public| public.expires) {
        Some(span) => tr!("It closes after {span}.", span = span.in_words()),
        None => tr!("It stays open until you close it.").to_owned(),
    };
    tr!(
        "{who} can use {what} as you, without a token or password. {until}",
        who,
        what,
        until
    )
}

pub fn place_public(question: &PublicQuestion, screen: Rect) -> DialogAreas {
    let lines = lines_of(&warning(question), room(screen));
    with_rows(screen, lines + 4, 1, 1)
}

pub fn draw_public(paint: &mut Paint<'_>, question: &PublicQuestion, name: &Clean, inner: Rect) {
    let y = paragraph(paint, inner, inner.y + 1, &warning(question), Face::Bad);
    let text = tr!(
        "Type '{word}' or '{name}' to confirm.",
        word = PUBLIC_WORD,
        name
    );
    paint.text(inner.x, y + 1, inner.width, &text, Face::Text);
    let (x, label) = (inner.x, tr!("Confirm"));
    let field = Rect::new(x + FIELD, y + 3, inner.width.saturating_sub(FIELD), 1);
    if field.y < inner.bottom() {
        paint.text(x, field.y, FIELD, label, Face::Label);
        paint.input(field, &question.input, true);
    }
}

const STOP: [&str; 2] = [tr_later!("   No   "), tr_later!("  Stop  ")];
const RESTART: [&str; 2] = [tr_later!("   No   "), tr_later!("  Restart  ")];

fn end_buttons(question: &EndQuestion) -> [&'static str; 2] {
    if question.restarts { RESTART } else { STOP }
}

fn end_text(question: &EndQuestion) -> String {
    let title = &question.app.title;
    let after = if question.restarts {
        tr!("Its forwards open again when it runs.")
    } else {
        tr!("Its forwards close.")
    };
    tr!(
        "{title} ends with the programs that it runs, for example kernels. Unsaved work is lost. {after}",
        title,
        after
    )
}

pub fn place_end(question: &EndQuestion, screen: Rect) -> DialogAreas {
    let lines = lines_of(&end_text(question), room(screen));
    let mut areas = with_rows(screen, lines + 1, 3, 0);
    areas.rows = Rect::ZERO;
    areas.buttons = dialog::buttons(areas.area, end_buttons(question));
    areas
}

pub fn draw_end(paint: &mut Paint<'_>, question: &EndQuestion, areas: &DialogAreas, inner: Rect) {
    paragraph(paint, inner, inner.y + 1, &end_text(question), Face::Text);
    let labels = end_buttons(question);
    dialog::draw_buttons(paint, areas.buttons, labels, question.button);
}

pub fn draw_starting(paint: &mut Paint<'_>, starting: &Starting, inner: Rect, now: Timestamp) {
    let seconds = now.as_second() - starting.since.as_second();
    let Starting { title, verb, .. } = starting;
    let ellipsis = paint.glyphs.ellipsis;
    let shape = paint.glyphs.shapes.progress;
    let doing = match *verb {
        "Opening" => tr!("Opening {title}", title),
        "Restarting" => tr!("Restarting {title}", title),
        "Stopping" => tr!("Stopping {title}", title),
        _ => tr!("Starting {title}", title),
    };
    let pieces = [
        piece(format!("{shape} {doing}{ellipsis}"), Face::StatusProgress),
        piece(format!("  {}", durations::coarse(seconds)), Face::Dim),
    ];
    paint.pieces(inner.x, inner.y + 1, inner.width, &pieces);
    let text = match *verb {
        "Stopping" => tr!("It gets time to save and end."),
        _ => tr!("Its URL appears here when it answers on its port."),
    };
    paint.text(inner.x, inner.y + 3, inner.width, text, Face::Dim);
}

fn happened(failed: &StartFailure) -> String {
    text::sentence(failed.failure.what.as_str())
}

fn hint(failed: &StartFailure) -> Option<String> {
    let hint = failed.failure.hint.as_ref()?;
    Some(text::sentence(hint.as_str()))
}

pub fn place_failed(failed: &StartFailure, screen: Rect) -> DialogAreas {
    let room = room(screen);
    let rows = failed.lines().clamp(1, 200) as u16;
    let above = 2 + lines_of(&happened(failed), room);
    let below = hint(failed).map_or(1, |hint| 2 + lines_of(&hint, room));
    with_rows(screen, above, rows, below)
}

pub fn draw_failed(paint: &mut Paint<'_>, failed: &StartFailure, rows: Rect, inner: Rect) {
    paragraph(paint, inner, inner.y + 1, &happened(failed), Face::Bad);
    let lines = failed.reason().skip(failed.list.scroll());
    for (line, y) in lines.zip(rows.top()..rows.bottom()) {
        paint.text(rows.x, y, rows.width, line, Face::Text);
    }
    if let Some(hint) = hint(failed) {
        paragraph(paint, inner, rows.bottom() + 1, &hint, Face::Dim);
    }
}

pub fn draw_log(paint: &mut Paint<'_>, log: &AppLog, rows: Rect) {
    let line = |paint: &mut Paint<'_>, text: &str, face| {
        paragraph(paint, rows, rows.y, text, face);
    };
    match &log.lines {
        None => line(paint, tr!("Loading the log"), Face::Dim),
        Some(Err(why)) => line(paint, why.as_str(), Face::Bad),
        Some(Ok(lines)) if lines.is_empty() => {
            line(paint, tr!("It has printed nothing yet."), Face::Text);
        }
        Some(Ok(lines)) => {
            let shown = lines.iter().enumerate().skip(log.list.scroll());
            for ((at, text), y) in shown.zip(rows.top()..rows.bottom()) {
                let place = Rect::new(rows.x, y, rows.width, 1);
                if at == log.list.marked() {
                    dialog::mark(paint, place);
                }
                let room = rows.width.saturating_sub(1);
                paint.text(rows.x + 1, y, room, text.as_str(), Face::Text);
            }
        }
    }
}

/// Lines below the commands: a blank, the whole marked command, and a note.
const SSH_FOOT: u16 = 6;

pub fn place_ssh(page: &SshPage, screen: Rect) -> DialogAreas {
    let rows = page.commands().len().max(6) as u16;
    with_rows(screen, 1, rows, SSH_FOOT)
}

pub fn draw_ssh(paint: &mut Paint<'_>, page: &SshPage, rows: Rect, inner: Rect) {
    if page.is_loading() {
        paint.text(
            rows.x,
            rows.y,
            rows.width,
            tr!("Preparing the keys"),
            Face::Dim,
        );
        return;
    }
    if let Some(failure) = page.failure() {
        paragraph(paint, rows, rows.y, &of_failure(failure), Face::Bad);
        return;
    }
    let commands = page.commands().iter().enumerate().skip(page.list.scroll());
    for ((at, command), y) in commands.zip(rows.top()..rows.bottom()) {
        let place = Rect::new(rows.x, y, rows.width, 1);
        if at == page.list.marked() {
            dialog::mark(paint, place);
        }
        paint.text(
            place.x + 1,
            y,
            LABEL - 4,
            locale::text(command.title),
            Face::Label,
        );
        let x = place.x + LABEL - 3;
        let room = place.right().saturating_sub(x);
        let line = text::fit(&command.line, usize::from(room), paint.glyphs.ellipsis);
        paint.text(x, y, room, &line, Face::Value);
    }
    draw_ssh_foot(paint, page, rows, inner);
}

/// The whole marked command if its row is too short for it, and what is needed for it.
fn draw_ssh_foot(paint: &mut Paint<'_>, page: &SshPage, rows: Rect, inner: Rect) {
    let foot = Rect {
        y: rows.bottom() + 1,
        height: inner.bottom().saturating_sub(rows.bottom() + 1),
        ..inner
    };
    let mut y = foot.y;
    let marked = page.commands().get(page.list.marked());
    let shown = usize::from(rows.width.saturating_sub(LABEL - 3));
    if let Some(command) = marked.filter(|it| text::width(&it.line) > shown) {
        for line in unbroken(&command.line, foot.width).into_iter().take(3) {
            paint.text(foot.x, y, foot.width, line, Face::Dim);
            y += 1;
        }
    }
    let note = match (marked.map(|it| it.title), page.port()) {
        (Some("Tunnel"), _) => {
            tr!(
                "For your computer: copy the key file there too. Then ssh, sftp and scp work there."
            )
        }
        (Some("By name" | "Files" | "Copy" | "Synchronize" | "VS Code"), _) => {
            tr!("Needs one line in ~/.ssh/config: `workbay ssh-config` prints it.")
        }
        (_, Some(_)) => tr!("These commands work on this machine, where the key file is."),
        (_, None) if page.is_opening() => tr!("Opening a port"),
        (_, None) => tr!("Open a port for commands that need no ~/.ssh/config."),
    };
    if y < foot.bottom() {
        paragraph(paint, foot, y, note, Face::Dim);
    }
}
