//! The second page: the environment and its variables, the group or agent, the resources of each container,
//! and the number of containers.

mod amounts;
mod around;
mod environments;
mod faults;
mod keys;
mod numbers;
mod options;
mod outlook;
mod place;
mod presets;
mod slider;
mod threads;
mod variables;

pub use amounts::Amounts;
pub use around::Around;
pub use environments::{Choice, Environments, Line};
pub use numbers::Numbers;
pub use options::Choose;
pub use outlook::{Outlook, Slot};
pub use slider::{Bounds, Slider, Unit};
pub use threads::{OPEN_BLAS, OPEN_MP, Threads};
pub use variables::{Fault, Part, Variable, Variables};

use super::{Form, Heard, Offer, Row, Undone};
use crate::{
    action::Action,
    key::Key,
    model::{
        id::ContextName,
        launch_field::{FieldProblem, LaunchField as Field},
        spec::LaunchRequest,
    },
};
use place::Place;

#[derive(Clone, Debug, Default)]
pub struct Allocation {
    environments: Environments,
    variables: Variables,
    place: Place,
    amounts: Amounts,
    numbers: Numbers,
    threads: Threads,
    /// The context whose environments, groups and presets are chosen from.
    context: Option<ContextName>,
    /// The row that the last key moved the focus to.
    moved: Option<Row>,
}

impl Allocation {
    pub fn environments(&self) -> &Environments {
        &self.environments
    }

    /// The name of the environment that a manual image belongs to.
    pub fn environment_of_image(&self, offer: &Offer) -> Option<String> {
        let by_hand = self.environments.is_by_hand();
        let known = self.environments.chosen(offer).filter(|_| by_hand)?;
        Some(known.label())
    }

    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    pub fn amounts(&self) -> &Amounts {
        &self.amounts
    }

    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The facts that the amounts on this page depend on.
    pub fn around<'a>(&self, offer: &'a Offer) -> Around<'a> {
        Around {
            offer,
            environment: self.environments.chosen(offer),
            group: self.place.group(offer),
            size: self.numbers.containers(),
            copies: self.numbers.copies(),
        }
    }

    /// The options of a row and the position of the chosen one, if the row has options.
    pub fn choices(&self, row: Row, offer: &Offer) -> Option<(Vec<Choose>, usize)> {
        match row.field {
            Field::Project => Some(self.place.projects(offer)),
            Field::ResourceGroup => Some(self.place.groups(offer)),
            Field::Agent => Some(self.place.agents(offer)),
            Field::ClusterMode => Some(self.numbers.modes(offer)),
            Field::Preset => {
                let around = self.around(offer);
                let own = around.in_words(&self.amounts.slots());
                Some(presets::options(self.amounts.source(), &own, &around))
            }
            _ => None,
        }
    }

    /// The slider of a row, if it has one.
    pub fn slider(&self, row: Row) -> Option<&Slider> {
        match row.field {
            Field::Cpu => Some(&self.amounts.cpu),
            Field::Memory => Some(&self.amounts.mem),
            Field::SharedMemory => Some(&self.amounts.shmem),
            Field::Accelerator => Some(&self.amounts.accelerators.get(row.item)?.slider),
            Field::Count => Some(&self.numbers.count),
            Field::ClusterSize => Some(&self.numbers.size),
            Field::OpenMp if row.item > 0 => Some(&self.threads.open_mp),
            Field::OpenBlas => Some(&self.threads.open_blas),
            _ => None,
        }
    }

    fn slider_mut(&mut self, row: Row) -> Option<&mut Slider> {
        match row.field {
            Field::Cpu => Some(&mut self.amounts.cpu),
            Field::Memory => Some(&mut self.amounts.mem),
            Field::SharedMemory => Some(&mut self.amounts.shmem),
            Field::Accelerator => Some(&mut self.amounts.accelerators.get_mut(row.item)?.slider),
            Field::Count => Some(&mut self.numbers.count),
            Field::ClusterSize => Some(&mut self.numbers.size),
            Field::OpenMp if row.item > 0 => Some(&mut self.threads.open_mp),
            Field::OpenBlas => Some(&mut self.threads.open_blas),
            _ => None,
        }
    }

    /// The range of a row's number.
    pub fn bounds(&self, row: Row, offer: &Offer) -> Bounds {
        let around = self.around(offer);
        match row.field {
            Field::Cpu => around.cpu(),
            Field::Memory => around.memory(),
            Field::SharedMemory => around.shared_memory(self.amounts.mem.value().unwrap_or(0)),
            Field::Accelerator => {
                let accelerator = self.amounts.accelerators.get(row.item);
                around.accelerator(accelerator.map_or("", |it| &it.slot))
            }
            Field::Count => Numbers::count_bounds(),
            Field::ClusterSize => Numbers::size_bounds(offer),
            _ => numbers::pieces(around.most().cpu.map(|cpu| cpu.millis().div_ceil(1000))),
        }
    }

    /// Whether a row is automatic, if it can be.
    pub fn automatic(&self, row: Row) -> Option<bool> {
        match (row.field, row.item) {
            (Field::SharedMemory, _) => Some(self.amounts.automatic_shmem),
            (Field::OpenMp, 0) => Some(self.threads.automatic),
            _ => None,
        }
    }

    /// Amounts follow the environment, the group and the size of the cluster.
    fn settle(&mut self, offer: &Offer) {
        let around = self.around(offer);
        self.amounts.offered(&around);
    }

    fn resource_rows(&self, offer: &Offer, rows: &mut Vec<Row>) {
        rows.push(Row::of(Field::Preset));
        let around = self.around(offer);
        if self.amounts.are_fixed(&around) {
            return;
        }
        rows.extend([Field::Cpu, Field::Memory, Field::SharedMemory].map(Row::of));
        for (at, accelerator) in self.amounts.accelerators.iter().enumerate() {
            let none = accelerator.slider.value() == Ok(0)
                && around.why_no_accelerator(&accelerator.slot).is_some();
            if !none {
                rows.push(Row::item(Field::Accelerator, at));
            }
        }
    }

    fn number_rows(&self, offer: &Offer, rows: &mut Vec<Row>) {
        let cluster = self.numbers.containers() > 1;
        if !cluster {
            rows.push(Row::of(Field::Count));
        }
        rows.push(Row::of(Field::ClusterSize));
        if cluster {
            rows.push(Row::of(Field::ClusterMode));
        }
        if self.place.has_agents(offer) {
            rows.push(Row::of(Field::Agent));
        }
        rows.push(Row::of(Field::OpenMp));
        if !self.threads.automatic {
            rows.extend([Row::item(Field::OpenMp, 1), Row::of(Field::OpenBlas)]);
        }
    }
}

/// The row of the name or the value of a variable.
pub fn variable_row(at: usize, part: Part) -> Row {
    Row::item(Field::Variables, 2 * at + usize::from(part == Part::Value))
}

/// The variable and the part that a row stands for.
pub fn variable_of(row: Row) -> (usize, Part) {
    let part = if row.item.is_multiple_of(2) {
        Part::Name
    } else {
        Part::Value
    };
    (row.item / 2, part)
}

impl Form for Allocation {
    fn rows(&self, offer: &Offer) -> Vec<Row> {
        let mut rows = [Field::Environment, Field::Image].map(Row::of).to_vec();
        for at in 0..self.variables.rows().len() {
            rows.push(variable_row(at, Part::Name));
            if !self.variables.is_last(at) {
                rows.push(variable_row(at, Part::Value));
            }
        }
        if self.place.has_projects(offer) {
            rows.push(Row::of(Field::Project));
        }
        if self.place.has_groups(offer) {
            rows.push(Row::of(Field::ResourceGroup));
        }
        self.resource_rows(offer, &mut rows);
        self.number_rows(offer, &mut rows);
        rows
    }

    fn key(&mut self, row: Row, key: Key, offer: &Offer) -> bool {
        self.hear_key(row, key, offer)
    }

    fn back(&mut self, row: Row, offer: &Offer) -> bool {
        let cleared = row.field == Field::Environment && self.environments.clear_search(offer);
        if cleared {
            self.settle(offer);
        }
        cleared
    }

    fn moved(&mut self) -> Option<Row> {
        self.moved.take()
    }

    fn paste(&mut self, row: Row, text: &str, offer: &Offer) -> bool {
        self.hear_paste(row, text, offer)
    }

    fn action(&mut self, row: Row, action: Action, key: Option<Key>, offer: &Offer) -> Heard {
        self.hear(row, action, key, offer)
    }

    fn clicked(&mut self, field: Field, at: usize, offer: &Offer) {
        if field == Field::Environment {
            self.environments.choose(at);
            self.settle(offer);
        } else {
            self.choose(Row::of(field), at, offer);
        }
    }

    fn undone(&self, row: Row, to: Option<Row>) -> Option<Undone> {
        self.half_a_variable(row, to)
    }

    fn let_go(&mut self, row: Row, to: Row) -> Row {
        self.without_variable(row, to)
    }

    fn confirmed(&mut self, row: Row, _offer: &Offer) {
        if row.field == Field::Variables {
            self.variables.remove_all();
            self.moved = Some(variable_row(0, Part::Name));
        }
    }

    fn read(&mut self, request: &LaunchRequest, offer: &Offer) {
        let mut env = request.env.clone();
        self.context = Some(offer.context);
        self.threads.read(&mut env);
        self.variables.judge_by(&offer.defaults.secrets);
        self.variables.read(&env, &request.secret_names);
        self.environments.read(request, offer);
        self.place.read(request);
        self.numbers.read(request);
        let around = self.around(offer);
        self.amounts.read(request, &around);
    }

    fn write(&self, request: &mut LaunchRequest, offer: &Offer) {
        self.environments.write(request, offer);
        request.env = self.variables.write();
        request.secret_names.clone_from(self.variables.marked());
        self.threads.write(&mut request.env);
        self.place.write(request);
        self.amounts.write(request);
        self.numbers.write(request);
    }

    fn problems(&self, offer: &Offer) -> Vec<FieldProblem> {
        let environment = self.environments.problem();
        let environment = environment.map(|why| FieldProblem::new(Field::Environment, why));
        let mut found: Vec<_> = environment.into_iter().collect();
        let rows = 0..self.variables.count();
        let variables = rows.filter_map(|at| self.variable_fault(at, false));
        found.extend(variables.map(|it| FieldProblem::new(Field::Variables, it.why)));
        found.extend(self.amounts.problems(offer));
        found.extend(self.numbers.problems());
        let threads = self.bounds(Row::of(Field::OpenBlas), offer);
        found.extend(self.threads.problems(threads.most));
        found
    }

    fn row_of(&self, problem: &FieldProblem, offer: &Offer) -> Option<Row> {
        self.row_to_mend(problem, offer)
    }

    fn offered(&mut self, offer: &Offer, _request: &LaunchRequest) {
        // Another context can lack the chosen values, so its own are chosen again.
        if self.context.replace(offer.context) != Some(offer.context) {
            self.environments = Environments::default();
            self.place = Place::default();
            self.amounts = Amounts::default();
        }
        self.environments.offered(offer);
        self.variables.judge_by(&offer.defaults.secrets);
        self.settle(offer);
    }
}
