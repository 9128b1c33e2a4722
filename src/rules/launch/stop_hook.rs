//! Checks stop hooks.

use crate::model::{spec::FolderMount, stop_hook::StopHook, text::Clean};
use crate::rules::launch::script;

/// The max number of paths to save.
const MOST_PATHS: usize = 100;

pub fn check(hook: &StopHook, mounts: &[FolderMount]) -> Result<(), String> {
    if hook.is_empty() {
        return Err(tr!("a stop hook needs a command or a path to save").to_owned());
    }
    if let Some(command) = &hook.command {
        if command.trim().is_empty() {
            return Err(tr!("the command of the stop hook is empty").to_owned());
        }
        script::check(command, tr!("the stop hook"))?;
    }
    if hook.save.len() > MOST_PATHS {
        return Err(tr!(
            "{count} paths are too many (max: {most})",
            count = hook.save.len(),
            most = MOST_PATHS
        ));
    }
    for path in &hook.save {
        if path.trim().is_empty() || path.contains('\0') {
            return Err(tr!("a path to save is empty or contains a NUL byte").to_owned());
        }
        if path.split('/').any(|part| part == "..") {
            return Err(tr!(
                "invalid path '{path}' to save. Don't use the part ..",
                path = Clean::new(path)
            ));
        }
    }
    check_folder(hook, mounts)?;
    if hook.timeout.0 == 0 || hook.timeout > StopHook::MOST {
        return Err(tr!(
            "invalid time limit {timeout} for the stop hook. Use 1s to {most}",
            timeout = hook.timeout,
            most = StopHook::MOST
        ));
    }
    Ok(())
}

fn check_folder(hook: &StopHook, mounts: &[FolderMount]) -> Result<(), String> {
    let Some(folder) = &hook.folder else {
        return Ok(());
    };
    let shown = Clean::new(folder);
    if hook.save.is_empty() {
        return Err(tr!(
            "no paths to save into folder {shown}. Name the paths, or leave out \
                            the folder",
            shown
        ));
    }
    match mounts.iter().find(|mount| mount.folder == *folder) {
        None => Err(tr!(
            "folder {shown} isn't mounted in the session. Mount it, or choose \
                             another one",
            shown
        )),
        Some(mount) if mount.read_only => Err(tr!(
            "folder {shown} is mounted read-only. Mount it without :ro",
            shown
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
        let save = |folder: Option<&str>| StopHook {
            save: vec!["out".to_owned()],
            folder: folder.map(str::to_owned),
            ..StopHook::default()
        };
        for good in [save(None), save(Some("data"))] {
            assert_eq!(check(&good, &mounts), Ok(()));
        }
        let command = StopHook {
            command: Some("git push".to_owned()),
            ..StopHook::default()
        };
        assert_eq!(check(&command, &[]), Ok(()));
        let wrong = [
            (StopHook::default(), "needs a command"),
            (save(Some("lib")), "mounted read-only"),
            (save(Some("other")), "isn't mounted"),
            (
                StopHook {
                    save: vec!["../../etc/passwd".to_owned()],
                    ..StopHook::default()
                },
                "invalid path '../../etc/passwd'",
            ),
            (
                StopHook {
                    folder: Some("data".to_owned()),
                    ..command.clone()
                },
                "no paths to save",
            ),
            (
                StopHook {
                    timeout: Span(601),
                    ..command.clone()
                },
                "1s to 10m",
            ),
            (
                StopHook {
                    timeout: Span(0),
                    ..command
                },
                "1s to 10m",
            ),
        ];
        for (hook, why) in wrong {
            let said = check(&hook, &mounts).unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }
}
