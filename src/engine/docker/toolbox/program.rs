//! A program of this machine, with everything it needs to run in an empty container.

use std::{
    env, fs,
    io::{self, Read as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use super::elf;
use crate::{
    engine::api::Result,
    model::{failure::Failure, inside, text::Clean},
};

/// A file, its loader and its libraries.
pub(super) struct Program {
    file: PathBuf,
    /// `None` = static: the program needs no loader and no libraries.
    loader: Option<PathBuf>,
    libraries: Vec<PathBuf>,
}

impl Program {
    /// Finds what `file` needs by running its own loader.
    pub(super) fn examine(file: &Path) -> Result<Self> {
        let trouble = |why: String| {
            Failure::internal(tr_sent!(
                "{file} can't be added to the bundled tools: {why}",
                file = file.display(),
                why
            ))
        };
        let headers = read_start(file).map_err(|error| trouble(error.to_string()))?;
        let Some(loader) = elf::loader(&headers).map_err(|why| trouble(why.to_owned()))? else {
            return Ok(Self {
                file: file.to_owned(),
                loader: None,
                libraries: Vec::new(),
            });
        };
        let output = Command::new(&loader)
            .arg("--list")
            .arg(file)
            .env_remove("LD_PRELOAD")
            .output()
            .map_err(|error| {
                trouble(tr_sent!(
                    "its loader {loader} can't be run: {error}",
                    loader,
                    error
                ))
            })?;
        if !output.status.success() {
            let said = Clean::from_bytes(&output.stderr);
            return Err(trouble(tr_sent!("its loader reports: {said}", said)));
        }
        let listed = String::from_utf8_lossy(&output.stdout);
        let mut libraries = libraries(&listed).map_err(trouble)?;
        add_name_services(&mut libraries);
        Ok(Self {
            file: file.to_owned(),
            loader: Some(PathBuf::from(loader)),
            libraries,
        })
    }

    /// Whether it needs no loader and no libraries.
    pub(super) fn is_static(&self) -> bool {
        self.loader.is_none()
    }

    /// The file on this machine.
    pub(super) fn file(&self) -> &Path {
        &self.file
    }

    /// The loader's file name; `None` for a static program.
    pub(super) fn loader_name(&self) -> Option<&str> {
        self.loader.as_deref().and_then(file_name)
    }

    /// Every file it consists of.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.file)
            .chain(&self.loader)
            .chain(&self.libraries)
    }

    /// The command line inside for `bin/<name>`.
    pub(super) fn argv(&self, name: &str) -> Vec<String> {
        let toolbox = inside::TOOLBOX;
        let program = format!("{toolbox}/bin/{name}");
        let Some(loader) = self.loader_name() else {
            return vec![program];
        };
        let mut argv = vec![format!("{toolbox}/lib/{loader}")];
        if !loader.contains("musl") {
            // The image's own cache lists libraries of another C library.
            argv.push("--inhibit-cache".to_owned());
        }
        argv.extend([
            "--library-path".to_owned(),
            format!("{toolbox}/lib"),
            program,
        ]);
        argv
    }

    /// Copies the program to `bin/<name>` and its loader and libraries to `lib/` in `root`.
    pub(super) fn copy_to(&self, root: &Path, name: &str) -> io::Result<()> {
        copy(&self.file, &root.join("bin").join(name))?;
        for file in self.loader.iter().chain(&self.libraries) {
            if let Some(name) = file_name(file) {
                copy(file, &root.join("lib").join(name))?;
            }
        }
        Ok(())
    }
}

/// Copies the contents; all users may read and run the copy, none may write it.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        return Ok(());
    }
    fs::copy(from, to)?;
    fs::set_permissions(to, fs::Permissions::from_mode(0o555))
}

fn file_name(path: &Path) -> Option<&str> {
    path.file_name().and_then(|name| name.to_str())
}

/// Reads the headers at the beginning and the text of PT_INTERP right behind them.
fn read_start(file: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(file)?
        .take(64 * 1024)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The files in the output of `ld.so --list`: `libc.so.6 => /lib/x/libc.so.6 (0x…)`.
fn libraries(listed: &str) -> std::result::Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for line in listed.lines() {
        let Some((name, place)) = line.split_once("=>") else {
            continue;
        };
        let path = place.trim().split(" (").next().unwrap_or_default();
        if path.starts_with('/') {
            found.push(PathBuf::from(path));
        } else if path.contains("not found") {
            return Err(tr_sent!(
                "its library {name} isn't installed",
                name = name.trim()
            ));
        }
    }
    Ok(found)
}

/// Adds the module that reads /etc/passwd, which older C libraries load at run time.
fn add_name_services(libraries: &mut Vec<PathBuf>) {
    let module = libraries
        .iter()
        .find(|path| file_name(path) == Some("libc.so.6"))
        .and_then(|libc| libc.parent())
        .map(|dir| dir.join("libnss_files.so.2"))
        .filter(|path| path.is_file());
    libraries.extend(module);
}

/// The program `name` on this process's PATH, with links resolved.
pub(in crate::engine::docker) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/bin", "/usr/local/bin"].map(PathBuf::from))
        .map(|dir| dir.join(name))
        .find(|file| file.is_file())
        .and_then(|file| fs::canonicalize(file).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loaders_list_is_read() {
        let listed = "\tlinux-vdso.so.1 (0x00007ffd)\n\
                      \tlibtinfo.so.6 => /lib/x86_64-linux-gnu/libtinfo.so.6 (0x00007f)\n\
                      \tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\
                      \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\n";
        let found = libraries(listed).unwrap();
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], Path::new("/lib/x86_64-linux-gnu/libtinfo.so.6"));
        assert!(
            libraries("\tlibx.so => not found\n")
                .unwrap_err()
                .contains("libx.so")
        );
    }

    #[test]
    fn a_dynamic_program_is_called_through_the_copied_loader() {
        let program = Program::examine(Path::new("/bin/sh")).unwrap();
        let argv = program.argv("sh");
        assert!(argv[0].starts_with("/opt/workbay/lib/ld-"), "{argv:?}");
        assert_eq!(argv.last().unwrap(), "/opt/workbay/bin/sh");
    }

    #[test]
    fn what_is_no_program_is_refused_with_its_name() {
        let error = Program::examine(Path::new("/etc/passwd"))
            .err()
            .unwrap()
            .to_string();
        assert!(error.starts_with("/etc/passwd can't be added"), "{error}");
    }
}
