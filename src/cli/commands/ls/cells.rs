//! Formats the cells of `workbay ls`.

use std::collections::HashMap;

use jiff::Timestamp;
use ratatui::style::Style;

use super::column::{Column, Value};
use crate::{
    cli::{
        output::Cell,
        reclaim,
        times::{elapsed, moment},
    },
    model::{
        id::ContextName,
        resources::{Bytes, Cpu},
        session::Session,
    },
    rules::{ending::ending, verdict::Tone},
    theme::{Theme, face::Face},
};

/// What is needed to format cells.
pub struct Painter<'a> {
    pub now: Timestamp,
    /// `None` = without colors.
    pub theme: Option<&'a Theme>,
    /// The color of each context's name.
    pub accents: HashMap<ContextName, Style>,
}

impl Painter<'_> {
    /// `id`: the id as shown.
    pub fn cell(&self, column: Column, session: &Session, id: &str) -> Cell {
        match column {
            Column::Id => id.into(),
            Column::Context => {
                let style = self.accents.get(&session.context).copied();
                Cell::styled(session.context.as_str(), style.unwrap_or_default())
            }
            Column::Status => {
                let face = Face::from(session.status.tone());
                Cell::styled(session.status.word(), self.style(face))
            }
            Column::Result => self.result(session),
            Column::ReclaimIn => reclaim::cell(session, self.now, self.theme),
            column => self.plain(column, session).unwrap_or_else(|| "-".into()),
        }
    }

    fn plain(&self, column: Column, session: &Session) -> Option<Cell> {
        let slots = &session.requested_slots;
        let text = match (column, column.value(session, self.now)?) {
            (Column::Cpu, _) => Cpu::to_string(&slots.cpu),
            (Column::Mem, _) => Bytes::to_string(&slots.mem),
            (Column::RunTime, Value::Number(seconds)) => elapsed(seconds),
            (_, Value::Number(number)) => number.to_string(),
            (_, Value::Time(at)) => moment(at),
            (_, Value::Text(text)) => text,
            (_, Value::Result(_)) => return None,
        };
        Some(text.into())
    }

    fn result(&self, session: &Session) -> Cell {
        let Some(ending) = ending(session) else {
            return "-".into();
        };
        let face = match ending.tone() {
            Tone::Good => Face::StatusGood,
            Tone::Bad => Face::StatusBad,
            Tone::Warning => Face::Warning,
            Tone::Plain => Face::StatusEnded,
        };
        Cell::styled(ending.to_string(), self.style(face))
    }

    fn style(&self, face: Face) -> Style {
        self.theme
            .map_or_else(Style::new, |theme| theme.style(face))
    }
}
