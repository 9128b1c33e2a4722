//! The table of `workbay ls`: sessions, in groups or with their containers.

use std::collections::HashMap;

use clap::{ValueEnum, builder::PossibleValue};
use jiff::Timestamp;
use ratatui::style::{Modifier, Style};

use super::{
    Format, Ls,
    cells::Painter,
    colors,
    column::{self, Column},
};
use crate::{
    cli::{
        fail::Fail,
        find::Picture,
        output::{self, Cell, TableLine},
    },
    model::{id::ContextName, kernel::Kernel, session::Session, short, text::Clean},
    rules::grouping::{Grouping, groups, requested},
    theme::{ColorDepth, Theme, color, face::Face},
};

impl ValueEnum for Grouping {
    fn value_variants<'a>() -> &'a [Self] {
        &Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()))
    }
}

pub fn print(
    sessions: &[Session],
    picture: &Picture,
    contexts: &[ContextName],
    arguments: &Ls,
    now: Timestamp,
) -> Result<(), Fail> {
    let theme = colors();
    let painter = Painter {
        now,
        theme: theme.as_ref(),
        accents: accents(picture, theme.as_ref()),
    };
    let wide = arguments.format() == Format::Wide;
    let columns = match arguments.columns.as_slice() {
        [] if wide => Column::ALL.to_vec(),
        [] => column::usual(sessions, contexts.len() > 1),
        chosen => chosen.to_vec(),
    };
    let ids: Vec<String> = sessions.iter().map(|it| it.id.to_string()).collect();
    let ids = if wide || !arguments.columns.is_empty() {
        ids
    } else {
        short::all(&ids)
    };
    let table = Table {
        painter,
        columns,
        tree: arguments.tree,
    };
    let lines = match arguments.group {
        None => table.lines(sessions.iter().zip(&ids)),
        Some(grouping) => table.grouped(sessions.iter().zip(&ids), grouping),
    };
    let heads: Vec<&str> = table.columns.iter().map(|it| column::head(*it)).collect();
    output::colored(&output::table_of(&heads, &lines, theme.is_some()))
}

struct Table<'a> {
    painter: Painter<'a>,
    columns: Vec<Column>,
    /// Containers are listed below their sessions.
    tree: bool,
}

/// A session with its id as shown.
type Row<'a> = (&'a Session, &'a String);

impl Table<'_> {
    fn lines<'a>(&self, rows: impl Iterator<Item = Row<'a>>) -> Vec<TableLine> {
        let mut lines = Vec::new();
        for (session, id) in rows {
            let cells = self.columns.iter();
            let cells = cells.map(|column| self.painter.cell(*column, session, id));
            lines.push(TableLine::Cells(cells.collect()));
            if self.tree && session.containers() > 1 {
                let kernels = session.kernels.iter();
                lines.extend(kernels.map(|kernel| self.container(kernel)));
            }
        }
        lines
    }

    /// The sessions of each group below a heading with their number and what they request together.
    fn grouped<'a>(
        &self,
        rows: impl Iterator<Item = Row<'a>>,
        grouping: Grouping,
    ) -> Vec<TableLine> {
        let mut lines = Vec::new();
        for group in groups(rows.map(|row| (grouping.of(row.0), row))) {
            let name = match group.name.as_str() {
                "" => tr!("no {title}", title = grouping.title()),
                name => name.to_owned(),
            };
            let slots = requested(group.members.iter().map(|(session, _)| *session));
            let count = match group.members.len() {
                1 => tr!("1 session").to_owned(),
                n => tr!("{n} sessions", n),
            };
            let text = format!("{name}  {count}, {} CPU, {}", slots.cpu, slots.mem);
            let bold = Style::new().add_modifier(Modifier::BOLD);
            lines.push(TableLine::Heading(Cell::styled(text, bold)));
            lines.extend(self.lines(group.members.into_iter()));
        }
        lines
    }

    /// A container below its session: what it has in the same columns.
    fn container(&self, kernel: &Kernel) -> TableLine {
        let owned = |text: &Option<Clean>| text.as_ref().map(ToString::to_string);
        let cell = |column: &Column| -> Cell {
            let text = match column {
                Column::Name => Some(format!("  {}", kernel.hostname)),
                Column::Id => Some(kernel.id.to_string()).filter(|_| self.columns.len() > 12),
                Column::Status => {
                    let face = Face::from(kernel.status.tone());
                    let style = self.painter.theme.map(|theme| theme.style(face));
                    return Cell::styled(kernel.status.word(), style.unwrap_or_default());
                }
                Column::Reason => owned(&kernel.status_info),
                Column::ExitCode => kernel.exit_code.map(|code| code.to_string()),
                Column::Agent => owned(&kernel.agent),
                _ => None,
            };
            text.unwrap_or_default().into()
        };
        TableLine::Cells(self.columns.iter().map(cell).collect())
    }
}

/// The colors of the names of contexts.
fn accents(picture: &Picture, theme: Option<&Theme>) -> HashMap<ContextName, Style> {
    let states = picture.snapshot.contexts.iter().filter(|_| theme.is_some());
    states
        .filter_map(|state| {
            let accent = state.context.accent.as_ref()?;
            let color = color::reduce(color::parse(accent.as_str())?, ColorDepth::Ansi16)?;
            Some((state.context.name, Style::new().fg(color)))
        })
        .collect()
}
