//! The data page: the folders of a context, and details of the marked one.

mod layers;
mod rows;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::Dialog;
use crate::{
    action::{Action, Scope},
    app::{
        app::App,
        area::DialogAreas,
        panels::folders::{FolderLayer, FolderList, FoldersPanel},
    },
    model::{capability::Capability, folder::Folder, resources::Bytes, text::Clean},
    theme::face::Face,
    view::{dialog, paint::Paint, text},
};

const WIDTH: u16 = 150;
/// Minimum rows of the list, also while it is empty.
const ROWS: u16 = 5;
/// Lines below the rows: a blank, and four about the marked folder.
const FOOT: u16 = 5;

impl Dialog for FoldersPanel {
    fn place(&self, _: &App, screen: Rect) -> DialogAreas {
        match self.layer() {
            Some(FolderLayer::Question(question)) => {
                return layers::place_question(question, screen);
            }
            Some(FolderLayer::Form(form)) => return layers::place_form(form, screen),
            Some(FolderLayer::Shares(shares)) => {
                return layers::place_list(shares.known().len(), screen);
            }
            Some(FolderLayer::Invitations(_)) => {
                return layers::place_list(self.invitations().len(), screen);
            }
            None => {}
        }
        let count = u16::try_from(self.rows().len()).unwrap_or(u16::MAX);
        // Border, filter, titles, the rows, the foot, border.
        let height = count.clamp(ROWS, screen.height) + 4 + FOOT;
        let height = height.min(screen.height.saturating_sub(3));
        let area = dialog::place(screen, WIDTH.min(screen.width), height);
        dialog::areas(screen, area, dialog::rows(area, 3, FOOT + 1))
    }

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, _: Timestamp) {
        match self.layer() {
            Some(FolderLayer::Question(question)) => {
                return layers::draw_question(paint, question, areas);
            }
            Some(FolderLayer::Form(form)) => return layers::draw_form(paint, form, areas),
            Some(FolderLayer::Shares(shares)) => return layers::draw_shares(paint, shares, areas),
            Some(FolderLayer::Invitations(list)) => {
                return layers::draw_invitations(paint, list, self.invitations(), areas);
            }
            None => {}
        }
        let folders = self.rows();
        let at = self.at();
        let rows = areas.rows;
        let title = title(paint, app, self);
        let inner = dialog::frame(paint, areas.screen, areas.area, &title, Face::Title);
        draw_top(paint, self, inner);
        let columns = rows::columns(rows.width, self.shows_trash(), &folders);
        if !folders.is_empty() {
            let head = Rect {
                y: rows.y - 1,
                ..rows
            };
            rows::draw_head(paint, &columns, self.order(), head);
        }
        let shown = folders.iter().enumerate().skip(self.list.scroll());
        for ((number, folder), y) in shown.zip(rows.top()..rows.bottom()) {
            let place = Rect {
                y,
                height: 1,
                ..rows
            };
            if number == at {
                dialog::mark(paint, place);
            }
            let mounting: Vec<&Clean> = self
                .mounting(folder, &app.mirror)
                .map(|it| &it.name)
                .collect();
            rows::draw_row(paint, app, &columns, (folder, &mounting), place);
        }
        let foot = Rect {
            y: rows.bottom() + 1,
            height: FOOT - 1,
            ..inner
        };
        match folders.get(at) {
            Some(folder) => draw_foot(paint, app, self, folder, foot),
            None => draw_empty(paint, app, self, rows),
        }
    }
}

/// The context is named if there are several.
fn title(paint: &Paint<'_>, app: &App, page: &FoldersPanel) -> String {
    let name = if page.shows_trash() {
        tr!("Trash")
    } else {
        tr!("Data")
    };
    let mut title = name.to_owned();
    if app.mirror.has_several_contexts() {
        title = tr!("{title} of {context}", title, context = page.context);
    }
    match page.invitations().len() {
        0 => title,
        1 => tr!("{title} {dot} 1 invitation", title, dot = paint.glyphs.dot),
        n => tr!(
            "{title} {dot} {n} invitations",
            title,
            dot = paint.glyphs.dot,
            n
        ),
    }
}

/// The filter, or how much all folders use.
fn draw_top(paint: &mut Paint<'_>, page: &FoldersPanel, inner: Rect) {
    if page.is_editing() || !page.filter().is_empty() {
        paint.text(inner.x, inner.y, 8, tr!("Filter"), Face::Label);
        let field = Rect::new(inner.x + 8, inner.y, inner.width.saturating_sub(8), 1);
        paint.input(field, page.filter(), page.is_editing());
        return;
    }
    let folders = page.folders();
    let low = folders.iter().filter(|it| it.low_space);
    if let Some(free) = low.filter_map(|it| it.free).min() {
        let text = tr!(
            "The disk is almost full: {free} are free. Delete files or folders",
            free
        );
        paint.text(inner.x + 1, inner.y, inner.width, &text, Face::Warning);
        return;
    }
    let known: Vec<u64> = folders.iter().filter_map(|it| Some(it.size?.0)).collect();
    if known.is_empty() {
        return;
    }
    let sum = Bytes(known.iter().sum());
    let part = if known.len() < folders.len() {
        tr!(
            "{sum} in {known} of {folders} folders",
            sum,
            known = known.len(),
            folders = folders.len()
        )
    } else if folders.len() == 1 {
        tr!("{sum} in 1 folder", sum)
    } else {
        tr!("{sum} in {folders} folders", sum, folders = folders.len())
    };
    paint.text(inner.x + 1, inner.y, inner.width, &part, Face::Dim);
}

/// Explains why there are no rows.
fn draw_empty(paint: &mut Paint<'_>, app: &App, page: &FoldersPanel, rows: Rect) {
    let key = |action| {
        let keys = app.keymap.keys_for(Scope::Folders, action);
        keys.into_iter().next().unwrap_or_default()
    };
    let lacks = app.mirror.why_not(page.context, Capability::Folders);
    let (first, second) = match (page.loaded(), lacks) {
        _ if !app.mirror.is_up() => (
            tr!("Daemon disconnected").to_owned(),
            tr!("Folders appear after the reconnect").to_owned(),
        ),
        (_, Some(why)) => (
            tr!("This context has no folders").to_owned(),
            why.to_string(),
        ),
        (FolderList::Loading, _) => (tr!("Reading the folders").to_owned(), String::new()),
        (FolderList::Failed(why), _) => {
            let text = tr!(
                "{why}. Press {refresh} to try again",
                why,
                refresh = key(Action::FolderRefresh)
            );
            (tr!("The folders can't be read").to_owned(), text)
        }
        _ if !page.filter().is_empty() => (
            tr!(
                "No folder matches '{filter}'",
                filter = page.filter().text()
            ),
            String::new(),
        ),
        _ if page.shows_trash() => (
            tr!("The trash is empty").to_owned(),
            tr!("Deleted folders stay here until you delete them for good").to_owned(),
        ),
        _ => {
            let text = tr!(
                "Folders outlive sessions. Press {create} to create one",
                create = key(Action::FolderCreate)
            );
            (tr!("No folders").to_owned(), text)
        }
    };
    let room = usize::from(rows.width.saturating_sub(2));
    paint.text(rows.x + 1, rows.y, rows.width, &first, Face::Text);
    for (line, y) in text::wrap(&second, room)
        .iter()
        .zip(rows.y + 1..rows.bottom())
    {
        paint.text(rows.x + 1, y, rows.width, line, Face::Dim);
    }
}

fn draw_foot(paint: &mut Paint<'_>, app: &App, page: &FoldersPanel, folder: &Folder, foot: Rect) {
    let room = usize::from(foot.width);
    let place = match &folder.path {
        Some(path) => Clean::new(path).into_string(),
        None => tr!("storage host {host}", host = folder.host),
    };
    let (place, _) = text::fit_path(&place, room, paint.glyphs.ellipsis);
    paint.text(foot.x, foot.y, foot.width, &place, Face::Value);
    let lines = [about(folder), mounts(page, folder, app), more(folder)];
    let mut y = foot.y + 1;
    for line in lines.iter().filter(|line| !line.is_empty()) {
        if y < foot.bottom() {
            let line = text::fit(line, room, paint.glyphs.ellipsis);
            paint.text(foot.x, y, foot.width, &line, Face::Dim);
            y += 1;
        }
    }
}

fn about(folder: &Folder) -> String {
    let mut words = vec![folder.whose(), folder.access().to_owned()];
    if let Some(creator) = folder.creator.as_ref().filter(|_| !folder.is_owner) {
        words.push(tr!("created by {creator}", creator));
    }
    if folder.status != *"ready" && folder.trashed_at.is_none() {
        words.push(tr!("status {status}", status = folder.status));
    }
    match (folder.files, folder.size, folder.measuring) {
        (Some(1), Some(_), _) => words.push(tr!("1 file").to_owned()),
        (Some(files), Some(_), _) => words.push(tr!("{files} files", files = text::grouped(files))),
        (Some(files), None, _) => {
            words.push(tr!("more than {files} files", files = text::grouped(files)));
        }
        (None, _, true) => words.push(tr!("being measured").to_owned()),
        (None, ..) => {}
    }
    if let Some(free) = folder.free {
        words.push(tr!("{free} free on its disk", free));
    }
    text::sentence(&words.join(", "))
}

fn mounts(page: &FoldersPanel, folder: &Folder, app: &App) -> String {
    if page.shows_trash() {
        return String::new();
    }
    let names: Vec<&str> = page
        .mounting(folder, &app.mirror)
        .map(|it| it.name.as_str())
        .collect();
    if names.is_empty() {
        return tr!("No session mounts it").to_owned();
    }
    tr!("Mounted by {names}", names = names.join(", "))
}

fn more(folder: &Folder) -> String {
    if let Some(percent) = folder.percent()
        && let (Some(size), Some(most)) = (folder.size, folder.max_size)
    {
        let how = match folder.quota_enforced {
            Some(true) => tr!(", enforced by the file system"),
            Some(false) => tr!(", measured, not enforced"),
            None => "",
        };
        return tr!(
            "Uses {percent}% of its quota: {size} of {most}{how}",
            percent,
            size,
            most,
            how
        );
    }
    if folder.is_auto_mounted() && folder.trashed_at.is_none() {
        return tr!("Mounted in every session, because its name begins with a dot").to_owned();
    }
    String::new()
}
