//! Checks the program that the daemon is to become: after its execution there is no way back.

use std::{
    fs, io,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};

use tokio::{process::Command, time::timeout};

/// The time limit for the program to print its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// The program at `path`, if it is a workbay program of version `version`. Otherwise the reason, as the end
/// of a sentence.
pub async fn examine(path: &str, version: &str) -> Result<PathBuf, String> {
    let program = Path::new(path);
    if !program.is_absolute() {
        return Err(tr_sent!("{path} isn't an absolute path", path));
    }
    check_file(program)?;
    let said = ask(program).await?;
    let expected = format!("workbay {version}");
    if said.trim() == expected {
        return Ok(program.to_path_buf());
    }
    Err(tr_sent!("{path} isn't workbay {version}", path, version))
}

/// Checks that the file belongs to this user or root and isn't writable by everybody. Group write permission
/// is allowed, because some users have a group of their own with it.
fn check_file(program: &Path) -> Result<(), String> {
    let shown = program.display();
    let facts = fs::metadata(program)
        .map_err(|why| tr_sent!("{shown} can't be read: {why}", shown, why))?;
    let me = rustix::process::getuid().as_raw();
    if !facts.is_file() || facts.mode() & 0o111 == 0 {
        return Err(tr_sent!("{shown} isn't an executable file", shown));
    }
    if facts.uid() != me && facts.uid() != 0 {
        let owner = facts.uid();
        return Err(tr_sent!("{shown} belongs to user {owner}", shown, owner));
    }
    if facts.mode() & 0o002 != 0 {
        return Err(tr_sent!("{shown} is writable by all users", shown));
    }
    Ok(())
}

async fn ask(program: &Path) -> Result<String, String> {
    let failed = |why: io::Error| {
        tr_sent!(
            "{program} can't be run: {why}",
            program = program.display(),
            why
        )
    };
    let asked = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    match timeout(PATIENCE, asked).await {
        Ok(output) => Ok(String::from_utf8_lossy(&output.map_err(failed)?.stdout).into_owned()),
        Err(_) => Err(tr_sent!(
            "{program} doesn't report its version",
            program = program.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn script(dir: &Path, text: &str, mode: u32) -> String {
        let (draft, path) = (dir.join("draft"), dir.join("workbay"));
        fs::write(&draft, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&draft, fs::Permissions::from_mode(mode)).unwrap();
        // A file that another test's child has open for writing can't be executed.
        let copied = std::process::Command::new("cp")
            .arg("-p")
            .args([&draft, &path])
            .status();
        assert!(copied.unwrap().success());
        path.to_str().unwrap().to_owned()
    }

    #[tokio::test]
    async fn only_a_program_of_ours_of_that_version_will_do() {
        let dir = tempfile::tempdir().unwrap();
        let good = script(dir.path(), "echo workbay 9.9.9", 0o755);
        assert_eq!(examine(&good, "9.9.9").await, Ok(PathBuf::from(&good)));
        let refused = examine(&good, "9.9.8").await.unwrap_err();
        assert!(refused.contains("isn't workbay 9.9.8"));
        for (path, why) in [
            ("workbay", "isn't an absolute path"),
            ("/no/such/program", "can't be read"),
            ("/etc", "isn't an executable file"),
        ] {
            let refused = examine(path, "9.9.9").await.unwrap_err();
            assert!(refused.contains(why), "{refused}");
        }
        let open = script(dir.path(), "echo workbay 9.9.9", 0o757);
        let refused = examine(&open, "9.9.9").await.unwrap_err();
        assert!(refused.contains("is writable by all users"), "{refused}");
        let data = script(dir.path(), "echo workbay 9.9.9", 0o644);
        let refused = examine(&data, "9.9.9").await.unwrap_err();
        assert!(refused.contains("isn't an executable file"), "{refused}");
    }
}
