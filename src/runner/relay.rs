//! A connection to a port of the container, by this process's own pipes.

use std::{
    io::{self, Read as _, Write as _},
    net::{Ipv4Addr, Ipv6Addr, Shutdown, TcpStream},
    process::ExitCode,
};

use super::complain;

/// Ends when the service closes the connection.
pub(super) fn run(port: u16) -> ExitCode {
    let stream = match connect(port) {
        Ok(stream) => stream,
        Err(error) => {
            complain(&format!(
                "no program answers on port {port} of this session: {error}"
            ));
            return ExitCode::FAILURE;
        }
    };
    match carry(&stream) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("the connection to port {port} broke: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Most services listen everywhere or on one of the two loopbacks.
fn connect(port: u16) -> io::Result<TcpStream> {
    let first = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
    // Where there is no second one, its error would say nothing of the port.
    let stream = first
        .or_else(|refused| TcpStream::connect((Ipv6Addr::LOCALHOST, port)).map_err(|_| refused))?;
    // Typed bytes are few and must not wait for more.
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn carry(stream: &TcpStream) -> io::Result<()> {
    let typing = stream.try_clone()?;
    // It goes with the process: nothing waits for a person who says no more.
    std::thread::spawn(move || {
        let mut typing = typing;
        // Whichever side breaks, the other one tells.
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
                // A line of text must not wait for the next.
                out.flush()?;
            }
        }
    }
}
