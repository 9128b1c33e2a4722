//! The table of sessions: its head and the visible rows.

mod chip;
mod container_row;
mod gauge;
mod group_row;
mod session_row;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::{
    columns::{self, ColumnPlace},
    paint::Paint,
    text,
};
use crate::{
    app::{
        app::App,
        area::Areas,
        focus::Focus,
        sessions::{
            lines::ListRow,
            sort::{Column, SortOrder},
        },
        shown_contexts::ShownContexts,
    },
    model::status::Tab,
    theme::face::Face,
};
use chip::chip_width;
use session_row::SessionRow;

/// Cells before the name of a session in a group.
const INDENT: u16 = 2;
/// The number of containers after the name of a cluster session, with the blank before it.
const TREE_CHIP: u16 = 4;

pub fn draw(paint: &mut Paint<'_>, app: &App, areas: &Areas, now: Timestamp) {
    let places = columns_of(app, areas.rows.width);
    draw_head(paint, app, areas.table_head, &places);
    let selected = app.sessions.selected_row();
    for (line, row) in app.sessions.visible().iter().enumerate() {
        let y = areas.rows.y + line as u16;
        let area = Rect::new(areas.rows.x, y, areas.rows.width, 1);
        if selected == Some(*row) {
            draw_selection(paint, app, area);
        }
        let is_marked = match row {
            ListRow::Group(at) => app.sessions.is_group_marked(*at),
            ListRow::Session(key) => app.sessions.marks.has(*key),
            ListRow::Container(..) => false,
        };
        if is_marked {
            paint.text(area.x + 1, y, 1, paint.glyphs.on, Face::FileChosen);
        }
        draw_row(paint, app, *row, (area, &places), now);
    }
}

fn draw_selection(paint: &mut Paint<'_>, app: &App, area: Rect) {
    paint.fill(area, Face::RowSelected);
    let marker = paint.glyphs.marker;
    let focused = matches!(app.focus(), Focus::Sessions | Focus::Filter);
    let face = if focused { Face::RowMarker } else { Face::Dim };
    paint.text(area.x, area.y, 1, marker, face);
}

fn draw_row(
    paint: &mut Paint<'_>,
    app: &App,
    row: ListRow,
    (area, places): (Rect, &[ColumnPlace]),
    now: Timestamp,
) {
    let grouping = app.sessions.grouping();
    // The sessions of a group are indented below its name.
    let indent = if grouping.is_some() { INDENT } else { 0 };
    match row {
        ListRow::Group(at) => {
            if let (Some(group), Some(grouping)) = (app.sessions.groups().get(at), grouping) {
                group_row::draw(paint, app, (group, grouping), area, places);
            }
        }
        ListRow::Container(key, at) => {
            container_row::draw(paint, app, (key, at), (area, indent), places, now);
        }
        ListRow::Session(key) => {
            let Some(session) = app.mirror.session(key) else {
                return;
            };
            let row = SessionRow {
                app,
                session,
                area,
                indent,
                faded: app.is_stale(session.context),
                now,
            };
            for place in places {
                row.cell(paint, *place);
            }
        }
    }
}

/// The columns of a list of `width` cells.
pub fn columns_of(app: &App, width: u16) -> Vec<ColumnPlace> {
    let facts = app.sessions.widest();
    let widest = columns::TextWidths::from(facts);
    let indent = if app.sessions.grouping().is_some() {
        INDENT
    } else {
        0
    };
    let tree = if facts.clusters { TREE_CHIP } else { 0 };
    let wanted = columns::TextWidths {
        name: widest.name.max(chip_width(app)) + indent + tree,
        context: context_width(app),
        ended: app.sessions.tab() == Tab::Finished,
        ..widest
    };
    match app.sessions.columns() {
        [] => columns::places(width, wanted),
        chosen => columns::chosen::places(width, chosen, wanted),
    }
}

/// The longest name of a context if the list shows several contexts.
fn context_width(app: &App) -> Option<u16> {
    let names = || app.mirror.contexts().iter().map(|state| state.context.name);
    let several = app.sessions.shown() == ShownContexts::All && app.mirror.has_several_contexts();
    several.then(|| names().map(|name| name.as_str().len()).max().unwrap_or(0) as u16)
}

fn draw_head(paint: &mut Paint<'_>, app: &App, area: Rect, places: &[ColumnPlace]) {
    let order = app.sessions.order();
    for place in places {
        let mark = Some(order).filter(|order| order.column == place.column);
        head_cell(paint, area, *place, mark);
    }
}

fn fits(text: &str, cells: u16) -> bool {
    text::width(text) <= usize::from(cells)
}

fn head_cell(paint: &mut Paint<'_>, area: Rect, place: ColumnPlace, mark: Option<SortOrder>) {
    let x = area.x + place.x;
    let title = match place.column {
        Column::Environment if place.width < 11 => tr!("Env"),
        Column::Reclaim if place.width < 10 => tr!("Reclaim"),
        // Without the mark, the title borrows a cell of the gap before it.
        Column::Elapsed if place.width < 8 && mark.is_some() => tr!("Time"),
        Column::Elapsed if !fits(place.column.title(), place.width + 1) => tr!("Time"),
        column => column.title(),
    };
    let face = if mark.is_some() {
        Face::TableSorted
    } else {
        Face::TableHead
    };
    let mark = mark.map(|order| {
        if order.descending {
            paint.glyphs.down
        } else {
            paint.glyphs.up
        }
    });
    if !columns::is_right(place.column) {
        // In a narrow column, the title borrows a cell of the gap after it.
        let narrow = usize::from(place.width) < text::width(title) + 2;
        let title = match mark {
            Some(mark) if narrow => format!("{title}{mark}"),
            Some(mark) => format!("{title} {mark}"),
            None => title.to_owned(),
        };
        paint.text(x, area.y, place.width + 1, &title, face);
        return;
    }
    // The mark is before a right-aligned title, so that the title stays above its numbers.
    let title = match mark {
        Some(mark) if usize::from(place.width) < text::width(title) + 2 => format!("{mark}{title}"),
        Some(mark) => format!("{mark} {title}"),
        None => title.to_owned(),
    };
    paint.right(x - 1, area.y, place.width + 1, &title, face);
}
