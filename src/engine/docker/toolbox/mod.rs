//! The toolbox: the bundled tools that are mounted read-only into every session, so that each session has a
//! terminal and a main process with any image.
//!
//! Its files are copied from this machine: tmux and the workbay program with their loaders and libraries, terminal
//! descriptions, the C.UTF-8 locale, and a shell for images that have none. Each set of inputs has its own directory,
//! which is built under a temporary name and then renamed, so that a running session's toolbox never changes.

mod bundled_shell;
mod elf;
mod first_run;
mod program;
mod prune;

use std::{
    collections::HashSet,
    fs, io,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use bundled_shell::Shell;
use program::Program;
pub(super) use program::on_path;

use crate::{
    engine::api::Result,
    model::{failure::Failure, fnv::Fnv, inside},
};

/// Increased when the layout or one of the files written here changes.
const LAYOUT: u32 = 3;

const TMUX_CONF: &str = include_str!("tmux.conf");

/// The terminal types described inside: the ones tmux sets and the ones its clients use.
const TERMS: [&str; 3] = ["screen-256color", "tmux-256color", "xterm-256color"];
const TERMINFO_PLACES: [&str; 4] = [
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/share/terminfo",
    "/usr/lib/terminfo",
];
const LOCALE_PLACES: [&str; 2] = ["/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"];

/// Prefix of the directories of unfinished toolboxes.
const MAKING: &str = ".making-";

/// The lock file of the process that builds.
const BUILDING: &str = ".building";

/// A toolbox that is ready to mount.
#[derive(Debug)]
pub(super) struct Toolbox {
    pub(super) dir: PathBuf,
    /// A hash of the inputs; it is written on each container that uses this toolbox.
    pub(super) key: String,
    /// The command line of the runner inside, without its own arguments.
    pub(super) runner: Vec<String>,
    /// Whether it was just built, so older ones may be unused now.
    pub(super) is_new: bool,
}

/// The files that a toolbox is built from.
struct Inputs {
    tmux: Program,
    workbay: Program,
    /// For images without a shell.
    shell: Shell,
    terminfo: Vec<(String, PathBuf)>,
    locale: Option<PathBuf>,
}

impl Toolbox {
    /// The toolbox for this machine's tmux and `binary`, in `parent`; it is built if it doesn't exist.
    pub(super) fn prepare(parent: &Path, binary: &Path) -> Result<Self> {
        let inputs = Inputs::find(binary)?;
        let key = inputs.key();
        let dir = parent.join(&key);
        let is_new = !dir.is_dir();
        if is_new {
            build(parent, &dir, &inputs).map_err(|error| {
                Failure::internal(tr_sent!("the bundled tools can't be created in {parent}: {error}. Check its permissions, \
                     and that its disk has 200 MB free", parent = parent.display(), error))
            })?;
        }
        Ok(Self {
            dir,
            key,
            runner: inputs.workbay.argv("workbay"),
            is_new,
        })
    }

    /// Whether the toolbox still exists: caches can be emptied.
    pub(super) fn is_there(&self) -> bool {
        self.dir.join("bin/workbay").is_file()
    }

    /// Removes older toolboxes that no container has mounted (`in_use` contains the keys in use).
    pub(super) fn prune_others(&self, in_use: &HashSet<String>) -> io::Result<()> {
        let parent = self.dir.parent().unwrap_or(&self.dir);
        prune::prune(parent, &self.dir, in_use)
    }
}

impl Inputs {
    fn find(binary: &Path) -> Result<Self> {
        let tmux = program::on_path("tmux").ok_or_else(|| {
            Failure::internal(tr_sent!(
                "tmux isn't installed on this machine. Terminals of sessions need it. Install it \
                 with your package manager, for example `sudo apt-get install tmux`"
            ))
        })?;
        let terminfo = TERMS.iter().filter_map(|term| find_term(term)).collect();
        Ok(Self {
            tmux: Program::examine(&tmux)?,
            workbay: Program::examine(binary)?,
            shell: Shell::find(),
            terminfo,
            locale: LOCALE_PLACES
                .iter()
                .map(PathBuf::from)
                .find(|place| place.is_dir()),
        })
    }

    /// Stays the same until an input is replaced: it covers the path, size and modification time of every file.
    fn key(&self) -> String {
        let mut hash = Fnv::default();
        hash.add(&LAYOUT.to_le_bytes());
        hash.add(TMUX_CONF.as_bytes());
        let terms = self.terminfo.iter().map(|(_, path)| path);
        let files = self
            .tmux
            .files()
            .chain(self.workbay.files())
            .chain(self.shell.files())
            .chain(terms)
            .chain(&self.locale);
        for file in files {
            hash.add(file.as_os_str().as_encoded_bytes());
            if let Ok(meta) = fs::metadata(file) {
                hash.add(&meta.len().to_le_bytes());
                hash.add(&meta.mtime().to_le_bytes());
                hash.add(&meta.mtime_nsec().to_le_bytes());
            }
        }
        format!("{:016x}", hash.value())
    }
}

/// A short name for `bytes`, the same on every run.
pub(super) fn fingerprint(bytes: &[u8]) -> String {
    let mut hash = Fnv::default();
    hash.add(bytes);
    format!("{:016x}", hash.value())
}

fn find_term(term: &str) -> Option<(String, PathBuf)> {
    let first = term.bytes().next()?;
    let short = char::from(first).to_string();
    TERMINFO_PLACES.iter().find_map(|place| {
        let places = [short.clone(), format!("{first:x}")];
        let mut paths = places
            .iter()
            .map(|sub| Path::new(place).join(sub).join(term));
        let found = paths.find(|path| path.is_file())?;
        Some((format!("{short}/{term}"), found))
    })
}

/// Builds the toolbox beside its final path and renames it, so that a toolbox at that path is always complete. One
/// process builds at a time and the others then use its result. The lock is released when its holder ends.
fn build(parent: &Path, dir: &Path, inputs: &Inputs) -> io::Result<()> {
    fs::create_dir_all(parent)?;
    let building = fs::File::create(parent.join(BUILDING))?;
    // On a file system without locks, the last process to finish finds the path taken.
    let _ = building.lock();
    if dir.is_dir() {
        return Ok(());
    }
    let making = parent.join(format!("{MAKING}{}", uuid::Uuid::new_v4().simple()));
    let made = fill(&making, inputs)
        .and_then(|()| settle_all(&making, inputs))
        .and_then(|()| fs::rename(&making, dir));
    if made.is_err() {
        // The files of a failed attempt are useless.
        let _ = fs::remove_dir_all(&making);
    }
    match made {
        Err(_) if dir.is_dir() => Ok(()),
        other => other,
    }
}

/// Runs each program once, so that none is still open for writing ("Text file busy") when the first session starts.
fn settle_all(root: &Path, inputs: &Inputs) -> io::Result<()> {
    let own = [(&inputs.tmux, "tmux"), (&inputs.workbay, "workbay")];
    let mut all = own.into_iter().chain(inputs.shell.entries());
    all.try_for_each(|(program, name)| first_run::settle(root, program, name))
}

fn fill(root: &Path, inputs: &Inputs) -> io::Result<()> {
    for sub in [
        "bin",
        "lib",
        "etc",
        "path",
        "share/terminfo",
        "share/locale",
    ] {
        fs::create_dir_all(root.join(sub))?;
    }
    inputs.tmux.copy_to(root, "tmux")?;
    inputs.workbay.copy_to(root, "workbay")?;
    inputs.shell.add(root)?;
    for (name, source) in &inputs.terminfo {
        let target = root.join("share/terminfo").join(name);
        fs::create_dir_all(target.parent().unwrap_or(root))?;
        fs::copy(source, target)?;
    }
    if let Some(locale) = &inputs.locale {
        // The C library looks for its own spelling of the name.
        copy_tree(locale, &root.join("share/locale/C.utf8"))?;
    }
    fs::write(root.join("etc/tmux.conf"), TMUX_CONF)?;
    let argv = inputs.tmux.argv("tmux");
    fs::write(root.join("etc/tmux.argv"), format!("{}\n", argv.join("\n")))?;
    let script = tmux_script(&argv);
    fs::write(root.join("path/tmux"), script)?;
    fs::set_permissions(root.join("path/tmux"), fs::Permissions::from_mode(0o755))?;
    fs::set_permissions(root, fs::Permissions::from_mode(0o755))
}

/// The `tmux` command for users, at the end of PATH: connects to the session's server with the bundled tmux.
fn tmux_script(argv: &[String]) -> String {
    let (toolbox, home) = (inside::TOOLBOX, inside::HOME);
    format!(
        "#!/bin/sh\n\
         [ -w /tmp ] || export TMUX_TMPDIR=\"${{TMUX_TMPDIR:-{home}}}\"\n\
         LD_PRELOAD= LD_AUDIT= LC_ALL=C.UTF-8 LOCPATH={toolbox}/share/locale TERMINFO_DIRS={toolbox}/share/terminfo \\\n\
         exec {} -u \"$@\"\n",
        argv.join(" ")
    )
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        // Follows links: some distributions link locale files to one another.
        if fs::metadata(entry.path())?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
