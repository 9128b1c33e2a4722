//! The second page: the environment and its variables, the group or agent, the resources of each container,
//! and the number of containers.

mod amount_facts;
mod amounts;
mod counts;
mod disk;
mod environments;
mod forecast;
mod keys;
mod options;
mod placement;
mod presets;
mod problems;
mod slider;
mod threads;
mod variables;

pub use amount_facts::AmountFacts;
pub use amounts::Amounts;
pub use counts::SessionCounts;
pub use environments::{EnvironmentChoice, EnvironmentPicker, EnvironmentRow};
pub use forecast::{AmountForecast, AmountSlot};
pub use options::SelectOption;
pub use slider::{NumberBounds, NumberUnit, Slider};
pub use threads::{OPEN_BLAS, OPEN_MP, Threads};
pub use variables::{VariablePart, VariableProblem, VariableRow, Variables};

use super::{FormResponse, FormRow, LaunchInfo, PageForm, Unfinished};
use crate::{
    action::Action,
    app::{input::Input, step::Step},
    key::Key,
    model::{
        capability::Capability,
        id::ContextName,
        launch_field::{FieldProblem, LaunchField as Field},
        spec::LaunchRequest,
    },
};
use disk::DiskInput;
use placement::PlacementInput;

#[derive(Clone, Debug, Default)]
pub struct AllocationForm {
    environments: EnvironmentPicker,
    variables: Variables,
    placement: PlacementInput,
    amounts: Amounts,
    counts: SessionCounts,
    threads: Threads,
    disk: DiskInput,
    /// The context whose environments, groups and presets are chosen from.
    context: Option<ContextName>,
    /// The row that the last key moved the focus to.
    moved: Option<FormRow>,
}

impl AllocationForm {
    pub fn environments(&self) -> &EnvironmentPicker {
        &self.environments
    }

    /// The name of the environment that a manual image belongs to.
    pub fn environment_of_image(&self, info: &LaunchInfo) -> Option<String> {
        let is_manual = self.environments.has_manual_image();
        let known = self.environments.chosen(info).filter(|_| is_manual)?;
        Some(known.label())
    }

    pub fn variables(&self) -> &Variables {
        &self.variables
    }

    pub fn amounts(&self) -> &Amounts {
        &self.amounts
    }

    pub fn counts(&self) -> &SessionCounts {
        &self.counts
    }

    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// The typed disk limit.
    pub fn disk(&self) -> &Input {
        &self.disk.input
    }

    /// The facts that the amounts on this page depend on.
    pub fn amount_facts<'a>(&self, info: &'a LaunchInfo) -> AmountFacts<'a> {
        AmountFacts {
            info,
            environment: self.environments.chosen(info),
            group: self.placement.group(info),
            size: self.counts.containers(),
            copies: self.counts.copies(),
        }
    }

    /// The options of a row and the position of the chosen one, if the row has options.
    pub fn choices(&self, row: FormRow, info: &LaunchInfo) -> Option<(Vec<SelectOption>, usize)> {
        match row.field {
            Field::Project => Some(self.placement.projects(info)),
            Field::ResourceGroup => Some(self.placement.groups(info)),
            Field::Agent => Some(self.placement.agents(info)),
            Field::ClusterMode => Some(self.counts.modes(info)),
            Field::Preset => {
                let facts = self.amount_facts(info);
                let own = facts.in_words(&self.amounts.slots());
                Some(presets::options(self.amounts.source(), &own, &facts))
            }
            _ => None,
        }
    }

    /// The slider of a row, if it has one.
    pub fn slider(&self, row: FormRow) -> Option<&Slider> {
        match row.field {
            Field::Cpu => Some(&self.amounts.cpu),
            Field::Memory => Some(&self.amounts.mem),
            Field::SharedMemory => Some(&self.amounts.shmem),
            Field::Accelerator => Some(&self.amounts.accelerators.get(row.item)?.slider),
            Field::Count => Some(&self.counts.count),
            Field::ClusterSize => Some(&self.counts.size),
            Field::OpenMp if row.item > 0 => Some(&self.threads.open_mp),
            Field::OpenBlas => Some(&self.threads.open_blas),
            _ => None,
        }
    }

    fn slider_mut(&mut self, row: FormRow) -> Option<&mut Slider> {
        match row.field {
            Field::Cpu => Some(&mut self.amounts.cpu),
            Field::Memory => Some(&mut self.amounts.mem),
            Field::SharedMemory => Some(&mut self.amounts.shmem),
            Field::Accelerator => Some(&mut self.amounts.accelerators.get_mut(row.item)?.slider),
            Field::Count => Some(&mut self.counts.count),
            Field::ClusterSize => Some(&mut self.counts.size),
            Field::OpenMp if row.item > 0 => Some(&mut self.threads.open_mp),
            Field::OpenBlas => Some(&mut self.threads.open_blas),
            _ => None,
        }
    }

    /// The range of a row's number.
    pub fn bounds(&self, row: FormRow, info: &LaunchInfo) -> NumberBounds {
        let facts = self.amount_facts(info);
        match row.field {
            Field::Cpu => facts.cpu(),
            Field::Memory => facts.memory(),
            Field::SharedMemory => facts.shared_memory(self.amounts.mem.value().unwrap_or(0)),
            Field::Accelerator => {
                let accelerator = self.amounts.accelerators.get(row.item);
                facts.accelerator(accelerator.map_or("", |it| &it.slot))
            }
            Field::Count => SessionCounts::count_bounds(),
            Field::ClusterSize => SessionCounts::size_bounds(info),
            _ => counts::pieces(facts.most().cpu.map(|cpu| cpu.millis().div_ceil(1000))),
        }
    }

    /// Whether a row is automatic, if it can be.
    pub fn automatic(&self, row: FormRow) -> Option<bool> {
        match (row.field, row.item) {
            (Field::SharedMemory, _) => Some(self.amounts.automatic_shmem),
            (Field::OpenMp, 0) => Some(self.threads.automatic),
            _ => None,
        }
    }

    /// Amounts follow the environment, the group and the size of the cluster.
    fn settle(&mut self, info: &LaunchInfo) {
        let facts = self.amount_facts(info);
        self.amounts.update(&facts);
    }

    fn resource_rows(&self, info: &LaunchInfo, rows: &mut Vec<FormRow>) {
        rows.push(FormRow::of(Field::Preset));
        let facts = self.amount_facts(info);
        if self.amounts.are_fixed(&facts) {
            self.disk_row(info, rows);
            return;
        }
        rows.extend([Field::Cpu, Field::Memory, Field::SharedMemory].map(FormRow::of));
        for (at, accelerator) in self.amounts.accelerators.iter().enumerate() {
            let none = accelerator.slider.value() == Ok(0)
                && facts.why_no_accelerator(&accelerator.slot).is_some();
            if !none {
                rows.push(FormRow::item(Field::Accelerator, at));
            }
        }
        self.disk_row(info, rows);
    }

    /// A typed limit isn't lost where the engine has none: it is shown and refused.
    fn disk_row(&self, info: &LaunchInfo, rows: &mut Vec<FormRow>) {
        if info.has(Capability::DiskLimit) || !self.disk.input.is_empty() {
            rows.push(FormRow::of(Field::Disk));
        }
    }

    fn number_rows(&self, info: &LaunchInfo, rows: &mut Vec<FormRow>) {
        let cluster = self.counts.containers() > 1;
        if !cluster {
            rows.push(FormRow::of(Field::Count));
        }
        rows.push(FormRow::of(Field::ClusterSize));
        if cluster {
            rows.push(FormRow::of(Field::ClusterMode));
        }
        if self.placement.has_agents(info) {
            rows.push(FormRow::of(Field::Agent));
        }
        rows.push(FormRow::of(Field::OpenMp));
        if !self.threads.automatic {
            rows.extend([
                FormRow::item(Field::OpenMp, 1),
                FormRow::of(Field::OpenBlas),
            ]);
        }
    }
}

/// The row of the name or the value of a variable.
pub fn variable_row(at: usize, part: VariablePart) -> FormRow {
    FormRow::item(
        Field::Variables,
        2 * at + usize::from(part == VariablePart::Value),
    )
}

/// The variable and the part of a row.
pub fn variable_of(row: FormRow) -> (usize, VariablePart) {
    let part = if row.item.is_multiple_of(2) {
        VariablePart::Name
    } else {
        VariablePart::Value
    };
    (row.item / 2, part)
}

impl PageForm for AllocationForm {
    fn rows(&self, info: &LaunchInfo) -> Vec<FormRow> {
        let mut rows = [Field::Environment, Field::Image].map(FormRow::of).to_vec();
        for at in 0..self.variables.rows().len() {
            rows.push(variable_row(at, VariablePart::Name));
            if !self.variables.is_last(at) {
                rows.push(variable_row(at, VariablePart::Value));
            }
        }
        if self.placement.has_projects(info) {
            rows.push(FormRow::of(Field::Project));
        }
        if self.placement.has_groups(info) {
            rows.push(FormRow::of(Field::ResourceGroup));
        }
        self.resource_rows(info, &mut rows);
        self.number_rows(info, &mut rows);
        rows
    }

    fn key(&mut self, row: FormRow, key: Key, info: &LaunchInfo) -> bool {
        self.handle_key(row, key, info)
    }

    fn back(&mut self, row: FormRow, info: &LaunchInfo) -> bool {
        let cleared = row.field == Field::Environment && self.environments.clear_search(info);
        if cleared {
            self.settle(info);
        }
        cleared
    }

    fn moved(&mut self) -> Option<FormRow> {
        self.moved.take()
    }

    fn paste(&mut self, row: FormRow, text: &str, info: &LaunchInfo) -> bool {
        self.handle_paste(row, text, info)
    }

    fn action(
        &mut self,
        row: FormRow,
        action: Action,
        key: Option<Key>,
        info: &LaunchInfo,
    ) -> FormResponse {
        self.handle_action(row, action, key, info)
    }

    fn clicked(&mut self, field: Field, at: usize, info: &LaunchInfo) {
        if field == Field::Environment {
            self.environments.choose(at);
            self.settle(info);
        } else {
            self.choose(FormRow::of(field), at, info);
        }
    }

    fn unfinished(&self, row: FormRow, to: Option<FormRow>) -> Option<Unfinished> {
        self.unfinished_variable(row, to)
    }

    fn discard(&mut self, row: FormRow, to: FormRow) -> FormRow {
        self.without_variable(row, to)
    }

    fn confirmed(&mut self, row: FormRow, info: &LaunchInfo) -> Vec<Step> {
        if row.field == Field::Variables {
            self.variables.remove_all();
            self.moved = Some(variable_row(0, VariablePart::Name));
            return Vec::new();
        }
        self.remove_image(info).into_iter().collect()
    }

    fn read(&mut self, request: &LaunchRequest, info: &LaunchInfo) {
        let mut env = request.env.clone();
        self.context = Some(info.context);
        self.threads.read(&mut env);
        self.variables.set_secret_rules(&info.defaults.secrets);
        self.variables.read(&env, &request.secret_names);
        self.environments.read(request, info);
        self.placement.read(request);
        self.counts.read(request);
        self.disk.read(request);
        let facts = self.amount_facts(info);
        self.amounts.read(request, &facts);
    }

    fn write(&self, request: &mut LaunchRequest, info: &LaunchInfo) {
        self.environments.write(request, info);
        request.env = self.variables.write();
        request.secret_names.clone_from(self.variables.marked());
        self.threads.write(&mut request.env);
        self.placement.write(request);
        self.amounts.write(request);
        self.counts.write(request);
        self.disk.write(request);
    }

    fn problems(&self, info: &LaunchInfo) -> Vec<FieldProblem> {
        let environment = self.environments.problem();
        let environment = environment.map(|why| FieldProblem::new(Field::Environment, why));
        let mut found: Vec<_> = environment.into_iter().collect();
        let rows = 0..self.variables.count();
        let variables = rows.filter_map(|at| self.variable_problem(at, false));
        found.extend(variables.map(|it| FieldProblem::new(Field::Variables, it.why)));
        found.extend(self.amounts.problems(info));
        found.extend(self.counts.problems());
        found.extend(self.disk.problem());
        let threads = self.bounds(FormRow::of(Field::OpenBlas), info);
        found.extend(self.threads.problems(threads.most));
        found
    }

    fn row_of(&self, problem: &FieldProblem, info: &LaunchInfo) -> Option<FormRow> {
        self.row_to_fix(problem, info)
    }

    fn info_changed(&mut self, info: &LaunchInfo, _request: &LaunchRequest) {
        // Another context can lack the chosen values, so its own are chosen again.
        if self.context.replace(info.context) != Some(info.context) {
            self.environments = EnvironmentPicker::default();
            self.placement = PlacementInput::default();
            self.amounts = Amounts::default();
        }
        self.environments.update(info);
        self.variables.set_secret_rules(&info.defaults.secrets);
        self.settle(info);
    }
}
