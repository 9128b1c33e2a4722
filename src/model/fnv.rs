//! FNV-1a: short hashes that are the same on every machine and in every version. They aren't for security.

/// A hash of 64 bits. Every step is reversible, so one changed byte always changes the result.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    #[must_use]
    pub fn value(self) -> u64 {
        self.0
    }
}

/// The hash of 128 bits.
#[must_use]
pub fn wide(bytes: &[u8]) -> u128 {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let step = |hash: u128, byte: &u8| (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
    bytes.iter().fold(BASIS, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_are_those_of_the_specification() {
        let mut hash = Fnv::default();
        hash.add(b"foo");
        hash.add(b"bar");
        assert_eq!(hash.value(), 0x8594_4171_f739_67e8);
        assert_eq!(wide(b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }
}
