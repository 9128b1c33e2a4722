//! The service with packets in memory. What clients make of it is tested with OpenSSH's.

use std::fs;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use russh_sftp::protocol::{
    Close, Extended, FileAttributes, Init, Open, OpenDir, OpenFlags, Packet, Read, ReadDir, Remove,
    StatusCode, Write,
};

use super::{LONGEST_DATA, SftpStreamError, handles, incoming::Incoming, serve};

fn encoded(packets: impl IntoIterator<Item = Packet>) -> Vec<u8> {
    let bytes = packets
        .into_iter()
        .map(|packet| Bytes::try_from(packet).unwrap());
    bytes.flatten().collect()
}

fn decoded(output: &[u8]) -> Vec<Packet> {
    let mut left = Bytes::copy_from_slice(output);
    let mut packets = Vec::new();
    while !left.is_empty() {
        let length = left.get_u32() as usize;
        packets.push(Packet::try_from(&mut left.split_to(length)).unwrap());
    }
    packets
}

/// The answers to these requests.
fn answers(requests: impl IntoIterator<Item = Packet>) -> Vec<Packet> {
    let mut output = Vec::new();
    serve(&encoded(requests)[..], &mut output).unwrap();
    decoded(&output)
}

fn code(packet: &Packet) -> Option<(u32, StatusCode)> {
    match packet {
        Packet::Status(status) => Some((status.id, status.status_code)),
        _ => None,
    }
}

fn open(id: u32, path: &std::path::Path, pflags: OpenFlags) -> Packet {
    Packet::Open(Open {
        id,
        filename: path.to_str().unwrap().to_owned(),
        pflags,
        attrs: FileAttributes::empty(),
    })
}

fn read(id: u32, offset: u64, len: u32) -> Packet {
    let handle = "0".to_owned();
    Packet::Read(Read {
        id,
        handle,
        offset,
        len,
    })
}

#[test]
fn the_first_answer_names_the_version_and_the_extensions() {
    let answers = answers([Packet::Init(Init::new())]);
    let [Packet::Version(version)] = &answers[..] else {
        panic!("{answers:?}");
    };
    assert_eq!(version.version, 3);
    assert_eq!(version.extensions["posix-rename@openssh.com"], "1");
}

#[test]
fn a_file_is_written_and_read_in_any_order() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    let write = |id, offset, data: &[u8]| {
        Packet::Write(Write {
            id,
            handle: "0".to_owned(),
            offset,
            data: data.to_vec(),
        })
    };
    let both = OpenFlags::READ | OpenFlags::WRITE | OpenFlags::CREATE;
    let answers = answers([
        open(1, &path, both),
        write(2, 3, b"def"),
        write(3, 0, b"abc"),
        read(4, 2, 3),
        read(5, 4, 100),
        read(6, 6, 100),
        Packet::Close(Close {
            id: 7,
            handle: "0".to_owned(),
        }),
        read(8, 0, 1),
    ]);
    assert_eq!(fs::read(&path).unwrap(), b"abcdef");
    let pieces: Vec<(u32, &[u8])> = answers
        .iter()
        .filter_map(|packet| match packet {
            Packet::Data(data) => Some((data.id, &data.data[..])),
            _ => None,
        })
        .collect();
    assert_eq!(pieces, [(4, &b"cde"[..]), (5, &b"ef"[..])]);
    let codes: Vec<_> = answers.iter().filter_map(code).collect();
    let ok = StatusCode::Ok;
    let expected = [
        (2, ok),
        (3, ok),
        (6, StatusCode::Eof),
        (7, ok),
        (8, StatusCode::Failure),
    ];
    assert_eq!(codes, expected);
}

#[test]
fn a_read_that_asks_for_too_much_gets_what_fits_a_packet() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, vec![1; LONGEST_DATA + 10]).unwrap();
    let answers = answers([open(1, &path, OpenFlags::READ), read(2, 0, u32::MAX)]);
    let Packet::Data(data) = &answers[1] else {
        panic!("{:?}", answers[1]);
    };
    assert_eq!(data.data.len(), LONGEST_DATA);
}

#[test]
fn appended_data_goes_to_the_end_wherever_it_is_said_to_belong() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    fs::write(&path, "abc").unwrap();
    let write = Packet::Write(Write {
        id: 2,
        handle: "0".to_owned(),
        offset: 0,
        data: b"def".to_vec(),
    });
    answers([open(1, &path, OpenFlags::WRITE | OpenFlags::APPEND), write]);
    assert_eq!(fs::read(&path).unwrap(), b"abcdef");
}

#[test]
fn packets_that_are_too_long_or_empty_end_the_service() {
    let mut output = Vec::new();
    let long = 200_000_000_u32.to_be_bytes();
    let outcome = serve(&long[..], &mut output);
    assert!(
        matches!(outcome, Err(SftpStreamError::TooLong(200_000_000))),
        "{outcome:?}"
    );
    let outcome = serve(&[0; 4][..], &mut output);
    assert!(
        matches!(outcome, Err(SftpStreamError::Empty)),
        "{outcome:?}"
    );
    // A truncated packet isn't a request.
    serve(&[0, 0, 0, 9, 13, 0][..], &mut output).unwrap();
    assert!(output.is_empty());
}

#[test]
fn what_cannot_be_read_is_answered_under_its_number() {
    let mut input = BytesMut::new();
    // A name that isn't UTF-8.
    input.put_slice(&[0, 0, 0, 10, 13, 0, 0, 0, 7, 0, 0, 0, 1, 0xff]);
    // A type that doesn't exist, and requests that end early.
    input.put_slice(&[0, 0, 0, 5, 77, 0, 0, 0, 8]);
    input.put_slice(&[0, 0, 0, 5, 5, 0, 0, 0, 9]);
    input.put_slice(&[0, 0, 0, 9, 6, 0, 0, 0, 10, 0xff, 0xff, 0xff, 0xff]);
    let mut output = Vec::new();
    serve(&input[..], &mut output).unwrap();
    let codes: Vec<_> = decoded(&output).iter().filter_map(code).collect();
    let bad = StatusCode::BadMessage;
    assert_eq!(codes, [(7, bad), (8, bad), (9, bad), (10, bad)]);
}

#[test]
fn refusals_have_the_status_of_their_reason() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    let extended = Packet::Extended(Extended {
        id: 3,
        request: "unknown@example.org".to_owned(),
        data: Vec::new(),
    });
    let answers = answers([
        open(1, &missing, OpenFlags::READ),
        Packet::Remove(Remove {
            id: 2,
            filename: directory.path().to_str().unwrap().to_owned(),
        }),
        extended,
    ]);
    let codes: Vec<_> = answers.iter().filter_map(code).collect();
    assert_eq!(codes[0], (1, StatusCode::NoSuchFile));
    assert!(matches!(
        codes[1],
        (2, StatusCode::Failure | StatusCode::PermissionDenied)
    ));
    assert_eq!(codes[2], (3, StatusCode::OpUnsupported));
}

#[test]
fn open_files_are_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().to_str().unwrap().to_owned();
    let opens = (0..=handles::MOST).map(|id| {
        let path = path.clone();
        let id = u32::try_from(id).unwrap();
        Packet::OpenDir(OpenDir { id, path })
    });
    let answers = answers(opens);
    assert!(matches!(answers[handles::MOST - 1], Packet::Handle(_)));
    assert!(code(&answers[handles::MOST]).is_some());
}

#[test]
fn a_directory_lists_all_its_entries_once() {
    let directory = tempfile::tempdir().unwrap();
    for number in 0..500 {
        fs::write(directory.path().join(format!("{number:03}")), "").unwrap();
    }
    let open = Packet::OpenDir(OpenDir {
        id: 0,
        path: directory.path().to_str().unwrap().to_owned(),
    });
    let reads = (1..10).map(|id| {
        let handle = "0".to_owned();
        Packet::ReadDir(ReadDir { id, handle })
    });
    let answers = answers(std::iter::once(open).chain(reads));
    let mut names = Vec::new();
    for answer in &answers {
        if let Packet::Name(name) = answer {
            names.extend(name.files.iter().map(|file| file.filename.clone()));
        }
    }
    names.sort();
    assert_eq!(
        (names.len(), &*names[0], &*names[1], &*names[501]),
        (502, ".", "..", "499")
    );
    assert_eq!(code(answers.last().unwrap()), Some((9, StatusCode::Eof)));
}

/// Gives its bytes in pieces of these lengths.
struct Pieces(Vec<u8>, Vec<usize>);

impl std::io::Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let wanted = self.1.pop().unwrap_or(usize::MAX).max(1);
        let length = wanted.min(buffer.len()).min(self.0.len());
        buffer[..length].copy_from_slice(&self.0[..length]);
        self.0.drain(..length);
        Ok(length)
    }
}

proptest::proptest! {
    #[test]
    fn packets_are_the_same_however_they_arrive(
        packets in proptest::collection::vec(proptest::collection::vec(proptest::num::u8::ANY, 1..300), 0..20),
        pieces: Vec<u8>,
    ) {
        let mut bytes = Vec::new();
        for packet in &packets {
            bytes.put_u32(u32::try_from(packet.len()).unwrap());
            bytes.put_slice(packet);
        }
        let pieces = pieces.into_iter().map(usize::from).collect();
        let mut incoming = Incoming::new(Pieces(bytes, pieces));
        for packet in &packets {
            assert_eq!(incoming.next().unwrap().unwrap(), &packet[..]);
            // The library must decode or refuse whatever comes.
            let _ = Packet::try_from(&mut Bytes::copy_from_slice(packet));
        }
        assert!(incoming.next().unwrap().is_none());
    }
}
