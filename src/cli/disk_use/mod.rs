//! What workbay uses on this machine's disks, for `workbay info` and `workbay doctor`.

mod measure;
mod sessions;

use std::{
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use serde::Serialize;

use self::{
    measure::Meter,
    sessions::{Asked, SessionHome},
};
use super::{Start, output};
use crate::{
    config::paths::Paths,
    model::{resources::Bytes, text::Clean},
    space::DiskSpace,
};

/// How many things are named with the command that frees their space.
const NAMED: usize = 3;

/// The name of the trash among the folders.
const TRASH: &str = ".trash";

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DiskUse {
    parts: Vec<Part>,
    file_systems: Vec<FileSystem>,
    /// The largest things that can be deleted, the largest first.
    largest: Vec<Item>,
    /// Whether something couldn't be measured completely, for example because it has too many files.
    incomplete: bool,
}

/// One kind of data.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Part {
    /// `database`, `folders`, `trash`, `homes-running`, `homes-ended`, `images`.
    what: &'static str,
    /// In bytes.
    size: u64,
    count: u64,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FileSystem {
    /// The directories of workbay that are on it.
    paths: Vec<String>,
    total: u64,
    free: u64,
}

/// Something that can be deleted.
#[derive(Clone, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Item {
    what: Clean,
    size: u64,
    /// What frees its space.
    command: String,
}

/// One kind of data while it is being measured.
struct Kind {
    what: &'static str,
    found: Vec<Item>,
}

impl Kind {
    fn part(&self) -> Part {
        Part {
            what: self.what,
            size: self.found.iter().map(|it| it.size).sum(),
            count: self.found.len() as u64,
        }
    }
}

/// Measures for a limited time. Asks the daemon about sessions and images only if one runs.
pub fn collect(start: &Start) -> DiskUse {
    let paths = &start.paths;
    let asked = sessions::ask(paths);
    let mut meter = Meter::begin();
    let mut kinds = vec![database(paths, &mut meter)];
    kinds.extend(folders(&paths.folders_dir(), &mut meter));
    kinds.extend(homes(&paths.sessions_dir(), &asked, &mut meter));
    kinds.push(Kind {
        what: "images",
        found: asked.images,
    });
    // The database can't be deleted.
    let mut largest: Vec<Item> = kinds[1..].iter().flat_map(|it| it.found.clone()).collect();
    largest.retain(|it| it.size > 0);
    largest.sort_by_key(|it| std::cmp::Reverse(it.size));
    largest.truncate(NAMED);
    DiskUse {
        parts: kinds.iter().map(Kind::part).collect(),
        file_systems: file_systems(&[&paths.state_dir, &paths.folders_dir(), &paths.cache_dir]),
        largest,
        incomplete: meter.is_incomplete(),
    }
}

fn item(what: impl Into<Clean>, size: u64, command: String) -> Item {
    Item {
        what: what.into(),
        size,
        command,
    }
}

fn database(paths: &Paths, meter: &mut Meter) -> Kind {
    let file = paths.database();
    let beside = ["-wal", "-shm"].map(|end| {
        let mut name = file.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    });
    let all = [file.clone(), file.with_extension("reserve")];
    let size = all.iter().chain(&beside).map(|path| meter.size(path)).sum();
    Kind {
        what: "database",
        found: vec![item(tr!("state database"), size, String::new())],
    }
}

fn folders(place: &Path, meter: &mut Meter) -> [Kind; 2] {
    let names = measure::directories(place);
    let named = names.into_iter().filter(|name| name != TRASH);
    let folders = named.map(|name| {
        let size = meter.size(&place.join(&name));
        let shown = Clean::new(&tr!("folder {name}", name));
        item(shown, size, format!("workbay folder rm {name}"))
    });
    let folders = folders.collect();
    let trash = place.join(TRASH);
    let trashed = measure::directories(&trash).into_iter().map(|id| {
        let size = meter.size(&trash.join(&id));
        let name = id.split_once('.').map_or(id.as_str(), |(_, name)| name);
        let shown = Clean::new(&tr!("folder {name} in the trash", name));
        item(shown, size, format!("workbay folder purge {id}"))
    });
    [
        Kind {
            what: "folders",
            found: folders,
        },
        Kind {
            what: "trash",
            found: trashed.collect(),
        },
    ]
}

/// Home directories. Without a daemon, whether a session runs isn't known, and all count as ended.
fn homes(place: &Path, asked: &Asked, meter: &mut Meter) -> [Kind; 2] {
    let (mut running, mut ended) = (Vec::new(), Vec::new());
    for id in measure::directories(place) {
        let size = meter.size(&place.join(&id));
        match asked.homes.get(&id) {
            Some(SessionHome { name, runs: true }) => {
                let what = tr!("home directory of {name}, which hasn't ended", name);
                let command = format!("workbay terminate {name}");
                running.push(item(what.as_str(), size, command));
            }
            known => {
                let name = known.map_or(id.as_str(), |it| it.name.as_str());
                let what = tr!("home directory of {name}", name);
                ended.push(item(what.as_str(), size, format!("workbay rm {id}")));
            }
        }
    }
    let kind = |what, found| Kind { what, found };
    [kind("homes-running", running), kind("homes-ended", ended)]
}

fn file_systems(places: &[&Path]) -> Vec<FileSystem> {
    let mut found: Vec<(u64, FileSystem)> = Vec::new();
    for place in places {
        let Ok(about) = place.metadata() else {
            continue;
        };
        let shown = place.display().to_string();
        if let Some((_, known)) = found.iter_mut().find(|(device, _)| *device == about.dev()) {
            known.paths.push(shown);
        } else if let Ok(space) = DiskSpace::at(place) {
            let system = FileSystem {
                paths: vec![shown],
                total: space.total.0,
                free: space.free.0,
            };
            found.push((about.dev(), system));
        }
    }
    found.into_iter().map(|(_, system)| system).collect()
}

/// A kind of data in words.
fn words(what: &str) -> &str {
    match what {
        "database" => tr!("state database"),
        "trash" => tr!("folders in the trash"),
        "homes-running" => tr!("homes of sessions that haven't ended"),
        "homes-ended" => tr!("homes of ended sessions"),
        "images" => tr!("your images"),
        other => other,
    }
}

impl DiskUse {
    /// The lines of `workbay info`.
    pub fn text(&self) -> String {
        let mut fields: Vec<(&str, String)> = Vec::new();
        for part in &self.parts {
            let size = Bytes(part.size);
            let text = match (part.what, part.count) {
                (_, 0) => "-".to_owned(),
                ("database", _) => size.to_string(),
                (_, count) => format!("{size} ({count})"),
            };
            fields.push((words(part.what), text));
        }
        for system in &self.file_systems {
            let (free, total) = (Bytes(system.free), Bytes(system.total));
            let paths = system.paths.join(", ");
            fields.push((tr_later!("free"), format!("{free} of {total} at {paths}")));
        }
        for item in &self.largest {
            let (what, size) = (&item.what, Bytes(item.size));
            fields.push((
                tr_later!("largest"),
                format!("{size}  {what}: `{}`", item.command),
            ));
        }
        if self.incomplete {
            let text = tr!("some directories have too many files, or can't be read");
            fields.push((tr_later!("incomplete"), text.to_owned()));
        }
        output::fields(&fields)
    }

    /// One sentence for `workbay doctor`.
    pub fn sentence(&self) -> String {
        let used = self.parts.iter().filter(|it| it.size > 0);
        let used: Vec<String> = used
            .map(|part| format!("{} {}", words(part.what), Bytes(part.size)))
            .collect();
        let more = if self.incomplete {
            tr!(", or more")
        } else {
            ""
        };
        match used.as_slice() {
            [] => tr!("nothing is stored yet").to_owned(),
            used => format!("{}{more}", used.join(", ")),
        }
    }

    /// The commands that free the most space.
    pub fn advice(&self) -> Option<String> {
        let each = self.largest.iter();
        let each: Vec<String> = each
            .map(|item| format!("{} ({}, {})", item.command, Bytes(item.size), item.what))
            .collect();
        (!each.is_empty()).then(|| each.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_named_with_the_command_that_frees_them() {
        let dir = tempfile::tempdir().unwrap();
        let folders_dir = dir.path().join("folders");
        for (name, size) in [
            ("small", 10_000),
            ("big", 400_000),
            (".trash/1.old", 200_000),
        ] {
            let place = folders_dir.join(name);
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("file"), vec![1; size]).unwrap();
        }
        let mut meter = Meter::begin();
        let [own, trash] = folders(&folders_dir, &mut meter);
        let sizes = (own.part().size, trash.part().size);
        assert!((410_000..600_000).contains(&sizes.0), "{sizes:?}");
        assert!((200_000..300_000).contains(&sizes.1), "{sizes:?}");
        assert_eq!((own.part().count, trash.part().count), (2, 1));
        let big = own.found.iter().max_by_key(|it| it.size).unwrap();
        assert_eq!(big.command, "workbay folder rm big");
        assert_eq!(trash.found[0].command, "workbay folder purge 1.old");
        assert!(!meter.is_incomplete());
    }

    #[test]
    fn homes_of_running_sessions_are_distinguished_from_others() {
        let dir = tempfile::tempdir().unwrap();
        for id in ["a", "b", "c"] {
            std::fs::create_dir_all(dir.path().join(id).join("work")).unwrap();
        }
        let home = |name: &str, runs| SessionHome {
            name: name.to_owned(),
            runs,
        };
        let asked = Asked {
            homes: [
                ("a".to_owned(), home("train", true)),
                ("b".to_owned(), home("old", false)),
            ]
            .into(),
            images: Vec::new(),
        };
        let [running, ended] = homes(dir.path(), &asked, &mut Meter::begin());
        assert_eq!(running.found[0].command, "workbay terminate train");
        let commands: Vec<&str> = ended.found.iter().map(|it| it.command.as_str()).collect();
        assert_eq!(commands, ["workbay rm b", "workbay rm c"]);
    }

    #[test]
    fn directories_of_one_file_system_are_listed_together() {
        let dir = tempfile::tempdir().unwrap();
        let found = file_systems(&[dir.path(), &dir.path().join("none"), Path::new("/proc")]);
        assert_eq!(found.len(), 2);
        assert!(found[0].free < found[0].total);
        let same = file_systems(&[dir.path(), dir.path()]);
        assert_eq!(same[0].paths.len(), 2);
    }
}
