//! Finding what went wrong in a log.

use super::store::Store;

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

/// The first line from `number` on that looks like an error, and what it is recognized by.
pub(super) fn find(store: &Store, number: usize) -> Option<(usize, &'static str)> {
    (number.max(store.first())..store.ended()).find_map(|number| {
        let line = store.get(number)?.line.text.as_str();
        let word = WORDS.into_iter().find(|word| line.contains(word))?;
        Some((number, word))
    })
}
