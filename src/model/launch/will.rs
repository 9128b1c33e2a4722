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
        return Err(format!("{} paths: {MOST_PATHS} at most", will.save.len()));
    }
    for path in &will.save {
        if path.trim().is_empty() || path.contains('\0') {
            return Err("a path to save is empty or holds a zero byte".to_owned());
        }
    }
    check_folder(will, mounts)?;
    if will.timeout.0 == 0 || will.timeout > LastWill::MOST {
        return Err(format!(
            "{} for the last will: 1s to {}",
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
        return Err(format!("nothing is said to be saved into {shown}"));
    }
    match mounts.iter().find(|mount| mount.folder == *folder) {
        None => Err(format!("the folder {shown} is not mounted in the session")),
        Some(mount) if mount.read_only => {
            Err(format!("the folder {shown} is mounted for reading only"))
        }
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
            (save(Some("lib")), "reading only"),
            (save(Some("other")), "not mounted"),
            (
                LastWill {
                    folder: Some("data".to_owned()),
                    ..command.clone()
                },
                "nothing is said",
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
