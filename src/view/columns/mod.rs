//! Decides which columns a list of a given width has, and where they are.

mod apart;
pub mod chosen;

pub use apart::Apart;

use crate::app::{sessions::Widest, sessions::sort::Column};

/// The marker of the selected row and a blank before the first column.
pub const INDENT: u16 = 2;
const MARGIN: u16 = 1;
const GAP: u16 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    pub column: Column,
    pub x: u16,
    pub width: u16,
}

/// Longer environments are shortened.
const LONGEST_ENVIRONMENT: u16 = 48;

/// From this width, there is room for gauges of CPU and memory.
const GAUGES: u16 = 68;

/// From this width, there is room for the amounts of ended sessions, which need no bars.
const AMOUNTS: u16 = 73;

/// The widths that the texts of the list need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextWidths {
    pub name: u16,
    pub environment: u16,
    /// The longest status with a position in the queue.
    pub queued: u16,
    /// The longest name of a context if the list has several contexts.
    pub context: Option<u16>,
    /// An idle check will reclaim one of the sessions.
    pub reclaim: bool,
    /// The sessions have ended.
    pub ended: bool,
    pub apart: Apart,
}

impl From<Widest> for TextWidths {
    fn from(widest: Widest) -> Self {
        Self {
            name: widest.name,
            environment: widest.environment,
            queued: widest.queued,
            context: None,
            reclaim: widest.reclaim,
            ended: false,
            apart: Apart {
                owners: widest.owners.are_several(),
                accelerators: widest.accelerators,
            },
        }
    }
}

/// The width of a status, and of one with a position in a long queue.
const STATUS: u16 = 13;
const LONGEST_STATUS: u16 = 16;

impl TextWidths {
    fn status(self) -> u16 {
        self.queued.clamp(STATUS, LONGEST_STATUS)
    }
}

/// The width of a full time, and of a time without its year.
const MOMENT: u16 = 16;
const SHORT_MOMENT: u16 = 11;

/// Returns the columns for a list of `width` cells, from the left. Narrow lists have fewer columns.
pub fn places(width: u16, wanted: TextWidths) -> Vec<ColumnPlace> {
    let all = width;
    let extra = wanted.apart.columns(width);
    let width = width.saturating_sub(apart::cells(&extra));
    let context = wanted.context.map(|longest| {
        let most = if width >= 100 { 24 } else { 9 };
        longest.clamp(7, most)
    });
    // The rest is for the other columns.
    let width = width.saturating_sub(context.map_or(0, |cells| cells + GAP));
    let status = wanted.status();
    let width = width.saturating_sub(if wanted.ended { 0 } else { status - STATUS });
    let reclaim = wanted.reclaim.then_some(if width < 100 { 7 } else { 10 });
    // The reclaim time is more important than the elapsed time. Slightly wider lists show both.
    let has_elapsed = reclaim.is_none() || !(GAUGES..GAUGES + 9).contains(&width);
    // A column of contexts also leaves no room for the elapsed time.
    let crowded = wanted.ended && context.is_some() && all < 72;
    let has_elapsed = has_elapsed && !crowded;
    let beside = reclaim
        .filter(|_| has_elapsed)
        .map_or(0, |cells| cells + GAP);
    let width = width.saturating_sub(beside);
    let mut fixed: Vec<(Column, u16)> = vec![(Column::Name, 0)];
    fixed.extend(context.map(|cells| (Column::Context, cells)));
    fixed.push(if wanted.ended {
        (Column::Result, 15)
    } else {
        (Column::Status, status)
    });
    // The result and time of an ended session need more room than a status.
    let has_environment = width >= if wanted.ended { 90 } else { 78 };
    if has_environment {
        fixed.push((Column::Environment, 0));
    }
    // The use of a session is more important than its environment, so narrow lists keep the gauges and drop
    // the environment.
    if wanted.ended && width >= AMOUNTS {
        fixed.push((Column::Cpu, 5));
        fixed.push((Column::Memory, 6));
    } else if width >= GAUGES && !wanted.ended {
        let gauge = match width {
            100.. => 17,
            // The column of contexts takes one cell from each bar.
            ..78 if context.is_some() => 11,
            _ => 12,
        };
        fixed.push((Column::Cpu, gauge));
        fixed.push((Column::Memory, gauge));
    }
    let elapsed = if all < 100 { 7 } else { 8 };
    fixed.extend(has_elapsed.then_some((Column::Elapsed, elapsed)));
    fixed.extend(reclaim.map(|cells| (Column::Reclaim, cells)));
    if wanted.ended {
        let cells = if width < 100 { SHORT_MOMENT } else { MOMENT };
        fixed.push((Column::Ended, cells));
    }
    if width >= 112 {
        fixed.push((Column::Created, MOMENT));
    }
    let behind = if context.is_some() { 2 } else { 1 };
    fixed.splice(behind..behind, extra);
    let gaps = GAP * (fixed.len() as u16 - 1);
    let used: u16 = fixed.iter().map(|(_, width)| width).sum();
    let room = all.saturating_sub(INDENT + MARGIN + gaps + used);
    let (name, environment) = share(room, has_environment, wanted);
    let mut x = INDENT;
    fixed
        .into_iter()
        .map(|(column, width)| {
            let width = match column {
                Column::Name => name,
                Column::Environment => environment,
                _ => width,
            };
            let place = ColumnPlace { column, x, width };
            x += width + GAP;
            place
        })
        .collect()
}

/// Divides the free width between name and environment. The name has precedence: a generated name has 16
/// cells. Long environments get the cells that no name needs.
fn share(room: u16, has_environment: bool, wanted: TextWidths) -> (u16, u16) {
    if !has_environment {
        return (room, 0);
    }
    let environment = room
        .saturating_sub(16)
        .clamp(7, 16)
        .max(room * 2 / 5)
        .min(room.saturating_sub(16).max(7));
    // Keeps a few free cells after the name.
    let spare = room.saturating_sub(wanted.name.max(16) + 4);
    let environment = environment.max(wanted.environment.min(spare).min(LONGEST_ENVIRONMENT));
    (room.saturating_sub(environment), environment)
}

/// Whether a column's text is right-aligned.
pub fn is_right(column: Column) -> bool {
    matches!(
        column,
        Column::Cpu | Column::Memory | Column::Elapsed | Column::Reclaim
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(width: u16) -> Vec<ColumnPlace> {
        places(width, TextWidths::default())
    }

    fn with_context(width: u16, longest: u16) -> Vec<ColumnPlace> {
        let context = Some(longest);
        places(
            width,
            TextWidths {
                context,
                ..TextWidths::default()
            },
        )
    }

    #[test]
    fn long_environments_get_what_no_name_needs() {
        let wanted = TextWidths {
            name: 16,
            environment: 33,
            context: Some(7),
            ..TextWidths::default()
        };
        let of = |column| {
            let places = places(140, wanted);
            places.iter().find(|it| it.column == column).unwrap().width
        };
        assert!(of(Column::Environment) >= 25, "{}", of(Column::Environment));
        assert!(of(Column::Name) >= 20, "{}", of(Column::Name));
        for width in 60..=300 {
            for name in [4, 16, 64] {
                let wanted = TextWidths { name, ..wanted };
                let places = places(width, wanted);
                let last = places.last().unwrap();
                assert!(last.x + last.width <= width, "{width}: {places:?}");
            }
        }
    }

    #[test]
    fn the_end_to_come_takes_the_place_of_what_says_less() {
        let columns = |width, context| -> Vec<Column> {
            let wanted = TextWidths {
                reclaim: true,
                context,
                ..TextWidths::default()
            };
            let places = places(width, wanted);
            let last = places.last().unwrap();
            assert!(last.x + last.width <= width, "{width}: {places:?}");
            assert!(places[0].width >= 12, "{width}: {places:?}");
            places.iter().map(|place| place.column).collect()
        };
        for width in 60..=300 {
            for context in [None, Some(7), Some(24)] {
                assert!(columns(width, context).contains(&Column::Reclaim));
            }
        }
        let has = |width, column| columns(width, None).contains(&column);
        // The gauges stay while the detail is open next to the list.
        assert!(has(69, Column::Memory) && !has(69, Column::Elapsed));
        assert!(has(80, Column::Elapsed) && !has(80, Column::Environment));
        assert!(has(90, Column::Environment) && has(140, Column::Created));
        let crowded = columns(80, Some(24));
        assert!(crowded.contains(&Column::Memory) && !crowded.contains(&Column::Elapsed));
    }

    #[test]
    fn of_what_ended_how_and_when_is_always_there() {
        for width in 60..=300 {
            for context in [None, Some(7), Some(24)] {
                let wanted = TextWidths {
                    context,
                    ended: true,
                    ..TextWidths::default()
                };
                let places = places(width, wanted);
                let last = places.last().unwrap();
                assert!(last.x + last.width <= width, "{width}: {places:?}");
                assert!(places[0].width >= 12, "{width}: {places:?}");
                for column in [Column::Result, Column::Elapsed, Column::Ended] {
                    let has = places.iter().any(|place| place.column == column);
                    assert!(
                        has || context.is_some() && width < 72,
                        "{width}: {column:?}"
                    );
                }
                let status = places.iter().any(|place| place.column == Column::Status);
                assert!(!status, "{width}");
            }
        }
    }

    #[test]
    fn a_long_queue_widens_the_status() {
        for width in 60..=300 {
            for (queued, status) in [(12, 13), (14, 14), (16, 16), (18, 16)] {
                let wanted = TextWidths {
                    queued,
                    ..TextWidths::default()
                };
                let places = places(width, wanted);
                let last = places.last().unwrap();
                assert!(last.x + last.width <= width, "{width}: {places:?}");
                assert!(places[0].width >= 12, "{width}: {places:?}");
                assert_eq!(places[1].width, status, "{width}: {places:?}");
            }
        }
    }

    #[test]
    fn columns_never_leave_the_list() {
        for width in 40..=300 {
            let places = plain(width);
            let last = places.last().unwrap();
            assert!(last.x + last.width <= width, "{width}: {places:?}");
            let name = places[0];
            assert!(name.width >= 12, "{width}: {places:?}");
            for pair in places.windows(2) {
                assert!(pair[0].x + pair[0].width + GAP == pair[1].x);
            }
        }
        assert_eq!(plain(60).len(), 3);
        assert_eq!(plain(80).len(), 6);
        assert_eq!(plain(80)[0].width, 16);
        assert_eq!(plain(140).len(), 7);
    }

    #[test]
    fn a_column_of_contexts_removes_no_gauge() {
        for width in 60..=300 {
            for longest in [1, 7, 24] {
                let places = with_context(width, longest);
                let last = places.last().unwrap();
                assert!(last.x + last.width <= width, "{width}: {places:?}");
                assert!(places[0].width >= 12, "{width}: {places:?}");
            }
        }
        let at_80 = with_context(80, 24);
        assert!(at_80.iter().any(|place| place.column == Column::Memory));
        assert!(at_80[0].width >= 16, "{at_80:?}");
    }
}
