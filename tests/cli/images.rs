//! What an image's labels contain, as commands show it.

use std::{fs, process};

use crate::machine::{Machine, docker};

/// An image of one file with a hostile name in its labels; removed when dropped.
struct HostileImage(String);

impl HostileImage {
    fn hostile(machine: &Machine) -> Self {
        let name = format!("workbay-test/hostile-{}:1-customized_0", process::id());
        let archive = machine.path("hostile.tar");
        // An archive without files: two blocks of zeros.
        fs::write(&archive, [0; 1024]).unwrap();
        let label =
            "LABEL ai.backend.customized-image.name=\"gone\u{202e}\u{9b}31m\u{ad}\u{61c}end\"";
        let archive = archive.to_str().unwrap();
        docker(&["import", "--change", label, archive, &name]);
        Self(name)
    }
}

impl Drop for HostileImage {
    fn drop(&mut self) {
        docker(&["rmi", &self.0]);
    }
}

#[test]
fn hidden_characters_of_an_image_do_not_reach_the_terminal_or_json() {
    let machine = Machine::new();
    let image = HostileImage::hostile(&machine);
    let reference = image.0.split(':').next().unwrap();
    let hidden = ['\u{202e}', '\u{9b}', '\u{ad}', '\u{61c}', '\u{1b}'];
    for arguments in [&["env", "ls"][..], &["env", "ls", "--json"]] {
        let printed = machine.ok(arguments);
        assert!(printed.contains(reference), "{printed}");
        let found: Vec<char> = hidden
            .into_iter()
            .filter(|it| printed.contains(*it))
            .collect();
        assert!(found.is_empty(), "{found:?} in {printed:?}");
    }
    // The text that can be seen is shown.
    let all = machine.json(&["env", "ls", "--json"]).to_string();
    assert!(all.contains("goneend"), "{all}");
}
