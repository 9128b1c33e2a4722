//! The server's side of SFTP version 3: `workbay runner sftp` on stdin and stdout, or a thread of the main process on a
//! socket that the engine got.
//!
//! It runs inside the container as the session's user, so the container bounds what paths can name and the kernel
//! checks permissions. Requests are answered one by one, in order. The two that move the bytes of files are read and
//! answered in the buffers of the streams; all others go through the types of the SFTP library.

mod attributes;
mod directory;
mod extended;
mod fields;
mod files;
mod handles;
mod incoming;
mod status;
#[cfg(test)]
mod tests;

use std::{
    io::{self, Read, Write},
    os::unix::net::UnixStream,
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;
use russh_sftp::protocol::{Packet, StatusCode};

use self::{
    fields::Fields,
    handles::Handles,
    incoming::{Incoming, SftpStreamError},
    status::Refusal,
};
use super::complain;

/// The longest packet in bytes, as in OpenSSH. A longer one ends the connection.
const LONGEST_PACKET: usize = 256 * 1024;

/// How many bytes one request reads or writes at most.
const LONGEST_DATA: usize = LONGEST_PACKET - 1024;

/// Answers are written when this many bytes wait, or when no request waits.
const ANSWERS: usize = 256 * 1024;

const READ: u8 = 5;
const WRITE: u8 = 6;

/// Serves until stdin ends.
pub(super) fn run() -> ExitCode {
    // Without a buffer: this module has its own.
    let (input, output) = (io::stdin().lock(), io::stdout().lock());
    match serve(input, output) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("SFTP: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// The most clients that threads of this process serve at the same time. The engine starts a process for others.
const THREADS: usize = 32;

static SERVING: AtomicUsize = AtomicUsize::new(0);

/// Serves a client in a thread, until it closes the returned socket.
///
/// # Errors
///
/// No socket or thread can be created, or too many clients are served.
pub(super) fn start() -> io::Result<UnixStream> {
    let (server, client) = UnixStream::pair()?;
    let place = ServedClient::new()?;
    let output = server.try_clone()?;
    std::thread::Builder::new()
        .name("sftp".to_owned())
        .spawn(move || {
            // Whatever breaks closes the connection, and the client reports that.
            let _ = serve(&server, output);
            drop(place);
        })?;
    Ok(client)
}

/// A place among [`THREADS`].
struct ServedClient;

impl ServedClient {
    fn new() -> io::Result<Self> {
        if SERVING.fetch_add(1, Ordering::Relaxed) < THREADS {
            return Ok(Self);
        }
        drop(Self);
        Err(io::Error::other("too many SFTP connections"))
    }
}

impl Drop for ServedClient {
    fn drop(&mut self) {
        SERVING.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Serves one client until `input` ends.
///
/// # Errors
///
/// A stream broke, or the client sent a packet that is too long.
fn serve(input: impl Read, mut output: impl Write) -> Result<(), SftpStreamError> {
    let mut incoming = Incoming::new(input);
    let mut server = Sftp {
        handles: Handles::default(),
        answers: Vec::with_capacity(ANSWERS + LONGEST_PACKET),
    };
    loop {
        if server.answers.len() >= ANSWERS || !incoming.has_packet()? {
            output.write_all(&server.answers)?;
            output.flush()?;
            server.answers.clear();
        }
        let Some(packet) = incoming.next()? else {
            return Ok(());
        };
        server.answer(packet);
    }
}

struct Sftp {
    handles: Handles,
    /// Encoded answers that aren't written yet.
    answers: Vec<u8>,
}

impl Sftp {
    fn answer(&mut self, packet: &[u8]) {
        match packet.split_first() {
            Some((&READ, body)) => self.read(body),
            Some((&WRITE, body)) => self.write(body),
            _ => self.other(packet),
        }
    }

    /// Reads a piece of a file behind the head of the answer.
    fn read(&mut self, body: &[u8]) {
        const HEAD: usize = 13;
        let mut fields = Fields(body);
        let (Some(id), Some(handle), Some(offset), Some(length)) =
            (fields.u32(), fields.bytes(), fields.u64(), fields.u32())
        else {
            return self.unreadable(body);
        };
        let start = self.answers.len();
        let length = (length as usize).min(LONGEST_DATA);
        self.answers.resize(start + HEAD + length, 0);
        let piece = &mut self.answers[start + HEAD..];
        let outcome = self.handles.read(handle, piece, offset);
        match outcome {
            Ok(filled) => {
                self.answers.truncate(start + HEAD + filled);
                let head = &mut self.answers[start..start + HEAD];
                head[..4].copy_from_slice(&length_of(9 + filled));
                head[4] = 103;
                head[5..9].copy_from_slice(&id.to_be_bytes());
                head[9..].copy_from_slice(&length_of(filled));
            }
            Err(refusal) => {
                self.answers.truncate(start);
                self.push(refusal.packet(id));
            }
        }
    }

    fn write(&mut self, body: &[u8]) {
        let mut fields = Fields(body);
        let (Some(id), Some(handle), Some(offset), Some(data)) =
            (fields.u32(), fields.bytes(), fields.u64(), fields.bytes())
        else {
            return self.unreadable(body);
        };
        let outcome = self.handles.write(handle, data, offset);
        self.push(status::of(id, outcome));
    }

    fn other(&mut self, packet: &[u8]) {
        let decoded = Packet::try_from(&mut Bytes::copy_from_slice(packet)).ok();
        match decoded.filter(|_| fields::are_text(packet)) {
            Some(request) => {
                let answer = self.request(request);
                self.push(answer);
            }
            None => self.unreadable(packet.get(1..).unwrap_or_default()),
        }
    }

    fn request(&mut self, request: Packet) -> Packet {
        let id = request.get_request_id();
        let outcome = match request {
            Packet::Init(_) => return extended::version(),
            Packet::Open(it) => self.handles.open(id, &it.filename, it.pflags, &it.attrs),
            Packet::Close(it) => return status::of(id, self.handles.close(&it.handle)),
            Packet::OpenDir(it) => self.handles.open_directory(id, &it.path),
            Packet::ReadDir(it) => self.handles.list(id, &it.handle),
            Packet::Fstat(it) => self.handles.attributes(id, &it.handle),
            Packet::FSetStat(it) => self.handles.change(id, &it.handle, &it.attrs),
            Packet::Stat(it) => files::attributes(id, &it.path, true),
            Packet::Lstat(it) => files::attributes(id, &it.path, false),
            Packet::SetStat(it) => files::change(id, &it.path, &it.attrs),
            Packet::Remove(it) => files::remove(id, &it.filename),
            Packet::MkDir(it) => files::make_directory(id, &it.path, &it.attrs),
            Packet::RmDir(it) => files::remove_directory(id, &it.path),
            Packet::RealPath(it) => files::real_path(id, &it.path),
            Packet::Rename(it) => files::rename(id, &it.oldpath, &it.newpath),
            Packet::ReadLink(it) => files::read_link(id, &it.path),
            // OpenSSH has the arguments the other way round than the draft, and all clients follow it.
            Packet::Symlink(it) => files::link(id, &it.linkpath, &it.targetpath),
            Packet::Extended(it) => extended::answer(&self.handles, id, &it.request, &it.data),
            _ => Err(Refusal::new(StatusCode::OpUnsupported)),
        };
        outcome.unwrap_or_else(|refusal| refusal.packet(id))
    }

    /// Answers a request that can't be decoded. Its number is at its beginning.
    fn unreadable(&mut self, body: &[u8]) {
        let id = Fields(body).u32().unwrap_or_default();
        let why = "the request can't be read. Names of files must be UTF-8";
        self.push(Refusal::because(StatusCode::BadMessage, why).packet(id));
    }

    fn push(&mut self, packet: Packet) {
        // An answer that can't be encoded doesn't exist: all are made here, and bounded.
        if let Ok(bytes) = Bytes::try_from(packet) {
            self.answers.extend_from_slice(&bytes);
        }
    }
}

fn length_of(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes()
}
