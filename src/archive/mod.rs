//! Tar streams of files that are copied between a session and a machine.
//!
//! Both ends use this module: `workbay cp` here, and `workbay runner pack` and `unpack` in the container. Neither trusts
//! the other: what is unpacked stays in its destination, whatever the stream says.

mod beneath;
mod pack;
mod unpack;

pub use self::{
    beneath::unpack_beneath,
    pack::{measure, pack, pack_as},
    unpack::{Destination, unpack},
};

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub files: u64,
    /// The contents of files.
    pub bytes: u64,
    /// What wasn't copied, and why: one sentence each, at most [`MOST_SKIPPED`].
    pub skipped: Vec<String>,
}

/// How many skipped entries are named. One more sentence says that there are more.
const MOST_SKIPPED: usize = 20;

impl Copied {
    /// Remembers what was left out, up to a number.
    pub fn skip(&mut self, sentence: impl FnOnce() -> String) {
        match self.skipped.len() {
            count if count < MOST_SKIPPED => self.skipped.push(sentence()),
            MOST_SKIPPED => self
                .skipped
                .push(tr_sent!("more entries were skipped").to_owned()),
            _ => {}
        }
    }
}
