//! The keys of the terminal, which can be left to another program for a while.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker},
};

use crossterm::event::{Event, EventStream};
use futures_util::Stream;

/// Who reads what is typed. Clones are the same keyboard.
#[derive(Clone, Default)]
pub struct Keyboard {
    reading: Rc<RefCell<Reading>>,
}

#[derive(Default)]
struct Reading {
    /// `None` = another program reads.
    events: Option<EventStream>,
    waker: Option<Waker>,
}

impl Keyboard {
    /// Reads from now on.
    pub fn read_on(&self) {
        let mut reading = self.reading.borrow_mut();
        reading.events.get_or_insert_with(EventStream::new);
        if let Some(waker) = reading.waker.take() {
            waker.wake();
        }
    }

    /// Reads nothing until [`Keyboard::read_on`].
    pub fn let_go(&self) {
        self.reading.borrow_mut().events = None;
    }

    /// Whether what is typed is ours.
    pub fn is_ours(&self) -> bool {
        self.reading.borrow().events.is_some()
    }
}

impl Stream for Keyboard {
    type Item = io::Result<Event>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut reading = self.reading.borrow_mut();
        match &mut reading.events {
            Some(events) => Pin::new(events).poll_next(context),
            None => {
                reading.waker = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}
