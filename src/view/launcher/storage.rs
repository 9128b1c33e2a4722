//! The third page: folders.

use super::sheet::{FormSheet, SheetLine, VALUES};
use crate::{
    app::launcher::{FolderCreation, FolderEntry, FolderRow, FormRow},
    locale,
    model::{capability::Capability, inside, launch_field::LaunchField as Field, text::Clean},
    theme::face::Face,
};

/// Columns of a folder's name, its path (in the line below), its permission and its owner.
const NAME: u16 = 4;
const PATH: u16 = 9;
const ACCESS: u16 = 38;
const WHOSE: u16 = 55;

pub fn write(sheet: &mut FormSheet<'_>) {
    let launcher = sheet.launcher;
    if let Some(why) = launcher.info().why_not(Capability::Folders) {
        sheet.note(0, why.as_str(), Face::Dim);
    }
    let storage = &launcher.storage;
    let none = storage.entries().is_empty() && launcher.info().catalogue.is_some();
    if none && launcher.info().has(Capability::Folders) {
        sheet.note(
            0,
            tr!("No folders. Press Enter to continue without one."),
            Face::Dim,
        );
        sheet.gap();
    }
    for row in launcher.rows() {
        match FolderRow::of(row) {
            FolderRow::Search => {
                if let Some(search) = storage.search() {
                    sheet.typed(row, tr!("Search"), search, tr!("part of a name"), "");
                }
            }
            FolderRow::Folder(at) => {
                if let Some(entry) = storage.entries().get(at) {
                    folder(sheet, row, entry);
                    sheet.item_message(row, NAME);
                }
            }
            FolderRow::Path(at) => {
                if let Some(entry) = storage.entries().get(at) {
                    path(sheet, row, entry);
                    sheet.item_message(row, PATH);
                }
            }
            FolderRow::New => new(sheet, row),
        }
    }
    let warning = launcher.warning(Field::Folders);
    if let (None, Some(word)) = (launcher.problem(Field::Folders), warning) {
        sheet.gap();
        sheet.note(NAME, word, Face::Warning);
    }
    let automatic = storage.automatic();
    if !automatic.is_empty() {
        sheet.heading(tr!("Mounted automatically"));
        let names: Vec<&str> = automatic.iter().map(Clean::as_str).collect();
        sheet.note(2, &names.join("  "), Face::Dim);
    }
}

fn folder(sheet: &mut FormSheet<'_>, row: FormRow, entry: &FolderEntry) {
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
    let mut line = SheetLine::of(row).text(0, 3, mark, Face::Key).text(
        NAME,
        ACCESS - NAME - 2,
        entry.name.as_str(),
        face,
    );
    let Some(folder) = &entry.folder else {
        let line = line.text(
            ACCESS,
            WHOSE - ACCESS,
            tr!("doesn't exist"),
            Face::InputError,
        );
        return sheet.push(line);
    };
    let access = match folder.permission.as_str() {
        "ro" => tr!("read-only"),
        _ if entry.mounted && entry.read_only => tr!("read-only"),
        "rw" => tr!("read and write"),
        "wd" => tr!("read, write, delete"),
        other => other,
    };
    line = line.text(ACCESS, WHOSE - ACCESS, access, Face::Dim);
    let mut whose = folder.whose();
    if folder.host != *"local" {
        whose = tr!("{whose}, on {host}", whose, host = folder.host);
    }
    if let Some(size) = folder.size {
        whose = format!("{whose}, {size}");
    }
    let room = sheet.width.saturating_sub(WHOSE);
    sheet.push(line.text(WHOSE, room, whose, Face::Dim));
}

fn path<'a>(sheet: &mut FormSheet<'a>, row: FormRow, entry: &'a FolderEntry) {
    let focused = sheet.is_focused(row);
    let room = sheet.width.saturating_sub(PATH);
    let mut line = SheetLine::of(row)
        .text(NAME, 4, tr!("at"), Face::Label)
        .input(PATH, room, &entry.path, focused);
    if entry.path.is_empty() {
        let usual = format!("{}/{}", inside::HOME, entry.name);
        line = line.text(PATH, room, usual, Face::Placeholder);
    }
    sheet.push(line);
}

/// How to create a folder, shown while its line has the focus.
const HOW: &str = tr_later!("type a name, Enter creates it");

fn new(sheet: &mut FormSheet<'_>, row: FormRow) {
    let storage = &sheet.launcher.storage;
    let focused = sheet.is_focused(row);
    match storage.creation() {
        FolderCreation::Idle => {
            let face = if focused { Face::Strong } else { Face::Label };
            let mut pieces = vec![(tr!("create a folder").to_owned(), face)];
            if focused {
                pieces.push((format!("  {}", locale::text(HOW)), Face::Dim));
            }
            let line = SheetLine::of(row).text(0, 3, " + ", Face::Key);
            sheet.push(line.pieces(NAME, sheet.width, pieces));
            sheet.item_message(row, VALUES);
        }
        FolderCreation::Asked(input) => {
            sheet.typed(
                row,
                &format!(" +  {}", tr!("new folder")),
                input,
                "",
                tr!("being created"),
            );
        }
        FolderCreation::Typing(input) | FolderCreation::Failed(input, _) => {
            sheet.typed(
                row,
                &format!(" +  {}", tr!("new folder")),
                input,
                locale::text(HOW),
                "",
            );
            // While you type a valid name, an unfinished folder isn't a problem yet.
            if focused && storage.creation_problem().is_none() {
                if !input.is_empty() {
                    sheet.sentence(row, tr!("Enter creates it, Esc cancels"), Face::Dim);
                }
            } else {
                sheet.item_message(row, VALUES);
            }
        }
    }
}
