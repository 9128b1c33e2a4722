//! Carries out the daemon's orders.

use std::{
    io::{self, Read as _, Write as _},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
};

use crate::{
    files::{
        LocalWork, PartFile, Root, carry_out,
        wire::{self, Event, FrameKind, HEAD, MAX_PIECE, Order},
    },
    model::{
        failure::Failure,
        files::{FilePath, WriteOptions},
    },
};

pub(super) fn serve(root: &Root) -> io::Result<()> {
    while let Some((kind, content)) = frame()? {
        if kind != FrameKind::Message {
            return Err(io::ErrorKind::InvalidData.into());
        }
        match wire::read_message(&content).map_err(io::Error::other)? {
            Order::Request { request } => send(&match root.answer(&request) {
                Ok(answer) => Event::Answer { answer },
                Err(failure) => Event::Failed { failure },
            })?,
            Order::Read { path, offset } => return read(root, &path, offset),
            Order::Write { path, options } => {
                return ended(write(root, &path, options)?);
            }
            Order::Work { work: order } => return ended(work(root, &order)),
        }
    }
    Ok(())
}

/// The next frame; `None` at the end of the input.
fn frame() -> io::Result<Option<(FrameKind, Vec<u8>)>> {
    let mut input = io::stdin().lock();
    let mut head = [0; HEAD];
    match input.read_exact(&mut head) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let (kind, length) = wire::read_head(head).map_err(io::Error::other)?;
    let mut content = vec![0; length];
    match input.read_exact(&mut content) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        other => other.map(|()| Some((kind, content))),
    }
}

fn send(event: &Event) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(&wire::message(event))?;
    output.flush()
}

fn ended(result: Result<(), Failure>) -> io::Result<()> {
    send(&match result {
        Ok(()) => Event::Done,
        Err(failure) => Event::Failed { failure },
    })
}

fn read(root: &Root, path: &FilePath, offset: u64) -> io::Result<()> {
    let mut file = match root.read(path, offset) {
        Ok(file) => file,
        Err(failure) => return ended(Err(failure)),
    };
    let mut piece = vec![0; MAX_PIECE];
    let mut output = io::stdout().lock();
    loop {
        let length = match file.read(&mut piece) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) => {
                drop(output);
                let text = tr_sent!("'{path}' can't be read: {error}", path, error);
                return ended(Err(Failure::refused(text).hint(tr_sent!("check the disk"))));
            }
        };
        output.write_all(&wire::head(FrameKind::Data, length))?;
        output.write_all(&piece[..length])?;
    }
    drop(output);
    ended(Ok(()))
}

/// Writes what follows into a file. If the input ends before the file, what was written stays.
fn write(root: &Root, path: &FilePath, options: WriteOptions) -> io::Result<Result<(), Failure>> {
    let mut file = match PartFile::open(root, path, options) {
        Ok(file) => file,
        Err(failure) => return Ok(Err(failure)),
    };
    loop {
        match frame() {
            Ok(Some((FrameKind::Data, content))) => {
                if let Err(failure) = file.write(&content) {
                    return Ok(Err(failure));
                }
            }
            Ok(Some((FrameKind::End, _))) => return Ok(file.finish()),
            Ok(Some((FrameKind::Message, _))) => return Err(io::ErrorKind::InvalidData.into()),
            Ok(None) | Err(_) => {
                file.interrupt();
                let text = tr_sent!("the transfer of '{path}' was interrupted", path);
                return Ok(Err(
                    Failure::lost(text).hint(tr_sent!("continue it with `--resume`"))
                ));
            }
        }
    }
}

fn work(root: &Root, work: &LocalWork) -> Result<(), Failure> {
    let is_cancelled = Arc::new(AtomicBool::new(false));
    let cancel = is_cancelled.clone();
    // The end of the input cancels the work. This thread ends with the process.
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut io::sink());
        cancel.store(true, Relaxed);
    });
    carry_out(root, root, work, &mut |progress| {
        send(&Event::Progress { progress }).is_ok() && !is_cancelled.load(Relaxed)
    })
}
