//! Measures and cuts text in cells. Hangul and emoji take two cells.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The cells of a text.
#[must_use]
pub fn width(text: &str) -> usize {
    text.width()
}

/// A text followed by blanks up to `cells` cells.
#[must_use]
pub fn pad(text: &str, cells: usize) -> String {
    let blanks = cells.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(blanks))
}

/// A text after blanks, `cells` cells wide.
#[must_use]
pub fn pad_left(text: &str, cells: usize) -> String {
    let blanks = cells.saturating_sub(width(text));
    format!("{}{text}", " ".repeat(blanks))
}

/// A text in the middle of `cells` cells.
#[must_use]
pub fn center(text: &str, cells: usize) -> String {
    let blanks = cells.saturating_sub(width(text));
    pad(&format!("{}{text}", " ".repeat(blanks / 2)), cells)
}

/// Shortens a text to `cells` cells. A shortened text ends with the ellipsis.
#[must_use]
pub fn fit(text: &str, cells: usize, ellipsis: &str) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let Some(room) = cells.checked_sub(width(ellipsis)) else {
        return take(text, cells).to_owned();
    };
    format!("{}{ellipsis}", take(text, room))
}

/// Shortens a name to `cells` cells. The beginning and the end are kept, because the end has the type of a file, and
/// the number of a session that was launched with others.
#[must_use]
pub fn fit_middle(text: &str, cells: usize, ellipsis: &str) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    let Some(room) = cells.checked_sub(width(ellipsis)).filter(|room| *room > 4) else {
        return fit(text, cells, ellipsis);
    };
    let end = take_end(text, room / 3);
    let start = take(text, room - width(end));
    format!("{start}{ellipsis}{end}")
}

/// The positions of characters of `text` in `shown`, which `fit_middle` made of it. Omitted characters have none.
#[must_use]
pub fn moved_to_middle(text: &str, shown: &str, ellipsis: &str, at: &[usize]) -> Vec<usize> {
    if text == shown {
        return at.to_vec();
    }
    let both = text.chars().zip(shown.chars());
    let start = both.take_while(|(one, other)| one == other).count();
    let (all, left) = (text.chars().count(), shown.chars().count());
    let end = left.saturating_sub(start + ellipsis.chars().count());
    let moved = at.iter().filter_map(|at| match *at {
        at if at < start => Some(at),
        at if at + end >= all => Some(at + left - all),
        _ => None,
    });
    moved.collect()
}

/// Shortens an image's label to `cells` cells. The end of a long path is kept, and if that is still too long,
/// the beginning of its last part. Also returns how many characters at the beginning of `text` were left out.
#[must_use]
pub fn fit_path(text: &str, cells: usize, ellipsis: &str) -> (String, usize) {
    let mut rest = text;
    loop {
        let left_out = text.len() - rest.len();
        let prefix = if left_out > 0 {
            format!("{ellipsis}/")
        } else {
            String::new()
        };
        let next = rest.split_once('/').map(|(_, next)| next);
        match next {
            Some(next) if width(&prefix) + width(rest) > cells => rest = next,
            _ if width(&prefix) + width(rest) > cells => {
                // The last part is too long, so it is cut and has no mark in front.
                return (fit(rest, cells, ellipsis), text[..left_out].chars().count());
            }
            _ => return (format!("{prefix}{rest}"), text[..left_out].chars().count()),
        }
    }
}

/// A number with separated thousands: `12,431`.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Capitalizes the first letter of a text.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The longest beginning that fits in `cells` cells.
#[must_use]
pub fn take(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += width(grapheme);
        if used > cells {
            return &text[..at];
        }
    }
    text
}

/// The longest end that fits in `cells` cells. An input that is too narrow shows it.
#[must_use]
pub fn take_end(text: &str, cells: usize) -> &str {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true).rev() {
        used += width(grapheme);
        if used > cells {
            return &text[at + grapheme.len()..];
        }
    }
    text
}

/// The part of a text that an input of `cells` cells shows, and the column of the cursor in it. `before` is
/// the part before the cursor, which is always visible.
#[must_use]
pub fn scrolled<'a>(before: &str, text: &'a str, cells: usize) -> (&'a str, usize) {
    let shown_before = take_end(before, cells.saturating_sub(1));
    let start = before.len() - shown_before.len();
    (take(&text[start..], cells), width(shown_before))
}

/// Breaks a text between words into lines of up to `cells` cells. A longer word is broken inside.
#[must_use]
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let cells = cells.max(2);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            add_word(&mut lines, &mut line, word, cells);
        }
        lines.push(line);
    }
    lines
}

fn add_word(lines: &mut Vec<String>, line: &mut String, word: &str, cells: usize) {
    let gap = usize::from(!line.is_empty());
    if width(line) + gap + width(word) <= cells {
        if gap == 1 {
            line.push(' ');
        }
        line.push_str(word);
        return;
    }
    if !line.is_empty() {
        lines.push(std::mem::take(line));
    }
    let mut rest = word;
    while width(rest) > cells {
        let head = take(rest, cells);
        if head.is_empty() {
            break;
        }
        lines.push(head.to_owned());
        rest = &rest[head.len()..];
    }
    rest.clone_into(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_never_breaks_a_wide_character() {
        assert_eq!(fit("세션이름", 8, "…"), "세션이름");
        assert_eq!(fit("세션이름", 7, "…"), "세션이…");
        assert_eq!(fit("세션이름", 6, "…"), "세션…");
        assert_eq!(fit("session", 5, "..."), "se...");
        assert_eq!(fit("session", 2, "..."), "se");
        assert_eq!(take_end("abc세션", 3), "션");
    }

    #[test]
    fn of_a_long_name_both_ends_are_kept() {
        let name = "checkpoint-2026-03-02-epoch-0400.safetensors";
        assert_eq!(fit_middle(name, 44, "…"), name);
        assert_eq!(fit_middle(name, 24, "…"), "checkpoint-2026-…tensors");
        let name = "아주아주긴데이터이름.tar.gz";
        let fitted = fit_middle(name, 17, "…");
        assert!(
            fitted.ends_with("ar.gz") && width(&fitted) <= 17,
            "{fitted}"
        );
        assert_eq!(fit_middle(name, 5, "…"), "아주…");
    }

    #[test]
    fn matches_in_a_shortened_name_stay_at_their_letters() {
        let name = "evaluate-language-model-nightly-25";
        let shown = fit_middle(name, 16, "…");
        assert_eq!(shown, "evaluate-l…ly-25");
        let letters = |at: &[usize]| -> String {
            let moved = moved_to_middle(name, &shown, "…", at);
            moved
                .iter()
                .filter_map(|at| shown.chars().nth(*at))
                .collect()
        };
        assert_eq!(letters(&[0, 1, 9, 10, 20, 28, 29, 33]), "evll5");
        assert_eq!(moved_to_middle("abc", "abc", "…", &[2]), [2]);
        assert!(moved_to_middle("abcdef", "abc…", "…", &[3, 5]).is_empty());
    }

    #[test]
    fn of_a_long_path_the_end_is_kept() {
        let label = "local/stable/python:3.11-debian12";
        let fitted = |cells| fit_path(label, cells, "…").0;
        assert_eq!(fitted(33), label);
        assert_eq!(fitted(32), "…/stable/python:3.11-debian12");
        assert_eq!(fitted(28), "…/python:3.11-debian12");
        assert_eq!(fitted(21), "python:3.11-debian12");
        assert_eq!(fitted(12), "python:3.11…");
        assert_eq!(fit_path(label, 28, "…").1, 13);
        assert_eq!(fit_path("host:debian-12", 8, "…").0, "host:de…");
    }

    #[test]
    fn thousands_stand_apart() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (12_431, "12,431"),
            (1_234_567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn wrapping_keeps_every_character() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("가나다", 3), ["가", "나", "다"]);
        assert_eq!(wrap("a\nb", 9), ["a", "b"]);
    }
}
