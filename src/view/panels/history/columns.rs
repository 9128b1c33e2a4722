//! Decides which columns the table has, and where they are.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryColumn {
    /// Whether its steps are shown.
    Fold,
    Updated,
    Created,
    Phase,
    Result,
    /// From one status to another.
    Transition,
    Attempts,
    Message,
}

impl HistoryColumn {
    pub fn title(self) -> &'static str {
        match self {
            Self::Fold => "",
            Self::Updated => tr!("Updated"),
            Self::Created => tr!("Created"),
            Self::Phase => tr!("Phase"),
            Self::Result => tr!("Result"),
            Self::Transition => tr!("From, to"),
            Self::Attempts => tr!("Tries"),
            Self::Message => tr!("Message"),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryPlace {
    pub column: HistoryColumn,
    pub x: u16,
    pub width: u16,
}

const GAP: u16 = 2;
/// From this width, the table has a column for each time and one for messages.
const WIDE: u16 = 110;

/// The columns from the left, in a table of `width` cells.
pub fn places(width: u16) -> Vec<HistoryPlace> {
    let wide = width >= WIDE;
    let mut columns = vec![
        (HistoryColumn::Fold, 1),
        (HistoryColumn::Updated, if wide { 11 } else { 9 }),
    ];
    if wide {
        columns.push((HistoryColumn::Created, 11));
    }
    let phase = if wide {
        22
    } else if width >= 72 {
        19
    } else {
        14
    };
    columns.extend([
        (HistoryColumn::Phase, phase),
        (HistoryColumn::Result, 10),
        (HistoryColumn::Transition, 0),
        (HistoryColumn::Attempts, 5),
    ]);
    if wide {
        columns.push((HistoryColumn::Message, 0));
    }
    let fixed: u16 = columns.iter().map(|(_, cells)| cells + GAP).sum();
    let room = width.saturating_sub(1 + fixed - GAP);
    let transition = if wide { room.min(24) } else { room };
    let mut x = 1;
    let mut places = Vec::with_capacity(columns.len());
    for (column, cells) in columns {
        let cells = match column {
            HistoryColumn::Transition => transition,
            HistoryColumn::Message => room - transition,
            _ => cells,
        };
        places.push(HistoryPlace {
            column,
            x,
            width: cells,
        });
        x += cells + GAP;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_fill_the_width_and_no_more() {
        for width in 50..200 {
            let places = places(width);
            let last = places.last().unwrap();
            assert_eq!(last.x + last.width, width.max(last.x + last.width.min(5)));
            assert!(places.windows(2).all(|two| two[0].x < two[1].x), "{width}");
        }
    }
}
