//! Finds errors in a log.

use std::ops::Range;

/// The words that errors begin with in common languages and tools. They must match exactly: `0 errors` or
/// `error_rate` isn't an error.
const WORDS: [&str; 22] = [
    "Traceback (most recent call last)",
    "Error:",
    "Exception:",
    "ERROR",
    "error:",
    "error[",
    "Exception in thread",
    "FATAL",
    "Fatal",
    "fatal:",
    "CRITICAL",
    "panicked at",
    "panic:",
    "Segmentation fault",
    "core dumped",
    "CUDA error",
    "out of memory",
    "Out of memory",
    "Killed",
    "command not found",
    "No such file or directory",
    "Permission denied",
];

/// What workbay begins its own lines in a log with. They quote commands, which may contain any word.
const OWN: &str = "workbay: ";

/// Returns the part of a line that looks like an error.
pub(super) fn find(line: &str) -> Option<Range<usize>> {
    if line.starts_with(OWN) {
        return None;
    }
    let found = |word: &str| line.find(word).map(|at| at..at + word.len());
    WORDS.into_iter().find_map(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_lines_are_no_errors() {
        assert_eq!(find("ERROR: no space"), Some(0..5));
        assert_eq!(find("workbay: runs sh -c 'echo ERROR'"), None);
    }
}
