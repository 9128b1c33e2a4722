//! The fields of a request, one after the other.

const INIT: u8 = 1;
const RENAME: u8 = 18;
const SYMLINK: u8 = 20;

/// What is left of the request. A method returns `None` if the field isn't complete.
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Fields<'a> {
    pub(super) fn u32(&mut self) -> Option<u32> {
        let (four, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*four))
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        let (eight, rest) = self.0.split_first_chunk::<8>()?;
        self.0 = rest;
        Some(u64::from_be_bytes(*eight))
    }

    /// Bytes with their length before them.
    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()? as usize;
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    /// Like [`Fields::bytes`], for text in UTF-8.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }
}

/// Whether the names in a request are UTF-8. The SFTP library replaces what isn't, and the name of another file would be
/// the result.
pub(super) fn are_text(packet: &[u8]) -> bool {
    let Some((kind, body)) = packet.split_first() else {
        return false;
    };
    let names = match *kind {
        INIT => return true,
        RENAME | SYMLINK => 2,
        _ => 1,
    };
    let mut fields = Fields(body);
    fields.u32().is_some() && (0..names).all(|_| fields.text().is_some())
}
