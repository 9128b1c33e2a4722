//! Limits for clipboard writes through a terminal (OSC 52).

/// Longest text in base64. Terminals drop longer ones silently.
pub const LONGEST: usize = 74_994;

/// Whether a terminal accepts the text.
#[must_use]
pub fn fits(text: &str) -> bool {
    encoded(text.len()) <= LONGEST
}

/// The length in base64 of this number of bytes.
#[must_use]
pub fn encoded(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}
