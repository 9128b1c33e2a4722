//! Columns that distinguish sessions. Owner, project and agent are shown if the list has several owners,
//! accelerators if a session has any.

use super::GAP;
use crate::app::sessions::sort::Column;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// The list has sessions of several owners.
    pub owners: bool,
    pub accelerators: bool,
}

/// A column, its width, and the list width from which it is shown.
type Extra = (Column, u16, u16);

const ACCELERATORS: [Extra; 1] = [(Column::Accelerator, 12, 100)];
/// A narrow list has room only for the beginning of an email address.
const NARROW: [Extra; 1] = [(Column::Owner, 10, 80)];
const WIDE: [Extra; 3] = [
    (Column::Owner, 20, 100),
    (Column::Project, 12, 150),
    (Column::Agent, 14, 170),
];

impl Apart {
    /// The columns for a list of `width` cells.
    pub fn columns(self, width: u16) -> Vec<(Column, u16)> {
        let owners: &[Extra] = match width {
            _ if !self.owners => &[],
            ..100 => &NARROW,
            _ => &WIDE,
        };
        let accelerators: &[Extra] = if self.accelerators {
            &ACCELERATORS
        } else {
            &[]
        };
        let there = owners.iter().chain(accelerators);
        there
            .filter(|(.., least)| width >= *least)
            .map(|(column, cells, _)| (*column, *cells))
            .collect()
    }
}

/// The cells that the columns take in the list.
pub fn cells(extra: &[(Column, u16)]) -> u16 {
    extra.iter().map(|(_, cells)| cells + GAP).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_are_distinguished_from_eighty_cells_on() {
        let columns = |width, owners, accelerators| -> Vec<Column> {
            let apart = Apart {
                owners,
                accelerators,
            };
            let columns = apart.columns(width).into_iter();
            columns.map(|(column, _)| column).collect()
        };
        assert_eq!(columns(200, false, false), []);
        assert_eq!(columns(79, true, true), []);
        assert_eq!(columns(80, true, true), [Column::Owner]);
        assert_eq!(
            columns(120, true, true),
            [Column::Owner, Column::Accelerator]
        );
        let all = [Column::Owner, Column::Project, Column::Agent];
        assert_eq!(columns(200, true, false), all);
        assert_eq!(columns(120, false, true), [Column::Accelerator]);
    }
}
