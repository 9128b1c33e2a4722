//! The dashboard: what the shown machines or clusters have, who uses it, what will be reclaimed, what failed.

mod engines;
pub mod rows;
mod users;

use std::{collections::HashMap, path::PathBuf};

use jiff::{SignedDuration, Timestamp};

use self::rows::{DashRow, Target, rows};
use super::{
    Hint, MOVE, Panel, PanelEnv,
    scroll::{ListCursor, motion},
};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        effect::Effect,
        machine::{CpuTicks, MachineReading},
        mirror::Mirror,
        shown_contexts::ShownContexts,
        step::{Go, Purpose, Step},
    },
    key::Key,
    model::{
        capability::Capability, catalogue::Agent, failure::Failure, id::ContextName, notice::Level,
        request::ContextRequest, status::Tab, text::Clean,
    },
    protocol::message::{Reply, Request},
    rules::filter::quoted,
};

/// The agents of a cluster, or why they aren't known.
pub type AgentList = Result<Vec<Agent>, Clean>;

/// How often this machine is read.
const MACHINE_EVERY: SignedDuration = SignedDuration::from_secs(2);
/// The busy share needs two readings, so the second one follows soon.
const SECOND_AFTER: SignedDuration = SignedDuration::from_millis(250);
/// How often the agents are read. The daemon caches them for a minute.
const AGENTS_EVERY: SignedDuration = SignedDuration::from_secs(60);

#[derive(Clone, Debug, Default)]
pub struct Dashboard {
    pub list: ListCursor,
    /// The visible rows.
    height: usize,
    /// Where the selected row leads, which stays selected when others appear.
    selected: Option<Target>,
    agents: HashMap<ContextName, AgentList>,
    machine: Option<MachineReading>,
    /// The busy share of all CPUs between the last two readings, in thousandths.
    busy: Option<u64>,
    /// When this machine and the agents were requested.
    read_at: Option<Timestamp>,
    asked_at: Option<Timestamp>,
    has_targets: bool,
    has_clusters: bool,
}

impl Dashboard {
    /// The agents of a context, `None` until they are known.
    pub fn agents(&self, context: ContextName) -> Option<&AgentList> {
        self.agents.get(&context)
    }

    pub fn machine(&self) -> Option<&MachineReading> {
        self.machine.as_ref()
    }

    pub fn busy(&self) -> Option<u64> {
        self.busy
    }

    /// Requests what is due: this machine with the file system of `disk`, and the agents of clusters.
    pub fn ask_if_due(
        &mut self,
        mirror: &Mirror,
        shown: ShownContexts,
        disk: &(&'static str, PathBuf),
        now: Timestamp,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        if is_due(self.read_at, self.machine_every(), now) && has_machine(mirror, shown) {
            self.read_at = Some(now);
            steps.push(Step::Do(Effect::ReadMachine { disk: disk.clone() }));
        }
        if mirror.is_up() && is_due(self.asked_at, AGENTS_EVERY, now) {
            let clusters: Vec<ContextName> = clusters(mirror, shown).collect();
            if !clusters.is_empty() {
                self.asked_at = Some(now);
            }
            steps.extend(clusters.into_iter().map(|it| ask_agents(it, false)));
        }
        steps
    }

    /// When the next request is due.
    pub fn wake_at(&self, mirror: &Mirror, shown: ShownContexts) -> Option<Timestamp> {
        let machine = self.read_at.filter(|_| has_machine(mirror, shown));
        let machine = machine.map(|at| later(at, self.machine_every()));
        let agents = self.asked_at.filter(|_| mirror.is_up());
        let agents = agents.map(|at| later(at, AGENTS_EVERY));
        machine.into_iter().chain(agents).min()
    }

    fn machine_every(&self) -> SignedDuration {
        let lacks_second = self.machine.is_some() && self.busy.is_none();
        if lacks_second {
            SECOND_AFTER
        } else {
            MACHINE_EVERY
        }
    }

    pub fn machine_read(&mut self, reading: MachineReading) {
        let before = self
            .machine
            .as_ref()
            .map_or_else(CpuTicks::default, |it| it.cpu);
        if before != CpuTicks::default() {
            self.busy = reading.cpu.busy_since(before).or(self.busy);
        }
        self.machine = Some(reading);
    }

    pub fn agents_answered(&mut self, context: ContextName, result: Result<Reply, Failure>) {
        let agents = match result {
            Ok(Reply::Catalogue { catalogue }) => Ok(catalogue.agents),
            Ok(_) => return,
            Err(failure) => Err(failure.message()),
        };
        // Known agents stay until new ones arrive.
        let keeps = agents.is_err() && matches!(self.agents.get(&context), Some(Ok(_)));
        if !keeps {
            self.agents.insert(context, agents);
        }
    }

    /// The daemon is connected again, and earlier requests may never be answered.
    pub fn ask_again(&mut self) {
        self.asked_at = None;
    }

    /// The position of the selected row.
    pub fn at(&self, rows: &[DashRow]) -> Option<usize> {
        let targets = || rows.iter().map(DashRow::target).enumerate();
        let kept = targets().find(|(_, it)| it.is_some() && *it == self.selected);
        let first = || targets().find(|(_, it)| it.is_some());
        let near = targets()
            .filter(|(_, it)| it.is_some())
            .find(|(at, _)| *at >= self.list.marked());
        let found = kept.or_else(|| near.filter(|_| self.selected.is_some()));
        found.or_else(first).map(|(at, _)| at)
    }

    /// Moves by rows that can be selected.
    fn move_by(&mut self, by: isize, rows: &[DashRow]) {
        let with_target = |(_, row): &(usize, &DashRow)| row.target().is_some();
        let places: Vec<usize> = rows
            .iter()
            .enumerate()
            .filter(with_target)
            .map(|(at, _)| at)
            .collect();
        let Some(now) = self.at(rows) else {
            // Without a row to select, the list scrolls.
            self.list.move_by(by, rows.len());
            return;
        };
        let place = places.iter().position(|it| *it == now).unwrap_or(0);
        let last = places.len().saturating_sub(1);
        let next = place.saturating_add_signed(by).min(last);
        self.go_to(places[next], rows);
        // The lines before the first and after the last of them would never be visible.
        if next == 0 {
            self.list.reveal(0);
        }
    }

    fn go_to(&mut self, at: usize, rows: &[DashRow]) {
        self.selected = rows.get(at).and_then(DashRow::target);
        self.list.go_to(at, rows.len());
    }

    /// Requests what doesn't arrive automatically: the agents of clusters.
    fn refresh(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        let clusters: Vec<ContextName> = clusters(env.mirror, env.shown).collect();
        if clusters.is_empty() {
            let text = tr!("the figures refresh automatically every 2s");
            return vec![Step::toast(Level::Info, text)];
        }
        self.asked_at = Some(env.now);
        let asks = clusters.into_iter().map(|it| ask_agents(it, true));
        let toast = Step::toast(Level::Info, tr!("refreshing the agents"));
        std::iter::once(toast).chain(asks).collect()
    }

    /// Leads to what the selected row is about.
    fn open(&self) -> Vec<Step> {
        match &self.selected {
            Some(Target::Session(key)) => vec![Step::CLOSE, Step::Go(Go::ShowSession(*key))],
            Some(Target::Filter(grouping, value)) => {
                let filter = format!("{}={}", grouping.name(), quoted(value));
                let tab = Tab::Running;
                vec![Step::CLOSE, Step::List { tab, filter }]
            }
            None => Vec::new(),
        }
    }
}

fn later(at: Timestamp, by: SignedDuration) -> Timestamp {
    at.saturating_add(by).unwrap_or(Timestamp::MAX)
}

fn is_due(last: Option<Timestamp>, every: SignedDuration, now: Timestamp) -> bool {
    last.is_none_or(|at| now >= later(at, every))
}

/// Whether an engine of this machine is shown.
fn has_machine(mirror: &Mirror, shown: ShownContexts) -> bool {
    let mut shown = mirror.shown(shown);
    shown.any(|it| mirror.can(it.context.name, Capability::HostEnvironment))
}

/// The connected contexts that have agents.
fn clusters(mirror: &Mirror, shown: ShownContexts) -> impl Iterator<Item = ContextName> {
    let names = mirror.shown(shown).map(|it| it.context.name);
    names.filter(|name| mirror.can(*name, Capability::AgentChoice))
}

fn ask_agents(context: ContextName, refresh: bool) -> Step {
    let request = ContextRequest::Catalogue {
        project: None,
        refresh,
    };
    Step::Ask {
        request: Request::context(context, request),
        purpose: Purpose::Dashboard(context),
    }
}

const HINTS: &[Hint] = &[
    (
        Scope::Dashboard,
        &[Action::DashboardOpen],
        tr_later!("list sessions"),
    ),
    (
        Scope::Dashboard,
        &[Action::DashboardRefresh],
        tr_later!("refresh"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("back")),
    (Scope::Dashboard, MOVE, tr_later!("move")),
];

/// The hints while no row can be selected.
const EMPTY_HINTS: &[Hint] = &[
    (
        Scope::Dashboard,
        &[Action::DashboardRefresh],
        tr_later!("refresh"),
    ),
    (Scope::Global, &[Action::Back], tr_later!("back")),
];

impl Panel for Dashboard {
    fn scope(&self) -> Scope {
        Scope::Dashboard
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        let rows = rows(self, env);
        if let Some(by) = motion(action, self.list.page()) {
            self.move_by(by, &rows);
            return Vec::new();
        }
        match action {
            Action::DashboardOpen => self.open(),
            Action::DashboardRefresh => self.refresh(env),
            Action::Back => vec![Step::CLOSE],
            _ => Vec::new(),
        }
    }

    /// A click selects a row. A click on the selected row opens it.
    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        let DialogPart::Row(row) = part else {
            return Vec::new();
        };
        let rows = rows(self, env);
        let at = self.list.scroll() + row;
        match rows.get(at).and_then(DashRow::target) {
            Some(target) if self.selected.as_ref() == Some(&target) => self.open(),
            Some(_) => {
                self.go_to(at, &rows);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        let rows = rows(self, env);
        self.move_by(by.signum(), &rows);
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        self.height = height;
        let rows = rows(self, env);
        self.list.laid_out(height, rows.len());
        self.has_targets = self.at(&rows).is_some();
        self.has_clusters = clusters(env.mirror, env.shown).next().is_some();
        if let Some(at) = self.at(&rows) {
            let is_first = rows.iter().take(at).all(|row| row.target().is_none());
            self.go_to(at, &rows);
            if is_first {
                self.list.reveal(0);
            }
        }
    }

    fn hints(&self) -> Vec<Hint> {
        let hints = if self.has_targets { HINTS } else { EMPTY_HINTS };
        let refreshes = |(_, actions, _): &&Hint| *actions == [Action::DashboardRefresh];
        let hints = hints.iter();
        hints
            .filter(|it| self.has_clusters || !refreshes(it))
            .copied()
            .collect()
    }
}
