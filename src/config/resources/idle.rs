//! `[idle]`: which sessions are reclaimed and when, and how users can extend or exempt them.

use super::super::{
    amount::{count, some_span, span, thousandths},
    document::{DocumentEntry, DocumentFault, Item},
    setting_values,
    table_rows::{self, KeyRow, row, set},
    writing::{in_quotes, plain, quoted, table},
};
use crate::model::{
    catalogue::lower,
    idle::{IdleRules, Join, ReprieveRules, UTILIZATION_RESOURCES, UtilizationRules},
    span::Span,
    text::Clean,
};

/// The table as it is written. Unset keys are `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct IdleTable {
    pub rules: IdleRules,
    extensions: Option<u32>,
    extend_by: Option<Span>,
    exempt: Option<bool>,
    contact: Option<Clean>,
}

/// `[idle]`.
pub(super) const IDLE: &[KeyRow<IdleTable>] = &[
    row!("network-timeout", rules.network_timeout: some_span, in_quotes),
    row!("session-lifetime", rules.session_lifetime: some_span, in_quotes),
    row!(
        "utilization",
        |t, i| set(&mut t.rules.utilization, utilization(i).map(Some)),
        |t| {
            let rules = t.rules.utilization.as_ref();
            rules.map(|rules| table_rows::inline(rules, UTILIZATION))
        }
    ),
    row!("extensions", extensions: any_count, plain),
    row!("extend-by", extend_by: some_span, in_quotes),
    row!("exempt", exempt: Item::boolean, plain),
    row!(
        "contact",
        |t, i| set(&mut t.contact, contact(i).map(Some)),
        |t| { t.contact.as_ref().map(in_quotes) }
    ),
];

fn any_count(item: &Item) -> Result<u32, DocumentFault> {
    count(item, 0)
}

fn contact(item: &Item) -> Result<Clean, DocumentFault> {
    setting_values::word(item).map(Clean::from)
}

/// `[idle.utilization]`.
const UTILIZATION: &[KeyRow<UtilizationRules>] = &[
    KeyRow {
        name: "time-window",
        read: |u, i| set(&mut u.time_window, some_span(i)),
        show: |u| Some(in_quotes(u.time_window)),
    },
    KeyRow {
        name: "initial-grace-period",
        read: |u, i| set(&mut u.initial_grace_period, span(i)),
        show: |u| (u.initial_grace_period.0 > 0).then(|| in_quotes(u.initial_grace_period)),
    },
    KeyRow {
        name: "operator",
        read: |u, i| set(&mut u.operator, operator(i)),
        show: |u| (u.operator == Join::Or).then(|| quoted("or")),
    },
    KeyRow {
        name: "thresholds",
        read: |u, i| thresholds(u, i),
        show: |u| {
            let percent = |hundredths: i64| (hundredths as f64 / 100.0).to_string();
            let pairs = u.thresholds.iter();
            let pairs = pairs.map(|(name, least)| (name.clone(), percent(*least)));
            Some(table(pairs))
        },
    },
];

fn utilization(item: &Item) -> Result<UtilizationRules, DocumentFault> {
    let mut rules = UtilizationRules {
        time_window: Span(0),
        initial_grace_period: Span(0),
        operator: Join::And,
        thresholds: std::collections::BTreeMap::new(),
    };
    let (entries, mut faults) = (item.table()?, Vec::new());
    let what = tr!("setting of the utilization check");
    table_rows::read_into(&mut rules, UTILIZATION, what, entries, &mut faults);
    let has = |key: &str| entries.iter().any(|entry| entry.key == key);
    for need in ["time-window", "thresholds"] {
        if !has(need) {
            faults.push(DocumentFault::new(
                item.at,
                tr!("the utilization check has no {need}", need),
            ));
        }
    }
    faults.into_iter().next().map_or(Ok(rules), Err)
}

fn operator(item: &Item) -> Result<Join, DocumentFault> {
    match item.text()? {
        "and" => Ok(Join::And),
        "or" => Ok(Join::Or),
        other => Err(DocumentFault::unknown(
            item.at,
            "operator",
            other,
            ["and", "or"],
        )),
    }
}

fn thresholds(rules: &mut UtilizationRules, item: &Item) -> Result<(), DocumentFault> {
    for DocumentEntry { key, at, item } in item.table()? {
        if !UTILIZATION_RESOURCES.contains(&key.as_str()) {
            let what = tr!("resource of the utilization check");
            return Err(DocumentFault::unknown(
                *at,
                what,
                key,
                UTILIZATION_RESOURCES,
            ));
        }
        let hundredths = thousandths(item)? / 10;
        let threshold = i64::try_from(hundredths).unwrap_or(i64::MAX);
        if !(1..=10_000).contains(&threshold) {
            let message = tr!("the threshold must be a percentage from 0.01 to 100");
            return Err(DocumentFault::new(item.at, message));
        }
        rules.thresholds.insert(key.clone(), threshold);
    }
    Ok(())
}

impl IdleTable {
    /// Extensions need a length.
    pub fn check(&self, at: usize) -> Option<DocumentFault> {
        let missing = self.extensions.is_some_and(|n| n > 0) && self.extend_by.is_none();
        missing.then(|| {
            DocumentFault::new(
                at,
                tr!(
                    "extensions need extend-by, the duration of one extension. Write extend-by = \
                 \"1h\""
                ),
            )
        })
    }

    /// A system-wide file that sets limits but no extensions or exemptions allows none.
    pub fn closed(mut self) -> Self {
        if !self.rules.is_empty() {
            self.extensions.get_or_insert(0);
            self.exempt.get_or_insert(false);
        }
        self
    }

    /// Keeps the tighter value of each limit and the smaller value of each permission.
    pub fn tighten(&mut self, other: &Self) {
        let utilization = match (self.rules.utilization.take(), &other.rules.utilization) {
            (Some(mine), Some(other)) => Some(tighter(mine, other)),
            (mine, other) => mine.or_else(|| other.clone()),
        };
        self.rules.tighten(&other.rules);
        self.rules.utilization = utilization;
        self.extensions = lower(self.extensions, other.extensions);
        self.extend_by = lower(self.extend_by, other.extend_by);
        self.exempt = lower(self.exempt, other.exempt);
        self.contact = self.contact.take().or_else(|| other.contact.clone());
    }

    pub fn reprieve(&self) -> ReprieveRules {
        ReprieveRules {
            extensions: self.extensions.unwrap_or_default(),
            extend_by: self.extend_by.unwrap_or_default(),
            exempt: self.exempt.unwrap_or_default(),
            contact: self.contact.clone(),
        }
    }
}

/// The result is never looser than `mine`. A resource that only `other` watches is added only if one resource
/// below its threshold is enough. Otherwise that resource could keep a session running.
fn tighter(mut mine: UtilizationRules, other: &UtilizationRules) -> UtilizationRules {
    mine.time_window = mine.time_window.min(other.time_window);
    mine.initial_grace_period = mine.initial_grace_period.min(other.initial_grace_period);
    if other.operator == Join::Or {
        mine.operator = Join::Or;
    }
    for (name, least) in &other.thresholds {
        match mine.thresholds.get_mut(name) {
            Some(mine) => *mine = (*mine).max(*least),
            None if mine.operator == Join::Or => drop(mine.thresholds.insert(name.clone(), *least)),
            None => {}
        }
    }
    mine
}
