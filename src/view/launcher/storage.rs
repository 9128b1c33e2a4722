//! The third page: folders.

use super::sheet::{Line, Sheet};
use crate::{
    app::launcher::{Entry, FolderLine, Making, Row},
    model::{capability::Capability, inside, launch::LaunchField as Field, text::Clean},
    theme::face::Face,
};

/// Cells of a folder's name and of what may be done in it.
const NAME: u16 = 34;
const ACCESS: u16 = 17;

pub fn write(sheet: &mut Sheet<'_>) {
    let launcher = sheet.launcher;
    if let Some(why) = launcher.offer().why_not(Capability::Folders) {
        sheet.note(0, why.as_str(), Face::Dim);
    }
    for row in launcher.rows() {
        match FolderLine::of(row) {
            FolderLine::Search => {
                if let Some(search) = launcher.storage.search() {
                    sheet.typed(row, "Search", search, "part of a name", "");
                }
            }
            FolderLine::Folder(at) => {
                if let Some(entry) = launcher.storage.entries().get(at) {
                    folder(sheet, row, entry);
                }
            }
            FolderLine::Path(at) => {
                if let Some(entry) = launcher.storage.entries().get(at) {
                    path(sheet, row, entry);
                }
            }
            FolderLine::New => new(sheet, row),
        }
    }
    // What is wrong with a new folder's name stands below it.
    if launcher.storage.making_problem().is_none() {
        sheet.gap();
        sheet.said(Row {
            field: Field::Folders,
            ..launcher.row()
        });
    }
    let automatic = launcher.storage.automatic();
    if !automatic.is_empty() {
        sheet.heading("Mounted by themselves");
        let names: Vec<&str> = automatic.iter().map(Clean::as_str).collect();
        sheet.note(2, &names.join("  "), Face::Dim);
    }
}

fn folder(sheet: &mut Sheet<'_>, row: Row, entry: &Entry) {
    let mark = if entry.mounted {
        format!("[{}]", sheet.glyphs.on)
    } else {
        "[ ]".to_owned()
    };
    let focused = sheet.is_focused(row);
    let face = match (focused, entry.mounted) {
        (true, _) => Face::Strong,
        (false, true) => Face::Value,
        (false, false) => Face::Dim,
    };
    let mut line =
        Line::of(row)
            .text(0, 3, mark, Face::Key)
            .text(4, NAME - 2, entry.name.as_str(), face);
    let Some(folder) = &entry.folder else {
        let line = line.text(4 + NAME, ACCESS, "is not there", Face::InputError);
        return sheet.push(line);
    };
    let access = match folder.permission.as_str() {
        "ro" => "read-only",
        _ if entry.mounted && entry.read_only => "read-only",
        "rw" => "read and write",
        "wd" => "all rights",
        other => other,
    };
    line = line.text(4 + NAME, ACCESS, access, Face::Dim);
    let whose = if folder.ownership == *"group" {
        "the project's"
    } else if folder.is_owner {
        "yours"
    } else {
        "shared with you"
    };
    let x = 4 + NAME + ACCESS;
    sheet.push(line.text(x, sheet.width.saturating_sub(x), whose, Face::Dim));
}

fn path<'a>(sheet: &mut Sheet<'a>, row: Row, entry: &'a Entry) {
    let focused = sheet.is_focused(row);
    let room = sheet.width.saturating_sub(9);
    let mut line = Line::of(row)
        .text(4, 4, "at", Face::Label)
        .input(9, room, &entry.path, focused);
    if entry.path.is_empty() {
        let usual = format!("{}/{}", inside::HOME, entry.name);
        line = line.text(9, room, usual, Face::Placeholder);
    }
    sheet.push(line);
}

fn new(sheet: &mut Sheet<'_>, row: Row) {
    let storage = &sheet.launcher.storage;
    let focused = sheet.is_focused(row);
    match storage.making() {
        Making::No => {
            let face = if focused { Face::Strong } else { Face::Label };
            let line = Line::of(row).text(0, 3, " + ", Face::Key).text(
                4,
                sheet.width.saturating_sub(4),
                "create a folder",
                face,
            );
            sheet.push(line);
        }
        Making::Typing(input) | Making::Asked(input) | Making::Failed(input, _) => {
            sheet.typed(row, " +  new folder", input, "its name, then Enter", "");
            if let Some(why) = storage.making_problem() {
                sheet.sentence(row, &why, Face::InputError);
            }
        }
    }
}
