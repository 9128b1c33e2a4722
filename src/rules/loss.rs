//! What is said about the files of a session that aren't in a folder.

use crate::model::{files::SpaceUse, loss::Unsaved};

/// `3 files, 1.2 GiB`.
pub fn amount(used: SpaceUse) -> String {
    let s = if used.files == 1 { "" } else { "s" };
    format!("{} file{s}, {}", used.files, used.size)
}

/// What is deleted at once when the session ends; `None` = nothing.
pub fn lost(unsaved: &Unsaved) -> Option<String> {
    let lost = unsaved.lost();
    let place = if unsaved.home_is_kept {
        "outside /home/work and folders"
    } else {
        "outside folders"
    };
    (lost.files > 0).then(|| format!("{} {place}", amount(lost)))
}

/// What stays for some days; `None` = nothing.
pub fn kept(unsaved: &Unsaved) -> Option<String> {
    let home = unsaved.home.total;
    if !unsaved.home_is_kept || home.files == 0 {
        return None;
    }
    let days = match unsaved.keep_days {
        Some(1) => " for 1 day".to_owned(),
        Some(days) => format!(" for {days} days"),
        None => String::new(),
    };
    Some(format!("{} of /home/work{days}", amount(home)))
}

/// The sentences of an idle warning; `None` = every file is in a folder.
pub fn warning(unsaved: &Unsaved) -> Option<String> {
    let lost = lost(unsaved);
    let kept = kept(unsaved);
    let said = match (&lost, &kept) {
        (Some(lost), Some(kept)) => format!("Will be deleted: {lost}. Kept: {kept}"),
        (Some(lost), None) => format!("Will be deleted: {lost}"),
        (None, Some(kept)) => format!("Kept: {kept}"),
        (None, None) => return None,
    };
    // The largest of what is deleted at once, if anything is.
    let largest = unsaved.largest();
    let named = largest
        .iter()
        .find(|(_, at_once)| *at_once || lost.is_none());
    Some(match named {
        Some((file, _)) => format!("{said}. Largest: /{} ({})", file.path, file.size),
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
