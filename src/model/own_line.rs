//! The lines that workbay writes into the log of a session. They are stored in English. Who shows the log to a user
//! translates them, and only them: other lines are of a program.

use std::fmt::Display;

use super::inside::OWN_LINE;
use crate::locale;

/// A line that stands for others, without [`OWN_LINE`] before it.
pub const LOST_LINES: &str =
    tr_later!("… lines are missing: the log was truncated before workbay read them …");

/// Makes a function for each line, and a table by which lines are recognized. The value `why` is a text of its own,
/// which may be translated, too. The others are names, numbers and what users typed.
macro_rules! own_lines {
    ($table:ident: $($name:ident($($value:ident),*) = tr_later!($text:literal);)+) => {
        $(
            #[must_use]
            pub fn $name($($value: impl Display),*) -> String {
                format!($text $(, $value = $value)*)
            }
        )+

        const $table: &[&str] = &[$($text),+];
    };
}

// Up to `ready`.
own_lines! {
    INTRODUCTION:
    session(name, id) = tr_later!("session      {name} ({id})");
    environment(label) = tr_later!("environment  {label}");
    limits(cpu, memory, shared, processes) = tr_later!("limits       {cpu} CPU, memory {memory} (no swap), shared memory {shared}, processes {processes}");
    limits_on_core(cpu, core, memory, shared, processes) = tr_later!("limits       {cpu} CPU (on core {core}), memory {memory} (no swap), shared memory {shared}, processes {processes}");
    limits_on_cores(cpu, cores, memory, shared, processes) = tr_later!("limits       {cpu} CPU (on cores {cores}), memory {memory} (no swap), shared memory {shared}, processes {processes}");
    cluster(host, size) = tr_later!("cluster      {host} of {size}");
    devices(list) = tr_later!("devices      GPU {list}");
    disk_enforced(most) = tr_later!("disk         {most} (enforced by the file system)");
    disk_measured(most, why) = tr_later!("disk         {most} (measured, not enforced: {why})");
    warning(why) = tr_later!("warning: {why}");
    user(uid, gid) = tr_later!("user         {uid}:{gid}");
    mount_read_only(place) = tr_later!("mount        {place} (read-only)");
    mount_read_write(place) = tr_later!("mount        {place} (read-write)");
    script_runs(script) = tr_later!("runs {script}");
    script_not_run(script, why) = tr_later!("{script} didn't run: {why}");
    script_failed(script, code) = tr_later!("{script} failed with exit code {code}. The session keeps running");
    ready() = tr_later!("ready");
}

// Right after it.
own_lines! {
    COMMAND:
    command(line) = tr_later!("command: {line}");
    long_command(first, more) = tr_later!("command: {first} … and {more} more lines");
}

// Between the lines of programs.
own_lines! {
    LATER:
    no_shell() = tr_later!("this environment has no shell (bash, sh or ash) for commands. Choose another environment");
    shell_not_run(shell, why) = tr_later!("{shell} can't be run: {why}");
    signal_passed(signal) = tr_later!("{signal} received and sent to the command");
    signal_ends(signal) = tr_later!("{signal} received: the session ends");
    ended(code) = tr_later!("ended with exit code {code}");
    unreadable(why) = tr_later!("the rest of the log can't be read: {why}");
}

/// Recognizes workbay's own lines in a log, which is read from its beginning or from another line. After the line `ready`,
/// those of the introduction are a program's.
#[derive(Clone, Copy, Debug, Default)]
pub struct OwnLines(Place);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    /// In the introduction, or somewhere.
    #[default]
    Introduction,
    Ready,
    Program,
}

impl OwnLines {
    /// The next line in the user's language, `None` for a line that stays: of a program, or in English.
    pub fn shown(&mut self, line: &str) -> Option<String> {
        locale::catalog()?;
        let place = self.0;
        self.skip();
        if line == LOST_LINES {
            return Some(locale::text(LOST_LINES).to_owned());
        }
        let text = line.strip_prefix(OWN_LINE)?;
        let tables: &[&[&str]] = match place {
            Place::Introduction => &[INTRODUCTION, COMMAND, LATER],
            Place::Ready => &[COMMAND, LATER],
            Place::Program => &[LATER],
        };
        if place == Place::Introduction && text == ready() {
            self.0 = Place::Ready;
        }
        let own = locale::one_of(&tables.concat(), text, "why")?;
        Some(format!("{OWN_LINE}{own}"))
    }

    /// The next line is a program's.
    pub fn skip(&mut self) {
        if self.0 == Place::Ready {
            self.0 = Place::Program;
        }
    }
}

/// [`OwnLines::shown`] for a single line.
#[must_use]
pub fn shown(line: &str) -> Option<String> {
    OwnLines::default().shown(line)
}

/// Whether a line that begins with these bytes may be one of workbay's.
#[must_use]
pub fn may_be(begin: &[u8]) -> bool {
    let marks = [OWN_LINE, LOST_LINES].map(str::as_bytes);
    marks.iter().any(|mark| {
        let known = begin.len().min(mark.len());
        begin[..known] == mark[..known]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::embedded;

    #[test]
    fn only_workbays_own_lines_are_translated() {
        let line = |text: String| format!("{OWN_LINE}{text}");
        assert_eq!(shown(&line(ready())), None, "in English");
        let _korean = locale::in_this_thread(embedded::korean());
        let korean = |text: String| shown(&line(text)).unwrap();
        assert_eq!(korean(ready()), "workbay: 준비됨");
        assert_eq!(korean(ended(3)), "workbay: 끝났습니다 (종료 코드 3)");
        let on_core = limits_on_core("0.5", "0-1", "1 GiB", "64 MiB", 4096);
        let limits = "workbay: 제한         CPU 0.5 (코어 0-1), 메모리 1 GiB (스왑 없음), 공유 메모리 64 MiB, 프로세스 4096";
        assert_eq!(korean(on_core), limits);
        assert_eq!(korean(command("make all")), "workbay: 명령: make all");
        let long = korean(long_command("make all", 2));
        assert_eq!(long, "workbay: 명령: make all … 외 2줄");
        // A value that is a text of workbay is translated, too. One of another program stays.
        let warned = korean(warning("no space left"));
        assert_eq!(warned, "workbay: 경고: no space left");
        let why = "not all dotfiles of /a were copied: no space left";
        let warned = korean(warning(why));
        assert_eq!(
            warned,
            "workbay: 경고: /a의 닷파일을 모두 복사하지 못했습니다: no space left"
        );
        assert_eq!(korean(command(why)), format!("workbay: 명령: {why}"));
        assert!(shown(LOST_LINES).is_some());
        for of_a_program in [
            "ready",
            "workbay: ready now",
            "workbay: session train not found",
            "workbay:ready",
            " workbay: ready",
            "workbay: ",
            "",
        ] {
            assert_eq!(shown(of_a_program), None, "{of_a_program}");
        }
    }

    #[test]
    fn after_the_introduction_its_lines_are_a_programs() {
        let _korean = locale::in_this_thread(embedded::korean());
        let mut lines = OwnLines::default();
        let log = [
            ("workbay: user         1:1", true),
            ("a script may print something", false),
            ("workbay: ready", true),
            ("workbay: command: true", true),
            ("workbay: ready", false),
            ("workbay: command: true", false),
            ("workbay: user         1:1", false),
            ("workbay: SIGTERM received and sent to the command", true),
            ("workbay: ended with exit code 0", true),
        ];
        for (line, is_own) in log {
            assert_eq!(lines.shown(line).is_some(), is_own, "{line}");
        }
    }

    #[test]
    fn each_text_is_translated_where_nothing_else_fits_better() {
        let _korean = locale::in_this_thread(embedded::korean());
        for text in [INTRODUCTION, COMMAND, LATER].concat() {
            let line = text.replace(['{', '}'], "");
            let shown = shown(&format!("{OWN_LINE}{line}"));
            let expected = locale::find(text).map(|it| it.replace(['{', '}'], ""));
            assert_eq!(shown, expected.map(|it| format!("{OWN_LINE}{it}")));
            assert!(shown.is_some(), "{text}");
        }
    }

    #[test]
    fn a_line_may_be_own_until_it_differs() {
        for begin in ["", "w", "workbay", "workbay: anything", "… lines"] {
            assert!(may_be(begin.as_bytes()), "{begin}");
        }
        for begin in ["x", "work ", "workbay:x", "…x"] {
            assert!(!may_be(begin.as_bytes()), "{begin}");
        }
    }
}
