//! Whether an app answers on its port.

use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use super::super::relay;
use crate::model::app::AppProtocol;

/// How long one request may take before the app is asked again.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a connection succeeds and, over HTTP, a response begins.
///
/// Any response will do, so the request is for `/`: the page that the user opens may take the app far longer to build.
pub(super) fn answers(port: u16, protocol: AppProtocol) -> bool {
    let Ok(stream) = relay::connect(port) else {
        return false;
    };
    match protocol {
        AppProtocol::Tcp => true,
        AppProtocol::Http => responds(stream, port).unwrap_or(false),
    }
}

fn responds(mut stream: TcpStream, port: u16) -> io::Result<bool> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: workbay\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes())?;
    let mut first = [0; 64];
    Ok(stream.read(&mut first)? > 0)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    /// A server that answers each connection with these bytes.
    fn server(answer: &'static [u8]) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            while let Ok((mut stream, _)) = listener.accept() {
                let mut request = [0; 1024];
                let _ = stream.read(&mut request);
                let _ = stream.write_all(answer);
            }
        });
        port
    }

    #[test]
    fn http_is_ready_when_a_response_begins() {
        assert!(answers(
            server(b"HTTP/1.1 404 Not Found\r\n\r\n"),
            AppProtocol::Http
        ));
        let silent = server(b"");
        assert!(!answers(silent, AppProtocol::Http));
        assert!(answers(silent, AppProtocol::Tcp));
    }

    #[test]
    fn a_closed_port_is_not_ready() {
        assert!(!answers(1, AppProtocol::Tcp));
    }
}
