//! Parses what a tmux control client prints: answers to commands between `%begin` and `%end`, and messages
//! about changes, one per line.

use super::{SCREEN_NAME, ScreenSize};

/// Longest line that is kept. The rest of a longer line is dropped.
const LONGEST_LINE: usize = 1024 * 1024;
/// Most bytes that are kept of one answer: more than the longest history.
const LONGEST_ANSWER: usize = 64 * 1024 * 1024;

/// What the control client reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlEvent {
    /// The answer to the oldest unanswered command: its output, or why it failed.
    Answer(Result<Vec<u8>, String>),
    /// The client is attached, to its first session or to another one. tmux may refuse commands that are sent
    /// earlier.
    Attached,
    /// Windows, sessions, panes or subscribed values changed.
    Changed,
    /// The screen has changed. It has this size.
    Screen(ScreenSize),
    /// The client has exited. Nothing follows.
    Exit,
}

/// Takes bytes in pieces of any size.
#[derive(Debug, Default)]
pub struct Reader {
    line: Vec<u8>,
    block: Option<PartialAnswer>,
}

/// An incomplete answer.
#[derive(Debug)]
struct PartialAnswer {
    /// Time, number and flags. The end of the answer has the same.
    mark: Vec<u8>,
    /// The answer belongs to one of our commands, not to the start of the client.
    ours: bool,
    printed: Vec<u8>,
}

impl Reader {
    pub fn feed(&mut self, bytes: &[u8], mut take: impl FnMut(ControlEvent)) {
        let mut pieces = bytes.split(|byte| *byte == b'\n');
        if let Some(first) = pieces.next() {
            self.keep(first);
        }
        for piece in pieces {
            let line = std::mem::take(&mut self.line);
            if let Some(events) = self.line(&line) {
                take(events);
            }
            self.keep(piece);
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        let room = LONGEST_LINE.saturating_sub(self.line.len());
        self.line.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn line(&mut self, line: &[u8]) -> Option<ControlEvent> {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let (word, rest) = split(line);
        let Some(block) = &mut self.block else {
            if word == b"%begin" {
                self.block = Some(PartialAnswer {
                    mark: rest.to_vec(),
                    ours: rest.rsplit(|byte| *byte == b' ').next() == Some(b"1"),
                    printed: Vec::new(),
                });
            }
            return said(word, rest);
        };
        // Program text in an answer may look like an end, but the program can't know the mark.
        let ends = matches!(word, b"%end" | b"%error") && rest == block.mark;
        if !ends {
            let room = LONGEST_ANSWER.saturating_sub(block.printed.len() + 1);
            block
                .printed
                .extend_from_slice(&line[..line.len().min(room)]);
            if room > 0 {
                block.printed.push(b'\n');
            }
            return None;
        }
        let block = self.block.take().filter(|block| block.ours)?;
        Some(ControlEvent::Answer(if word == b"%end" {
            Ok(block.printed)
        } else {
            Err(String::from_utf8_lossy(&block.printed).trim().to_owned())
        }))
    }
}

fn split(line: &[u8]) -> (&[u8], &[u8]) {
    match line.iter().position(|byte| *byte == b' ') {
        Some(at) => (&line[..at], &line[at + 1..]),
        None => (line, &[]),
    }
}

/// The meaning of a line outside of answers.
fn said(word: &[u8], rest: &[u8]) -> Option<ControlEvent> {
    match word {
        b"%subscription-changed" if rest.starts_with(SCREEN_NAME.as_bytes()) => {
            ScreenSize::read(rest).map(ControlEvent::Screen)
        }
        b"%window-add"
        | b"%window-close"
        | b"%window-renamed"
        | b"%unlinked-window-add"
        | b"%unlinked-window-close"
        | b"%unlinked-window-renamed"
        | b"%window-pane-changed"
        | b"%session-window-changed"
        | b"%session-renamed"
        | b"%sessions-changed"
        | b"%layout-change"
        | b"%pane-mode-changed"
        | b"%subscription-changed" => Some(ControlEvent::Changed),
        b"%session-changed" => Some(ControlEvent::Attached),
        b"%exit" => Some(ControlEvent::Exit),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn events(pieces: &[&[u8]]) -> Vec<ControlEvent> {
        let mut reader = Reader::default();
        let mut events = Vec::new();
        for piece in pieces {
            reader.feed(piece, |one| events.push(one));
        }
        events
    }

    const TALK: &[u8] = b"%begin 1795344095 290 0\n%end 1795344095 290 0\n\
        %session-changed $0 main\n\
        %begin 1795344099 304 1\nmain\t1\n%end 1 2 1\n%window-add @3\n\xed\x95\x9c\n%end 1795344099 304 1\n\
        %output %1 \\033[1mx\n%window-renamed @2 x\n\
        %begin 1795344107 317 1\r\nparse error: unknown command: bogus\r\n%error 1795344107 317 1\r\n\
        %exit detached\n";

    fn expected() -> Vec<ControlEvent> {
        vec![
            ControlEvent::Attached,
            ControlEvent::Answer(Ok("main\t1\n%end 1 2 1\n%window-add @3\n한\n".into())),
            ControlEvent::Changed,
            ControlEvent::Answer(Err("parse error: unknown command: bogus".to_owned())),
            ControlEvent::Exit,
        ]
    }

    #[test]
    fn answers_are_distinguished_from_what_happens() {
        assert_eq!(events(&[TALK]), expected());
    }

    #[test]
    fn a_line_without_an_end_is_bounded() {
        let mut reader = Reader::default();
        for _ in 0..80 {
            reader.feed(&vec![b'x'; 64 * 1024], |_| {});
        }
        assert_eq!(reader.line.len(), LONGEST_LINE);
        let mut events = Vec::new();
        reader.feed(b"\n%exit\n", |one| events.push(one));
        assert_eq!(events, [ControlEvent::Exit]);
    }

    #[test]
    fn an_answer_without_an_end_is_bounded() {
        let mut reader = Reader::default();
        reader.feed(b"%begin 1 1 1\n", |_| {});
        let mut piece = vec![b'x'; 1024 * 1024];
        piece.push(b'\n');
        for _ in 0..70 {
            reader.feed(&piece, |_| {});
        }
        let mut events = Vec::new();
        reader.feed(b"%end 1 1 1\n", |one| events.push(one));
        let [ControlEvent::Answer(Ok(printed))] = events.as_slice() else {
            panic!("{} events", events.len());
        };
        assert!(printed.len() <= LONGEST_ANSWER);
    }

    proptest! {
        #[test]
        fn pieces_do_not_matter(cuts in proptest::collection::vec(0..TALK.len(), 0..12)) {
            let mut cuts = cuts;
            cuts.extend([0, TALK.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|two| &TALK[two[0]..two[1]]).collect();
            prop_assert_eq!(events(&pieces), expected());
        }

        #[test]
        fn no_bytes_make_it_panic(pieces: Vec<Vec<u8>>) {
            let mut reader = Reader::default();
            for piece in pieces {
                reader.feed(&piece, |_| {});
            }
        }

        #[test]
        fn what_is_printed_comes_back_whole(lines in proptest::collection::vec("[^\n\r]{0,20}", 0..8)) {
            let printed: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
            let printed = printed.concat();
            let talk = format!("%begin 17 8 1\n{printed}%end 17 8 1\n");
            prop_assert_eq!(events(&[talk.as_bytes()]), vec![ControlEvent::Answer(Ok(printed.into_bytes()))]);
        }
    }

    #[test]
    fn fuzz_tmux_control() {
        crate::fuzz::parser("tmux-control", &[TALK], |bytes, random| {
            let whole = events(&[bytes]);
            crate::fuzz::bounded(bytes, &whole);
            assert_eq!(events(&random.split(bytes)), whole);
        });
    }
}
