//! The places of columns that you chose.

use super::{
    ColumnPlace, GAP, INDENT, LONGEST_ENVIRONMENT, MARGIN, MOMENT, SHORT_MOMENT, TextWidths,
};
use crate::app::sessions::{columns::ColumnChoice, sort::Column};

/// A shorter name says too little.
const SHORTEST_NAME: u16 = 12;
/// The cells of a sparkline.
const SPARKLINE: u16 = 12;

/// Returns the chosen columns for a list of `width` cells. If there isn't enough room, columns get narrower first.
/// Then the last ones are left out, but never the name, and the status only after all others.
pub fn places(width: u16, choices: &[ColumnChoice], wanted: TextWidths) -> Vec<ColumnPlace> {
    let mut shown: Vec<(&ColumnChoice, u16)> = choices
        .iter()
        .filter(|it| it.shown)
        .map(|it| (it, it.width.unwrap_or_else(|| usual(it.column, wanted))))
        .collect();
    let room = width.saturating_sub(INDENT + MARGIN);
    if cells(&shown) > room {
        for (choice, cells) in &mut shown {
            if choice.width.is_none() {
                *cells = (*cells).min(narrow(choice.column));
            }
        }
    }
    while cells(&shown) > room && shown.len() > 1 {
        let important = |it: &(&ColumnChoice, u16)| {
            matches!(it.0.column, Column::Name | Column::Status | Column::Result)
        };
        let last = shown.iter().rposition(|it| !important(it));
        let is_name = |it: &(&ColumnChoice, u16)| it.0.column == Column::Name;
        let last = last.or_else(|| shown.iter().rposition(|it| !is_name(it)));
        match last {
            Some(at) => {
                shown.remove(at);
            }
            None => break,
        }
    }
    let spare = room.saturating_sub(cells(&shown));
    let mut x = INDENT;
    let place = |(choice, width): (&ColumnChoice, u16)| {
        // A name without a chosen width gets what nothing else needs.
        let is_wide = choice.column == Column::Name && choice.width.is_none();
        let width = if is_wide { width + spare } else { width };
        let place = ColumnPlace {
            column: choice.column,
            x,
            width: width.min(room),
        };
        x += width + GAP;
        place
    };
    shown.into_iter().map(place).collect()
}

fn cells(shown: &[(&ColumnChoice, u16)]) -> u16 {
    let gaps = GAP * (shown.len() as u16).saturating_sub(1);
    shown.iter().map(|(_, cells)| *cells).sum::<u16>() + gaps
}

/// The width of a column where there is room.
fn usual(column: Column, wanted: TextWidths) -> u16 {
    match column {
        Column::Name => wanted.name.clamp(SHORTEST_NAME, 40),
        Column::Context => wanted.context.unwrap_or(7).clamp(7, 24),
        Column::Environment => wanted.environment.clamp(11, LONGEST_ENVIRONMENT),
        Column::Status => wanted.status(),
        Column::Result => 15,
        Column::Cpu | Column::Memory => {
            if wanted.ended {
                6
            } else {
                17
            }
        }
        Column::CpuHistory | Column::MemoryHistory => SPARKLINE,
        Column::Elapsed => 8,
        Column::Created | Column::Ended => MOMENT,
        Column::Reclaim => 10,
        Column::Owner => 20,
        Column::Project | Column::Accelerator => 12,
        Column::Agent => 14,
    }
}

/// The width of a column where room is scarce.
fn narrow(column: Column) -> u16 {
    match column {
        Column::Name => SHORTEST_NAME,
        Column::Cpu | Column::Memory | Column::Environment => 11,
        Column::Created | Column::Ended => SHORT_MOMENT,
        Column::CpuHistory | Column::MemoryHistory | Column::Elapsed | Column::Reclaim => 8,
        Column::Owner | Column::Agent | Column::Project => 10,
        Column::Context => 9,
        _ => u16::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{app::sessions::columns::all_of, model::status::Tab};

    #[test]
    fn chosen_columns_never_leave_the_list_and_the_important_ones_stay() {
        let every: Vec<Column> = Column::ALL
            .into_iter()
            .filter(|it| it.is_of(Tab::Running))
            .collect();
        let mut choices = all_of(Tab::Running, &every);
        // The status is the last one.
        let at = choices.iter().position(|it| it.column == Column::Status);
        let status = choices.remove(at.unwrap());
        choices.push(status);
        for width in 60..=300 {
            let places = places(width, &choices, TextWidths::default());
            let last = places.last().unwrap();
            assert!(last.x + last.width <= width, "{width}: {places:?}");
            assert_eq!(places[0].column, Column::Name);
            assert_eq!(last.column, Column::Status, "{width}");
            for pair in places.windows(2) {
                assert_eq!(pair[0].x + pair[0].width + GAP, pair[1].x);
            }
        }
    }

    #[test]
    fn a_chosen_width_is_kept() {
        let mut choices = all_of(Tab::Running, &[Column::CpuHistory, Column::Name]);
        choices[0].width = Some(30);
        let wide = places(80, &choices, TextWidths::default());
        assert_eq!((wide[0].column, wide[0].width), (Column::CpuHistory, 30));
        assert_eq!(wide[1].x + wide[1].width, 79);
    }
}
