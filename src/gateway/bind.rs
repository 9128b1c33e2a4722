//! The port of a route.

use std::{
    io,
    net::{IpAddr, SocketAddr},
    ops::RangeInclusive,
};

use tokio::net::TcpListener;

use crate::model::{failure::Failure, text::Clean};

/// Where [`bind`] found a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BindOutcome {
    /// The preferred port.
    Preferred,
    /// A port of the pool. `why` = why the preferred port couldn't be used; `None` = no port was preferred.
    Pool { why: Option<Clean> },
}

/// Listens on the preferred port, otherwise on the first free port of the pool. `address` is a loopback address, the
/// address of an interface, or `0.0.0.0` or `::` for all of them.
pub async fn bind(
    address: IpAddr,
    preferred: Option<u16>,
    pool: RangeInclusive<u16>,
) -> Result<(TcpListener, BindOutcome), Failure> {
    let mut why = None;
    if let Some(port) = preferred {
        match listen(address, port).await {
            Ok(listener) => return Ok((listener, BindOutcome::Preferred)),
            Err(error) => why = Some(reason(address, port, &error)),
        }
    }
    for port in pool.clone().filter(|port| Some(*port) != preferred) {
        match listen(address, port).await {
            Ok(listener) => return Ok((listener, BindOutcome::Pool { why })),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {}
            Err(error) => {
                let hint = tr_sent!(
                    "use a pool of ports from 1024 to 65535 and an address of this machine, not {address}",
                    address
                );
                let failure = Failure::internal(tr_sent!("can't listen for a forward"));
                return Err(failure.because(reason(address, port, &error)).hint(hint));
            }
        }
    }
    let (first, last) = (pool.start(), pool.end());
    Err(Failure::refused(tr_sent!(
        "all ports from {first} to {last} are in use on {address}",
        first,
        last,
        address
    ))
    .hint(tr_sent!(
        "close a forward, or configure a larger pool of ports"
    )))
}

async fn listen(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    TcpListener::bind(SocketAddr::new(address, port)).await
}

fn reason(address: IpAddr, port: u16, error: &io::Error) -> Clean {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            tr_sent!("port {port} is in use by another program", port).into()
        }
        io::ErrorKind::PermissionDenied => {
            tr_sent!("port {port} needs the rights of an administrator", port).into()
        }
        io::ErrorKind::AddrNotAvailable => {
            tr_sent!("{address} isn't an address of this machine", address).into()
        }
        _ => tr_sent!("port {port} on {address}: {error}", port, address, error).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const LOCAL: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    /// A port that was free a moment ago.
    fn free() -> u16 {
        let listener = std::net::TcpListener::bind((LOCAL, 0)).unwrap();
        listener.local_addr().unwrap().port()
    }

    #[tokio::test]
    async fn the_preferred_port_comes_first() {
        let port = free();
        let (listener, outcome) = bind(LOCAL, Some(port), 1..=1).await.unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), port);
        assert_eq!(outcome, BindOutcome::Preferred);
    }

    #[tokio::test]
    async fn a_port_in_use_is_named_and_the_pool_is_used() {
        let taken = TcpListener::bind((LOCAL, 0)).await.unwrap();
        let port = taken.local_addr().unwrap().port();
        let other = free();
        let (listener, outcome) = bind(LOCAL, Some(port), other..=other).await.unwrap();
        assert_eq!(listener.local_addr().unwrap().port(), other);
        let why = format!("port {port} is in use by another program");
        assert_eq!(
            outcome,
            BindOutcome::Pool {
                why: Some(why.into())
            }
        );
        let failure = bind(LOCAL, None, port..=port).await.unwrap_err();
        assert!(failure.what.as_str().contains("are in use"), "{failure}");
    }

    #[tokio::test]
    async fn an_address_of_another_machine_is_a_failure() {
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let failure = bind(address, None, 20000..=20001).await.unwrap_err();
        let why = failure.why.unwrap();
        assert!(why.as_str().contains("isn't an address"), "{why}");
    }
}
