//! `workbay folder get`, `put`, `ls` and `du`, on the real engine.

use std::{
    fs,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{PermissionsExt as _, symlink},
    },
    path::Path,
};

use crate::{cli::run, machine::Machine};

fn text(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn files_and_directories_are_put_into_a_folder_and_got_back() {
    let machine = Machine::new();
    machine.ok(&["folder", "create", "data"]);
    let here = machine.path("here");
    let tree = here.join("tree");
    fs::create_dir_all(tree.join("deep")).unwrap();
    let large: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    fs::write(tree.join("large"), &large).unwrap();
    fs::write(tree.join("deep/한글.txt"), "content").unwrap();
    fs::set_permissions(tree.join("large"), fs::Permissions::from_mode(0o750)).unwrap();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff\x1b[31m");
    fs::write(tree.join(odd), "odd").unwrap();
    symlink("../large", tree.join("deep/inside")).unwrap();
    symlink("/etc/passwd", tree.join("deep/outside")).unwrap();

    let put = machine.json(&["folder", "put", &text(&tree), "data", "--json"]);
    assert_eq!(
        (&put["files"], &put["bytes"]),
        (&3.into(), &3_000_010.into())
    );
    let skipped = put["skipped"].as_array().unwrap();
    assert_eq!(skipped.len(), 1, "{skipped:?}");
    let listed = machine.ok(&["folder", "ls", "data/tree"]);
    assert!(listed.starts_with("deep/\nlarge\nodd"), "{listed:?}");
    assert!(!listed.contains('\x1b'));
    let long = machine.ok(&["folder", "ls", "data/tree/large", "-l"]);
    assert!(long.contains("-rwxr-x---  2.9 MiB"), "{long}");
    let json = machine.json(&["folder", "ls", "data/tree/deep", "--json"]);
    assert_eq!(json[0]["target"], "../large");
    let used = machine.json(&["folder", "du", "data", "--json"]);
    assert_eq!(used["files"], 4);
    assert!(used["bytes"].as_u64().unwrap() >= 3_000_010);

    let back = here.join("back");
    machine.ok(&["folder", "get", "data/tree", &text(&back)]);
    assert_eq!(fs::read(back.join("large")).unwrap(), large);
    assert_eq!(fs::read_to_string(back.join(odd)).unwrap(), "odd");
    assert_eq!(
        fs::read_link(back.join("deep/inside")).unwrap(),
        Path::new("../large")
    );
    for file in ["large", "deep/한글.txt"] {
        let of = |root: &Path| {
            let about = fs::metadata(root.join(file)).unwrap();
            (about.modified().unwrap(), about.permissions().mode())
        };
        assert_eq!(of(&tree), of(&back), "{file}");
    }
    machine.ok(&["folder", "put", &text(&tree.join("large")), "data/renamed"]);
    machine.ok(&["folder", "get", "data/renamed", &text(&here)]);
    assert_eq!(fs::read(here.join("renamed")).unwrap(), large);
}

#[test]
fn an_interrupted_transfer_continues() {
    let machine = Machine::new();
    let printed = machine.ok(&["folder", "create", "data"]);
    let folder = printed.trim().split_once(' ').unwrap().1.to_owned();
    let here = machine.path("here");
    fs::create_dir_all(&here).unwrap();
    let file = here.join("f");
    fs::write(&file, "0123456789").unwrap();
    // What was transferred differs, so that its bytes are seen in the result.
    fs::write(Path::new(&folder).join(".f.workbay-part"), "abc").unwrap();
    let copied = machine.ok(&["folder", "put", &text(&file), "data", "--resume"]);
    assert_eq!(copied, "1 file, 10 B\n");
    let read = |path: &Path| fs::read_to_string(path).unwrap();
    assert_eq!(read(&Path::new(&folder).join("f")), "abc3456789");
    let again = machine.ok(&["folder", "put", &text(&file), "data", "--resume"]);
    assert_eq!(again, "0 files, 0 B\n");
    machine.ok(&["folder", "put", &text(&file), "data"]);
    assert_eq!(read(&Path::new(&folder).join("f")), "0123456789");

    let to = here.join("to");
    fs::create_dir(&to).unwrap();
    fs::write(to.join(".f.workbay-part"), "abc").unwrap();
    machine.ok(&["folder", "get", "data/f", &text(&to), "--resume"]);
    assert_eq!(read(&to.join("f")), "abc3456789");
    assert!(!to.join(".f.workbay-part").exists());
}

#[test]
fn what_cannot_be_transferred_is_explained() {
    let machine = Machine::new();
    machine.ok(&["folder", "create", "data"]);
    let missing = text(&machine.path("missing"));
    for (args, code, words) in [
        (["ls", "none/x"], 3, "not found"),
        (["ls", "data/none"], 3, "'none' not found"),
        (["get", "data/none"], 3, "'none' not found"),
        (["get", "data/../x"], 2, "contains .."),
        (["du", "data/none"], 3, "'none' not found"),
    ] {
        let (ended, _, out) = run(&machine, &["folder", args[0], args[1]]);
        assert_eq!(ended, code, "{args:?}: {out}");
        assert!(out.contains(words), "{args:?}: {out}");
    }
    let (code, _, out) = run(&machine, &["folder", "put", &missing, "data"]);
    assert_eq!(code, 3, "{out}");
    let (code, _, out) = run(
        &machine,
        &["--read-only", "folder", "put", &missing, "data"],
    );
    assert_eq!(code, 1, "{out}");
}
