//! A relay that keeps the first request that goes through it, so that a bare client can send the very
//! same bytes: signatures bind neither connection nor time within a quarter of an hour.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    thread,
};

pub struct RecordingRelay {
    /// The endpoint that the client gets.
    pub endpoint: String,
    requests: mpsc::Receiver<Vec<u8>>,
}

impl RecordingRelay {
    /// To this `host:port`, until the program ends.
    pub fn to(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
        let (sender, requests) = mpsc::channel();
        let target = target.to_owned();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let server = TcpStream::connect(&target).expect("the manager");
                carry(client, server, sender.clone());
            }
        });
        Self { endpoint, requests }
    }

    /// The first request whose head or body contains `mark`, whole.
    pub fn request(&self, mark: &str) -> Vec<u8> {
        let patience = std::time::Duration::from_secs(30);
        loop {
            let request = self.requests.recv_timeout(patience).expect("a request");
            if String::from_utf8_lossy(&request).contains(mark) {
                return request;
            }
        }
    }
}

fn carry(client: TcpStream, server: TcpStream, sender: mpsc::Sender<Vec<u8>>) {
    let (mut from, mut to) = (
        client.try_clone().expect("a clone"),
        server.try_clone().expect("a clone"),
    );
    thread::spawn(move || {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            // A request of ours is smaller than one read, and nothing is sent before its answer.
            let _ = sender.send(buffer[..count].to_vec());
            if to.write_all(&buffer[..count]).is_err() {
                break;
            }
        }
    });
    let (mut from, mut to) = (server, client);
    thread::spawn(move || std::io::copy(&mut from, &mut to));
}

/// A request's head and what follows it.
pub fn split(request: &[u8]) -> (String, Vec<u8>) {
    let end = request
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a whole head")
        + 4;
    let head = String::from_utf8_lossy(&request[..end]).into_owned();
    (head, request[end..].to_vec())
}
