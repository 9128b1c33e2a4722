//! Reads the loader that an ELF file asks for.

/// The path in PT_INTERP; `None` for a static program.
///
/// An error is a sentence about `bytes`, the beginning of the file (which must include the headers).
pub(super) fn loader(bytes: &[u8]) -> Result<Option<String>, &'static str> {
    const PT_INTERP: u32 = 3;
    let not = tr_sent!("it isn't a 64-bit little-endian ELF program");
    if bytes.get(..6) != Some(b"\x7fELF\x02\x01") {
        return Err(not);
    }
    let table = number(bytes, 0x20, 8).ok_or(not)?;
    let size = number(bytes, 0x36, 2).ok_or(not)?;
    let count = number(bytes, 0x38, 2).ok_or(not)?;
    for index in 0..count {
        let header = table + index * size;
        if number(bytes, header, 4).ok_or(not)? != PT_INTERP as usize {
            continue;
        }
        let start = number(bytes, header + 8, 8).ok_or(not)?;
        let length = number(bytes, header + 32, 8).ok_or(not)?;
        let end = start.checked_add(length).ok_or(not)?;
        let text = bytes.get(start..end).ok_or(not)?;
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        return Ok(Some(String::from_utf8_lossy(text).into_owned()));
    }
    Ok(None)
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let field = bytes.get(at..at.checked_add(width)?)?;
    let value = field
        .iter()
        .rev()
        .fold(0_u64, |sum, byte| (sum << 8) | u64::from(*byte));
    // Larger offsets can't belong to a header.
    usize::try_from(value).ok().filter(|n| *n < usize::MAX / 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_of_this_machine_are_read() {
        let dynamic = std::fs::read("/bin/sh").unwrap();
        assert!(loader(&dynamic).unwrap().unwrap().contains("ld-"));
        let library = loader(&dynamic).unwrap().unwrap();
        let linker = std::fs::read(library).unwrap();
        assert_eq!(loader(&linker), Ok(None));
    }

    proptest::proptest! {
        #[test]
        fn damaged_files_are_refused_not_followed(at in 0_usize..256, value: u8, cut in 0_usize..512) {
            let mut bytes = std::fs::read("/bin/sh").unwrap();
            bytes.truncate(cut.max(64));
            let last = bytes.len() - 1;
            bytes[at.min(last)] = value;
            let _ = loader(&bytes);
        }
    }
}
