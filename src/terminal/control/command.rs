//! Commands for tmux, one per line. User text in a command is quoted, so that it can't become a second
//! command, a format or a flag.

use super::{LISTED, SCREEN, SCREEN_NAME, WATCHED};

/// Longest user text in a command.
const LONGEST_TEXT: usize = 1024;

/// A tmux session by its exact name. Commands go to its current window and pane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target(String);

impl Target {
    #[must_use]
    pub fn session(name: &str) -> Self {
        Self(name.to_owned())
    }

    fn here(&self) -> String {
        quoted(&format!("={}:", self.0))
    }

    fn window(&self, index: u32) -> String {
        quoted(&format!("={}:{index}", self.0))
    }

    fn window_id(&self, id: u32) -> String {
        quoted(&format!("={}:@{id}", self.0))
    }
}

/// One command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command(String);

impl Command {
    fn new(words: &[&str]) -> Self {
        Self(words.join(" "))
    }

    /// All sessions with their windows and panes, for [`super::Listing`].
    #[must_use]
    pub fn list() -> Self {
        Self::new(&["list-panes", "-a", "-F", &quoted(LISTED)])
    }

    /// Subscribes to changes that tmux doesn't report otherwise: window flags and copy mode positions.
    #[must_use]
    pub fn watch() -> Self {
        Self::new(&[
            "refresh-client",
            "-B",
            &quoted(&format!("workbay::{WATCHED}")),
        ])
    }

    /// Subscribes to changes of the screen of the attached session, or ends that.
    #[must_use]
    pub fn watch_screen(on: bool) -> Self {
        let wanted = if on {
            format!("{SCREEN_NAME}::{SCREEN}")
        } else {
            SCREEN_NAME.to_owned()
        };
        Self::new(&["refresh-client", "-B", &quoted(&wanted)])
    }

    /// Prints the screen, with colors.
    #[must_use]
    pub fn screen(target: &Target) -> Self {
        Self::new(&["capture-pane", "-p", "-e", "-t", &target.here()])
    }

    /// Sets the copy mode keys of all windows.
    #[must_use]
    pub fn copy_keys(vi: bool) -> Self {
        let keys = if vi { "vi" } else { "emacs" };
        Self::new(&["set-option", "-gw", "mode-keys", keys])
    }

    #[must_use]
    pub fn new_window(target: &Target) -> Self {
        Self::new(&["new-window", "-t", &target.here()])
    }

    #[must_use]
    pub fn rename_window(target: &Target, index: u32, name: &str) -> Self {
        // tmux expands a new name as a format.
        let name = text(&name.replace('#', "##"));
        Self::new(&["rename-window", "-t", &target.window(index), "--", &name])
    }

    #[must_use]
    pub fn close_window(target: &Target, index: u32) -> Self {
        Self::new(&["kill-window", "-t", &target.window(index)])
    }

    #[must_use]
    pub fn select_window(target: &Target, index: u32) -> Self {
        Self::new(&["select-window", "-t", &target.window(index)])
    }

    /// Selects a window by its id, which stays the same when other windows close.
    #[must_use]
    pub fn select_window_id(target: &Target, id: u32) -> Self {
        Self::new(&["select-window", "-t", &target.window_id(id)])
    }

    #[must_use]
    pub fn next_window(target: &Target) -> Self {
        Self::new(&["next-window", "-t", &target.here()])
    }

    #[must_use]
    pub fn previous_window(target: &Target) -> Self {
        Self::new(&["previous-window", "-t", &target.here()])
    }

    #[must_use]
    pub fn copy_mode(target: &Target) -> Self {
        Self::new(&["copy-mode", "-t", &target.here()])
    }

    /// Scrolls up one page in copy mode. Scrolling to the bottom leaves copy mode.
    #[must_use]
    pub fn scroll(target: &Target) -> Self {
        Self::new(&["copy-mode", "-eu", "-t", &target.here()])
    }

    /// Searches upwards in copy mode, from where the first search started. The text is matched literally.
    /// Sent for each typed letter.
    #[must_use]
    pub fn search(target: &Target, wanted: &str) -> Self {
        // The prefix `=` starts a new search.
        let wanted = text(&format!("={wanted}"));
        let search = "search-backward-incremental";
        Self::new(&["send-keys", "-t", &target.here(), "-X", search, &wanted])
    }

    /// Prints whether the last search found something: `1` or `0`.
    #[must_use]
    pub fn found(target: &Target) -> Self {
        let present = "'#{search_present}'";
        Self::new(&["display-message", "-p", "-t", &target.here(), present])
    }

    #[must_use]
    pub fn leave_copy_mode(target: &Target) -> Self {
        Self::new(&["send-keys", "-t", &target.here(), "-X", "cancel"])
    }

    /// Prints the whole history of the pane, with wrapped lines joined.
    #[must_use]
    pub fn history(target: &Target) -> Self {
        Self::new(&["capture-pane", "-p", "-J", "-S", "-", "-t", &target.here()])
    }

    /// The bytes to send to tmux.
    pub fn line(&self) -> Vec<u8> {
        format!("{}\n", self.0).into_bytes()
    }
}

/// User text as one word. A line break or another control character would end the command.
fn text(text: &str) -> String {
    let mut kept: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if kept.len() > LONGEST_TEXT {
        let end = (0..=LONGEST_TEXT)
            .rev()
            .find(|at| kept.is_char_boundary(*at));
        kept.truncate(end.unwrap_or(0));
    }
    quoted(&kept)
}

/// Single quotes escape everything except a single quote.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Splits a line into words and separators as tmux does. `None` = a quote is open at the end, or an
    /// unquoted character has a meaning for tmux.
    fn words(line: &str) -> Option<Vec<String>> {
        let mut words = vec![String::new()];
        let mut chars = line.chars();
        while let Some(c) = chars.next() {
            let last = words.last_mut()?;
            match c {
                '\'' => loop {
                    match chars.next()? {
                        '\'' => break,
                        c => last.push(c),
                    }
                },
                '\\' => last.push(chars.next()?),
                ' ' => words.push(String::new()),
                c if c.is_ascii_alphanumeric() || c == '-' => last.push(c),
                _ => return None,
            }
        }
        Some(words)
    }

    fn read(command: &Command) -> Vec<String> {
        let line = String::from_utf8(command.line()).unwrap();
        let line = line.strip_suffix('\n').unwrap();
        words(line).unwrap_or_else(|| panic!("{line:?} is not words"))
    }

    #[test]
    fn a_name_is_a_name() {
        let target = Target::session("wb-f1-1");
        let name = "x'; kill-server\n#(touch pwned) $HOME \"~";
        let command = Command::rename_window(&target, 2, name);
        assert_eq!(
            read(&command)[3..],
            ["--", "x'; kill-server ##(touch pwned) $HOME \"~"]
        );
        assert_eq!(read(&command)[..3], ["rename-window", "-t", "=wb-f1-1:2"]);
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        let command = Command::search(&Target::session("main"), &"한".repeat(1000));
        assert!(read(&command)[5].len() <= LONGEST_TEXT);
    }

    proptest! {
        #[test]
        fn any_text_stays_one_word(name in "\\PC{0,40}|[\\x00-\\x7f]{0,40}|[';\\\\#\\n{}\"$~ ]{0,40}") {
            let target = Target::session("wb-a");
            let clean: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            let renamed = read(&Command::rename_window(&target, 1, &name));
            prop_assert_eq!(renamed.len(), 5);
            prop_assert_eq!(&renamed[4], &clean.replace('#', "##"));
            let searched = read(&Command::search(&target, &name));
            prop_assert_eq!(searched.len(), 6);
            prop_assert_eq!(&searched[5], &format!("={clean}"));
        }
    }
}
