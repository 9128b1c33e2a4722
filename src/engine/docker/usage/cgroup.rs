//! Finds the control groups of this machine, version 1 and 2.

use std::{fs, path::PathBuf};

use crate::tree::mountinfo::unescape;

/// The mount points of the hierarchies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Each version 1 controller (`cpuacct`, `memory`) with its hierarchy.
    v1: Vec<(Vec<String>, CgroupMount)>,
    v2: Option<CgroupMount>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct CgroupMount {
    /// The group that is visible at `place`.
    root: String,
    place: PathBuf,
}

impl Layout {
    pub(super) fn of_machine() -> Self {
        Self::parse(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default())
    }

    fn parse(mountinfo: &str) -> Self {
        let mut layout = Self::default();
        for line in mountinfo.lines() {
            let Some((left, right)) = line.split_once(" - ") else {
                continue;
            };
            let left: Vec<&str> = left.split(' ').collect();
            let right: Vec<&str> = right.split(' ').collect();
            let (Some(root), Some(place)) = (left.get(3), left.get(4)) else {
                continue;
            };
            let mounted = CgroupMount {
                root: unescape(root.as_bytes()).to_string_lossy().into_owned(),
                place: PathBuf::from(unescape(place.as_bytes())),
            };
            match right.first() {
                Some(&"cgroup") => {
                    let options = right.get(2).copied().unwrap_or_default();
                    let controllers = options.split(',').map(str::to_owned).collect();
                    layout.v1.push((controllers, mounted));
                }
                Some(&"cgroup2") => layout.v2 = Some(mounted),
                _ => {}
            }
        }
        layout
    }

    /// The directory of a process's group: the one of `controller` in version 1, else the common one.
    pub(super) fn directory(&self, groups: &str, controller: &str) -> Option<(PathBuf, bool)> {
        for line in groups.lines() {
            let mut parts = line.splitn(3, ':');
            let (Some(_), Some(names), Some(path)) = (parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            if names.split(',').any(|name| name == controller) {
                let mounted = self
                    .v1
                    .iter()
                    .find(|(all, _)| all.iter().any(|one| one == controller));
                return mounted
                    .and_then(|(_, mounted)| mounted.below(path))
                    .map(|dir| (dir, false));
            }
        }
        let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
        self.v2.as_ref()?.below(path).map(|dir| (dir, true))
    }
}

impl CgroupMount {
    fn below(&self, group: &str) -> Option<PathBuf> {
        let root = self.root.trim_end_matches('/');
        let rest = group.strip_prefix(root)?;
        Some(self.place.join(rest.trim_start_matches('/')))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = "30 29 0:26 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n\
                      31 29 0:27 /outer /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n\
                      32 29 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn version_1_has_a_directory_for_each_controller() {
        let layout = Layout::parse(V1);
        let groups = "4:memory:/outer/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n";
        let cpu = layout.directory(groups, "cpuacct").unwrap();
        assert_eq!(cpu, ("/sys/fs/cgroup/cpu,cpuacct/docker/abc".into(), false));
        let memory = layout.directory(groups, "memory").unwrap();
        assert_eq!(memory, ("/sys/fs/cgroup/memory/docker/abc".into(), false));
    }

    #[test]
    fn version_2_has_one() {
        let layout = Layout::parse("32 29 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        let groups = "0::/system.slice/docker-abc.scope\n";
        let memory = layout.directory(groups, "memory").unwrap();
        assert_eq!(
            memory,
            ("/sys/fs/cgroup/system.slice/docker-abc.scope".into(), true)
        );
    }
}
