//! The natural order of names: `job-2` before `job-10`.

use std::cmp::Ordering;

/// Compares two names with each run of digits as a number. `007` and `7` only differ if everything else is
/// equal, so two different names are never equal.
#[must_use]
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut one, mut other) = (a.as_bytes(), b.as_bytes());
    loop {
        let (a_number, b_number) = (digits(one), digits(other));
        let order = if a_number.is_empty() || b_number.is_empty() {
            match (one.first(), other.first()) {
                (None, None) => return a.cmp(b),
                (x, y) => x.cmp(&y),
            }
        } else {
            by_value(a_number, b_number)
        };
        if order.is_ne() {
            return order;
        }
        one = &one[a_number.len().max(1)..];
        other = &other[b_number.len().max(1)..];
    }
}

fn digits(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|byte| !byte.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}

/// Compares numbers of any length. Without leading zeros, the longer one is larger.
fn by_value(a: &[u8], b: &[u8]) -> Ordering {
    let bare = |number: &[u8]| number.iter().take_while(|digit| **digit == b'0').count();
    let (a, b) = (&a[bare(a)..], &b[bare(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted() {
        let mut names = [
            "job-10", "job-2", "job", "job-02", "job-1", "일-3", "a9b", "a10b", "a9",
        ];
        names.sort_unstable_by(|a, b| compare(a, b));
        assert_eq!(
            names,
            [
                "a9", "a9b", "a10b", "job", "job-1", "job-02", "job-2", "job-10", "일-3"
            ]
        );
    }

    #[test]
    fn two_names_are_equal_only_where_they_are_the_same() {
        assert_eq!(compare("a-7", "a-7"), Ordering::Equal);
        assert_eq!(compare("", ""), Ordering::Equal);
        assert_eq!(compare("a-007", "a-7"), Ordering::Less);
        assert_eq!(compare("a-7", "a-007"), Ordering::Greater);
        let long = "9".repeat(40);
        assert_eq!(compare(&long, &format!("1{long}")), Ordering::Less);
    }

    #[test]
    fn a_digit_and_a_letter_go_by_their_place_in_the_alphabet() {
        assert_eq!(compare("a1", "aa"), Ordering::Less);
        assert_eq!(compare("a", "a1"), Ordering::Less);
        assert_eq!(compare("1", "a"), Ordering::Less);
    }
}
