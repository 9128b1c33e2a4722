//! Finds what is new in a log that can only be read whole. The log grows at its end and may lose
//! its beginning. Pure.

/// How much of the last text is kept to find its place again.
const KEPT: usize = 16 * 1024;

/// A shorter overlap at the beginning of a log may be a coincidence.
const CERTAIN: usize = 24;

/// How far a log has been read.
#[derive(Clone, Debug, Default)]
pub(super) struct LogPosition {
    /// The length of the log, in bytes, at the last reading.
    length: usize,
    /// The end of the log at the last reading.
    tail: String,
}

/// The part of a log after what was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NewLogPart<'a> {
    pub(super) text: &'a str,
    /// Whether text between what was seen and `text` is missing.
    pub(super) gap: bool,
}

impl LogPosition {
    /// Returns what is new in `log`. An unfinished character at its end waits for the next reading,
    /// unless this is the `last` one.
    pub(super) fn read<'a>(&mut self, log: &'a str, last: bool) -> NewLogPart<'a> {
        let log = if last { log } else { whole_characters(log) };
        let (from, gap) = match self.place_in(log) {
            Some(place) => (place, false),
            None => (0, !log.is_empty()),
        };
        // An empty log doesn't reset the position: the log may be moving to another storage.
        if !log.is_empty() {
            self.length = log.len();
            log[keep_from(log)..].clone_into(&mut self.tail);
        }
        NewLogPart {
            text: &log[from..],
            gap,
        }
    }

    /// The position in `log` where the seen text ends.
    fn place_in(&self, log: &str) -> Option<usize> {
        if self.tail.is_empty() {
            return Some(0);
        }
        let at = self.length.checked_sub(self.tail.len())?;
        let same_place = log.as_bytes().get(at..self.length);
        if same_place == Some(self.tail.as_bytes()) {
            return Some(self.length);
        }
        // The log has lost its beginning. If the seen end occurs more than once, the last place
        // counts: it is better to leave out lines than to show them twice.
        if let Some(place) = log.rfind(&self.tail) {
            return Some(place + self.tail.len());
        }
        let overlap = overlap(self.tail.as_bytes(), log.as_bytes());
        (overlap >= CERTAIN && log.is_char_boundary(overlap)).then_some(overlap)
    }
}

/// The last `lines` lines of a text.
pub(super) fn last_lines(text: &str, lines: u32) -> &str {
    let Some(before) = lines.checked_sub(1) else {
        return "";
    };
    let body = text.strip_suffix('\n').unwrap_or(text);
    let mut breaks = body.rmatch_indices('\n').map(|(at, _)| at + 1);
    let from = breaks.nth(before as usize).unwrap_or(0);
    &text[from..]
}

/// Removes a trailing replacement character. It stands for a character whose other bytes haven't
/// arrived yet.
fn whole_characters(log: &str) -> &str {
    log.strip_suffix('\u{fffd}').unwrap_or(log)
}

fn keep_from(log: &str) -> usize {
    let mut from = log.len().saturating_sub(KEPT);
    while !log.is_char_boundary(from) {
        from += 1;
    }
    from
}

/// The longest suffix of `tail` that is a prefix of `log` (Knuth–Morris–Pratt).
fn overlap(tail: &[u8], log: &[u8]) -> usize {
    let pattern = &log[..log.len().min(tail.len())];
    let mut borders = vec![0; pattern.len()];
    for at in 1..pattern.len() {
        borders[at] = extend(pattern, &borders, borders[at - 1], pattern[at]);
    }
    let mut length = 0;
    for byte in tail {
        if length == pattern.len() {
            length = length.checked_sub(1).map_or(0, |last| borders[last]);
        }
        length = extend(pattern, &borders, length, *byte);
    }
    length
}

fn extend(pattern: &[u8], borders: &[usize], mut length: usize, byte: u8) -> usize {
    while length > 0 && pattern.get(length) != Some(&byte) {
        length = borders[length - 1];
    }
    if pattern.get(length) == Some(&byte) {
        length + 1
    } else {
        length
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part(text: &str) -> NewLogPart<'_> {
        NewLogPart { text, gap: false }
    }

    #[test]
    fn only_what_is_new_is_reported() {
        let mut seen = LogPosition::default();
        assert_eq!(seen.read("", false), part(""));
        assert_eq!(seen.read("one\n", false), part("one\n"));
        assert_eq!(seen.read("one\n", false), part(""));
        assert_eq!(seen.read("one\ntwo\n", false), part("two\n"));
        assert_eq!(seen.read("", false), part(""));
        assert_eq!(seen.read("one\ntwo\nthree", true), part("three"));
    }

    #[test]
    fn a_lost_beginning_is_no_loss() {
        let line = |n: u32| format!("this is line number {n}\n");
        let log = |from, to| (from..to).map(line).collect::<String>();
        let mut seen = LogPosition::default();
        let _ = seen.read(&log(0, 3000), false);
        // The log still has more than is kept.
        assert_eq!(seen.read(&log(1000, 3002), false), part(&log(3000, 3002)));
        // The log still has less than is kept.
        assert_eq!(seen.read(&log(2990, 3005), false), part(&log(3002, 3005)));
        // The log has nothing of what was seen.
        let after = log(4000, 4002);
        let reported = seen.read(&after, false);
        assert_eq!((reported.text, reported.gap), (after.as_str(), true));
    }

    #[test]
    fn half_a_character_waits_for_its_other_half() {
        let mut seen = LogPosition::default();
        assert_eq!(seen.read("한\u{fffd}", false), part("한"));
        assert_eq!(seen.read("한글\n", false), part("글\n"));
        assert_eq!(seen.read("한글\n\u{fffd}", true), part("\u{fffd}"));
    }

    #[test]
    fn the_last_lines_of_a_log() {
        assert_eq!(last_lines("a\nb\nc\n", 2), "b\nc\n");
        assert_eq!(last_lines("a\nb\nc", 2), "b\nc");
        assert_eq!(last_lines("a\nb\n", 9), "a\nb\n");
        assert_eq!(last_lines("a\n", 0), "");
        assert_eq!(last_lines("", 3), "");
    }

    proptest! {
        /// However much of the beginning a growing log loses, the reported text equals the log as
        /// long as the newest lines stay.
        #[test]
        fn what_is_reported_is_the_log(steps in prop::collection::vec((1..400usize, 0..300usize), 1..20)) {
            let line = |n: usize| format!("{n} 줄 of a log that a session wrote\n");
            let (mut first, mut end) = (0, 0);
            let (mut seen, mut reported) = (LogPosition::default(), String::new());
            for (grow, lose) in steps {
                // At least one old line stays.
                first = (first + lose).min(end.max(1) - 1);
                end += grow;
                let log: String = (first..end).map(line).collect();
                let part = seen.read(&log, false);
                prop_assert!(!part.gap);
                reported.push_str(part.text);
            }
            prop_assert_eq!(reported, (0..end).map(line).collect::<String>());
        }

        #[test]
        fn any_two_logs_are_taken(first in ".{0,60}", second in ".{0,60}") {
            let mut seen = LogPosition::default();
            let _ = seen.read(&first, false);
            let reported = seen.read(&second, true);
            prop_assert!(second.ends_with(reported.text));
        }

        #[test]
        fn the_overlap_is_the_longest(tail in "[ab]{0,12}", log in "[ab]{0,12}") {
            let naive = (0..=tail.len().min(log.len()))
                .rev()
                .find(|n| tail.ends_with(&log[..*n]));
            prop_assert_eq!(Some(overlap(tail.as_bytes(), log.as_bytes())), naive);
        }
    }
}
