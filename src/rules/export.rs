//! Sessions as a file for other programs: CSV with the columns of `workbay ls -o wide`, or the JSON of
//! `workbay ls --json`.

use jiff::Timestamp;

use super::{
    column::{Column, Value},
    listed::Listed,
};
use crate::model::session::Session;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    Csv,
    Json,
}

impl ExportFormat {
    /// The format of a file by its name.
    ///
    /// # Errors
    /// Returns a sentence if the end of the name isn't known.
    pub fn of_file(name: &str) -> Result<Self, String> {
        let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
        let is_named = !stem.is_empty() && !stem.ends_with('/');
        match ending.to_ascii_lowercase().as_str() {
            "csv" if is_named => Ok(Self::Csv),
            "json" if is_named => Ok(Self::Json),
            _ => Err(tr!(
                "Invalid file '{name}'. Use NAME.csv or NAME.json",
                name
            )),
        }
    }
}

/// The contents of the file. Amounts are numbers without a unit (CPU, bytes, seconds) and times are UTC, so that
/// programs can read them.
pub fn contents(format: ExportFormat, sessions: &[Session], now: Timestamp) -> String {
    match format {
        ExportFormat::Csv => csv(sessions, now),
        ExportFormat::Json => {
            let listed: Vec<Listed<'_>> = sessions.iter().map(|it| Listed::new(it, now)).collect();
            let mut text = serde_json::to_string_pretty(&listed).unwrap_or_default();
            text.push('\n');
            text
        }
    }
}

fn csv(sessions: &[Session], now: Timestamp) -> String {
    let row = |cells: Vec<String>| format!("{}\r\n", cells.join(","));
    let heads = Column::ALL.iter().map(|it| it.name().to_owned()).collect();
    let mut text = row(heads);
    for session in sessions {
        let cells = Column::ALL
            .iter()
            .map(|it| quoted(&cell(*it, session, now)));
        text.push_str(&row(cells.collect()));
    }
    text
}

fn cell(column: Column, session: &Session, now: Timestamp) -> String {
    match (column, column.value(session, now)) {
        (Column::Cpu, _) => session.requested_slots.cpu.to_string(),
        (Column::Result, _) => column.text(session).unwrap_or_default(),
        (_, Some(Value::Text(text))) => text,
        (_, Some(Value::Number(number))) => number.to_string(),
        (_, Some(Value::Time(at))) => at.to_string(),
        (_, Some(Value::Result(_)) | None) => String::new(),
    }
}

/// A cell in the form of RFC 4180. A text that a spreadsheet would run as a formula begins with a quote.
fn quoted(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
    let text = if runs {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing;

    #[test]
    fn a_row_has_a_cell_for_each_column_and_no_formula() {
        let mut session = testing::session(1 << 96, "a");
        session.startup_command = Some("=cmd(\"x\"), y".into());
        let text = contents(ExportFormat::Csv, &[session], Timestamp::UNIX_EPOCH);
        let (head, row) = text.split_once("\r\n").unwrap();
        assert!(head.starts_with("name,id,context,type,status"));
        assert!(row.starts_with("a,00000001-"), "{row}");
        assert!(row.ends_with(",\"'=cmd(\"\"x\"\"), y\"\r\n"), "{row}");
    }

    #[test]
    fn json_is_what_ls_prints() {
        let session = testing::ended("self-terminated", Some(3));
        let text = contents(ExportFormat::Json, &[session], Timestamp::UNIX_EPOCH);
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read[0]["exit_code"], 3);
        assert_eq!(read[0]["name"], "train");
    }

    #[test]
    fn the_end_of_the_name_decides_the_format() {
        assert_eq!(ExportFormat::of_file("a.CSV"), Ok(ExportFormat::Csv));
        assert_eq!(
            ExportFormat::of_file("/tmp/a.b.json"),
            Ok(ExportFormat::Json)
        );
        for name in ["", "a", ".csv", "a.txt", "/tmp/.json"] {
            assert!(ExportFormat::of_file(name).is_err(), "{name}");
        }
    }
}
