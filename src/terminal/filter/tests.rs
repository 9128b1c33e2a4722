use proptest::prelude::*;

use super::*;

fn of(clipboard: ClipboardPolicy) -> OutputFilter {
    OutputFilter::new(&TerminalSettings {
        clipboard,
        ..TerminalSettings::default()
    })
}

fn filtered(policy: ClipboardPolicy, output: &[u8]) -> Vec<u8> {
    of(policy).pass(output)
}

#[track_caller]
fn passes(output: &[u8]) {
    let out = filtered(ClipboardPolicy::Refuse, output);
    assert_eq!(
        out.escape_ascii().to_string(),
        output.escape_ascii().to_string()
    );
}

#[track_caller]
fn becomes(output: &[u8], expected: &[u8]) {
    let out = filtered(ClipboardPolicy::Refuse, output);
    assert_eq!(
        out.escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
}

#[test]
fn links_pass_that_the_settings_allow() {
    let mut filter = OutputFilter::new(&TerminalSettings {
        link_schemes: ["ssh"].iter().map(|it| it.parse().unwrap()).collect(),
        ..TerminalSettings::default()
    });
    let (ssh, http) = (b"\x1b]8;;ssh://host\x07", b"\x1b]8;;http://host\x07");
    assert_eq!(filter.pass(ssh), ssh);
    assert_eq!(filter.pass(http), b"");
}

#[test]
fn what_programs_draw_with_passes_as_it_came() {
    for output in [
        "한글 é 👩‍👩‍👧 text\r\n\t\u{8}".as_bytes(),
        b"\x1b[1;31;48:2::1:2:3mred\x1b[0m\x1b[2J\x1b[H\x1b[10;20H\x1b[K\x1b[?25l\x1b[?1049h\x1b[4 q",
        b"\x1b(0lqqk\x1b(B\x0e\x0f\x1b7\x1b8\x1b=\x1b>\x1bM\x1bc\x1b#8",
        b"\x1b[?1000;1006h\x1b[?2004h\x1b[?2026h\x1b[1;24r\x1b[4h\x1b[!p",
        b"\x1b[c\x1b[>c\x1b[6n\x1b[>q\x1b[?2026$p\x1b]11;?\x07\x1b]10;?\x1b\\",
        b"\x1b]8;id=1;https://example.org/\x1b\\link\x1b]8;;\x07",
    ] {
        passes(output);
    }
}

#[test]
fn commands_to_the_terminal_are_dropped() {
    for output in [
        &b"\x1b]52;c;RVZJTA==\x07"[..],
        b"\x1b]0;title\x07\x1b]2;title\x1b\\\x1bktitle\x1b\\",
        b"\x1b]9;note\x07\x1b]777;notify;a;b\x07\x1b]1337;File=:AA==\x07\x1b]4;1;?\x07\x1b]10;#000\x07",
        b"\x1bPqsixel\x1b\\\x1b_Gi=1;AAAA\x1b\\\x1b^x\x1b\\\x1bXx\x1b\\\x1bPtmux;\x1b\x1b\\",
        b"\x1b[21t\x1b[8;1;1t\x1b[22;0;0t\x1b[5i\x1b[?5i\x1b[=c\x1b[x\x1b[?996n\x1bZ\x05",
        b"\x1b]8;;javascript:x\x07\x1b]8;;file://elsewhere/x\x07\x1b]8\x07",
        b"\x1b[?5h\x1b[?3h\x1b[20h\x1b[2h\x1b[>1u\x1b[=1u\x1b[1$r\x1b%@\x1bn\x1b#3\x1b[1\"q",
        "\u{9d}52;c;RVZJTA==\u{9c}".as_bytes(),
    ] {
        let out = filtered(ClipboardPolicy::Ask, output);
        let rest: Vec<u8> = out.iter().copied().filter(|byte| *byte == ESC || *byte >= 0x80).collect();
        assert_eq!(rest, b"", "{} lets through {}", output.escape_ascii(), out.escape_ascii());
    }
    becomes(b"a\x1b[?25;5hb", b"a\x1b[?25hb");
    becomes("a\u{202e}b\u{ad}c\u{85}d".as_bytes(), b"abcd");
    becomes(b"a\xffb\xc2", "a\u{fffd}b".as_bytes());
}

#[test]
fn text_continues_after_what_was_dropped() {
    becomes(b"\x1b]52;c;RVZJTA==\x07after", b"after");
    becomes(b"\x1bPlong\x1b\\after", b"after");
    becomes(b"\x1b]0;open\x1b[31mafter", b"\x1b[31mafter");
    becomes(b"\x1b]0;open\x18after", b"after");
    let long = [b"\x1b[".as_slice(), &[b'1'; 1000], b"mafter"].concat();
    becomes(&long, b"after");
    let long = [b"\x1b]8;;http://".as_slice(), &[b'x'; 5000], b"\x07after"].concat();
    becomes(&long, b"after");
}

#[test]
fn the_clipboard_is_written_only_where_the_settings_allow_it() {
    let write = b"\x1b]52;c;RVZJTA==\x07";
    assert_eq!(filtered(ClipboardPolicy::Allow, write), write);
    for policy in [ClipboardPolicy::Ask, ClipboardPolicy::Refuse] {
        assert_eq!(filtered(policy, write), b"");
    }
    for never in [
        &b"\x1b]52;c;?\x07"[..],
        b"\x1b]52;c;!\x07",
        b"\x1b]52;RVZJTA==\x07",
    ] {
        assert_eq!(filtered(ClipboardPolicy::Allow, never), b"");
    }
    let long = [b"\x1b]52;c;".as_slice(), &vec![b'A'; 80_000], b"\x07after"].concat();
    assert_eq!(filtered(ClipboardPolicy::Allow, &long), b"after");
}

/// Pieces of sequences, so that the tests cover more than random bytes.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..6),
        proptest::sample::select(vec![
            &b"\x1b["[..],
            b"\x1b]",
            b"\x1bP",
            b"\x1b\\",
            b"\x07",
            b"52;c;",
            b"8;;http://a",
            b"?1049h",
            b"31m",
            b";",
            b"\x18",
            b"\xc2\x9d",
            "\u{202e}".as_bytes(),
            "한".as_bytes(),
            b"t",
            b"i",
            b"0;title",
            b"10;?",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn how_output_is_cut_changes_nothing(output in output(), cuts in proptest::collection::vec(1_usize..9, 1..40)) {
        let whole = filtered(ClipboardPolicy::Allow, &output);
        let mut filter = of(ClipboardPolicy::Allow);
        let (mut pieces, mut rest) = (Vec::new(), output.as_slice());
        for cut in cuts.iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at((*cut).min(rest.len()));
            pieces.extend(filter.pass(piece));
            rest = after;
        }
        prop_assert_eq!(pieces, whole);
    }

    /// Filtering is idempotent: dropping bytes never creates a new sequence from the bytes around them.
    #[test]
    fn what_passes_is_clean(output in output()) {
        let once = filtered(ClipboardPolicy::Refuse, &output);
        prop_assert_eq!(filtered(ClipboardPolicy::Refuse, &once), once.clone());
        for (at, _) in once.iter().enumerate().filter(|(_, byte)| **byte == ESC) {
            let rest = &once[at + 1..];
            let is_known = rest.first().is_some_and(|kind| match kind {
                b']' => rest.starts_with(b"]8;") || rest.starts_with(b"]10;?") || rest.starts_with(b"]11;?"),
                kind => !matches!(kind, b'P' | b'X' | b'^' | b'_' | b'k'),
            });
            prop_assert!(is_known, "{}", rest.escape_ascii());
        }
    }
}

#[test]
fn of_a_log_nothing_leaves_its_line() {
    let log = b" 10%\r\x1b[K 20%\t\x1b[31mred\x1b[m\x1b[>4;2m\x1b[?4m\x1b[2A\x1b[2J\x1b[?1049h\x1b]0;t\x07\x07\x1bc\x1b(0\xed\x95\x9c\n";
    let mut plain = OutputFilter::of_log(false);
    assert_eq!(plain.pass(log), b" 10%\r\x1b[K 20%\tred\xed\x95\x9c\n");
    let mut colored = OutputFilter::of_log(true);
    assert_eq!(
        colored.pass(log),
        b" 10%\r\x1b[K 20%\t\x1b[31mred\x1b[m\xed\x95\x9c\n"
    );
}
