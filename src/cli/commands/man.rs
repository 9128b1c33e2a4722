//! `workbay man`: the man pages of all commands.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use clap::Args;
use clap::CommandFactory;

use crate::{
    cli::{
        args::Cli,
        commands::RunCommand,
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        language, output,
    },
    locale,
};

#[derive(Args, Debug)]
pub struct Man {
    /// Directory to write to (created if missing)
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
}

impl RunCommand for Man {
    fn run(self, _invocation: &Invocation<'_>) -> Outcome {
        write(&self.dir)
    }
}

fn write(dir: &Path) -> Outcome {
    let written = fs::create_dir_all(dir);
    let written = written.and_then(|()| {
        clap_mangen::generate_to(language::tree(Cli::command()), dir)?;
        correct(dir)
    });
    let failed = |why| {
        let message = tr!(
            "the man pages can't be written to {dir}: {why}",
            dir = dir.display(),
            why
        );
        Fail::new(code::FAILED, message).hint(tr!("choose another directory with --dir"))
    };
    written.map_err(failed)?;
    output::line(&format!("{}", dir.join("workbay.1").display()))?;
    Ok(0)
}

/// Keeps the lines of examples in the pages as they are, and translates the words that the generator adds.
fn correct(dir: &Path) -> io::Result<()> {
    for page in fs::read_dir(dir)? {
        let page = page?.path();
        let is_ours = page
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("workbay") && name.ends_with(".1"));
        if is_ours {
            let text = with_examples(&fs::read_to_string(&page)?);
            fs::write(&page, translated(&text))?;
        }
    }
    Ok(())
}

/// A page with the headings and notes of the generator in the user's language. The other texts are translated already.
fn translated(page: &str) -> String {
    let lines = page.lines().map(|line| match line {
        ".SH NAME" => heading(tr!("NAME")),
        ".SH SYNOPSIS" => heading(tr!("SYNOPSIS")),
        ".SH DESCRIPTION" => heading(tr!("DESCRIPTION")),
        ".SH EXTRA" => heading(tr!("EXTRA")),
        ".SH VERSION" => heading(tr!("VERSION")),
        line => noted(line),
    });
    lines.map(|line| line + "\n").collect()
}

/// A line with the generator's notes, or with the meaning of a value.
fn noted(line: &str) -> String {
    if let Some((before, rest)) = line.split_once("[default: ")
        && let Some(value) = rest.strip_suffix(']')
    {
        return format!("{before}{}", tr!("[default: {value}]", value));
    }
    if let Some((value, meaning)) = line.split_once(": ")
        && let Some(own) = locale::find(meaning)
    {
        return format!("{value}: {own}");
    }
    line.replace("Possible values:", tr!("Possible values:"))
}

fn heading(title: &str) -> String {
    if title.contains(' ') {
        format!(".SH \"{title}\"")
    } else {
        format!(".SH {title}")
    }
}

/// Lines that begin with spaces are examples.
fn with_examples(page: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    for line in page.lines() {
        let is_example = line.starts_with("  ");
        if is_example != inside {
            out.push_str(if is_example { ".nf\n" } else { ".fi\n" });
            inside = is_example;
        }
        out.extend([line, "\n"]);
    }
    out
}

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, process::Command};

    use super::*;
    use crate::locale::embedded;

    /// The names of a command's page and of those below.
    fn pages(command: &clap::Command, name: &str) -> Vec<String> {
        let below = command.get_subcommands().filter(|it| !it.is_hide_set());
        let below = below.flat_map(|it| pages(it, &format!("{name}-{}", it.get_name())));
        std::iter::once(format!("{name}.1")).chain(below).collect()
    }

    #[test]
    fn pages_are_in_the_users_language() {
        let dir = tempfile::tempdir().unwrap();
        let page = |name: &str| {
            assert_eq!(write(dir.path()), Ok(0));
            fs::read_to_string(dir.path().join(name)).unwrap()
        };
        let english = page("workbay-wait.1");
        let _korean = locale::in_this_thread(embedded::korean());
        let korean = page("workbay-wait.1");
        for (own, other) in [
            (".SH NAME", ".SH 이름"),
            (".SH SYNOPSIS", ".SH 개요"),
            (".SH DESCRIPTION", ".SH 설명"),
            (".SH EXTRA", ".SH \"추가 정보\""),
            (".SH VERSION", ".SH 버전"),
            ("[default: ended]", "[기본값: ended]"),
            ("Possible values:", "가능한 값:"),
            ("The session has ended", "세션이 종료됨"),
        ] {
            assert!(english.contains(own) && !english.contains(other), "{own}");
            assert!(
                korean.contains(other) && !korean.contains(own),
                "{other}\n{korean}"
            );
        }
    }

    #[test]
    fn examples_are_not_filled() {
        let page = "Examples:\n  a  b\n  c\n\nText\n";
        let kept = "Examples:\n.nf\n  a  b\n  c\n.fi\n\nText\n";
        assert_eq!(with_examples(page), kept);
    }

    #[test]
    fn each_command_has_a_page_that_groff_renders() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(write(dir.path()), Ok(0));
        let pages = pages(&Cli::command(), "workbay");
        assert!(pages.contains(&"workbay-env-ls.1".to_owned()), "{pages:?}");
        let files: Vec<PathBuf> = pages.iter().map(|page| dir.path().join(page)).collect();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), files.len());
        for file in &files {
            let rendered = Command::new("groff")
                .args(["-man", "-ww", "-Kutf8", "-Tutf8", "-P-cbou"])
                .arg(file)
                .output()
                .expect("groff is installed (scripts/test-setup)");
            let warnings = String::from_utf8_lossy(&rendered.stderr);
            assert_eq!(warnings, "", "{}", file.display());
            let text = String::from_utf8_lossy(&rendered.stdout);
            assert!(text.contains("SYNOPSIS"), "{}", file.display());
        }
    }
}
