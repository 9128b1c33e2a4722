//! The rule for last wills.

use super::{
    super::{spec::FolderMount, text::Clean, will::LastWill},
    script,
};

/// Nobody names more paths.
const MOST_PATHS: usize = 100;

pub fn check(will: &LastWill, mounts: &[FolderMount]) -> Result<(), String> {
    if will.is_empty() {
        return Err("a last will needs a command or a path to save".to_owned());
    }
    if let Some(command) = &will.command {
        if command.trim().is_empty() {
            return Err("the command of the last will is empty".to_owned());
        }
        script::check(command, "the last will")?;
    }
    if will.save.len() > MOST_PATHS {
        return Err(format!(
            "{} paths are too many (max: {MOST_PATHS})",
            will.save.len()
        ));
    }
    for path in &will.save {
        if path.trim().is_empty() || path.contains('\0') {
            return Err("a path to save is empty or contains a NUL byte".to_owned());
        }
    }
    check_folder(will, mounts)?;
    if will.timeout.0 == 0 || will.timeout > LastWill::MOST {
        return Err(format!(
            "invalid time limit {} for the last will. Use 1s to {}",
            will.timeout,
            LastWill::MOST
        ));
    }
    Ok(())
}

fn check_folder(will: &LastWill, mounts: &[FolderMount]) -> Result<(), String> {
    let Some(folder) = &will.folder else {
        return Ok(());
    };
    let shown = Clean::new(folder);
    if will.save.is_empty() {
        return Err(format!(
            "no paths to save into folder {shown}. Name the paths, or leave out \
                            the folder"
        ));
    }
    match mounts.iter().find(|mount| mount.folder == *folder) {
        None => Err(format!(
            "folder {shown} isn't mounted in the session. Mount it, or choose \
                             another one"
        )),
        Some(mount) if mount.read_only => Err(format!(
            "folder {shown} is mounted read-only. Mount it without :ro"
        )),
        Some(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::span::Span;

    #[test]
    fn a_will_does_something_in_time_and_saves_where_it_may() {
        let mounts: Vec<FolderMount> = vec!["data".parse().unwrap(), "lib:ro".parse().unwrap()];
        let save = |folder: Option<&str>| LastWill {
            save: vec!["out".to_owned()],
            folder: folder.map(str::to_owned),
            ..LastWill::default()
        };
        for good in [save(None), save(Some("data"))] {
            assert_eq!(check(&good, &mounts), Ok(()));
        }
        let command = LastWill {
            command: Some("git push".to_owned()),
            ..LastWill::default()
        };
        assert_eq!(check(&command, &[]), Ok(()));
        let wrong = [
            (LastWill::default(), "needs a command"),
            (save(Some("lib")), "mounted read-only"),
            (save(Some("other")), "isn't mounted"),
            (
                LastWill {
                    folder: Some("data".to_owned()),
                    ..command.clone()
                },
                "no paths to save",
            ),
            (
                LastWill {
                    timeout: Span(601),
                    ..command.clone()
                },
                "1s to 10m",
            ),
            (
                LastWill {
                    timeout: Span(0),
                    ..command
                },
                "1s to 10m",
            ),
        ];
        for (will, why) in wrong {
            let said = check(&will, &mounts).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
