//! `workbay themes show`: every style of a theme, drawn with it.

use ratatui::style::{Modifier, Style};
use serde::Serialize;

use super::check::color_name;
use crate::{
    cli::{
        Start,
        fail::{Fail, Outcome, code},
        output::{self, Cell},
    },
    theme::{ColorDepth, Theme, ThemeChoice, face::Face},
};

/// The output of `themes show`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ShownTheme {
    name: String,
    styles: Vec<ShownStyle>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ShownStyle {
    /// The name in theme files.
    style: &'static str,
    /// `#rrggbb`, the number of one of 256 colors, or the name of a color of the terminal. `null`: the style
    /// changes no color.
    fg: Option<String>,
    bg: Option<String>,
    /// `bold`, `dim`, `italic`, `underline`, `reverse`.
    attributes: Vec<&'static str>,
}

pub fn run(start: &Start, theme: Option<String>, json: bool) -> Outcome {
    let setting = theme.as_ref().unwrap_or(&start.loaded.settings.ui.theme);
    let choice = ThemeChoice::read(setting);
    let name = choice.name(Some(true), ColorDepth::TrueColor).into_owned();
    let dir = start.paths.themes_dir();
    let theme = Theme::open(&name, Some(&dir), ColorDepth::TrueColor).map_err(|problems| {
        let texts: Vec<String> = problems.iter().map(ToString::to_string).collect();
        Fail::new(code::FAILED, texts.join("\n")).hint(tr!("`workbay themes` lists all themes"))
    })?;
    if json {
        let styles = Face::ALL.iter().map(|face| shown(&theme, *face));
        let styles = styles.collect();
        output::json(&ShownTheme { name, styles })?;
        return Ok(0);
    }
    let reduced = Theme::open(
        &name,
        Some(&dir),
        ColorDepth::of(|name| std::env::var(name).ok()),
    )
    .unwrap_or(theme.clone());
    let rows: Vec<Vec<Cell>> = Face::ALL
        .iter()
        .map(|face| row(&theme, &reduced, *face))
        .collect();
    let heads = [
        tr_later!("STYLE"),
        tr_later!("SAMPLE"),
        tr_later!("TEXT"),
        tr_later!("BACKGROUND"),
        "",
    ];
    output::colored(&output::table(&heads, &rows, output::is_colorful()))?;
    Ok(0)
}

fn shown(theme: &Theme, face: Face) -> ShownStyle {
    let style = theme.style(face);
    ShownStyle {
        style: face.name(),
        fg: style.fg.map(color_name),
        bg: style.bg.map(color_name),
        attributes: attributes(style),
    }
}

fn row(theme: &Theme, reduced: &Theme, face: Face) -> Vec<Cell> {
    let style = shown(theme, face);
    let or_none = |color: Option<String>| color.unwrap_or_else(|| "-".to_owned());
    vec![
        style.style.into(),
        Cell::styled(tr!(" Sample "), on_screen(reduced, face)),
        or_none(style.fg).into(),
        or_none(style.bg).into(),
        style.attributes.join(", ").into(),
    ]
}

/// The style with the background of the screen, if it has none of its own.
fn on_screen(theme: &Theme, face: Face) -> Style {
    let style = theme.style(face);
    let text = |style: Style| style.fg.or(theme.style(Face::Text).fg);
    Style {
        fg: text(style),
        bg: style.bg.or(theme.style(Face::Screen).bg),
        ..style
    }
}

fn attributes(style: Style) -> Vec<&'static str> {
    let all = [
        (Modifier::BOLD, "bold"),
        (Modifier::DIM, "dim"),
        (Modifier::ITALIC, "italic"),
        (Modifier::UNDERLINED, "underline"),
        (Modifier::REVERSED, "reverse"),
    ];
    let set = all
        .iter()
        .filter(|(it, _)| style.add_modifier.contains(*it));
    set.map(|(_, name)| *name).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::style::Color;

    use super::*;

    #[test]
    fn a_style_is_shown_as_it_is_written() {
        let theme = Theme::builtin("nord", ColorDepth::TrueColor).unwrap();
        let style = shown(&theme, Face::TabActive);
        assert_eq!(style.fg.as_deref(), Some("#88c0d0"));
        assert_eq!((style.bg, style.attributes), (None, vec!["bold"]));
        let ground = on_screen(&theme, Face::TabActive).bg;
        assert_eq!(ground, Some(Color::Rgb(0x2e, 0x34, 0x40)));
    }
}
