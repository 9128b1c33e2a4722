//! Checks the terminal and its locale.

use std::io::IsTerminal;

use super::Finding;
use crate::cli::tty;

pub fn examine() -> Vec<Finding> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut findings = vec![kind(&variable), locale(&variable)];
    findings.extend(size());
    if variable("TMUX").is_some() {
        findings.push(Finding::ok(
            tr_later!("terminal"),
            tr!("inside your own tmux, which gets Ctrl-B. In a session's pane, press F12, then b to \
             send Ctrl-B to the session"),
        ));
    }
    findings
}

type Variable<'a> = dyn Fn(&str) -> Option<String> + 'a;

fn kind(variable: &Variable<'_>) -> Finding {
    let colors = match variable("COLORTERM").as_deref() {
        _ if variable("NO_COLOR").is_some() => tr!("no colors (NO_COLOR is set)"),
        Some("truecolor" | "24bit") => tr!("true color"),
        _ => tr!("the colors of TERM"),
    };
    match variable("TERM").as_deref() {
        None | Some("dumb") => Finding::warn(
            tr_later!("terminal"),
            tr!("TERM isn't set or is dumb: the TUI can't be drawn"),
        )
        .hint(tr!(
            "`workbay` starts in plain mode. For the TUI, export TERM=xterm-256color, if your \
             terminal supports it"
        )),
        Some(term) => Finding::ok(tr_later!("terminal"), format!("TERM={term}, {colors}")),
    }
}

fn size() -> Option<Finding> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    let (columns, rows) = tty::size()?;
    let shown = tr!("{columns} columns, {rows} rows", columns, rows);
    Some(if columns < 60 || rows < 16 {
        Finding::warn(
            tr_later!("terminal"),
            tr!("{shown}: too small for the TUI", shown),
        )
        .hint(tr!("enlarge the window: 80x24 shows everything"))
    } else if columns < 80 || rows < 24 {
        Finding::warn(
            tr_later!("terminal"),
            tr!("{shown}: some columns are hidden", shown),
        )
        .hint(tr!("enlarge the window: 80x24 shows everything"))
    } else {
        Finding::ok(tr_later!("terminal"), shown)
    })
}

/// LC_ALL overrides LC_CTYPE, which overrides LANG.
fn locale(variable: &Variable<'_>) -> Finding {
    let found = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| Some((name, variable(name)?)));
    let hint = "export LANG=C.UTF-8";
    match found {
        None => Finding::warn(
            tr_later!("locale"),
            tr!("no locale is set: workbay draws ASCII only"),
        )
        .hint(hint),
        Some((name, value)) => {
            let plain = value.to_lowercase().replace('-', "");
            let shown = format!("{name}={value}");
            if plain.contains("utf8") {
                Finding::ok(tr_later!("locale"), shown)
            } else {
                let message = tr!("{shown} isn't UTF-8: workbay draws ASCII only", shown);
                let hint = if name == "LC_ALL" {
                    "export LC_ALL=C.UTF-8"
                } else {
                    hint
                };
                Finding::warn(tr_later!("locale"), message).hint(hint)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    fn with(pairs: &[(&str, &str)]) -> (Level, String) {
        let lookup = |name: &str| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let finding = locale(&lookup);
        (finding.level, finding.message.to_string())
    }

    #[test]
    fn the_strongest_variable_decides_about_the_language() {
        assert_eq!(with(&[("LANG", "ko_KR.UTF-8")]).0, Level::Ok);
        assert_eq!(
            with(&[("LANG", "ko_KR.utf8"), ("LC_ALL", "C")]).0,
            Level::Warn
        );
        assert_eq!(with(&[]).0, Level::Warn);
        assert!(
            with(&[("LC_CTYPE", "C.utf8"), ("LANG", "C")])
                .1
                .starts_with("LC_CTYPE")
        );
    }
}
