//! A digest that two sides compare when neither may show the text itself to the other.

use std::fmt::Write as _;

use ring::digest::{SHA256, digest};

/// SHA-256 in hexadecimal digits.
#[must_use]
pub fn of(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest(&SHA256, bytes).as_ref() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_is_what_everybody_calls_sha_256() {
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::of(b"abc"), known);
    }
}
