//! One pass through a list, page by page.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::order::RequestNumber;
use crate::{
    engine::manager::SessionPage,
    model::{failure::Failure, id::SessionId, status::Tab},
    state_machine::Ticket,
};

pub(super) type SweepNumber = u64;

/// Rows per request.
pub(super) const PAGE: u32 = 100;
/// How many pages of one sweep are requested at once.
const AT_ONCE: u32 = 3;
/// The most rows of a tab in memory. Beyond it, the least recently read rows are dropped.
pub(super) const MOST: u32 = 20_000;

/// Reads the newest sessions of a tab.
#[derive(Debug)]
pub(super) struct Sweep {
    pub tab: Tab,
    pub text: Option<String>,
    pub from: u32,
    /// How many rows to read.
    pub want: u32,
    /// The offset of the next page.
    pub next: u32,
    /// Incomplete pages: the offset and the number of missing rows.
    pub gaps: Vec<(u32, u32)>,
    pub under_way: u32,
    pub total: Option<u64>,
    pub seen: BTreeSet<SessionId>,
    /// When the oldest session that was read was created.
    pub oldest: Option<Timestamp>,
    /// The first request. Rows that were read after it are newer.
    pub first: Option<RequestNumber>,
    pub tickets: Vec<Ticket>,
    pub failure: Option<Failure>,
    /// This is a second pass, because rows were missing in the first one.
    pub again: bool,
}

/// One reading of the list: the totals, and a sweep of each tab.
#[derive(Debug)]
pub(super) struct Reading {
    pub sweeps: BTreeSet<SweepNumber>,
    pub totals: bool,
    pub tickets: Vec<Ticket>,
    pub failure: Option<Failure>,
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
            failure: None,
            again: false,
        }
    }

    pub(super) fn end(&self) -> u32 {
        let total = self.total.unwrap_or(u64::MAX).min(u64::from(MOST)) as u32;
        self.want.min(total)
    }

    /// The next page to request. The first page reports the length of the list.
    pub(super) fn next_page(&mut self) -> Option<(u32, u32)> {
        let waits = self.total.is_none() && self.under_way > 0;
        if waits || self.failure.is_some() || self.under_way >= AT_ONCE {
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

    pub(super) fn take(&mut self, page: &SessionPage, (offset, limit): (u32, u32)) {
        self.total = Some(page.total);
        let came = page.sessions.len() as u32;
        // An engine may return fewer rows than requested. No rows at all mean the end.
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
