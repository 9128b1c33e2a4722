//! Reads the keys of the terminal, and can leave them to another program for a while.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

use crossterm::event::{Event, EventStream};
use futures_util::{Stream, task::AtomicWaker};

/// The reader of typed keys. Clones share the keyboard.
#[derive(Clone, Default)]
pub struct Keyboard {
    reading: Rc<RefCell<EventPoller<EventStream>>>,
}

impl Keyboard {
    /// Starts to read.
    pub fn read_on(&self) {
        self.reading.borrow_mut().read_on(EventStream::new);
    }

    /// Stops reading until [`Keyboard::read_on`].
    pub fn let_go(&self) {
        self.reading.borrow_mut().events = None;
    }

    /// Whether workbay reads the keys now.
    pub fn is_ours(&self) -> bool {
        self.reading.borrow().events.is_some()
    }
}

impl Stream for Keyboard {
    type Item = io::Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.reading.borrow_mut().poll(context)
    }
}

/// Events, polled only when there may be one. Each poll takes a lock that the waiting thread holds, and the
/// loop polls at every turn.
struct EventPoller<E> {
    /// `None` = another program reads.
    events: Option<E>,
    bell: Arc<Bell>,
}

impl<E> Default for EventPoller<E> {
    fn default() -> Self {
        Self {
            events: None,
            bell: Arc::default(),
        }
    }
}

/// The events ring it when there may be an event.
#[derive(Default)]
struct Bell {
    rang: AtomicBool,
    outside: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.rang.store(true, Ordering::SeqCst);
        self.outside.wake();
    }
}

impl<E: Stream + Unpin> EventPoller<E> {
    fn read_on(&mut self, begin: impl FnOnce() -> E) {
        self.events.get_or_insert_with(begin);
        Arc::clone(&self.bell).wake();
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<E::Item>> {
        // Registers before the poll, so that a ring between the two isn't missed.
        self.bell.outside.register(context.waker());
        let Some(events) = &mut self.events else {
            return Poll::Pending;
        };
        if !self.bell.rang.swap(false, Ordering::SeqCst) {
            return Poll::Pending;
        }
        let waker = Waker::from(Arc::clone(&self.bell));
        let event = Pin::new(events).poll_next(&mut Context::from_waker(&waker));
        if event.is_ready() {
            // There may be more events.
            self.bell.rang.store(true, Ordering::SeqCst);
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    /// Events that count how often they are polled.
    #[derive(Default)]
    struct CountedEvents {
        events: VecDeque<u8>,
        polls: usize,
        waker: Option<Waker>,
    }

    impl Stream for CountedEvents {
        type Item = u8;

        fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<u8>> {
            self.polls += 1;
            match self.events.pop_front() {
                Some(event) => Poll::Ready(Some(event)),
                None => {
                    self.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        }
    }

    #[test]
    fn events_are_looked_at_when_there_may_be_some_and_never_in_vain() {
        let mut reading = EventPoller::default();
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(reading.poll(&mut context), Poll::Pending);
        reading.read_on(|| CountedEvents {
            events: [1, 2].into(),
            ..CountedEvents::default()
        });
        for expected in [Poll::Ready(Some(1)), Poll::Ready(Some(2)), Poll::Pending] {
            assert_eq!(reading.poll(&mut context), expected);
        }
        for _ in 0..10 {
            assert_eq!(reading.poll(&mut context), Poll::Pending);
        }
        let events = reading.events.as_mut().unwrap();
        assert_eq!(events.polls, 3);
        events.events.push_back(3);
        events.waker.take().unwrap().wake();
        assert_eq!(reading.poll(&mut context), Poll::Ready(Some(3)));
    }
}
