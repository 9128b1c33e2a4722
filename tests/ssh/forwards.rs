//! Forwarded ports by `ssh`.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
};

use super::server::{SshTestServer, fails};

/// A service that sends back what it gets, and its port.
fn echo() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            std::thread::spawn(move || {
                let mut stream = stream.unwrap();
                let mut back = stream.try_clone().unwrap();
                // The client may leave early.
                let _ = std::io::copy(&mut stream, &mut back);
                let _ = back.shutdown(Shutdown::Write);
            });
        }
    });
    port
}

/// A port that nothing listens on.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Sends bytes to a port and reads them back at the same time.
fn comes_back(port: u16, length: usize) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let sent: Vec<u8> = (0..length).map(|number| (number % 249) as u8).collect();
    let (mut to, bytes) = (stream.try_clone().unwrap(), sent.clone());
    let writing = std::thread::spawn(move || {
        to.write_all(&bytes).unwrap();
        to.shutdown(Shutdown::Write).unwrap();
    });
    let mut back = Vec::new();
    stream.read_to_end(&mut back).unwrap();
    writing.join().unwrap();
    assert!(back == sent, "{} of {length} bytes", back.len());
}

/// A client in the background, and the first line of its messages that contains `wanted`.
fn background(mut command: Command, wanted: &str) -> (Background, String) {
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.find_map(|line| Some(line.unwrap()).filter(|line| line.contains(wanted)));
    // A full pipe would stop the client.
    std::thread::spawn(move || lines.for_each(drop));
    (Background(child), line.unwrap_or_default())
}

struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_local_forward_carries_many_connections() {
    let server = SshTestServer::new();
    let (local, port) = (free_port(), echo());
    let forward = format!("{local}:localhost:{port}");
    let ssh = server.ssh(&["-v", "-N", "-L", &forward]);
    let (_client, _) = background(ssh, "Entering interactive session");
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || comes_back(local, 500_000 * number + 1));
        }
    });
}

#[test]
fn only_the_session_itself_is_reached() {
    let server = SshTestServer::new();
    let port = echo();
    for host in ["localhost", "127.0.0.1", "[::1]", "training"] {
        let to = format!("{host}:{port}");
        let mut child = server
            .ssh(&["-W", &to])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"hello").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "hello", "{host}");
    }
    for host in [
        "192.0.2.1",
        "example.com",
        "0.0.0.0",
        "[::ffff:10.0.0.1]",
        "training.evil",
    ] {
        let said = fails(&mut server.ssh(&["-W", &format!("{host}:{port}")]));
        let reason = "connects only to the session itself (localhost)";
        assert!(said.contains(reason), "{host}: {said}");
    }
    let said = fails(&mut server.ssh(&["-W", &format!("localhost:{}", free_port())]));
    assert!(said.contains("refused"), "{said}");
}

#[test]
fn a_remote_forward_listens_in_the_session() {
    let server = SshTestServer::new();
    let forward = format!("0:127.0.0.1:{}", echo());
    let ssh = server.ssh(&["-v", "-N", "-R", &forward]);
    let (client, line) = background(ssh, "Allocated port");
    let port: u16 = line.split(' ').find_map(|word| word.parse().ok()).unwrap();
    // One that isn't read doesn't stop the others.
    let mut silent = TcpStream::connect(("127.0.0.1", port)).unwrap();
    silent.set_nonblocking(true).unwrap();
    while silent.write(&vec![0; 65536]).is_ok() {}
    std::thread::scope(|scope| {
        for number in 0..8 {
            scope.spawn(move || comes_back(port, 300_000 * number + 1));
        }
    });
    drop(client);
    server.wait_for_ended(1);
    // The helper has ended with the connection.
    while TcpStream::connect(("127.0.0.1", port)).is_ok() {
        std::thread::yield_now();
    }
}

#[test]
fn a_port_in_use_cannot_be_forwarded() {
    let server = SshTestServer::new();
    let port = echo();
    let forward = format!("{port}:127.0.0.1:{port}");
    let options = ["-v", "-N", "-o", "ExitOnForwardFailure=yes", "-R", &forward];
    let said = fails(&mut server.ssh(&options));
    assert!(said.contains("remote port forwarding failed"), "{said}");
    assert!(said.contains("in use"), "{said}");
}

#[test]
fn sockets_agents_and_displays_are_not_forwarded() {
    let server = SshTestServer::new();
    let said = fails(&mut server.ssh(&[
        "-v",
        "-N",
        "-o",
        "ExitOnForwardFailure=yes",
        "-R",
        "/tmp/x:localhost:1",
    ]));
    assert!(said.contains("remote port forwarding failed"), "{said}");
    let mut ssh = server.ssh(&["-A", "-X"]);
    let output = ssh
        .arg("echo \"[$SSH_AUTH_SOCK][$DISPLAY]\"")
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[][]\n");
}
