//! The explorer with a real container: files are uploaded, renamed, edited and downloaded as they are.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

use crate::{
    cli::large_folders::{make_deep, make_wide},
    machine::{self, BINARY, Machine},
    private_engine::PrivateEngine,
    terminal::Terminal,
};

/// Bytes that are no text, and more than one piece of a transfer.
fn noise() -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut bytes = Vec::with_capacity(3_000_000);
    while bytes.len() < 3_000_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes
}

/// An editor that adds a line.
fn editor(directory: &Path) -> String {
    let path = directory.join("editor");
    fs::write(&path, "#!/bin/sh\necho 고침 >> \"$1\"\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path.to_string_lossy().into_owned()
}

fn sum(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum").arg(path).output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    output.split_whitespace().next().unwrap().to_owned()
}

#[test]
fn files_go_into_a_session_and_come_back_unchanged() {
    let mut machine = Machine::new();
    let local = machine.path("local");
    fs::create_dir_all(local.join("데이터")).unwrap();
    let bytes = noise();
    fs::write(local.join("데이터/모델.bin"), &bytes).unwrap();
    fs::write(local.join("데이터/메모.txt"), "처음\n").unwrap();
    let editor = editor(&local);
    machine.set("EDITOR", &editor);
    machine.set("VISUAL", "");
    machine.ok(&machine::launch("files", &["--wait"]));

    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 36);
    terminal.wait_for("RUNNING");
    terminal.type_("f");
    terminal.wait_for("session files");

    // A directory goes up with everything in it.
    terminal.type_("u");
    terminal.wait_for("Upload from this machine:");
    terminal.type_("\x15");
    terminal.type_(&format!("{}\r", local.join("데이터").display()));
    terminal.wait_for("'데이터' uploaded");
    terminal.wait_for("dir ");
    terminal.type_("\r");
    terminal.wait_for("모델.bin");
    let read = |name: &str| {
        let path = format!("/home/work/데이터/{name}");
        let output = machine.workbay(&["exec", "files", "--", "sha256sum", &path]);
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let expected = sum(&local.join("데이터/모델.bin"));
    assert!(read("모델.bin").contains(&expected), "{}", read("모델.bin"));

    // The name is prefilled, so only its end is typed.
    terminal.type_("\x1b[F");
    terminal.type_("r");
    terminal.wait_for("Rename 모델.bin to:");
    terminal.type_(".old\r");
    terminal.wait_for("renamed to '모델.bin.old'");
    assert!(read("모델.bin.old").contains(&expected));

    // Your editor changes the file in the session.
    terminal.type_("\x1b[H");
    terminal.wait_for("처음");
    terminal.type_("e");
    terminal.wait_for("'메모.txt' saved");
    let note = machine.ok(&["exec", "files", "--", "cat", "/home/work/데이터/메모.txt"]);
    assert_eq!(note, "처음\n고침\n");

    // The other file comes back under another name.
    terminal.type_("\x1b[F");
    terminal.wait_for("2 of 2");
    terminal.type_("d");
    terminal.wait_for("Download to this machine:");
    let back = local.join("다시.bin");
    terminal.type_("\x15");
    terminal.type_(&format!("{}\r", back.display()));
    terminal.wait_for("'모델.bin.old' downloaded");
    assert_eq!(sum(&back), expected);
    assert!(!local.join(".다시.bin.workbay-part").exists());
    let drafts = fs::read_dir(machine.path("cache")).into_iter().flatten();
    let drafts = drafts.flatten().map(|it| it.file_name());
    let left: Vec<_> = drafts
        .filter(|name| name.to_string_lossy().starts_with("edit-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");

    terminal.type_("\x1b");
    terminal.wait_gone("session files");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
    machine.ok(&["terminate", "--force", "--yes", "files"]);
}

/// The bytes of the file that is under way while the engine stops: more than its session can take in a moment.
const LARGE: usize = 400 << 20;

#[test]
fn an_engine_that_stops_interrupts_the_explorer_and_loses_nothing() {
    let Some(mut engine) = PrivateEngine::start() else {
        return;
    };
    let machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    let endpoint = engine.endpoint();
    let text = format!(
        "[launch]\ncpu = 0.1\n[disk]\nlaunch-reserve = \"0\"\n[engine]\nendpoint = \"{endpoint}\"\n"
    );
    fs::write(config, text).unwrap();
    let local = machine.path("local");
    fs::create_dir(&local).unwrap();
    let mut bytes = noise();
    bytes = bytes.repeat(LARGE / bytes.len());
    fs::write(local.join("large.bin"), &bytes).unwrap();
    machine.ok(&["launch", "--env", "host", "--name", "interrupted", "--wait"]);
    machine.ok(&["exec", "interrupted", "--", "touch", "first", "second"]);

    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    terminal.wait_for("RUNNING");
    terminal.type_("f");
    terminal.wait_for("second");
    // Marks of now are there afterwards.
    terminal.type_("\x1b[F ");
    terminal.wait_for("1 marked");
    terminal.type_("u");
    terminal.wait_for("Upload from this machine:");
    terminal.type_("\x15");
    terminal.type_(&format!("{}\r", local.join("large.bin").display()));
    terminal.wait_for("1 transfer");
    let part = machine.json(&["show", "interrupted", "--json"])["home"].clone();
    let part = Path::new(part.as_str().unwrap()).join(".large.bin.workbay-part");
    crate::wait::until(
        "a part of the file is there",
        || fs::metadata(&part).map_or(0, |it| it.len()),
        |length| *length > 0,
    );
    engine.stop();
    terminal.wait_for("Engine disconnected");
    terminal.wait_for("was interrupted");
    terminal.type_("R");
    terminal.wait_for("Press R to retry");
    assert!(
        terminal.screen().contains("1 marked"),
        "{}",
        terminal.screen()
    );
    // Without another key, everything continues.
    engine.begin();
    terminal.wait_for("'large.bin' uploaded");
    terminal.wait_gone("Engine disconnected");
    terminal.wait_for("large.bin");
    assert!(
        terminal.screen().contains("1 marked"),
        "{}",
        terminal.screen()
    );
    let copied = machine.ok(&["exec", "interrupted", "--", "sha256sum", "large.bin"]);
    assert!(copied.contains(&sum(&local.join("large.bin"))), "{copied}");
    assert!(!part.exists());
    terminal.type_("\x1b\x1b");
    machine.ok(&["terminate", "--force", "--yes", "interrupted"]);
}

#[test]
fn very_large_and_very_deep_directories_are_browsed_and_deleted() {
    let machine = Machine::new();
    machine.ok(&["folder", "create", "large"]);
    let folder = machine.path("data/folders/large");
    make_wide(&folder.join("wide"), 200_000);
    let _deep = make_deep(&folder.join("deep"), 20_000);
    let pid = machine.daemon_pid();

    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    terminal.wait_for("No running sessions");
    terminal.type_("D");
    terminal.wait_for("large");
    terminal.type_("\r");
    terminal.wait_for("wide");
    terminal.type_("\x1b[F\r");
    terminal.wait_for("1 of 200,000");
    terminal.type_("\x1b[F");
    terminal.wait_for("200,000 of 200,000");
    terminal.wait_for("file-199999");
    terminal.type_("o");
    terminal.wait_for("Size ▴");
    // A filter is answered while it is typed.
    terminal.type_("/99999\r");
    terminal.wait_for("filter '99999'");
    terminal.wait_for("file-199999");
    terminal.type_("\x1b");
    terminal.wait_gone("filter '99999'");
    terminal.type_("\x1b[D");
    terminal.wait_for("deep");
    terminal.type_("\x1b[H");
    terminal.wait_for("1 of 2");
    terminal.type_("x");
    terminal.wait_for("2,000 files");
    terminal.type_("y");
    terminal.wait_for("'deep' deleted");
    terminal.wait_for("1 of 1");
    assert!(!folder.join("deep").exists());
    assert_eq!(machine.daemon_pid(), pid);
}

/// Small files of the directory that goes up and comes back.
const SMALL: usize = 250;

fn make_tree(top: &Path) {
    let inner = top.join("안쪽/깊이");
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir(top.join("empty")).unwrap();
    for number in 0..SMALL {
        fs::write(top.join(format!("{number:03}")), format!("파일 {number}\n")).unwrap();
        fs::write(inner.join(format!("{number:03}.txt")), vec![7; number]).unwrap();
    }
    fs::write(top.join("large.bin"), noise()).unwrap();
    fs::set_permissions(top.join("001"), fs::Permissions::from_mode(0o750)).unwrap();
}

fn differences(one: &Path, other: &Path) -> String {
    let mut diff = std::process::Command::new("diff");
    let output = diff.arg("-r").args([one, other]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_directory_of_small_files_goes_up_merges_and_comes_back() {
    let machine = Machine::new();
    let local = machine.path("local");
    let tree = local.join("tree");
    make_tree(&tree);
    let printed = machine.ok(&["folder", "create", "data"]);
    let folder = Path::new(printed.trim().split_once(' ').unwrap().1).join("tree");
    machine.ok(&machine::launch("small", &["--mount", "data", "--wait"]));

    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 36);
    terminal.wait_for("RUNNING");
    terminal.type_("D");
    terminal.wait_for("─ Data ─");
    terminal.wait_for("enter files");
    terminal.type_("\r");
    terminal.wait_for("This directory is empty.");
    let upload = |terminal: &mut Terminal| {
        terminal.type_("u");
        terminal.wait_for("Upload from this machine:");
        terminal.type_("\x15");
        terminal.type_(&format!("{}\r", tree.display()));
    };
    upload(&mut terminal);
    terminal.wait_for("'tree' uploaded");
    assert_eq!(differences(&tree, &folder), "");
    let mode = fs::metadata(folder.join("001")).unwrap().permissions();
    assert_eq!(mode.mode() & 0o777, 0o750);

    // Up again into the same directory: what is missing there is added, and each name that is taken is asked about once.
    for number in 0..SMALL {
        if number != 7 {
            fs::remove_file(folder.join(format!("{number:03}"))).unwrap();
        }
    }
    for gone in ["안쪽", "empty", "large.bin"] {
        let path = folder.join(gone);
        let _ = fs::remove_dir_all(&path).or_else(|_| fs::remove_file(&path));
    }
    fs::write(folder.join("007"), "old\n").unwrap();
    upload(&mut terminal);
    terminal.wait_for("already exists");
    terminal.wait_for("007");
    terminal.type_("\x1b[C\r");
    terminal.wait_gone("already exists");
    terminal.wait_until("everything in the folder", |_| {
        differences(&tree, &folder).is_empty()
    });

    let back = local.join("back");
    terminal.type_("d");
    terminal.wait_for("Download to this machine:");
    terminal.type_("\x15");
    terminal.type_(&format!("{}\r", back.display()));
    terminal.wait_for("'tree' downloaded");
    assert_eq!(differences(&tree, &back), "");
    let time = |path: &Path| fs::metadata(path).unwrap().modified().unwrap();
    assert_eq!(time(&tree.join("002")), time(&back.join("002")));

    terminal.type_("\x1b");
    terminal.type_("\x1b");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
    machine.ok(&["terminate", "--force", "--yes", "small"]);
}
