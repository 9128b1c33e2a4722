use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::ssh_server::{
    backlog::{Backlog, PAUSE},
    gate::{Gate, Life},
};

#[tokio::test]
async fn reading_stops_at_the_limit_and_continues_below_it() {
    let backlog = Arc::new(Backlog::default());
    let life = Arc::new(Life::default());
    let (mut client, server) = tokio::io::duplex(1024);
    let mut gate = Gate::new(server, Arc::clone(&backlog), Arc::clone(&life));
    client.write_all(b"abc").await.unwrap();
    assert_eq!(gate.read_u8().await.unwrap(), b'a');
    assert!(life.take() && !life.take());
    let queued = backlog.add(PAUSE).unwrap();
    let mut reading = tokio_test_task(gate.read_u8());
    assert!(reading.is_pending());
    drop(queued);
    assert!(reading.is_woken());
    assert_eq!(reading.await_it().await.unwrap(), b'b');
}

#[tokio::test]
async fn output_that_waits_for_the_client_lets_reading_continue() {
    let backlog = Arc::new(Backlog::default());
    let _queued = backlog.add(PAUSE).unwrap();
    assert!(!backlog.may_read());
    let starved = backlog.starve();
    assert!(backlog.may_read());
    drop(starved);
    assert!(!backlog.may_read());
}

#[tokio::test]
async fn there_is_no_room_for_ever_more_items_even_empty_ones() {
    let backlog = Arc::new(Backlog::default());
    let mut queued = Vec::new();
    while let Some(one) = backlog.add(0) {
        queued.push(one);
        assert!(queued.len() < 1_000_000);
    }
    queued.pop();
    assert!(backlog.add(0).is_some());
}

#[tokio::test]
async fn a_closed_connection_neither_reads_nor_writes() {
    let backlog = Arc::new(Backlog::default());
    let (mut client, server) = tokio::io::duplex(1024);
    let mut gate = Gate::new(server, Arc::clone(&backlog), Arc::default());
    client.write_all(b"abc").await.unwrap();
    backlog.close();
    assert!(gate.read_u8().await.is_err());
    assert!(gate.write_all(b"x").await.is_err());
}

/// A future that is polled by hand.
fn tokio_test_task<F: Future>(future: F) -> Polled<F> {
    Polled {
        future: Box::pin(future),
        woken: Arc::default(),
    }
}

struct Polled<F> {
    future: std::pin::Pin<Box<F>>,
    woken: Arc<Woken>,
}

#[derive(Default)]
struct Woken(std::sync::atomic::AtomicBool);

impl std::task::Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, std::sync::atomic::Ordering::Release);
    }
}

impl<F: Future> Polled<F> {
    fn is_pending(&mut self) -> bool {
        let waker = Arc::clone(&self.woken).into();
        let mut context = std::task::Context::from_waker(&waker);
        self.future.as_mut().poll(&mut context).is_pending()
    }

    fn is_woken(&self) -> bool {
        self.woken.0.load(std::sync::atomic::Ordering::Acquire)
    }

    async fn await_it(self) -> F::Output {
        self.future.await
    }
}
