//! What is said about the files of a session that aren't in a folder.

use crate::model::{files::SpaceUse, loss::Unsaved};

/// `3 files, 1.2 GiB`.
pub fn amount(used: SpaceUse) -> String {
    tr_plural!(
        used.files,
        "{files} file, {size}",
        "{files} files, {size}",
        files = used.files,
        size = used.size
    )
}

/// What is deleted at once when the session ends; `None` = nothing.
pub fn lost(unsaved: &Unsaved) -> Option<String> {
    let lost = unsaved.lost();
    (lost.files > 0).then(|| {
        if unsaved.home_is_kept {
            tr!(
                "{amount} outside /home/work and folders",
                amount = amount(lost)
            )
        } else {
            tr!("{amount} outside folders", amount = amount(lost))
        }
    })
}

/// What stays for some days; `None` = nothing.
pub fn kept(unsaved: &Unsaved) -> Option<String> {
    let home = unsaved.home.total;
    if !unsaved.home_is_kept || home.files == 0 {
        return None;
    }
    let amount = amount(home);
    Some(match unsaved.keep_days {
        Some(days) => tr_plural!(
            days,
            "{amount} of /home/work for {days} day",
            "{amount} of /home/work for {days} days",
            amount,
            days
        ),
        None => tr!("{amount} of /home/work", amount),
    })
}

/// The sentences of an idle warning; `None` = every file is in a folder.
pub fn warning(unsaved: &Unsaved) -> Option<String> {
    let lost = lost(unsaved);
    let kept = kept(unsaved);
    let said = match (&lost, &kept) {
        (Some(lost), Some(kept)) => tr!("Will be deleted: {lost}. Kept: {kept}", lost, kept),
        (Some(lost), None) => tr!("Will be deleted: {lost}", lost),
        (None, Some(kept)) => tr!("Kept: {kept}", kept),
        (None, None) => return None,
    };
    // The largest of what is deleted at once, if anything is.
    let largest = unsaved.largest();
    let named = largest
        .iter()
        .find(|(_, at_once)| *at_once || lost.is_none());
    Some(match named {
        Some((file, _)) => tr!(
            "{said}. Largest: /{path} ({size})",
            said,
            path = file.path,
            size = file.size
        ),
        None => said,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;
    use crate::model::{files::FilePath, loss::UnsavedFile, resources::Bytes};

    fn file(path: &str, mib: u64) -> UnsavedFile {
        UnsavedFile {
            path: FilePath::parse(OsStr::new(path)).unwrap(),
            size: Bytes::mib(mib),
            modified: None,
        }
    }

    #[test]
    fn what_is_lost_and_what_is_kept_are_said_apart() {
        let mut unsaved = Unsaved {
            home_is_kept: true,
            keep_days: Some(7),
            ..Unsaved::default()
        };
        assert_eq!(warning(&unsaved), None);
        unsaved.home.add(file("home/work/big", 40));
        assert_eq!(
            warning(&unsaved).unwrap(),
            "Kept: 1 file, 40 MiB of /home/work for 7 days. Largest: /home/work/big (40 MiB)"
        );
        unsaved.outside.add(file("opt/model", 3));
        unsaved.outside.add(file("tmp/x", 1));
        assert_eq!(
            warning(&unsaved).unwrap(),
            "Will be deleted: 2 files, 4 MiB outside /home/work and folders. Kept: 1 file, 40 MiB \
             of /home/work for 7 days. Largest: /opt/model (3 MiB)"
        );
        unsaved.home_is_kept = false;
        assert_eq!(lost(&unsaved).unwrap(), "3 files, 44 MiB outside folders");
    }
}
