//! One way through a list, page by page.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::order::ErrandNumber;
use crate::{
    controller::fact::{Fault, Ticket},
    engine::scheduler::Page,
    model::{id::SessionId, status::Tab},
};

pub(super) type SweepNumber = u64;

/// Rows of one request.
pub(super) const PAGE: u32 = 100;
/// Pages of one sweep that are under way at once.
const AT_ONCE: u32 = 3;
/// Rows of a tab that are held at most; beyond them the longest unread go.
pub(super) const MOST: u32 = 20_000;

/// Reads the newest sessions of a tab.
#[derive(Debug)]
pub(super) struct Sweep {
    pub tab: Tab,
    pub text: Option<String>,
    pub from: u32,
    /// As far as it is to go.
    pub want: u32,
    /// Where the next page begins.
    pub next: u32,
    /// Pages that brought less than was asked for: offset and what is missing.
    pub gaps: Vec<(u32, u32)>,
    pub under_way: u32,
    pub total: Option<u64>,
    pub seen: BTreeSet<SessionId>,
    /// When the oldest of them was created.
    pub oldest: Option<Timestamp>,
    /// The first errand; what was read since is newer.
    pub first: Option<ErrandNumber>,
    pub tickets: Vec<Ticket>,
    pub fault: Option<Fault>,
    /// It was read a second time because rows were missing.
    pub again: bool,
}

/// One reading of the list: totals and a sweep of each tab.
#[derive(Debug)]
pub(super) struct Reading {
    pub sweeps: BTreeSet<SweepNumber>,
    pub totals: bool,
    pub tickets: Vec<Ticket>,
    pub fault: Option<Fault>,
}

impl Sweep {
    pub(super) fn new(tab: Tab, text: Option<String>, from: u32, want: u32) -> Self {
        Self {
            tab,
            text,
            from,
            want,
            next: from,
            gaps: Vec::new(),
            under_way: 0,
            total: None,
            seen: BTreeSet::new(),
            oldest: None,
            first: None,
            tickets: Vec::new(),
            fault: None,
            again: false,
        }
    }

    pub(super) fn end(&self) -> u32 {
        let total = self.total.unwrap_or(u64::MAX).min(u64::from(MOST)) as u32;
        self.want.min(total)
    }

    /// The next page to ask for. How long the list is, the first one tells.
    pub(super) fn next_page(&mut self) -> Option<(u32, u32)> {
        let waits = self.total.is_none() && self.under_way > 0;
        if waits || self.fault.is_some() || self.under_way >= AT_ONCE {
            return None;
        }
        if let Some(gap) = self.gaps.pop() {
            return Some(gap);
        }
        let end = self.end();
        if self.next >= end {
            return None;
        }
        let page = (self.next, PAGE.min(end - self.next));
        self.next += page.1;
        Some(page)
    }

    pub(super) fn take(&mut self, page: &Page, (offset, limit): (u32, u32)) {
        self.total = Some(page.total);
        let came = page.sessions.len() as u32;
        // An engine may give fewer at once than it was asked for; none at all is the end.
        let missing = limit.min(self.end().saturating_sub(offset));
        if came > 0 && came < missing {
            self.gaps.push((offset + came, missing - came));
        }
        for session in &page.sessions {
            self.seen.insert(session.id);
            let created_at = session.created_at;
            let oldest = self.oldest.get_or_insert(created_at);
            *oldest = (*oldest).min(created_at);
        }
    }
}
