//! Parses tmux's list of sessions, windows and panes.

use crate::model::{inside, text::Clean};

/// The fields of a pane, one pane per line. The names come last because a program chooses the last name.
pub const LISTED: &str = "#{session_name}\t#{window_index}#{window_id}\t#{window_active}\t\
    #{window_activity_flag}\t#{window_bell_flag}\t#{pane_active}\t#{pane_in_mode}\t#{pane_mode}\t\
    #{scroll_position}\t#{copy_cursor_y}\t#{history_size}\t#{pane_height}\t#{mouse_any_flag}\t#{mode-keys}\t\
    #{window_name}\t#{pane_current_command}";

/// A format whose value changes with everything that tmux doesn't report in a message of its own.
pub const WATCHED: &str = "#{S:#{session_name}#{W:,#{window_index}#{window_activity_flag}\
    #{window_bell_flag}#{P:.#{pane_active}#{pane_in_mode}#{mouse_any_flag}#{scroll_position}-#{copy_cursor_y}}}}";

/// The most panes that are read, over all sessions.
const MOST: usize = 2000;

/// A window as a session shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    pub index: u32,
    /// Stays the same while the window exists. The index changes when a window before it closes.
    pub id: Option<u32>,
    pub name: Clean,
    pub active: bool,
    /// Something was printed in the window since it was last visible.
    pub activity: bool,
    pub bell: bool,
    /// The program in the active pane.
    pub command: Clean,
    /// The program in the active pane handles the mouse.
    pub takes_mouse: bool,
    /// Set while the active pane is in copy mode.
    pub copy_mode: Option<CopyMode>,
}

/// The position in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyMode {
    /// The cursor's line, counted from 1 at the top of the history.
    pub line: u64,
    pub lines: u64,
    /// vi keys, otherwise emacs keys.
    pub vi: bool,
}

/// A tmux session with its windows in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    pub session: String,
    pub windows: Vec<Window>,
}

impl Group {
    pub fn active(&self) -> Option<&Window> {
        self.windows.iter().find(|window| window.active)
    }
}

/// All sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    groups: Vec<Group>,
}

impl Listing {
    /// Parses the answer to [`super::Command::list`]. Invalid lines are skipped.
    #[must_use]
    pub fn read(answer: &[u8]) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for line in String::from_utf8_lossy(answer).lines().take(MOST) {
            let Some((session, pane)) = line.split_once('\t') else {
                continue;
            };
            let Some((window, on_top)) = window(pane) else {
                continue;
            };
            let at = groups.iter().position(|group| group.session == session);
            let at = at.unwrap_or_else(|| {
                groups.push(Group {
                    session: session.to_owned(),
                    windows: Vec::new(),
                });
                groups.len() - 1
            });
            let windows = &mut groups[at].windows;
            match windows.last_mut() {
                Some(last) if last.index == window.index => {
                    if on_top {
                        *last = window;
                    }
                }
                _ => windows.push(window),
            }
        }
        Self { groups }
    }

    /// Whether the bell rang in a window since it was last visible.
    pub fn has_bell(&self) -> bool {
        let mut windows = self.groups.iter().flat_map(|group| &group.windows);
        windows.any(|window| window.bell)
    }

    /// The tmux session of the pane whose own session is `own`. Where panes share a tmux session, it is the
    /// only one listed. `main` never counts: panes have tmux sessions beside it, and the one of this pane may
    /// not be listed yet.
    pub fn seen_by(&self, own: &str) -> Option<&Group> {
        let exact = self.groups.iter().find(|group| group.session == own);
        exact.or_else(|| {
            let shared = |group: &&Group| {
                let name = group.session.as_str();
                !name.starts_with(inside::PANE_PREFIX) && name != inside::TMUX_SESSION
            };
            let mut shared = self.groups.iter().filter(shared);
            shared.next().filter(|_| shared.next().is_none())
        })
    }
}

/// Parses a line without its session: the window, and whether the pane is its active pane.
fn window(line: &str) -> Option<(Window, bool)> {
    let fields: Vec<&str> = line.splitn(15, '\t').collect();
    let [
        index,
        active,
        activity,
        bell,
        on_top,
        _,
        mode,
        scrolled,
        cursor,
        history,
        height,
        mouse,
        keys,
        name,
        command,
    ] = fields.as_slice()
    else {
        return None;
    };
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let history = number(history);
    let (index, id) = match index.split_once('@') {
        Some((index, id)) => (index, id.parse().ok()),
        None => (*index, None),
    };
    let copying = matches!(*mode, "copy-mode" | "view-mode");
    let window = Window {
        index: index.parse().ok()?,
        id,
        name: Clean::new(&plain(name)),
        active: *active == "1",
        activity: *activity == "1",
        bell: *bell == "1",
        command: Clean::new(command),
        takes_mouse: *mouse == "1",
        copy_mode: copying.then(|| CopyMode {
            line: history
                .saturating_sub(number(scrolled))
                .saturating_add(number(cursor))
                .saturating_add(1),
            lines: history.saturating_add(number(height)),
            vi: *keys == "vi",
        }),
    };
    Some((window, *on_top == "1"))
}

/// The original name. tmux escapes names with `\\`, `\$` and `\ooo`.
fn plain(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = match (first, after) {
            (b'\\', [c @ (b'\\' | b'$'), after @ ..]) => {
                bytes.push(*c);
                after
            }
            (
                b'\\',
                [
                    a @ b'0'..=b'3',
                    b @ b'0'..=b'7',
                    c @ b'0'..=b'7',
                    after @ ..,
                ],
            ) => {
                bytes.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0'));
                after
            }
            _ => {
                bytes.push(*first);
                after
            }
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ANSWER: &str = "main\t1@0\t1\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\tsh\tsh\n\
        main\t2\t0\t1\t0\t1\t0\t\t\t\t5\t24\t0\temacs\t학습\tpython3\n\
        wb-a\t1\t0\t0\t1\t0\t0\t\t\t\t0\t24\t0\temacs\tsh\tsh\n\
        wb-a\t1\t0\t0\t1\t1\t0\t\t\t\t0\t24\t0\temacs\tsh\tvim\n\
        nonsense\n\
        wb-a\t2@7\t1\t0\t0\t1\t1\tcopy-mode\t30\t4\t100\t24\t0\tvi\ta\\\\b\\$HOME\\011c\tless\tx\n";

    #[test]
    fn a_pane_sees_its_own_session() {
        let listing = Listing::read(ANSWER.as_bytes());
        let own = listing.seen_by("wb-a").unwrap();
        assert_eq!(own.windows.len(), 2);
        assert!(own.windows[0].bell && !own.windows[0].active);
        assert_eq!(own.windows[0].command, "vim", "of the active pane");
        let active = own.active().unwrap();
        assert_eq!((active.index, active.name.as_str()), (2, "a\\b$HOME c"));
        assert_eq!((active.id, own.windows[0].id), (Some(7), None));
        let copying = CopyMode {
            line: 75,
            lines: 124,
            vi: true,
        };
        assert_eq!(active.copy_mode, Some(copying));
    }

    #[test]
    fn without_one_it_sees_the_only_one_that_is_no_panes() {
        let listing = Listing::read(ANSWER.as_bytes());
        assert_eq!(listing.seen_by("wb-new"), None, "its own will be listed");
        let shared = ANSWER.replace("main\t", "0\t");
        let listing = Listing::read(shared.as_bytes());
        assert_eq!(listing.seen_by("wb-new").unwrap().session, "0");
        let two = format!("{shared}other\t1\t1\t0\t0\t1\t0\t\t\t\t0\t24\t0\temacs\tsh\tsh\n");
        assert_eq!(Listing::read(two.as_bytes()).seen_by("wb-new"), None);
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(answer: Vec<u8>) {
            Listing::read(&answer).seen_by("wb-a");
        }

        #[test]
        fn names_never_panic(name in "[\\\\$0-7a한]{0,20}") {
            plain(&name);
        }
    }

    #[test]
    fn fuzz_tmux_listing() {
        crate::fuzz::parser("tmux-listing", &[ANSWER.as_bytes()], |bytes, _| {
            let listing = Listing::read(bytes);
            crate::fuzz::bounded(bytes, &listing);
            let _ = listing.seen_by("wb-a").map(Group::active);
        });
    }
}
