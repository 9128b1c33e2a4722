//! Raw TCP.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{access::as_user, support::*};
use crate::gateway::Kind;

/// An application that sends back what it gets.
async fn mirror() -> std::sync::Arc<Address> {
    raw_app(|mut tcp| async move {
        let (mut read, mut write) = tcp.split();
        let _ = tokio::io::copy(&mut read, &mut write).await;
        let _ = write.shutdown().await;
    })
    .await
}

#[tokio::test]
async fn bytes_pass_both_ways_and_are_counted() {
    let gateway = Gateway::start(Kind::Tcp, mirror().await).await;
    assert_eq!(
        gateway.traffic.read(),
        crate::gateway::TrafficFigures::default()
    );
    let (mut read, mut write) = gateway.connect().await.into_split();
    // An open connection isn't traffic.
    until(|| gateway.traffic.read().connections_now == 1).await;
    assert_eq!(gateway.traffic.read().quiet_for, None);
    let sent: Vec<u8> = (0..3_000_000_u32).map(|it| (it / 7) as u8).collect();
    let expected = sent.clone();
    let upload = tokio::spawn(async move {
        write.write_all(&sent).await.unwrap();
        write.shutdown().await.unwrap();
        write
    });
    let mut seen = Vec::new();
    read.read_to_end(&mut seen).await.unwrap();
    assert!(seen == expected);
    upload.await.unwrap();
    until(|| gateway.traffic.read().connections_now == 0).await;
    let figures = gateway.traffic.read();
    assert_eq!(
        (figures.bytes_in, figures.bytes_out),
        (3_000_000, 3_000_000)
    );
    assert!(figures.connections_total == 1 && figures.quiet_for.is_some());
}

#[tokio::test]
async fn a_reset_and_a_stop_are_passed_on() {
    let app = raw_app(|mut tcp| async move {
        tcp.write_all(b"begun").await.unwrap();
        if tcp.read_u8().await.is_ok() {
            tcp.set_zero_linger().unwrap();
        }
    })
    .await;
    for is_stopped in [false, true] {
        let gateway = Gateway::start(Kind::Tcp, app.clone()).await;
        let mut tcp = gateway.connect().await;
        read_until(&mut tcp, "begun").await;
        if is_stopped {
            gateway.stop.cancel();
        } else {
            tcp.write_all(b"x").await.unwrap();
        }
        let end = tcp.read(&mut [0; 8]).await;
        assert!(end.is_err(), "{is_stopped}: {end:?}");
    }
}

#[tokio::test]
async fn only_the_own_user_and_allowed_networks_are_served() {
    let outside = Gateway::public(Kind::Tcp, mirror().await, &["10.0.0.0/8"]).await;
    assert_eq!(outside.exchange("").await, "");
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let app = raw_app(|mut tcp| async move {
        tcp.write_all(b"welcome").await.unwrap();
    })
    .await;
    let gateway = Gateway::start(Kind::Tcp, app.clone()).await;
    assert_eq!(as_user(0, gateway.port, "").await, "welcome");
    assert_eq!(as_user(65534, gateway.port, "x").await, "");
    let public = Gateway::public(Kind::Tcp, app, &["127.0.0.1"]).await;
    assert_eq!(as_user(65534, public.port, "").await, "welcome");
}
