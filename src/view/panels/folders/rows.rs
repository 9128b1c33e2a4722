//! The table of folders.

use ratatui::layout::Rect;

use crate::{
    app::{app::App, panels::folders::FolderOrder},
    model::{folder::Folder, text::Clean},
    theme::face::Face,
    view::{amount, bar, paint::Paint, text},
};

/// From this width, there is a column for the files, and times are complete.
const WIDE: u16 = 100;
/// From this width, there is a column for the place.
const WIDEST: u16 = 136;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderColumn {
    Name,
    Size,
    Quota,
    Files,
    Mounted,
    Permission,
    Created,
    Deleted,
    Place,
}

impl FolderColumn {
    fn title(self) -> &'static str {
        match self {
            Self::Name => tr!("Name"),
            Self::Size => tr!("Size"),
            Self::Quota => tr!("Quota use"),
            Self::Files => tr!("Files"),
            Self::Mounted => tr!("Mounted by"),
            Self::Permission => tr!("Perm"),
            Self::Created => tr!("Created"),
            Self::Deleted => tr!("Deleted"),
            Self::Place => tr!("Place"),
        }
    }

    fn is_right(self) -> bool {
        matches!(self, Self::Size | Self::Files)
    }

    fn is_sorted(self, order: FolderOrder) -> bool {
        match order {
            FolderOrder::Name => self == Self::Name,
            FolderOrder::Size => self == Self::Size,
            FolderOrder::Created => matches!(self, Self::Created | Self::Deleted),
        }
    }
}

/// Columns with their positions and cells.
pub(super) type Columns = Vec<(FolderColumn, u16, u16)>;

/// The columns of a table of `width` cells. Only folders with a quota have a bar.
pub(super) fn columns(width: u16, trash: bool, folders: &[&Folder]) -> Columns {
    use FolderColumn::{Created, Deleted, Files, Mounted, Name, Permission, Place, Quota, Size};
    let has_quota = folders.iter().any(|it| it.max_size.is_some());
    let is_wide = width >= WIDE;
    let mut chosen = vec![(Name, 0), (Size, 6)];
    if has_quota {
        chosen.push((Quota, 9));
    }
    if is_wide {
        chosen.push((Files, 9));
    }
    if !trash {
        chosen.push((Mounted, if is_wide { 24 } else { 16 }));
        chosen.push((Permission, 4));
    }
    let times = if is_wide { 16 } else { 10 };
    chosen.push((if trash { Deleted } else { Created }, times));
    if width >= WIDEST {
        chosen.push((Place, 44));
    }
    let gap = 2;
    let taken: u16 = chosen.iter().map(|(_, cells)| cells + gap).sum();
    let name = (width + gap).saturating_sub(taken + 1);
    let mut x = 1;
    let mut places = Vec::new();
    for (column, cells) in chosen {
        let cells = if column == Name { name } else { cells };
        places.push((column, x, cells));
        x += cells + gap;
    }
    places
}

pub(super) fn draw_head(
    paint: &mut Paint<'_>,
    columns: &Columns,
    (order, reversed): (FolderOrder, bool),
    place: Rect,
) {
    for (column, x, cells) in columns {
        let x = place.x + x;
        let face = if column.is_sorted(order) {
            Face::TableSorted
        } else {
            Face::TableHead
        };
        let mut title = column.title().to_owned();
        if column.is_sorted(order) && reversed {
            title.push_str(paint.glyphs.up);
        }
        if column.is_right() {
            paint.right(x, place.y, *cells, &title, face);
        } else {
            paint.text(x, place.y, *cells, &title, face);
        }
    }
}

pub(super) fn draw_row(
    paint: &mut Paint<'_>,
    app: &App,
    columns: &Columns,
    (folder, mounting): (&Folder, &[&Clean]),
    place: Rect,
) {
    for (column, x, cells) in columns {
        let (x, y) = (place.x + x, place.y);
        if *column == FolderColumn::Quota {
            draw_quota(paint, folder, (x, y, *cells));
            continue;
        }
        let (text, face) = cell(app, *column, folder, mounting, *cells);
        let text = text::fit(&text, usize::from(*cells), paint.glyphs.ellipsis);
        if column.is_right() {
            paint.right(x, y, *cells, &text, face);
        } else {
            paint.text(x, y, *cells, &text, face);
        }
    }
}

fn cell(
    app: &App,
    column: FolderColumn,
    folder: &Folder,
    mounting: &[&Clean],
    cells: u16,
) -> (String, Face) {
    let form = if cells < 16 {
        "%Y-%m-%d"
    } else {
        "%Y-%m-%d %H:%M"
    };
    let time = |at: Option<jiff::Timestamp>| {
        let zoned = at.map(|at| at.to_zoned(app.facts.time_zone.clone()));
        zoned
            .map(|at| at.strftime(form).to_string())
            .unwrap_or_default()
    };
    match column {
        FolderColumn::Name => {
            let is_ready = matches!(
                folder.status.as_str(),
                "ready" | "mounted" | "delete-pending"
            );
            let face = if is_ready { Face::Value } else { Face::Dim };
            (folder.name.to_string(), face)
        }
        FolderColumn::Size => match (folder.size, folder.measuring) {
            (Some(size), _) => (amount::short(size), size_face(folder)),
            (None, true) => ("...".to_owned(), Face::Dim),
            (None, false) => ("-".to_owned(), Face::Dim),
        },
        FolderColumn::Files => match (folder.files, folder.size) {
            (Some(files), Some(_)) => (text::grouped(files), Face::Text),
            (Some(_), None) => (tr!("many").to_owned(), Face::Text),
            (None, _) => ("-".to_owned(), Face::Dim),
        },
        FolderColumn::Mounted => match mounting {
            [] => ("-".to_owned(), Face::Dim),
            [one] => (one.to_string(), Face::StatusGood),
            [first, more @ ..] => (format!("{first} +{}", more.len()), Face::StatusGood),
        },
        FolderColumn::Permission => (folder.permission.to_string(), Face::Text),
        FolderColumn::Created => (time(folder.created_at), Face::Dim),
        FolderColumn::Deleted => (time(folder.trashed_at), Face::Dim),
        FolderColumn::Place => match &folder.path {
            Some(path) => (Clean::new(path).into_string(), Face::Dim),
            None => (format!("{}, {}", folder.host, folder.whose()), Face::Dim),
        },
        FolderColumn::Quota => (String::new(), Face::Text),
    }
}

fn size_face(folder: &Folder) -> Face {
    match folder.percent() {
        Some(90..) => Face::Bad,
        Some(80..) => Face::Warning,
        _ => Face::Text,
    }
}

fn draw_quota(paint: &mut Paint<'_>, folder: &Folder, (x, y, cells): (u16, u16, u16)) {
    let Some(percent) = folder.percent() else {
        return;
    };
    let share = percent.min(100) as f64 / 100.0;
    let gauge = bar::Gauge {
        share: Some(share),
        face: bar::memory_face(share),
        numbers: String::new(),
    };
    let pieces = bar::pieces(&gauge, usize::from(cells), paint.glyphs);
    paint.pieces(x, y, cells, &pieces);
}
