//! The table of launch fields. The launcher, its help, the options of the command line, recipes and the printed
//! command derive from it.

mod end;
mod inside;
mod resources;
mod session;
mod text_value;

use std::sync::LazyLock;

use jiff::{Timestamp, tz::TimeZone};

use crate::{
    model::{capability::Capability, launch_field::LaunchField, spec::LaunchRequest},
    rules::launch::page::Page,
};

/// A launch field.
#[derive(Debug)]
pub struct FieldRow {
    pub field: LaunchField,
    /// The option of the command line.
    pub option: &'static str,
    /// How the command line and recipes name its value, if it is one text.
    pub argument: Option<Argument>,
    /// The page of the launcher.
    pub page: Page,
    /// The title of its help.
    pub title: &'static str,
    /// Its purpose.
    pub meaning: &'static str,
    /// How a value is typed; empty if it is chosen.
    pub form: &'static str,
    /// Which values are allowed.
    pub rule: &'static str,
    /// How its value is read and written, if it is one text.
    pub text: Option<TextValue>,
    /// How the launcher shows it.
    pub widget: Widget,
    /// The types of sessions that have it.
    pub only: Only,
    /// The capability that the engine must have.
    pub needs: Option<Capability>,
}

/// The value of a field in the help of the command line and in recipes.
#[derive(Debug)]
pub struct Argument {
    /// The heading of the help that it is listed under.
    pub section: &'static str,
    /// The name of the value.
    pub value: &'static str,
    pub help: &'static str,
    /// The key in recipes.
    pub key: &'static str,
}

/// The headings of the launch options in the help of the command line.
pub mod section {
    pub const SESSION: &str = tr_later!("Session");
    pub const RESOURCES: &str = tr_later!("Resources of each container");
    pub const INSIDE: &str = tr_later!("Environment variables, storage and network");
    pub const END: &str = tr_later!("Idle checks and stop hook");
    pub const ALL: [&str; 4] = [SESSION, RESOURCES, INSIDE, END];
}

/// What a text must be. The command line refuses other words at once, and a recipe may have a value that isn't
/// a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text, which `read` checks.
    Text,
    Owner,
    Duration,
    Cpu,
    Memory,
    /// A number of copies or containers.
    Count,
    Priority,
    Ports,
}

/// How the launcher shows a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Widget {
    /// A text of one line. `empty` is shown while nothing is typed, `note` beside it.
    Line {
        label: &'static str,
        empty: &'static str,
        note: &'static str,
    },
    /// A text of several lines.
    Script {
        label: &'static str,
        empty: &'static str,
    },
    /// The page of the launcher has its own widget for it.
    Own,
}

/// The sessions that have a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    Any,
    Batch,
    Interactive,
}

/// The time and the time zone in which a text is read.
#[derive(Clone, Copy, Debug)]
pub struct TimeContext<'a> {
    pub now: Timestamp,
    pub zone: &'a TimeZone,
}

/// A value that is typed as one text.
#[derive(Debug)]
pub struct TextValue {
    pub kind: ValueKind,
    /// Sets the field of the request, or returns a sentence about the text.
    pub read: fn(&mut LaunchRequest, &str, TimeContext<'_>) -> Result<(), String>,
    /// Unsets the field.
    pub clear: fn(&mut LaunchRequest),
    /// The text that `read` reads back. `None` if the field isn't set.
    pub write: fn(&LaunchRequest) -> Option<String>,
}

impl FieldRow {
    /// The value of a field that is one text.
    pub fn written(&self, request: &LaunchRequest) -> Option<String> {
        (self.text.as_ref()?.write)(request)
    }
}

impl LaunchField {
    /// Its row in the table.
    pub fn row(self) -> &'static FieldRow {
        &TABLE[self as usize]
    }
}

/// The rows, in the order of [`LaunchField`] and of the options of a printed command.
pub static TABLE: LazyLock<Vec<FieldRow>> = LazyLock::new(|| {
    let rows = session::ROWS.into_iter().chain(resources::ROWS);
    let rows = rows.chain(inside::ROWS).chain(end::ROWS);
    let mut rows: Vec<FieldRow> = rows.collect();
    rows.sort_by_key(|row| row.field as usize);
    rows
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_field_finds_its_own_row() {
        for (at, row) in TABLE.iter().enumerate() {
            assert_eq!(row.field as usize, at, "{:?}", row.field);
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let zone = TimeZone::UTC;
        let reading = TimeContext {
            now: Timestamp::UNIX_EPOCH,
            zone: &zone,
        };
        for (field, text) in [
            (LaunchField::Name, "train-1"),
            (LaunchField::StartTime, "+2h"),
            (LaunchField::Timeout, "90m"),
            (LaunchField::Cpu, "0.5"),
            (LaunchField::Memory, "1536m"),
            (LaunchField::Count, "3"),
            (LaunchField::ClusterSize, "2"),
            (LaunchField::Priority, "70"),
            (LaunchField::PreopenPorts, "8080,9000-9002"),
            (LaunchField::Owner, "a@example.org/KEY"),
        ] {
            let value = field.row().text.as_ref().unwrap();
            let mut request = LaunchRequest::default();
            (value.read)(&mut request, text, reading).unwrap();
            let written = (value.write)(&request);
            assert_eq!(written.as_deref(), Some(text), "{field:?}");
        }
    }
}
