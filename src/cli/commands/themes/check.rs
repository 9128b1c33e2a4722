//! `workbay themes check`: mistakes in theme files, and text that is hard to read.

use std::path::Path;

use ratatui::style::Color;
use serde::Serialize;

use crate::{
    cli::{
        Start,
        fail::{Outcome, code},
        output,
    },
    config::Problem,
    theme::{
        self, ColorDepth, Theme, ThemeChoice,
        color::NAMED,
        contrast::{self, Pair},
        face::Face,
    },
};

/// A theme in the output of `themes check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CheckedTheme {
    /// The name or the file that was checked.
    theme: String,
    /// The mistakes in its files. A theme with mistakes isn't checked for contrast.
    problems: Vec<ProblemJson>,
    /// How many pairs of text and background were measured: 0 if the theme uses the colors of the terminal,
    /// which are unknown.
    pairs: usize,
    /// The pairs that are hard to read.
    faint: Vec<FaintPair>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProblemJson {
    file: String,
    /// Counted from 1; 0 = the file as a whole.
    line: usize,
    column: usize,
    message: String,
    help: Option<String>,
}

/// A text on a background.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FaintPair {
    /// The style of the text.
    style: &'static str,
    /// The style of the background; `null` = a usual background of terminals.
    on: Option<&'static str>,
    fg: String,
    bg: String,
    /// The contrast, from 1 to 21.
    contrast: f64,
    /// The least contrast: 4.5 for text, 1.5 for lines.
    least: f64,
}

pub fn run(start: &Start, theme: Option<String>, json: bool) -> Outcome {
    let dir = start.paths.themes_dir();
    let wanted = theme.map_or_else(|| usual(start, &dir), |theme| vec![theme]);
    let checked: Vec<CheckedTheme> = wanted.iter().map(|it| check(it, &dir)).collect();
    let sound = |it: &CheckedTheme| it.problems.is_empty() && it.faint.is_empty();
    let exit = if checked.iter().all(sound) {
        0
    } else {
        code::FAILED
    };
    if json {
        output::json(&checked)?;
        return Ok(exit);
    }
    for it in &checked {
        output::print(&text(it))?;
    }
    Ok(exit)
}

/// The themes of the setting, and all files of the user.
fn usual(start: &Start, dir: &Path) -> Vec<String> {
    let choice = ThemeChoice::read(&start.loaded.settings.ui.theme);
    let mut names: Vec<String> = choice.names().into_iter().map(str::to_owned).collect();
    let own = theme::names(Some(dir)).into_iter().filter(|(_, own)| *own);
    for (name, _) in own {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn check(wanted: &str, dir: &Path) -> CheckedTheme {
    // Names of themes have neither.
    let is_file =
        wanted.contains('/') || Path::new(wanted).extension().is_some_and(|it| it == "toml");
    let depth = ColorDepth::TrueColor;
    let opened = if is_file {
        Theme::read(Path::new(wanted), Some(dir), depth)
    } else {
        Theme::open(wanted, Some(dir), depth)
    };
    let (problems, pairs) = match opened {
        Ok(theme) => (Vec::new(), contrast::pairs(&theme)),
        Err(problems) => (problems, Vec::new()),
    };
    CheckedTheme {
        theme: wanted.to_owned(),
        problems: problems.into_iter().map(ProblemJson::from).collect(),
        pairs: pairs.len(),
        faint: pairs
            .iter()
            .filter(|pair| !pair.is_readable())
            .map(FaintPair::from)
            .collect(),
    }
}

fn text(checked: &CheckedTheme) -> String {
    let CheckedTheme {
        theme,
        problems,
        pairs,
        faint,
    } = checked;
    let mut lines: Vec<String> = problems.iter().map(|it| it.text(theme)).collect();
    lines.extend(faint.iter().map(|pair| {
        let on = pair.on.unwrap_or(tr!("the terminal's background"));
        let FaintPair {
            style,
            fg,
            bg,
            contrast,
            least,
            ..
        } = pair;
        tr!(
            "{theme}: {style} on {on}: contrast {contrast}, at least {least} ({fg} on {bg})",
            theme,
            style,
            on,
            contrast,
            least,
            fg,
            bg
        )
    }));
    if lines.is_empty() {
        lines.push(match pairs {
            0 => tr!(
                "{theme}: no problems found. It uses the terminal's own colors",
                theme
            ),
            n => tr!(
                "{theme}: no problems found. {n} pairs of colors are easy to read",
                theme,
                n
            ),
        });
    }
    lines.join("\n") + "\n"
}

impl ProblemJson {
    fn text(&self, theme: &str) -> String {
        let Self {
            file,
            line,
            column,
            message,
            help,
        } = self;
        let help = help
            .as_ref()
            .map_or_else(String::new, |it| format!(" ({it})"));
        match line {
            0 if !Path::new(file).exists() => format!("{theme}: {message}{help}"),
            0 => format!("{file}: {message}{help}"),
            _ => format!("{file}:{line}:{column}: {message}{help}"),
        }
    }
}

impl From<Problem> for ProblemJson {
    fn from(problem: Problem) -> Self {
        let Problem {
            file,
            line,
            column,
            message,
            help,
        } = problem;
        Self {
            file: file.display().to_string(),
            line,
            column,
            message,
            help,
        }
    }
}

impl From<&Pair> for FaintPair {
    fn from(pair: &Pair) -> Self {
        Self {
            style: pair.face.name(),
            on: pair.on.map(Face::name),
            fg: color_name(pair.foreground),
            bg: color_name(pair.background),
            // Rounded down, so that a failing pair never seems to pass.
            contrast: (pair.ratio * 100.0).floor() / 100.0,
            least: pair.least,
        }
    }
}

/// A color as theme files write it.
pub fn color_name(color: Color) -> String {
    if let Some((name, _)) = NAMED.iter().find(|(_, it)| *it == color) {
        return (*name).to_owned();
    }
    match color {
        Color::Rgb(r, g, b) => format!("#{r:02x}{g:02x}{b:02x}"),
        Color::Indexed(index) => index.to_string(),
        other => other.to_string(),
    }
}
