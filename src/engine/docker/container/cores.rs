//! Chooses the cores for a session with a whole number of CPUs.
//!
//! With a share of time (`--cpus`), the whole machine stays visible, and programs that count cores start a
//! thread for each. A session with whole CPUs is therefore also pinned to that many cores.

use std::{collections::BTreeMap, fs};

use crate::model::resources::Cpu;

/// The cores of this machine that this process may use, by number.
pub(in crate::engine::docker) fn allowed() -> Vec<u32> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let list = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
    list.map(parse).unwrap_or_default()
}

/// Parses `0,2-4` into numbers.
pub(in crate::engine::docker) fn parse(list: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for part in list.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.trim().parse::<u32>(), last.trim().parse::<u32>())
        else {
            continue;
        };
        // A list with more cores than any machine has is damaged.
        found.extend((first..=last).take(8192));
    }
    found
}

/// Chooses the requested number of cores, those used by the fewest sessions first; `None` if a fraction of a CPU is
/// requested, or more than there are.
pub(in crate::engine::docker) fn choose(
    ask: Cpu,
    allowed: &[u32],
    taken: &[Vec<u32>],
) -> Option<String> {
    let count = usize::try_from(ask.millis() / 1000).ok()?;
    if count == 0 || !ask.millis().is_multiple_of(1000) || count > allowed.len() {
        return None;
    }
    let mut load: BTreeMap<u32, usize> = allowed.iter().map(|core| (*core, 0)).collect();
    for core in taken.iter().flatten() {
        if let Some(holders) = load.get_mut(core) {
            *holders += 1;
        }
    }
    let mut order: Vec<(usize, u32)> = load.into_iter().map(|(core, n)| (n, core)).collect();
    order.sort_unstable();
    let mut chosen: Vec<u32> = order
        .into_iter()
        .take(count)
        .map(|(_, core)| core)
        .collect();
    chosen.sort_unstable();
    Some(list(&chosen))
}

/// Formats `0,2,3`, which [`parse`] reads.
pub(in crate::engine::docker) fn list(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read() {
        assert_eq!(parse("\t0-2,5\n"), [0, 1, 2, 5]);
        assert_eq!(parse("x,3,-"), [3]);
        assert!(!allowed().is_empty());
    }

    #[test]
    fn the_least_used_cores_are_taken() {
        let all = [0, 1, 2, 3];
        let taken = [vec![0, 1], vec![0]];
        let choose = |millis| choose(Cpu::from_millis(millis), &all, &taken);
        assert_eq!(choose(1000).as_deref(), Some("2"));
        assert_eq!(choose(3000).as_deref(), Some("1,2,3"));
        assert_eq!(choose(4000).as_deref(), Some("0,1,2,3"));
        assert_eq!(choose(5000), None);
        assert_eq!(choose(1500), None);
        assert_eq!(choose(500), None);
    }
}
