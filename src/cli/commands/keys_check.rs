//! `workbay keys check`: conflicts and mistakes of a keymap.

use std::path::Path;

use serde::Serialize;

use crate::{
    cli::{
        fail::{Fail, Outcome, code},
        output,
    },
    keymap::check::{KeyProblem, check},
    model::problem::Problem,
};

/// A problem of a keymap.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct KeyProblemRow {
    /// `invalid`, `unknown-scope`, `unknown-action`, `wrong-scope`, `unknown-key`, `double` or `shadowed`.
    kind: &'static str,
    /// `error`, or `note` for a key that only one view hides.
    severity: &'static str,
    #[serde(flatten)]
    place: PlaceRow,
    message: String,
    /// The fix.
    help: Option<String>,
    /// The other one of two bindings that conflict.
    other: Option<PlaceRow>,
}

/// A place in a file, counted from 1.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PlaceRow {
    file: String,
    line: usize,
    column: usize,
}

/// Checks the keymap of a name in `dir`, or a file.
pub fn run(name: &str, (file, dir): (Option<&Path>, &Path), json: bool) -> Outcome {
    let checked = match file {
        Some(file) => of_file(file)?,
        None => check(name, Some(dir)),
    };
    let problems = checked.map_err(|problem| fail(&problem))?;
    if json {
        let rows: Vec<KeyProblemRow> = problems.iter().map(row).collect();
        output::json(&rows)?;
    } else {
        print(&problems)?;
    }
    let is_wrong = problems.iter().any(|it| !it.is_note);
    Ok(if is_wrong { code::FAILED } else { 0 })
}

fn of_file(file: &Path) -> Result<Result<Vec<KeyProblem>, Problem>, Fail> {
    let is_toml = file.extension().is_some_and(|end| end == "toml");
    let name = file.file_stem().and_then(|it| it.to_str());
    let (Some(name), true) = (name, is_toml && file.is_file()) else {
        let text = tr!(
            "{file}: the keymap isn't a file NAME.toml. `workbay themes` lists all keymaps",
            file = file.display()
        );
        return Err(Fail::new(code::FAILED, text));
    };
    let dir = file.parent().filter(|it| !it.as_os_str().is_empty());
    Ok(check(name, Some(dir.unwrap_or(Path::new(".")))))
}

fn fail(problem: &Problem) -> Fail {
    Fail::new(code::FAILED, problem.to_string())
}

fn print(problems: &[KeyProblem]) -> Result<(), Fail> {
    for it in problems {
        let note = if it.is_note { "note: " } else { "" };
        output::line(&format!("{note}{}", it.problem))?;
        if let Some(other) = &it.other {
            let (line, column) = (other.line, other.column);
            output::line(&tr!(
                "    the other binding: {file}:{line}:{column}",
                file = other.file.display(),
                line,
                column
            ))?;
        }
    }
    if problems.is_empty() {
        output::line(tr!("no problems found"))?;
    }
    Ok(())
}

fn row(it: &KeyProblem) -> KeyProblemRow {
    let place = |file: &Path, line, column| PlaceRow {
        file: file.display().to_string(),
        line,
        column,
    };
    let problem = &it.problem;
    KeyProblemRow {
        kind: it.kind.word(),
        severity: if it.is_note { "note" } else { "error" },
        place: place(&problem.file, problem.line, problem.column),
        message: problem.message.clone(),
        help: problem.help.clone(),
        other: it
            .other
            .as_ref()
            .map(|other| place(&other.file, other.line, other.column)),
    }
}
