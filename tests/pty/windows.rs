//! Windows, copy mode and the clipboard of a session's tmux: by its own keys and by ours.

use std::time::Duration;

use base64::{Engine as _, engine::general_purpose::STANDARD};

use super::leader;
use crate::{
    machine::{BINARY, Machine, launch},
    terminal::Terminal,
};

const PREFIX: &str = "\x02";

/// A user in a shell of a new session, who sees its first window.
fn in_a_shell(machine: &Machine, name: &str) -> Terminal {
    machine.ok(&launch(name, &["--wait"]));
    // Files are saved in the current directory.
    let here = machine.path("here");
    std::fs::create_dir(&here).expect("a directory");
    let go = "cd \"$0\" && exec \"$1\"";
    let argv = ["/bin/sh", "-c", go, &here.to_string_lossy(), BINARY];
    let mut terminal = Terminal::start(&argv, &machine.env(), 100, 24);
    terminal.wait_for(name);
    terminal.type_("s");
    terminal.wait_for(&format!("work@{name}"));
    terminal.wait_for(" 1 bash* ");
    terminal
}

/// One key after the other, each when the one before has been answered: tmux takes faster ones for a
/// paste, which has no keys of its own.
fn slowly(terminal: &mut Terminal, keys: &[&str]) {
    for key in keys {
        let seen = terminal.raw_len();
        terminal.type_(key);
        terminal.wait_bytes(seen);
    }
}

fn prefix(terminal: &mut Terminal, keys: &str) {
    terminal.type_(PREFIX);
    terminal.type_(keys);
}

/// What was put into the outer terminal's clipboard, in order.
fn clipboard(terminal: &Terminal) -> Vec<String> {
    let raw = String::from_utf8_lossy(&terminal.raw()).into_owned();
    let texts = raw.split("\u{1b}]52;c;").skip(1).map(|rest| {
        let encoded = rest.split(['\u{1b}', '\u{7}']).next().unwrap_or_default();
        String::from_utf8(STANDARD.decode(encoded).expect("base64")).expect("UTF-8")
    });
    texts.collect()
}

#[test]
fn windows_are_the_same_for_both_kinds_of_keys() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "both-keys");
    leader(&mut terminal, "c");
    terminal.wait_for(" 2 bash* ");
    prefix(&mut terminal, "p");
    terminal.wait_for(" 1 bash* ");
    leader(&mut terminal, "n");
    terminal.wait_for(" 2 bash* ");
    // Renamed by us, and by tmux itself.
    leader(&mut terminal, ",");
    terminal.wait_for("Rename window 2 to: bash");
    terminal.type_("\x15학습; $HOME\r");
    terminal.wait_for(" 2 학습; $HOME* ");
    prefix(&mut terminal, "1");
    terminal.wait_for(" 1 bash* ");
    prefix(&mut terminal, ",");
    terminal.wait_for("(rename-window)");
    terminal.type_("\x15first\r");
    terminal.wait_for(" 1 first* ");
    leader(&mut terminal, "2");
    terminal.wait_for(" 2 학습; $HOME* ");
    // What is printed where nobody looks is marked.
    leader(&mut terminal, "1");
    terminal.wait_for(" 1 first* ");
    leader(&mut terminal, "&");
    terminal.wait_for("Close window 1");
    terminal.type_("n");
    terminal.wait_gone("Close window 1");
    leader(&mut terminal, "&");
    terminal.wait_for("Close window 1");
    terminal.type_("y");
    // The numbers close up.
    terminal.wait_for(" 1 학습; $HOME* ");
    terminal.wait_gone("first");
}

#[test]
fn a_copy_is_the_text_itself_and_goes_out_unasked() {
    let machine = Machine::new();
    std::fs::write(
        machine.path("config/config.toml"),
        "[launch]\ncpu = 0.2\n\n[terminal]\ncopy-keys = \"vi\"\n",
    )
    .expect("a file");
    let mut terminal = in_a_shell(&machine, "copying");
    let text = format!("한글 {} end", "0123456789".repeat(15));
    terminal.type_("printf '\\n%s %s end\\n' 한''글 $(printf '0123456789%.0s' {1..15})\r");
    terminal.wait_for("\n한글 0123");
    terminal.wait_for("789 end");
    leader(&mut terminal, "[");
    // Its own keys, as the status line says, of the chosen kind.
    terminal.wait_for("Space mark");
    slowly(&mut terminal, &["k", "0", " ", "$", "h", "\r"]);
    terminal.wait_for("to your terminal's clipboard");
    // Without a false break, and once.
    assert_eq!(clipboard(&terminal), [text]);
}

/// A drag with the left button, from cell to cell of the outer terminal.
fn drag(terminal: &mut Terminal, row: u16, from: u16, to: u16) {
    terminal.type_(&format!(
        "\x1b[<0;{from};{row}M\x1b[<32;{};{row}M",
        from + 1
    ));
    // tmux follows the mouse once it is in copy mode.
    terminal.wait_for("Space mark");
    terminal.type_(&format!("\x1b[<32;{to};{row}M"));
    terminal.type_(&format!("\x1b[<0;{to};{row}m"));
}

#[test]
fn tmuxs_own_keys_and_a_drag_copy() {
    let machine = Machine::new();
    std::fs::write(
        machine.path("config/config.toml"),
        "[launch]\ncpu = 0.2\n\n[terminal]\ncopy-keys = \"vi\"\nclipboard = \"refuse\"\n",
    )
    .expect("a file");
    let mut terminal = in_a_shell(&machine, "plain-tmux");
    terminal.type_("PS1=; clear; echo; echo by-the''-keys; echo by-a''-drag\r");
    terminal.wait_for("\nby-a-drag");
    prefix(&mut terminal, "[");
    terminal.wait_for("line 4 of");
    // Each key after the previous one was seen: tmux takes faster ones for a paste.
    terminal.type_("k");
    terminal.wait_for("line 3 of");
    terminal.type_("k");
    terminal.wait_for("line 2 of");
    terminal.type_("D");
    terminal.wait_for("to your terminal's clipboard");
    // tmux marks the text.
    assert_eq!(clipboard(&terminal).len(), 1);
    let screen = terminal.screen();
    let row = screen
        .lines()
        .position(|line| line.starts_with("by-a-drag"));
    let row = row.expect("the line is there") as u16 + 1;
    terminal.wait_gone("to your terminal's clipboard");
    drag(&mut terminal, row, 1, 9);
    terminal.wait_for("to your terminal's clipboard");
    assert_eq!(clipboard(&terminal)[1], "by-a-drag");
}

/// What programs can print to look like the user's copy, and a mark after it.
const FORGED: &str = "printf EVIL | eval \"$(tmux show -sv copy-command)\" 2>/dev/null; \
    tmux set -g @workbay-copied x; printf EVIL | tmux load-buffer -w -; \
    printf '\\033]52;c;%s\\a' $(printf EVIL | base64); tmux copy-mode; tmux send -X cancel; \
    printf '\\033]52;c;%s\\a' $(head -c 100000 /dev/zero | tr '\\0' x | base64 -w0); \
    echo do''ne\r";

fn files(machine: &Machine) -> usize {
    std::fs::read_dir(machine.path("here")).map_or(0, Iterator::count)
}

#[test]
fn no_program_writes_what_the_user_did_not_copy() {
    for policy in ["ask", "refuse"] {
        let machine = Machine::new();
        std::fs::write(
            machine.path("config/config.toml"),
            format!("[launch]\ncpu = 0.2\n\n[terminal]\nclipboard = \"{policy}\"\n"),
        )
        .expect("a file");
        let mut terminal = in_a_shell(&machine, "forging");
        terminal.type_(FORGED);
        terminal.wait_for("\ndone");
        if policy == "ask" {
            terminal.wait_for("wants your clipboard");
            leader(&mut terminal, "r");
            terminal.wait_for("can't write to your clipboard");
            terminal.type_("clear\r");
            terminal.wait_gone("\ndone");
            terminal.type_(FORGED);
            terminal.wait_for("\ndone");
        } else {
            terminal.wait_for("Blocked a program");
        }
        // The same while the list is shown.
        terminal.type_(&format!(
            "sleep 1; {}",
            FORGED.replace("echo do''ne", "touch the-end")
        ));
        leader(&mut terminal, "d");
        terminal.wait_for("RUNNING");
        let mark = machine.ok(&[
            "exec",
            "forging",
            "--",
            "sh",
            "-c",
            "until [ -e the-end ]; do sleep 0.1; done; echo over",
        ]);
        assert!(mark.contains("over"), "{mark}");
        terminal.type_("s");
        terminal.wait_for("work@forging");
        assert_eq!(clipboard(&terminal), [] as [&str; 0], "{policy}");
        assert_eq!(files(&machine), 0, "no file is written");
    }
}

#[test]
fn tmux_answers_a_read_with_its_own_buffer_only() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "reading");
    terminal.type_("tmux set-buffer of-the''-session; clear\r");
    terminal.wait_gone("set-buffer");
    terminal.type_(
        "stty -echo -icanon; printf '\\033]52;c;?\\033\\\\'; head -c 28 | cat -v; stty sane\r",
    );
    // 28 bytes: what surrounds it, and the text in base64.
    terminal.wait_for("]52;;b2YtdGhlLXNlc3Npb24=");
}

#[test]
fn a_program_gets_the_clipboard_when_the_user_says_so() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "asking");
    terminal.type_("printf '\\033]52;c;aGVsbG8=\\007'\r");
    terminal.wait_for("wants your clipboard: 5 bytes");
    assert_eq!(clipboard(&terminal), [] as [&str; 0]);
    leader(&mut terminal, "r");
    terminal.wait_for("can't write to your clipboard");
    terminal.wait_gone("wants your clipboard");
    leader(&mut terminal, "y");
    terminal.wait_for("blocked before");
    terminal.type_("printf '\\033]52;c;aGk=\\007'\r");
    terminal.wait_for("to your terminal's clipboard");
    assert_eq!(clipboard(&terminal), ["hi"]);
}

#[test]
fn what_was_printed_is_searched_and_saved() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "searching");
    terminal.type_("seq -f 'step %g' 1 300; echo rea''dy\r");
    terminal.wait_for("ready");
    leader(&mut terminal, "/");
    terminal.wait_for("Search upwards for");
    terminal.type_("step 17\r");
    terminal.wait_until("a found line", |screen| screen.contains("step 179"));
    terminal.type_("q");
    terminal.wait_for("Ctrl-] d back");
    leader(&mut terminal, "S");
    terminal.wait_for("searching-1-history.txt");
    let saved = std::fs::read_to_string(machine.path("here/searching-1-history.txt"));
    let saved = saved.expect("the file that was reported");
    assert!(saved.lines().any(|line| line == "step 1"), "{saved}");
}

/// The keys that every introduction to tmux begins with, as they are there.
#[test]
fn the_keys_of_tmux_are_those_of_tmux() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "tmux-keys");
    for state in ["off", "on"] {
        for command in [&format!("set -g mouse {state}\r"), "show -g mouse\r"] {
            let asks = |screen: &str| screen.lines().any(|line| line.starts_with(':'));
            prefix(&mut terminal, ":");
            terminal.wait_until("tmux asks for a command", asks);
            terminal.type_(command);
            terminal.wait_until("the command is taken", |screen| !asks(screen));
        }
        terminal.wait_for(&format!("mouse {state}"));
        terminal.type_("q");
        terminal.wait_gone(&format!("mouse {state}"));
    }

    terminal.type_("seq 100 199\r");
    terminal.wait_for("\n199");
    prefix(&mut terminal, "\x1b[5~");
    terminal.wait_for("\n160");
    terminal.wait_for("q leave");
    terminal.type_("q");
    terminal.wait_for("199");
    terminal.wait_for("Ctrl-] d back");

    terminal.type_("clear; echo in-the''-first\r");
    terminal.wait_for("\nin-the-first");
    prefix(&mut terminal, "c");
    terminal.wait_for(" 2 bash* ");
    terminal.wait_gone("in-the-first");
    prefix(&mut terminal, "w");
    // The tree of windows; the one before is chosen.
    terminal.wait_for("(0)");
    terminal.type_("\x1b[A");
    terminal.type_("\r");
    terminal.wait_for("\nin-the-first");
    terminal.wait_for(" 1 bash* ");
    prefix(&mut terminal, "n");
    terminal.wait_for(" 2 bash* ");
    terminal.type_("exit\r");
    terminal.wait_for(" 1 bash* ");
    terminal.wait_for("\nin-the-first");

    prefix(&mut terminal, "c");
    terminal.wait_for(" 2 bash* ");
    prefix(&mut terminal, "x");
    terminal.wait_for("kill-pane");
    terminal.type_("y");
    terminal.wait_for(" 1 bash* ");
    terminal.wait_gone(" 2 bash");
    terminal.wait_for("\nin-the-first");
}

#[test]
fn a_very_large_paste_arrives_and_blocks_nobody() {
    const BYTES: usize = 10_000_000;
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "pasting");
    // tmux looks at each byte of it.
    terminal.be_patient(Duration::from_secs(240));
    // Nothing is read until there is a file.
    terminal.type_("stty -icanon -echo; echo wai''ting; until [ -e go ]; do sleep 0.1; done; head -c 10000000 | wc -c\r");
    terminal.wait_for("waiting");
    let text = "0123456789".repeat(BYTES / 10);
    terminal.type_(&format!("\x1b[200~{text}\x1b[201~"));
    leader(&mut terminal, "d");
    terminal.wait_for("RUNNING");
    machine.ok(&["exec", "pasting", "--", "touch", "go"]);
    terminal.type_("s");
    terminal.wait_for("10000000");
}

#[test]
fn a_text_is_found_as_it_is_typed() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "looking-for");
    terminal.type_("echo nee''dle; seq 1 300\r");
    terminal.wait_for("\n300");
    terminal.wait_gone("needle");
    leader(&mut terminal, "/");
    terminal.wait_for("Search upwards for");
    terminal.type_("need");
    terminal.wait_for("\nneedle");
    terminal.type_("ful");
    terminal.wait_for("Not found: needful");
    terminal.type_("\x1b");
    terminal.wait_gone("not found");
    // If no row is chosen, the same window stays.
    terminal.wait_for("\n300");
    terminal.wait_gone("needle");
}

#[test]
fn a_shell_that_is_opened_beside_another_leaves_it_its_size() {
    let machine = Machine::new();
    let mut terminal = in_a_shell(&machine, "two-halves");
    leader(&mut terminal, "-");
    terminal.wait_for(" 2 bash* ");
    // Half as wide; beyond a window that is too small tmux paints dots.
    leader(&mut terminal, "|");
    terminal.wait_for(" 3 bash* ");
    let bare = |screen: &str| !screen.contains('·') && screen.matches("work@").count() == 3;
    terminal.wait_until("all three fill their panes", bare);
}
