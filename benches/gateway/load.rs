//! Clients.

use std::{
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::TcpStream,
};

use crate::{LARGE, servers::Target};

const CONNECTIONS: usize = 64;
const REQUESTS: usize = 100;
/// Between two requests of a connection: 1,280 requests per second in total, so that queues of a busy processor aren't
/// what is measured.
const PACE: Duration = Duration::from_millis(50);

/// A connection of a client.
pub struct Client {
    tcp: BufReader<TcpStream>,
    lines: String,
}

impl Client {
    pub async fn connect(target: &Target) -> Self {
        let tcp = TcpStream::connect((Ipv4Addr::LOCALHOST, target.port)).await;
        let tcp = tcp.expect("a connection");
        tcp.set_nodelay(true).expect("no delay");
        let lines = format!("Host: 127.0.0.1:{}\r\n{}\r\n", target.port, target.line);
        let tcp = BufReader::with_capacity(256 * 1024, tcp);
        Self { tcp, lines }
    }

    /// Requests a body and drops it.
    pub async fn get(&mut self, bytes: u64) {
        let request = format!("GET /{bytes} HTTP/1.1\r\n{}\r\n", self.lines);
        self.tcp
            .get_mut()
            .write_all(request.as_bytes())
            .await
            .expect("sent");
        self.answer(bytes).await;
    }

    /// Sends a body.
    pub async fn put(&mut self, bytes: u64) {
        let lines = &self.lines;
        let request = format!("PUT /0 HTTP/1.1\r\n{lines}Content-Length: {bytes}\r\n\r\n");
        self.tcp
            .get_mut()
            .write_all(request.as_bytes())
            .await
            .expect("sent");
        let chunk = vec![b'x'; 256 * 1024];
        let mut left = bytes;
        while left > 0 {
            let next = left.min(chunk.len() as u64);
            self.tcp
                .get_mut()
                .write_all(&chunk[..next as usize])
                .await
                .expect("sent");
            left -= next;
        }
        self.answer(0).await;
    }

    async fn answer(&mut self, bytes: u64) {
        let mut line = String::new();
        self.tcp.read_line(&mut line).await.expect("a status");
        assert!(line.starts_with("HTTP/1.1 200 "), "{line}");
        while line != "\r\n" {
            line.clear();
            self.tcp.read_line(&mut line).await.expect("a header");
        }
        let mut body = (&mut self.tcp).take(bytes);
        let read = tokio::io::copy_buf(&mut body, &mut tokio::io::sink()).await;
        assert_eq!(read.expect("a body"), bytes);
    }
}

/// MB per second of one large body.
pub async fn throughput(target: &Target) -> f64 {
    let mut client = Client::connect(target).await;
    client.get(1).await;
    let begun = Instant::now();
    client.get(LARGE).await;
    LARGE as f64 / 1e6 / begun.elapsed().as_secs_f64()
}

/// The 99th percentile of the time of a small request, in milliseconds.
pub async fn delay(target: &Target) -> f64 {
    let mut clients = Vec::new();
    for at in 0..CONNECTIONS {
        let mut client = Client::connect(target).await;
        client.get(1).await;
        clients.push(tokio::spawn(async move {
            tokio::time::sleep(PACE * at as u32 / CONNECTIONS as u32).await;
            let mut times = Vec::with_capacity(REQUESTS);
            let mut pace = tokio::time::interval(PACE);
            for _ in 0..REQUESTS {
                pace.tick().await;
                let begun = Instant::now();
                client.get(100).await;
                times.push(begun.elapsed().as_secs_f64() * 1000.0);
            }
            times
        }));
    }
    let mut times = Vec::new();
    for client in clients {
        times.extend(client.await.expect("its times"));
    }
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() * 99 / 100]
}
