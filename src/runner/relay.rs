//! Connects this process's stdin and stdout to a port of the container.

use std::{
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpStream},
    process::ExitCode,
};

use super::complain;

/// Runs until the service closes the connection.
pub(super) fn run(port: u16) -> ExitCode {
    let stream = match connect(port) {
        Ok(stream) => stream,
        Err(error) => {
            complain(&tr_sent!(
                "no program answers on port {port} of this session: {error}",
                port,
                error
            ));
            return ExitCode::FAILURE;
        }
    };
    match carry(&stream) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&tr_sent!(
                "the connection to port {port} broke: {error}",
                port,
                error
            ));
            ExitCode::FAILURE
        }
    }
}

/// Tries both loopback addresses, because some services listen on only one of them.
pub(super) fn connect(port: u16) -> io::Result<TcpStream> {
    let first = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
    // The first error is reported: where IPv6 is missing, the second says nothing about the port.
    let stream = first
        .or_else(|refused| TcpStream::connect((Ipv6Addr::LOCALHOST, port)).map_err(|_| refused))?;
    // Single typed bytes must be sent at once.
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn carry(stream: &TcpStream) -> io::Result<()> {
    let typing = stream.try_clone()?;
    // This thread ends with the process. Nothing waits for it, because stdin may stay silent.
    std::thread::spawn(move || {
        let mut typing = typing;
        // The other direction reports a broken connection.
        let _ = io::copy(&mut io::stdin().lock(), &mut typing);
        let _ = typing.shutdown(Shutdown::Write);
    });
    let (mut from, mut out) = (stream, io::stdout().lock());
    let mut piece = vec![0; 64 * 1024];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(()),
            length => {
                out.write_all(&piece[..length])?;
                // Each piece must be delivered without waiting for the next one.
                out.flush()?;
            }
        }
    }
}
