//! Thins out old samples, so that a tape covers a long time and its length stays limited.

use std::ops::Range;

use jiff::{SignedDuration, Timestamp};

/// The max number of samples of one tape.
pub(super) const MOST: usize = 300;
/// The min number of samples to remove from a full tape, so that it isn't thinned at each sample.
const ROOM: usize = MOST / 8;
/// In the older half, samples closer together than this are merged. With one sample per second, a tape covers
/// ten minutes or more.
const CLOSE: SignedDuration = SignedDuration::from_secs(5);

/// The groups of samples to merge, oldest first. Samples in no group are removed. Samples without any value
/// (a gap) are never merged with others.
pub(super) fn groups(at: &[Timestamp], is_empty: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
    let old = at.len() / 2;
    let mut groups: Vec<Range<usize>> = Vec::with_capacity(at.len());
    for place in 0..at.len() {
        let joins = groups.last().is_some_and(|group| {
            let empty = is_empty(group.start);
            let close = empty || at[place].duration_since(at[group.start]) < CLOSE;
            place < old && close && empty == is_empty(place)
        });
        match groups.last_mut() {
            Some(group) if joins => group.end = place + 1,
            _ => groups.push(place..place + 1),
        }
    }
    let surplus = groups.len().saturating_sub(MOST - ROOM);
    groups.split_off(surplus)
}

/// The mean of the known values.
pub(super) fn mean(values: &[Option<u64>]) -> Option<u64> {
    let known = values.iter().flatten();
    let sum: u128 = known.clone().map(|value| u128::from(*value)).sum();
    let mean = sum.checked_div(known.count() as u128)?;
    u64::try_from(mean).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(all: impl IntoIterator<Item = i64>) -> Vec<Timestamp> {
        let at = |second| Timestamp::from_second(second).unwrap();
        all.into_iter().map(at).collect()
    }

    #[test]
    fn the_older_half_is_thinned_and_the_newer_stays() {
        let at = seconds(0..20);
        let groups = groups(&at, |_| false);
        assert_eq!(groups[..2], [0..5, 5..10]);
        assert_eq!(groups.len(), 2 + 10);
    }

    #[test]
    fn a_gap_stays_a_gap() {
        let at = seconds([0, 1, 2, 60, 61, 62, 63, 64, 65, 66]);
        let groups = groups(&at, |place| place == 2);
        assert_eq!(groups[..3], [0..2, 2..3, 3..5]);
    }

    #[test]
    fn where_nothing_is_close_the_oldest_go() {
        let at = seconds((0..300).map(|number| number * 15));
        let groups = groups(&at, |_| false);
        assert_eq!(groups.len(), MOST - ROOM);
        assert_eq!(groups.last(), Some(&(299..300)));
    }

    #[test]
    fn a_mean_is_of_what_is_known() {
        assert_eq!(mean(&[Some(1), None, Some(4)]), Some(2));
        assert_eq!(mean(&[None]), None);
        assert_eq!(mean(&[]), None);
    }
}
