//! What is on top of the data page: the form for a name, the question before a deletion, and lists about access.

use ratatui::layout::Rect;

use crate::{
    app::{
        area::DialogAreas,
        panels::folders::{
            FolderQuestion,
            access::{InvitationList, ShareList},
            form::{FolderForm, FormChoice, FormKind},
        },
    },
    model::folder::{Invitation, access_words},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 68;
const TRASH_BUTTONS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Move to trash  ")];
const PURGE_BUTTONS: [&str; 2] = [tr_later!("   No   "), tr_later!("  Delete  ")];
/// Columns of the lists.
const SECOND: u16 = 36;
const THIRD: u16 = 50;
/// Minimum rows of a list.
const ROWS: u16 = 4;

fn buttons(question: &FolderQuestion) -> [&'static str; 2] {
    if question.purge {
        PURGE_BUTTONS
    } else {
        TRASH_BUTTONS
    }
}

fn words(question: &FolderQuestion) -> String {
    let folder = &question.folder;
    let contents = match (folder.files, folder.size) {
        (Some(0), _) => tr!("It is empty.").to_owned(),
        (Some(files), Some(size)) => tr!(
            "It has {files} files, {size}.",
            files = text::grouped(files),
            size
        ),
        (_, Some(size)) => tr!("It has {size} of files.", size),
        (Some(files), None) => tr!(
            "It has more than {files} files.",
            files = text::grouped(files)
        ),
        (None, None) => tr!("Its size isn't known yet.").to_owned(),
    };
    if question.purge {
        tr!(
            "{contents} They are deleted for good. This can't be undone.",
            contents
        )
    } else {
        tr!(
            "{contents} You can restore the folder from the trash. Sessions can't mount it until then.",
            contents
        )
    }
}

fn lines(text: &str) -> Vec<String> {
    text::wrap(text, usize::from(WIDTH - 6))
}

pub(super) fn place_question(question: &FolderQuestion, screen: Rect) -> DialogAreas {
    let height = lines(&words(question)).len() as u16 + 6;
    let area = dialog::place(screen, WIDTH, height);
    DialogAreas {
        screen,
        area,
        buttons: dialog::buttons(area, buttons(question)),
        ..DialogAreas::default()
    }
}

pub(super) fn draw_question(paint: &mut Paint<'_>, question: &FolderQuestion, areas: &DialogAreas) {
    let name = &question.folder.name;
    let title = if question.purge {
        tr!("Delete {name} for good?", name)
    } else {
        tr!("Move {name} to the trash?", name)
    };
    let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
    for (line, y) in lines(&words(question)).iter().zip(inner.y + 1..) {
        paint.text(inner.x, y, inner.width, line, Face::Text);
    }
    dialog::draw_buttons(paint, areas.buttons, buttons(question), question.button);
}

fn rule(kind: &FormKind) -> &'static str {
    match kind {
        FormKind::Create => {
            tr!(
                "Letters, digits, _ . and -. A folder with a leading dot is mounted in every session."
            )
        }
        FormKind::Rename { .. } => {
            tr!("Letters, digits, _ . and -. Recipes and recent launches keep the old name.")
        }
        FormKind::Clone { .. } => {
            tr!("The copy is a folder of its own. Large folders take a while.")
        }
        FormKind::Quota { .. } => tr!("For example 5g. Remove the text to remove the quota."),
    }
}

pub(super) fn place_form(form: &FolderForm, screen: Rect) -> DialogAreas {
    let rule = lines(rule(&form.kind)).len() as u16;
    let choices = form.choices.len() as u16;
    let choices = choices + u16::from(choices > 0);
    // The border, blanks around the input, the choices, the rule.
    let area = dialog::place(screen, WIDTH, 6 + rule + choices);
    dialog::areas(screen, area, Rect::ZERO)
}

pub(super) fn draw_form(paint: &mut Paint<'_>, form: &FolderForm, areas: &DialogAreas) {
    let title = form.kind.title();
    let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
    let mut y = inner.y + 1;
    let label = match form.kind {
        FormKind::Quota { .. } => tr!("Quota"),
        _ => tr!("Name"),
    };
    paint.text(inner.x, y, 8, label, Face::Label);
    let field = Rect::new(inner.x + 8, y, inner.width.saturating_sub(8), 1);
    paint.input(field, &form.input, !form.asked);
    y += 2;
    for (number, choice) in form.choices.iter().enumerate() {
        let place = Rect::new(inner.x, y, inner.width, 1);
        let note = match form.marked() {
            Some(marked) if marked == number && choice.is_free() => {
                tr!("left and right choose another")
            }
            None if number == 0 => tr!("down goes to the choices"),
            _ => "",
        };
        draw_choice(paint, choice, form.marked() == Some(number), note, place);
        y += 1;
    }
    y += u16::from(!form.choices.is_empty());
    let text = match (&form.kind, form.asked) {
        (_, false) => rule(&form.kind),
        (FormKind::Create, true) => tr!("Creating the folder"),
        (FormKind::Rename { .. }, true) => tr!("Renaming the folder"),
        (FormKind::Clone { .. }, true) => tr!("Copying. Closing workbay cancels it"),
        (FormKind::Quota { .. }, true) => tr!("Setting the quota"),
    };
    for (line, y) in lines(text).iter().zip(y..inner.bottom()) {
        paint.text(inner.x, y, inner.width, line, Face::Dim);
    }
}

/// A line of the form. `note` says which keys help there.
fn draw_choice(
    paint: &mut Paint<'_>,
    choice: &FormChoice,
    is_marked: bool,
    note: &str,
    place: Rect,
) {
    if is_marked {
        dialog::mark(paint, place);
    }
    paint.text(place.x, place.y, 8, choice.kind.label(), Face::Label);
    let room = place.width.saturating_sub(8);
    let end = paint.text(place.x + 8, place.y, room, choice.value(), Face::Value);
    let room = place.right().saturating_sub(end + 2);
    paint.text(end + 2, place.y, room, note, Face::Dim);
}

pub(super) fn place_list(count: usize, screen: Rect) -> DialogAreas {
    let count = u16::try_from(count).unwrap_or(u16::MAX);
    let height = count.clamp(ROWS, screen.height) + 6;
    let area = dialog::place(screen, 84.min(screen.width), height.min(screen.height - 3));
    dialog::areas(screen, area, dialog::rows(area, 3, 3))
}

fn columns(paint: &mut Paint<'_>, place: Rect, texts: [&str; 3], face: Face) {
    let [first, second, third] = texts;
    let fitted = |text: &str, cells: u16, paint: &Paint<'_>| {
        text::fit(text, usize::from(cells), paint.glyphs.ellipsis)
    };
    let cells = [
        SECOND - 2,
        THIRD - SECOND - 2,
        place.width.saturating_sub(THIRD),
    ];
    for ((text, x), cells) in [(first, 0), (second, SECOND), (third, THIRD)]
        .into_iter()
        .zip(cells)
    {
        let text = fitted(text, cells, paint);
        paint.text(place.x + x, place.y, cells, &text, face);
    }
}

fn head(rows: Rect) -> Rect {
    Rect {
        y: rows.y - 1,
        height: 1,
        ..rows
    }
}

pub(super) fn draw_shares(paint: &mut Paint<'_>, list: &ShareList, areas: &DialogAreas) {
    let title = tr!("Access to {name}", name = list.folder.name);
    let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
    let rows = areas.rows;
    let line = Rect {
        y: rows.bottom() + 1,
        height: 1,
        ..inner
    };
    if let Some(input) = list.typed() {
        paint.text(line.x, line.y, 7, tr!("Email"), Face::Label);
        let field = Rect::new(line.x + 7, line.y, 34, 1);
        paint.input(field, input, true);
        let access = access_words(list.permission.word());
        let text = tr!("{access} (up, down)", access);
        let x = field.right() + 2;
        paint.text(x, line.y, line.right().saturating_sub(x), &text, Face::Dim);
    }
    match &list.shares {
        None => drop(paint.text(rows.x, rows.y, rows.width, tr!("Reading"), Face::Dim)),
        Some(Err(why)) => {
            let lines = text::wrap(why.as_str(), usize::from(rows.width));
            for (line, y) in lines.iter().zip(rows.top()..rows.bottom()) {
                paint.text(rows.x, y, rows.width, line, Face::Warning);
            }
        }
        Some(Ok(shares)) if shares.is_empty() => {
            paint.text(
                rows.x,
                rows.y,
                rows.width,
                tr!("Only you have access"),
                Face::Text,
            );
        }
        Some(Ok(shares)) => {
            columns(
                paint,
                head(rows),
                [tr!("User"), tr!("Access"), tr!("State")],
                Face::TableHead,
            );
            let shown = shares.iter().enumerate().skip(list.list.scroll());
            for ((number, share), y) in shown.zip(rows.top()..rows.bottom()) {
                let place = Rect {
                    y,
                    height: 1,
                    ..rows
                };
                if number == list.list.marked() {
                    dialog::mark(paint, place);
                }
                let state = if share.pending {
                    tr!("invited")
                } else {
                    tr!("shared")
                };
                let access = access_words(share.permission.as_str());
                columns(
                    paint,
                    place,
                    [share.user.as_str(), access, state],
                    Face::Text,
                );
            }
        }
    }
}

pub(super) fn draw_invitations(
    paint: &mut Paint<'_>,
    list: &InvitationList,
    invitations: &[Invitation],
    areas: &DialogAreas,
) {
    dialog::frame(
        paint,
        areas.screen,
        areas.area,
        tr!("Invitations"),
        Face::Title,
    );
    let rows = areas.rows;
    if invitations.is_empty() {
        let text = tr!("No invitations wait for your answer");
        paint.text(rows.x, rows.y, rows.width, text, Face::Text);
        return;
    }
    columns(
        paint,
        head(rows),
        [tr!("Folder"), tr!("Access"), tr_in!("invitation", "From")],
        Face::TableHead,
    );
    let shown = invitations.iter().enumerate().skip(list.list.scroll());
    for ((number, invitation), y) in shown.zip(rows.top()..rows.bottom()) {
        let place = Rect {
            y,
            height: 1,
            ..rows
        };
        if number == list.list.marked() {
            dialog::mark(paint, place);
        }
        let access = access_words(invitation.permission.as_str());
        let texts = [
            invitation.folder.as_str(),
            access,
            invitation.inviter.as_str(),
        ];
        columns(paint, place, texts, Face::Text);
    }
}
