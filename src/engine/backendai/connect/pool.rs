//! The HTTP client and its connections. A request without an answer makes all connections suspect:
//! if the network failed silently, each of them would need its own timeout to notice it.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use reqwest::{Client, redirect::Policy};

use crate::{
    engine::{api::Result, tcp},
    model::failure::Failure,
};

const CONNECT: Duration = Duration::from_secs(10);
/// The manager closes idle connections after 75 s. We close them earlier, so that none is closed
/// during a request.
const IDLE: Duration = Duration::from_secs(50);

pub(in crate::engine::backendai) struct Pool {
    tls: Arc<rustls::ClientConfig>,
    /// The manager is on this machine, so proxies from the environment variables, which could read
    /// the requests, are ignored.
    direct: bool,
    client: Mutex<Client>,
}

impl Pool {
    pub(in crate::engine::backendai) fn new(
        tls: Arc<rustls::ClientConfig>,
        direct: bool,
    ) -> Result<Self> {
        let client = Mutex::new(client(&tls, direct)?);
        Ok(Self {
            tls,
            direct,
            client,
        })
    }

    pub(in crate::engine::backendai) fn client(&self) -> Client {
        let client = self.client.lock();
        client.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Gives all further requests new connections. Running requests continue.
    pub(in crate::engine::backendai) fn renew(&self) {
        if let Ok(new) = client(&self.tls, self.direct) {
            *self.client.lock().unwrap_or_else(PoisonError::into_inner) = new;
        }
    }
}

fn client(tls: &rustls::ClientConfig, direct: bool) -> Result<Client> {
    let builder = Client::builder();
    let builder = if direct { builder.no_proxy() } else { builder };
    builder
        .tls_backend_preconfigured(tls.clone())
        .http1_only()
        // Keys and passwords are sent only to the configured address.
        .redirect(Policy::none())
        .connect_timeout(CONNECT)
        .tcp_nodelay(true)
        .tcp_keepalive(tcp::KEEPALIVE_AFTER)
        .tcp_keepalive_interval(tcp::KEEPALIVE_EVERY)
        .tcp_keepalive_retries(tcp::KEEPALIVE_COUNT)
        .pool_idle_timeout(IDLE)
        .user_agent(concat!("workbay/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| Failure::internal(tr_sent!("no HTTP client: {error}", error)))
}

#[cfg(test)]
mod tests {
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpListener,
    };

    use super::*;
    use crate::engine::backendai::connect::tls_roots;

    #[tokio::test]
    async fn connections_are_kept_until_one_is_suspected() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let (seen, mut connections) = tokio::sync::mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (mut line, _) = listener.accept().await.unwrap();
                seen.send(()).unwrap();
                tokio::spawn(async move {
                    let mut request = [0; 4096];
                    while line.read(&mut request).await.unwrap_or(0) > 0 {
                        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
                        line.write_all(answer).await.unwrap();
                    }
                });
            }
        });
        let pool = Pool::new(tls_roots::client_config(None).unwrap(), true).unwrap();
        let get = || async { pool.client().get(&url).send().await.unwrap().status() };
        assert!(get().await.is_success());
        assert!(get().await.is_success());
        connections.recv().await.unwrap();
        assert!(connections.try_recv().is_err(), "one serves both");
        pool.renew();
        assert!(get().await.is_success());
        connections.recv().await.unwrap();
    }
}
