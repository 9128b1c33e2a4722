//! Copies a folder. The copy is made in the trash's directory and gets its name when it is complete, so nobody sees a
//! part of it. A copy that fails or is cancelled is removed, also by the next daemon if this one is killed.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use rustix::io::Errno;

use super::{
    store::{FolderStore, refused},
    trash::{CLONING, COPY, lock, remove_trashed},
};
use crate::{
    engine::{
        api::Result,
        docker::{
            blocking::off_loop,
            container::identity::caller,
            quota::{self, wanted},
        },
    },
    model::failure::Failure,
    rules::launch::folders::check_new_name,
    tree,
};

/// Cancels the copy when it is dropped.
struct Cancelling(Arc<AtomicBool>);

impl Drop for Cancelling {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl FolderStore {
    /// Copies a folder, and gives the copy to `owner`. Dropping the returned future cancels the copy.
    pub(super) async fn clone_folder(
        &self,
        name: &str,
        new: &str,
        owner: (u32, u32),
    ) -> Result<()> {
        let (store, name, new) = (self.clone(), name.to_owned(), new.to_owned());
        let cancelling = Cancelling(Arc::default());
        let cancelled = cancelling.0.clone();
        let result = off_loop(move || store.clone_now(&name, &new, owner, &cancelled)).await;
        drop(cancelling);
        result
    }

    fn clone_now(
        &self,
        name: &str,
        new: &str,
        owner: (u32, u32),
        cancelled: &AtomicBool,
    ) -> Result<()> {
        check_new_name(new).map_err(|why| refused(why, None))?;
        let from = self.place(name)?.path;
        self.check_free(new)?;
        let to = self.root.join(new);
        let taken = || {
            let why = tr_sent!("folder '{new}' already exists", new);
            refused(why, Some(tr_sent!("use another name")))
        };
        if std::fs::symlink_metadata(&to).is_ok() {
            return Err(taken());
        }
        let id = uuid::Uuid::new_v4().simple();
        let workplace = self.make_trash()?.join(format!("{CLONING}{id}"));
        std::fs::create_dir(&workplace).map_err(|error| not_copied(&error))?;
        // No other daemon removes it while it is locked.
        let _held = lock(&workplace);
        let partial = workplace.join(COPY);
        let owner = Some(owner).filter(|owner| caller() != *owner);
        let copied = quota::create(&partial)
            .and_then(|()| tree::copy_into(&from, &partial, owner, cancelled))
            .map_err(|error| not_copied(&error));
        let limited = copied.and_then(|_| match wanted::read(&from) {
            Some(quota) => wanted::set(&partial, Some(quota.most)),
            None => Ok(()),
        });
        let moved = limited.and_then(|()| match Self::move_to(&partial, &to) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(taken()),
            Err(error) => Err(self.trouble(tr_sent!("can't be written"), &error.into())),
        });
        if let Err(error) = remove_trashed(&workplace) {
            tracing::warn!(%error, path = %workplace.display(), "a partial copy can't be removed");
        }
        moved
    }
}

fn not_copied(error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            tr_sent!("free some space, then try again")
        }
        io::ErrorKind::PermissionDenied => {
            tr_sent!(
                "a session left files that you can't read. Change their mode in a session with this folder"
            )
        }
        io::ErrorKind::Interrupted => tr_sent!("run it again for a whole copy"),
        _ => tr_sent!("check the file, then try again"),
    };
    refused(
        tr_sent!("the folder can't be copied: {error}", error),
        Some(hint),
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn store() -> (tempfile::TempDir, FolderStore) {
        let dir = tempfile::tempdir().unwrap();
        let store = FolderStore::new(dir.path().join("folders"));
        store.make("one", caller()).unwrap();
        fs::create_dir(store.root.join("one/deep")).unwrap();
        fs::write(store.root.join("one/deep/file"), "x").unwrap();
        (dir, store)
    }

    #[tokio::test]
    async fn a_copy_is_whole_and_its_own() {
        let (_dir, store) = store();
        store.clone_folder("one", "copy", caller()).await.unwrap();
        fs::write(store.root.join("one/deep/file"), "y").unwrap();
        assert_eq!(
            fs::read_to_string(store.root.join("copy/deep/file")).unwrap(),
            "x"
        );
        assert_eq!(store.names().unwrap(), ["copy", "one"]);
        assert!(store.leftovers().is_empty());
        let taken = store
            .clone_folder("one", "copy", caller())
            .await
            .unwrap_err();
        assert!(taken.to_string().contains("already exists"), "{taken}");
        for bad in ["..", ".ssh", ".trash", "a/b"] {
            assert!(
                store.clone_folder("one", bad, caller()).await.is_err(),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_cancelled_copy_leaves_nothing() {
        let (_dir, store) = store();
        let cancelled = AtomicBool::new(true);
        let error = store
            .clone_now("one", "copy", caller(), &cancelled)
            .unwrap_err();
        assert!(error.to_string().contains("cancelled"), "{error}");
        assert_eq!(store.names().unwrap(), ["one"]);
        assert_eq!(fs::read_dir(store.trash_dir()).unwrap().count(), 0);
    }
}
