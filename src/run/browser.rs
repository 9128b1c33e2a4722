//! Opens URLs in the browser of this machine.

use std::process::{Command, Stdio};

/// A program and its arguments.
type CommandLine = (String, Vec<String>);

/// Starts the browser. Returns what it started, or why there is no browser.
pub fn open(url: &str) -> Result<String, String> {
    let (program, arguments) = command(url, |name| std::env::var(name).ok())?;
    let started = Command::new(&program)
        .args(&arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let mut child = started.map_err(|error| {
        let name = error.kind();
        tr!(
            "the browser {program} can't be started: {name}. Copy the URL instead",
            program,
            name
        )
    })?;
    // Waits for it, so that no ended process is left behind.
    std::thread::spawn(move || child.wait());
    Ok(tr!("opening with {program}", program))
}

/// The command that opens a URL: the first one of `BROWSER`, otherwise that of the desktop.
fn command(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<CommandLine, String> {
    let set = |name: &str| variable(name).filter(|value| !value.trim().is_empty());
    if let Some(browsers) = set("BROWSER") {
        // Several browsers are separated by colons, and `%s` is the place of the URL.
        let first = browsers.split(':').find(|it| !it.trim().is_empty());
        let mut words = first.unwrap_or_default().split_whitespace();
        let program = words.next().unwrap_or_default().to_owned();
        let mut arguments: Vec<String> = words.map(|word| word.replace("%s", url)).collect();
        if !first.unwrap_or_default().contains("%s") {
            arguments.push(url.to_owned());
        }
        return Ok((program, arguments));
    }
    if set("DISPLAY").is_some() || set("WAYLAND_DISPLAY").is_some() {
        return Ok(("xdg-open".to_owned(), vec![url.to_owned()]));
    }
    Err(tr!(
        "this machine has no browser: neither BROWSER nor DISPLAY is set.\n\
         Copy the URL (y) and the ssh command for your computer (Y)"
    )
    .to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://127.0.0.1:10250/?a=b";

    fn with(pairs: &'static [(&str, &str)]) -> Result<CommandLine, String> {
        command(URL, |name| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_browser_of_the_user_comes_first() {
        for (pairs, program, arguments) in [
            (&[("BROWSER", "firefox")][..], "firefox", vec![URL]),
            (
                &[("BROWSER", ":lynx -x %s:firefox"), ("DISPLAY", ":0")],
                "lynx",
                vec!["-x", URL],
            ),
            (&[("DISPLAY", ":0")], "xdg-open", vec![URL]),
            (
                &[("WAYLAND_DISPLAY", "w"), ("BROWSER", " ")],
                "xdg-open",
                vec![URL],
            ),
        ] {
            let arguments = arguments.into_iter().map(str::to_owned).collect();
            assert_eq!(with(pairs), Ok((program.to_owned(), arguments)));
        }
    }

    #[test]
    fn without_a_browser_the_text_says_what_to_do() {
        let why = with(&[]).unwrap_err();
        assert!(why.contains("neither BROWSER nor DISPLAY is set"), "{why}");
    }
}
