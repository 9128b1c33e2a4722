//! Short forms of ids. The first half of a manager's id is the time, so ids created together have the same
//! beginning. A short form is long enough to distinguish an id from the others shown with it.

use super::kernel::Kernel;

/// The minimum length.
const LEAST: usize = 8;

/// The shortest beginning of `id` that no other id has.
#[must_use]
pub fn among<'a>(id: &str, others: impl IntoIterator<Item = &'a str>) -> String {
    let alike = |other: &str| {
        let same = id.bytes().zip(other.bytes());
        same.take_while(|(one, other)| one == other).count()
    };
    let others = others.into_iter().filter(|other| *other != id);
    let most = others.map(alike).max().unwrap_or(0);
    let mut length = LEAST.max(most + 1).min(id.len());
    // A trailing hyphen doesn't distinguish ids, so the form gets one more character.
    if id.as_bytes().get(length - 1) == Some(&b'-') && length < id.len() {
        length += 1;
    }
    id.get(..length).unwrap_or(id).to_owned()
}

/// The short forms of ids shown together, in their order.
#[must_use]
pub fn all(ids: &[String]) -> Vec<String> {
    // In sorted order, the most similar ids are neighbors.
    let mut sorted: Vec<&str> = ids.iter().map(String::as_str).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let short = |id: &String| {
        let at = sorted.partition_point(|other| *other < id.as_str());
        let before = at.checked_sub(1).and_then(|at| sorted.get(at));
        let beside = before.into_iter().chain(sorted.get(at + 1)).copied();
        among(id, beside)
    };
    ids.iter().map(short).collect()
}

/// The short forms of the ids of a session's containers.
#[must_use]
pub fn kernels(kernels: &[Kernel]) -> Vec<String> {
    let ids: Vec<String> = kernels.iter().map(|it| it.id.to_string()).collect();
    all(&ids)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_moment_are_distinguished() {
        let ids = [
            "01a208c3-1d0d-77d7-91a2-15a64c6799e7",
            "01a208c3-1d0d-7aaa-91a2-15a64c6799e7",
            "7ae47491-2dd0-46ca-850e-b584918983cb",
        ]
        .map(str::to_owned);
        let short = ["01a208c3-1d0d-77", "01a208c3-1d0d-7a", "7ae47491"];
        assert_eq!(all(&ids), short);
        for (id, short) in ids.iter().zip(all(&ids)) {
            let found = ids.iter().filter(|it| it.starts_with(&short));
            assert_eq!(found.collect::<Vec<_>>(), [id]);
        }
        assert_eq!(all(&ids[..1]), ["01a208c3"]);
        assert_eq!(all(&[]), Vec::<String>::new());
    }

    #[test]
    fn a_form_does_not_end_in_a_hyphen() {
        let ids = ["01a208c3-1d0d", "01a208c3-2d0d"].map(str::to_owned);
        assert_eq!(all(&ids), ["01a208c3-1", "01a208c3-2"]);
        let ids = ["01a208c31d0d", "01a208c3-d0d"].map(str::to_owned);
        assert_eq!(all(&ids), ["01a208c31", "01a208c3-d"]);
        // Two identical ids.
        let ids = ["01a208c3-1d0d", "01a208c3-1d0d"].map(str::to_owned);
        assert_eq!(all(&ids), ["01a208c3", "01a208c3"]);
        assert_eq!(among("ab", ["ac"]), "ab");
    }
}
