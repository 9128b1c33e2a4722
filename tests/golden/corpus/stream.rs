//! The saved streams.

use std::{path::Path, sync::LazyLock};

#[derive(Clone, Debug)]
pub enum Act {
    Feed(Vec<u8>),
    Resize(u16, u16),
}

#[derive(Clone, Debug)]
pub struct RecordedStream {
    pub name: String,
    pub acts: Vec<Act>,
}

impl RecordedStream {
    /// What is printed, without the sizes.
    pub fn bytes(&self) -> Vec<u8> {
        let fed = self.acts.iter().filter_map(|act| match act {
            Act::Feed(bytes) => Some(bytes.as_slice()),
            Act::Resize(..) => None,
        });
        fed.collect::<Vec<_>>().concat()
    }
}

/// Those that were made to be nasty.
pub fn made() -> Vec<RecordedStream> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/corpus"));
    let files = std::fs::read_dir(folder).unwrap();
    let mut streams: Vec<RecordedStream> = files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "txt"))
        .map(|path| RecordedStream {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            acts: acts(&std::fs::read_to_string(&path).unwrap()),
        })
        .collect();
    assert!(!streams.is_empty(), "nothing in {}", folder.display());
    streams.sort_by(|one, other| one.name.cmp(&other.name));
    streams
}

/// The recorded ones as well.
pub fn all() -> &'static [RecordedStream] {
    static ALL: LazyLock<Vec<RecordedStream>> = LazyLock::new(|| {
        let recorded = crate::STREAMS.iter().map(|(name, bytes)| RecordedStream {
            name: (*name).to_owned(),
            acts: vec![Act::Feed(bytes.to_vec())],
        });
        made().into_iter().chain(recorded).collect()
    });
    &ALL
}

fn acts(text: &str) -> Vec<Act> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| match line.strip_prefix("size ") {
            Some(size) => {
                let (columns, rows) = size.split_once('x').unwrap();
                Act::Resize(columns.parse().unwrap(), rows.parse().unwrap())
            }
            None => Act::Feed(unescaped(line)),
        })
        .collect()
}

fn unescaped(line: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            bytes.extend(c.to_string().bytes());
            continue;
        }
        match chars.next() {
            Some('e') => bytes.push(0x1b),
            Some('n') => bytes.push(b'\n'),
            Some('r') => bytes.push(b'\r'),
            Some('t') => bytes.push(b'\t'),
            Some('\\') => bytes.push(b'\\'),
            Some('x') => bytes.push(u8::try_from(number(&mut chars, 2)).unwrap()),
            Some('u') => {
                let c = char::from_u32(number(&mut chars, 4)).unwrap();
                bytes.extend(c.to_string().bytes());
            }
            other => panic!("{line}: \\ and {other:?}"),
        }
    }
    bytes
}

fn number(chars: &mut std::str::Chars<'_>, digits: usize) -> u32 {
    let digits: String = chars.take(digits).collect();
    u32::from_str_radix(&digits, 16).unwrap()
}
