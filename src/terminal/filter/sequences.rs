//! Lists the sequences that may reach the user's own terminal.

/// Private modes that programs switch: cursor keys, wrapping, the cursor, the alternate screen, mouse, focus, paste,
/// synchronized updates. All of them are reset when the program ends.
const PRIVATE_MODES: &[&[u8]] = &[
    b"1", b"7", b"9", b"12", b"25", b"47", b"1000", b"1002", b"1003", b"1004", b"1005", b"1006",
    b"1007", b"1015", b"1047", b"1048", b"1049", b"2004", b"2026",
];
/// Insert mode.
const MODES: &[&[u8]] = &[b"4"];

/// `ESC`, intermediates, and a last byte that doesn't begin a longer sequence.
pub(super) fn is_escape_allowed(intermediates: &[u8], end: u8) -> bool {
    match intermediates {
        // Save and restore the cursor, keypad modes, line movements, tab stops, full reset.
        b"" => matches!(
            end,
            b'7' | b'8' | b'=' | b'>' | b'D' | b'E' | b'H' | b'M' | b'c'
        ),
        // Character sets: ASCII, British, line drawing.
        b"(" | b")" | b"*" | b"+" => matches!(end, b'0' | b'A' | b'B'),
        b"#" => end == b'8',
        _ => false,
    }
}

/// Adds the allowed part of `CSI parameters end`.
pub(super) fn allowed_control(parameters: &[u8], end: u8, out: &mut Vec<u8>) {
    if let b'h' | b'l' = end {
        return allowed_modes(parameters, end, out);
    }
    if is_allowed(parameters, end) {
        write(parameters, end, out);
    }
}

fn write(parameters: &[u8], end: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\x1b[");
    out.extend_from_slice(parameters);
    out.push(end);
}

/// Adds only the allowed modes of a sequence with several modes.
fn allowed_modes(parameters: &[u8], end: u8, out: &mut Vec<u8>) {
    let (numbers, marker, known) = match parameters.strip_prefix(b"?") {
        Some(numbers) => (numbers, &b"?"[..], PRIVATE_MODES),
        None => (parameters, &b""[..], MODES),
    };
    let modes = numbers.split(|byte| *byte == b';');
    let allowed: Vec<&[u8]> = modes.filter(|mode| known.contains(mode)).collect();
    if !allowed.is_empty() {
        write(&[marker, &allowed.join(&b';')].concat(), end, out);
    }
}

fn is_allowed(parameters: &[u8], end: u8) -> bool {
    let is_plain = is_plain(parameters);
    match end {
        // Moving, erasing, inserting, deleting, scrolling, repeating, attributes, tab stops, regions.
        b'@'..=b'M'
        | b'P'
        | b'S'
        | b'X'
        | b'Z'
        | b'`'
        | b'a'
        | b'b'
        | b'd'
        | b'e'
        | b'f'
        | b'g'
        | b'm'
        | b'r'
            if is_plain =>
        {
            true
        }
        // With more parameters it is another sequence.
        b'T' if is_plain => !parameters.contains(&b';'),
        b's' | b'u' => parameters.is_empty(),
        b'J' | b'K' => is_private_number(parameters),
        // Queries of the terminal's type and cursor position. Programs wait for the answers and don't control
        // them.
        b'n' => matches!(parameters, b"5" | b"6"),
        b'c' => matches!(parameters, b"" | b"0" | b">" | b">0"),
        b'q' => parameters.ends_with(b" ") || matches!(parameters, b">" | b">0"),
        b'p' => {
            let mode = parameters.strip_suffix(b"$");
            parameters == b"!" || mode.is_some_and(is_private_number)
        }
        // How modified keys are reported.
        b'm' => parameters == b"?4" || parameters.strip_prefix(b">4").is_some_and(is_level),
        _ => false,
    }
}

/// Whether the parameters are only numbers.
pub(super) fn is_plain(parameters: &[u8]) -> bool {
    let mut signs = parameters.iter();
    signs.all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'))
}

fn is_private_number(parameters: &[u8]) -> bool {
    let number = parameters.strip_prefix(b"?");
    number.is_some_and(|it| it.iter().all(u8::is_ascii_digit))
}

fn is_level(rest: &[u8]) -> bool {
    matches!(rest, b"" | b";0" | b";1" | b";2")
}
