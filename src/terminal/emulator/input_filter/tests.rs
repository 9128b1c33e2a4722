use super::*;

fn split(input: &mut InputFilter, bytes: &[u8]) -> (Vec<u8>, Vec<String>) {
    let mut passed = Vec::new();
    let mut steps = Vec::new();
    input.split(bytes, 80, |step| match step {
        ParserInput::Pass(bytes) => passed.extend_from_slice(bytes),
        other => steps.push(format!("{other:?}")),
    });
    (passed, steps)
}

#[test]
fn ordinary_streams_pass_as_they_are() {
    let stream = "a\x1b[31mb\x1b]0;title\x07c\x1bP1$r\x1b\\d\x1b(Be\x1b[5b한글".as_bytes();
    for size in 1..stream.len() {
        let mut input = InputFilter::default();
        let mut passed = Vec::new();
        for part in stream.chunks(size) {
            let (bytes, steps) = split(&mut input, part);
            passed.extend(bytes);
            assert!(steps.is_empty(), "{steps:?}");
        }
        assert_eq!(passed, stream);
    }
}

#[test]
fn a_long_string_is_dropped_up_to_its_end() {
    for end in ["\x07", "\x1b\\"] {
        let mut input = InputFilter::default();
        let stream = format!("a\x1b]0;{}{end}b", "x".repeat(10_000));
        let (passed, steps) = split(&mut input, stream.as_bytes());
        assert_eq!(steps, ["DropString"]);
        assert!(passed.len() < OSC_LIMIT + 10, "{}", passed.len());
        assert_eq!(passed.last(), Some(&b'b'));
    }
}

#[test]
fn an_endless_string_passes_nothing_more() {
    let mut input = InputFilter::default();
    split(&mut input, b"\x1b]52;c;");
    let mut total = 0;
    for _ in 0..100 {
        total += split(&mut input, &vec![b'A'; 200_000]).0.len();
    }
    assert!(total <= CLIPBOARD_LIMIT, "{total}");
}

#[test]
fn long_repetitions_are_cut_to_a_line() {
    let mut input = InputFilter::default();
    let (passed, steps) = split(&mut input, b"x\x1b[65535by\x1b[?99999bz");
    assert_eq!(passed, b"xy\x1b[?99999bz");
    assert_eq!(steps, ["Repeat { count: 80 }"]);
}

#[test]
fn a_full_reset_is_reported() {
    let (passed, steps) = split(&mut InputFilter::default(), b"\x1bcx");
    assert_eq!(passed, b"\x1bcx");
    assert_eq!(steps, ["Reset"]);
}

#[test]
fn styles_are_taken_out_from_the_first_that_the_parser_cannot_keep() {
    let stream = b"\x1b[1;31ma\x1b[38;2;1;2;3mb\x1b[38;5;2mc\x1b[4:3md\x1b[1me\x1bc\x1b[1mf";
    let (passed, steps) = split(&mut InputFilter::default(), stream);
    assert_eq!(passed, b"\x1b[1;31mabcde\x1bc\x1b[1mf");
    let select = |text: &str| format!("{:?}", ParserInput::Select(text.as_bytes()));
    let expected = [
        select("38;2;1;2;3"),
        select("38;5;2"),
        select("4:3"),
        select("1"),
        "Reset".to_owned(),
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_sequence_in_pieces_is_taken_out_whole() {
    let mut input = InputFilter::default();
    let (passed, steps) = split(&mut input, b"a\x1b[9");
    assert_eq!((passed.as_slice(), steps.len()), (&b"a\x1b[9"[..], 0));
    let (passed, steps) = split(&mut input, b";1mb");
    assert_eq!(passed, b";1b".strip_prefix(b";1").unwrap());
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert_eq!(steps[0], "Cancel");
    let (passed, _) = split(&mut input, b"a\x1b[3\n1mb");
    assert_eq!(passed, b"a\x1b[3\nb");
}

#[test]
fn links_are_reported_behind_their_end() {
    for end in ["\x07", "\x1b\\"] {
        let stream = format!("a\x1b]8;;http://a{end}b\x1b]88;x{end}c");
        let (passed, steps) = split(&mut InputFilter::default(), stream.as_bytes());
        assert_eq!(passed, stream.as_bytes());
        assert_eq!(steps, ["Link"]);
    }
}

#[test]
fn only_an_update_that_is_left_open_is_reported() {
    let begin = "\x1b[?2026h";
    let end = "\x1b[?2026l";
    let whole = format!("a{begin}b{end}c{begin}d{begin}e{end}");
    let (passed, steps) = split(&mut InputFilter::default(), whole.as_bytes());
    assert_eq!(passed, whole.as_bytes());
    assert!(steps.is_empty(), "{steps:?}");
    let open = format!("a{begin}b{end}c{begin}d");
    let (passed, steps) = split(&mut InputFilter::default(), open.as_bytes());
    assert_eq!(passed, open.as_bytes());
    assert_eq!(steps, ["Update"]);
}
