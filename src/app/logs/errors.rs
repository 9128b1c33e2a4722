//! Finding what went wrong in a log.

use std::ops::Range;

/// What errors begin with, in the words of the usual languages and tools. As they stand: a line about `0 errors` or an
/// `error_rate` is none.
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

/// What a line that looks like an error is recognized by.
pub(super) fn find(line: &str) -> Option<Range<usize>> {
    let found = |word: &str| line.find(word).map(|at| at..at + word.len());
    WORDS.into_iter().find_map(found)
}
