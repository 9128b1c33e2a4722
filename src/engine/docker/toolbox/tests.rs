use std::{
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use super::*;

/// Gives a copy of this test program the directory to build in.
const BUILD_IN: &str = "WORKBAY_TEST_TOOLBOX_IN";

/// The number of unfinished toolboxes in `parent`.
fn left(parent: &Path) -> usize {
    let names = fs::read_dir(parent).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name());
    names
        .filter(|name| name.to_string_lossy().starts_with(MAKING))
        .count()
}

#[test]
fn a_toolbox_is_made_once_and_whole() {
    let dir = tempfile::tempdir().unwrap();
    let binary = std::env::current_exe().unwrap();
    let first = Toolbox::prepare(dir.path(), &binary).unwrap();
    for file in [
        "bin/tmux",
        "bin/workbay",
        "etc/tmux.conf",
        "etc/tmux.argv",
        "path/tmux",
        "share/terminfo/s/screen-256color",
        "share/terminfo/x/xterm-256color",
    ] {
        assert!(first.dir.join(file).is_file(), "{file} is missing");
    }
    let made = fs::metadata(&first.dir).unwrap().ino();
    let second = Toolbox::prepare(dir.path(), &binary).unwrap();
    assert_eq!(second.key, first.key);
    assert!(first.is_new && !second.is_new);
    assert_eq!(fs::metadata(&second.dir).unwrap().ino(), made);
    assert_eq!(left(dir.path()), 0, "left something behind");
}

#[test]
fn another_binary_means_another_toolbox() {
    let dir = tempfile::tempdir().unwrap();
    let binary = dir.path().join("workbay");
    fs::copy("/bin/sh", &binary).unwrap();
    let key = || Inputs::find(&binary).unwrap().key();
    let first = key();
    assert_eq!(key(), first);
    fs::copy(program::on_path("tmux").unwrap(), &binary).unwrap();
    assert_ne!(key(), first);
}

#[test]
fn an_unwritable_place_is_reported_with_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Toolbox::prepare(&file.join("below"), Path::new("/bin/sh")).unwrap_err();
    assert!(
        error.to_string().contains(&file.display().to_string()),
        "{error}"
    );
}

/// Does what each session does first: the kernel runs the copied loader, which runs the program.
fn runs(toolbox: &Toolbox) {
    let loader = Path::new(&toolbox.runner[0]).file_name().unwrap();
    let mut tmux = Command::new(toolbox.dir.join("lib").join(loader));
    tmux.arg("--library-path").arg(toolbox.dir.join("lib"));
    let said = tmux.arg(toolbox.dir.join("bin/tmux")).arg("-V").output();
    let said = String::from_utf8(said.unwrap().stdout).unwrap();
    assert!(said.starts_with("tmux "), "{said}");
    let busybox = Command::new(toolbox.dir.join("bin/busybox"))
        .arg("true")
        .output();
    assert!(busybox.unwrap().status.success());
}

/// Starts this test program again to build in `parent` and run the result.
fn builder(parent: &Path) -> Child {
    let mut builder = Command::new(std::env::current_exe().unwrap());
    builder.args(["--exact", "engine::docker::toolbox::tests::a_builder"]);
    builder
        .env(BUILD_IN, parent)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    builder.spawn().unwrap()
}

/// Part of the next test; does nothing on its own.
#[test]
fn a_builder() {
    if let Some(parent) = std::env::var_os(BUILD_IN) {
        let binary = std::env::current_exe().unwrap();
        runs(&Toolbox::prepare(Path::new(&parent), &binary).unwrap());
    }
}

/// Sets the flag when it is dropped, also by a failed assertion.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn many_may_build_at_once_while_others_begin_programs() {
    let dir = tempfile::tempdir().unwrap();
    let binary = std::env::current_exe().unwrap();
    let done = AtomicBool::new(false);
    let parents = [1, 2, 3].map(|round| dir.path().join(round.to_string()));
    thread::scope(|scope| {
        // Child processes inherit all files that are open for writing when they start.
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    Command::new("true").status().unwrap();
                }
            });
        }
        let _done = Done(&done);
        for parent in &parents {
            let processes: Vec<Child> = (0..3).map(|_| builder(parent)).collect();
            let threads: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| Toolbox::prepare(parent, &binary).unwrap()))
                .collect();
            let made: Vec<Toolbox> = threads
                .into_iter()
                .map(|made| made.join().unwrap())
                .collect();
            made.iter().for_each(runs);
            assert!(made.iter().all(|toolbox| toolbox.key == made[0].key));
            for mut process in processes {
                assert!(process.wait().unwrap().success());
            }
            assert_eq!(left(parent), 0, "left something behind");
        }
    });
}
