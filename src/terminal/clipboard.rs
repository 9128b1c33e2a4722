//! What fits into a clipboard by way of a terminal (OSC 52).

/// Longest text in base64. Terminals drop longer ones silently.
pub const LONGEST: usize = 74_994;

/// Whether a terminal takes the text.
#[must_use]
pub fn fits(text: &str) -> bool {
    encoded(text.len()) <= LONGEST
}

/// How long so many bytes are in base64.
#[must_use]
pub fn encoded(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}
