//! Files below one directory, as users work with them: a folder, the home directory of an ended session, or `/home/work`
//! inside a container.
//!
//! Programs in sessions write there and may change any entry between two system calls. So every path is resolved below
//! the open directory without following a link, nothing recurses, and only plain files are opened. All calls block.

mod change;
mod content;
mod copy;
mod error;
mod list;
pub mod many;
mod pieces;
mod read;
mod room;
mod root;
pub mod wire;
mod work;
mod write;

pub use self::{
    list::select,
    pieces::{Content, PieceReader, send_pieces},
    room::Room,
    root::Root,
    work::{LocalWork, Report, carry_out},
    write::PartFile,
};
use crate::model::{
    failure::Failure,
    files::{FileAnswer, FileRequest},
};

pub type Result<T> = std::result::Result<T, Failure>;

impl Root {
    /// Carries out a request that is answered at once.
    pub fn answer(&self, request: &FileRequest) -> Result<FileAnswer> {
        let done = |()| FileAnswer::Done;
        match request {
            FileRequest::List { path, options } => {
                list::list(self, path, options).map(|listing| FileAnswer::Listing { listing })
            }
            FileRequest::Stat { path } => {
                list::stat(self, path).map(|entry| FileAnswer::Entry { entry })
            }
            FileRequest::CreateDirectory { path } => change::directory(self, path).map(done),
            FileRequest::CreateFile { path } => change::file(self, path).map(done),
            FileRequest::Rename { from, to } => change::rename(self, from, to).map(done),
            FileRequest::CreateLink { path, target } => {
                change::link(self, path, &target.0).map(done)
            }
            FileRequest::SetAttributes {
                path,
                mode,
                modified,
            } => change::attributes(self, path, *mode, *modified).map(done),
        }
    }
}

#[cfg(test)]
mod tests;
