//! Checks the state database: whether it can be read and written, and what was kept of broken ones.

use std::{fs, path::PathBuf};

use super::Finding;
use crate::{
    cli::{Handlers, StoreProblem, StoreSummary},
    config::paths::Paths,
    model::{resources::Bytes, text::Clean},
};

const TOPIC: &str = tr_later!("state database");

pub fn examine(handlers: &Handlers, paths: &Paths) -> Vec<Finding> {
    let summary = (handlers.store)(&paths.database());
    let unreadable = summary
        .as_ref()
        .ok()
        .and_then(|it| it.as_ref()?.unreadable.clone());
    let mut findings = vec![file(summary, paths)];
    findings.extend(unreadable.map(|rows| set_aside(&rows, paths)));
    findings.extend(kept_aside(paths));
    findings
}

fn file(summary: Result<Option<StoreSummary>, StoreProblem>, paths: &Paths) -> Finding {
    let path = paths.database();
    let shown = path.display();
    match summary {
        Ok(None) => Finding::ok(TOPIC, tr!("{shown} (created when needed)", shown)),
        Ok(Some(summary)) => {
            let size = fs::metadata(&path).map_or(0, |meta| meta.len());
            if let Err(why) = fs::File::options().append(true).open(&path) {
                return Finding::bad(TOPIC, tr!("{shown} can't be written: {why}", shown, why)).hint(
                    tr!(
                        "chmod u+rw {shown}; is the disk mounted read-only? `findmnt --target {shown}`",
                        shown
                    ),
                );
            }
            let message = tr!(
                "{shown}, {size} (schema version {layout}, {sessions} sessions)",
                shown,
                size = Bytes(size),
                layout = summary.layout,
                sessions = summary.sessions
            );
            Finding::ok(TOPIC, message)
        }
        Err(StoreProblem::Broken(why)) => Finding::bad(TOPIC, why).hint(tr!(
            "run `workbay daemon stop`, then any command. The daemon sets the damaged file aside \
             and rebuilds the database from the engine"
        )),
        Err(StoreProblem::Newer(why)) => Finding::bad(TOPIC, why).hint(tr!(
            "install the newer workbay, or set WORKBAY_STATE_DIR to another directory"
        )),
        Err(StoreProblem::Other(why)) => {
            Finding::bad(TOPIC, why).hint(format!("ls -l {shown}; df {shown}"))
        }
    }
}

/// Reports rows that were set aside in the file, because their contents may still be needed.
fn set_aside((count, newest): &(u64, Clean), paths: &Paths) -> Finding {
    let message = match count {
        1 => tr!(
            "one row couldn't be read or written and is in the table `unreadable`: {newest}",
            newest
        ),
        count => tr!(
            "{count} rows couldn't be read or written and are in the table `unreadable`. The \
             newest: {newest}",
            count,
            newest
        ),
    };
    let hint = tr!(
        "look at the rows with sqlite3 {database} 'SELECT * FROM unreadable'. If you don't need them: \
         `DELETE FROM unreadable`",
        database = paths.database().display()
    );
    Finding::warn(TOPIC, message).hint(hint)
}

/// Reports earlier broken files: their contents may still be needed, and they use disk space.
fn kept_aside(paths: &Paths) -> Vec<Finding> {
    let directory = paths.database().with_file_name("aside");
    let files = fs::read_dir(&directory).into_iter().flatten();
    let mut kept: Vec<PathBuf> = files.filter_map(|it| Some(it.ok()?.path())).collect();
    // SQLite's files beside a database aren't databases of their own.
    let is_side = |name: &str| {
        ["-wal", "-shm", "-journal"]
            .iter()
            .any(|it| name.ends_with(it))
    };
    kept.retain(|path| !is_side(&path.to_string_lossy()));
    kept.sort();
    let Some(newest) = kept.last() else {
        return Vec::new();
    };
    let message = match kept.len() {
        1 => tr!(
            "the database was damaged once and recreated. The damaged file is {newest}",
            newest = newest.display()
        ),
        times => tr!(
            "the database was damaged {times} times and recreated. The latest damaged file is {newest}",
            times,
            newest = newest.display()
        ),
    };
    let hint = tr!(
        "check the disk with `dmesg`. If you don't need the files: rm -r {directory}",
        directory = directory.display()
    );
    vec![Finding::warn(TOPIC, message).hint(hint)]
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::Level, *};

    #[test]
    fn rows_that_lie_aside_are_named_with_what_to_do() {
        let paths = Paths::below(Path::new("/there"));
        let newest = Clean::new("sessions: missing field `step`");
        let finding = set_aside(&(3, newest), &paths);
        assert_eq!(finding.level, Level::Warn);
        let message = finding.message.as_str();
        assert!(message.starts_with("3 rows couldn't be read"), "{message}");
        assert!(message.ends_with("missing field `step`"), "{message}");
    }

    #[test]
    fn a_store_that_was_kept_aside_is_named_with_what_to_do() {
        let dir = tempfile::tempdir().unwrap();
        let paths = Paths::below(dir.path());
        assert_eq!(kept_aside(&paths), []);
        let aside = paths.database().with_file_name("aside");
        fs::create_dir_all(&aside).unwrap();
        fs::write(aside.join("workbay.db.corrupt-20260101T000000Z"), "").unwrap();
        fs::write(aside.join("workbay.db.corrupt-20260101T000000Z-wal"), "").unwrap();
        let findings = kept_aside(&paths);
        assert_eq!((findings.len(), findings[0].level), (1, Level::Warn));
        let message = findings[0].message.as_str();
        assert!(message.contains("damaged once"), "{message}");
        assert!(message.ends_with("corrupt-20260101T000000Z"), "{message}");
    }
}
