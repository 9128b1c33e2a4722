//! Moves home directories from an ended session to a new session that reuses them.

use std::{fs, io, path::Path};

use super::directories::{Scratches, dir_name, homes};
use crate::{
    engine::{api::Result, docker::private_directory::private_directory},
    model::{failure::Failure, id::SessionId},
};

/// The file with the id of the session that the home directories came from.
const TAKEN_FROM: &str = "log.taken-from";

impl Scratches {
    /// Moves the home directories of an earlier session to this one. Repeating it changes nothing.
    pub(in crate::engine::docker) fn take_over(
        &self,
        from: SessionId,
        session: SessionId,
    ) -> Result<()> {
        if self.home(session).is_dir() {
            return Ok(());
        }
        if !self.home(from).is_dir() {
            let home = self.home(from);
            let text = tr_sent!(
                "the home directory of the earlier session doesn't exist: {home}",
                home = home.display()
            );
            return Err(Failure::internal(text).hint(tr_sent!("launch without --same-home")));
        }
        let dir = self.of(session);
        let moved = private_directory(&dir)
            .and_then(|()| fs::write(dir.join(TAKEN_FROM), from.to_string()))
            .and_then(|()| move_homes(&self.of(from), &dir));
        moved.map_err(|error| {
            let text = tr_sent!(
                "the home directory of the earlier session can't be moved to {dir}: {error}",
                dir = dir.display(),
                error
            );
            Failure::internal(text)
        })
    }

    /// Gives back home directories that were taken over.
    pub(in crate::engine::docker) fn give_back(&self, session: SessionId) -> io::Result<()> {
        let dir = self.of(session);
        let from = fs::read_to_string(dir.join(TAKEN_FROM)).ok();
        let Some(from) = from.and_then(|from| from.parse().ok()) else {
            return Ok(());
        };
        let earlier = self.of(from);
        private_directory(&earlier)?;
        move_homes(&dir, &earlier)?;
        fs::remove_file(dir.join(TAKEN_FROM))
    }
}

/// Moves the main home directory last: where it is, all are.
fn move_homes(from: &Path, to: &Path) -> io::Result<()> {
    let mut all = homes(from)?;
    all.sort_by_key(|home| home.ends_with(dir_name(0)));
    for home in all {
        let name = home.file_name().unwrap_or_default();
        fs::rename(&home, to.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::docker::container::identity::caller;

    #[test]
    fn homes_are_taken_over_and_given_back() {
        let dir = tempfile::tempdir().unwrap();
        let scratches = Scratches::new(dir.path().join("sessions"), dir.path().join("dotfiles"));
        let (from, to) = (SessionId::from_u128(1), SessionId::from_u128(2));
        assert!(scratches.take_over(from, to).is_err(), "none exists");
        let home = scratches
            .make(from, 0, caller(), (None, None))
            .unwrap()
            .path;
        scratches.make(from, 1, caller(), (None, None)).unwrap();
        fs::write(home.join("notes"), "mine").unwrap();
        fs::write(scratches.log(from), "said").unwrap();
        for _ in 0..2 {
            scratches.take_over(from, to).unwrap();
            let taken = scratches.make(to, 0, caller(), (None, None)).unwrap().path;
            assert_eq!(fs::read_to_string(taken.join("notes")).unwrap(), "mine");
            assert_eq!(scratches.homes(to).len(), 2);
            assert!(!home.exists() && scratches.log(from).exists());
        }
        // The session couldn't be created after all.
        scratches.discard(to).unwrap();
        assert_eq!(fs::read_to_string(home.join("notes")).unwrap(), "mine");
        assert_eq!(scratches.homes(from).len(), 2);
        assert!(scratches.homes(to).is_empty());
    }
}
