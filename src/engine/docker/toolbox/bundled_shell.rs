//! The shell for sessions of images without one: this machine's bash with a few programs, each run
//! through the toolbox's loader, and a static busybox, if this machine has one, for the rest.

use std::{
    fmt::Write as _,
    fs, io,
    os::unix::fs::symlink,
    path::{Component, Path, PathBuf},
    process::Command,
};

use super::program::{self, Program};
use crate::model::inside;

const BASH: &str = "bash";
const BUSYBOX: &str = "busybox";

/// The directory of the links to busybox.
const NAMES: &str = "shell";

/// This machine's versions of common programs: busybox prints only Latin letters.
const TOOLS: [&str; 33] = [
    "cat", "chmod", "cp", "cut", "date", "dd", "df", "du", "env", "find", "grep", "head", "id",
    "less", "ln", "ls", "mkdir", "mv", "printenv", "ps", "readlink", "rm", "rmdir", "sed", "sleep",
    "sort", "stat", "tail", "tee", "touch", "tr", "uname", "wc",
];

/// The shell and its programs.
pub(super) struct Shell {
    bash: Option<Program>,
    tools: Vec<(&'static str, Program)>,
    busybox: Option<Program>,
}

impl Shell {
    /// Finds what this machine has. Programs that can't be copied are left out.
    pub(super) fn find() -> Self {
        let take =
            |name: &str| program::on_path(name).and_then(|file| Program::examine(&file).ok());
        let bash = take(BASH);
        let tools = TOOLS.iter().filter(|_| bash.is_some());
        Self {
            tools: tools
                .filter_map(|name| Some((*name, take(name)?)))
                .collect(),
            bash,
            busybox: take(BUSYBOX).filter(Program::is_static),
        }
    }

    /// The programs that the kernel runs directly, with the name of their copy.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Program, &'static str)> {
        let bash = self.bash.iter().map(|bash| (bash, BASH));
        bash.chain(self.busybox.iter().map(|busybox| (busybox, BUSYBOX)))
    }

    /// Every file it consists of.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let tools = self.tools.iter().map(|(_, program)| program);
        let all = self.bash.iter().chain(tools).chain(&self.busybox);
        all.flat_map(Program::files)
    }

    /// Adds the shell to `root`, with its command line; adds nothing if this machine has neither program.
    pub(super) fn add(&self, root: &Path) -> io::Result<()> {
        if let Some(busybox) = &self.busybox {
            add_busybox(root, busybox)?;
        }
        let argv = match (&self.bash, &self.busybox) {
            (Some(bash), _) => {
                self.add_bash(root, bash)?;
                let mut argv = bash.argv(BASH);
                argv.extend(["--rcfile", &inside(RC), "-i"].map(str::to_owned));
                argv
            }
            (None, Some(_)) => vec![inside(&format!("{NAMES}/sh")), "-i".to_owned()],
            (None, None) => return Ok(()),
        };
        fs::write(
            root.join("etc/shell.argv"),
            format!("{}\n", argv.join("\n")),
        )
    }

    fn add_bash(&self, root: &Path, bash: &Program) -> io::Result<()> {
        bash.copy_to(root, BASH)?;
        let mut rc = format!("PATH=${{PATH:+$PATH:}}{}\n", inside(NAMES));
        for (name, tool) in &self.tools {
            tool.copy_to(root, name)?;
            // Writing to a string can't fail. No word contains characters that are special to a shell.
            let _ = writeln!(
                rc,
                "{name}() {{ LOCPATH={} {} \"$@\"; }}",
                inside("share/locale"),
                tool.argv(name).join(" ")
            );
        }
        fs::write(root.join(RC), rc)
    }
}

const RC: &str = "etc/shellrc";

/// A path in the toolbox as sessions see it.
fn inside(place: &str) -> String {
    format!("{}/{place}", inside::TOOLBOX)
}

/// Adds busybox with links for all its names, including `sh`.
fn add_busybox(root: &Path, busybox: &Program) -> io::Result<()> {
    busybox.copy_to(root, BUSYBOX)?;
    let names = root.join(NAMES);
    fs::create_dir_all(&names)?;
    // Runs the machine's own file: the copy may still be open for writing.
    let listed = Command::new(busybox.file()).arg("--list").output()?;
    for name in String::from_utf8_lossy(&listed.stdout).lines() {
        if is_name(name) {
            symlink(Path::new("../bin").join(BUSYBOX), names.join(name))?;
        }
    }
    Ok(())
}

/// A plain file name.
fn is_name(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    matches!(
        (parts.next(), parts.next()),
        (Some(Component::Normal(_)), None)
    )
}

#[cfg(test)]
mod tests {
    use super::{super::first_run, *};

    #[test]
    fn it_is_whole_and_says_how_it_is_called() {
        let root = tempfile::tempdir().unwrap();
        for sub in ["bin", "lib", "etc"] {
            fs::create_dir(root.path().join(sub)).unwrap();
        }
        let shell = Shell::find();
        assert!(shell.files().count() > TOOLS.len());
        shell.add(root.path()).unwrap();
        let argv = fs::read_to_string(root.path().join("etc/shell.argv")).unwrap();
        assert!(argv.contains("/opt/workbay/bin/bash\n--rcfile\n/opt/workbay/etc/shellrc\n-i\n"));
        let rc = fs::read_to_string(root.path().join(RC)).unwrap();
        assert!(rc.contains("\nls() { LOCPATH=/opt/workbay/share/locale /opt/workbay/lib/ld-"));
        let checked = Command::new("bash")
            .arg("-n")
            .arg(root.path().join(RC))
            .status();
        assert!(checked.unwrap().success(), "{rc}");
        let mut sh = Command::new(root.path().join("shell/sh"));
        let said = first_run::output(sh.args(["-c", "echo $((6*7))"])).unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "42\n");
    }

    #[test]
    fn names_stay_where_they_belong() {
        for bad in ["", "..", ".", "/bin/sh", "a/b", "../sh"] {
            assert!(!is_name(bad), "{bad}");
        }
        assert!(is_name("[[") && is_name("sh"));
    }
}
