//! Where a session goes: context, project, resource group.

use super::{Field, Launcher, Progress};
use crate::{
    app::{mirror::Mirror, step::Step},
    model::{
        catalogue::{Project, ResourceGroup},
        text::Clean,
    },
};

/// What is shown where the engine picks the resource group.
const ANY: &str = "any, the engine picks";

impl Launcher {
    pub(super) fn projects(&self) -> &[Project] {
        self.catalogue.as_ref().map_or(&[], |it| &it.projects)
    }

    pub(super) fn groups(&self) -> &[ResourceGroup] {
        let catalogue = self.catalogue.as_ref();
        catalogue.map_or(&[], |it| &it.resource_groups)
    }

    /// The group that was chosen, or the only one.
    pub(super) fn meant_group(&self) -> Option<&ResourceGroup> {
        match (&self.group, self.groups()) {
            (Some(name), groups) => groups.iter().find(|group| group.name == *name.as_str()),
            (None, [only]) => Some(only),
            (None, _) => None,
        }
    }

    /// What a field of choices shows.
    pub fn value(&self, field: Field) -> String {
        match field {
            Field::Context => self.context.to_string(),
            Field::Project => self.project_name().unwrap_or_default().to_owned(),
            Field::ResourceGroup => self.group.clone().unwrap_or_else(|| ANY.to_owned()),
            Field::Environment | Field::Name | Field::Cpu | Field::Memory => {
                self.input(field).text().to_owned()
            }
        }
    }

    fn project_name(&self) -> Option<&str> {
        let told = || self.catalogue.as_ref()?.project.as_ref();
        let told = told().map(Clean::as_str);
        self.project.as_deref().or(told)
    }

    pub(super) fn step_choice(&mut self, by: isize, mirror: &Mirror) -> Vec<Step> {
        if self.progress == Progress::Asked {
            return Vec::new();
        }
        self.progress = Progress::Editing;
        match self.field {
            Field::Context => self.step_context(by, mirror),
            Field::Project => self.step_project(by, mirror),
            Field::ResourceGroup => {
                self.step_group(by);
                Vec::new()
            }
            Field::Environment | Field::Name | Field::Cpu | Field::Memory => Vec::new(),
        }
    }

    fn step_context(&mut self, by: isize, mirror: &Mirror) -> Vec<Step> {
        let at = self.contexts.iter().position(|name| *name == self.context);
        let Some(next) = turned(self.contexts.len(), at, by) else {
            return Vec::new();
        };
        self.context = self.contexts[next];
        self.catalogue = None;
        self.gap = None;
        self.project = None;
        self.group = None;
        self.choices.clear();
        self.marked = 0;
        self.update(mirror);
        self.ask(mirror)
    }

    /// Another project has other groups: they are asked for.
    fn step_project(&mut self, by: isize, mirror: &Mirror) -> Vec<Step> {
        let now = self.project_name();
        let at = self
            .projects()
            .iter()
            .position(|project| Some(project.name.as_str()) == now);
        let Some(next) = turned(self.projects().len(), at, by) else {
            return Vec::new();
        };
        self.project = Some(self.projects()[next].name.to_string());
        self.group = None;
        self.set_amounts();
        self.ask_catalogue(mirror).into_iter().collect()
    }

    /// The engine's choice stands before the first one.
    fn step_group(&mut self, by: isize) {
        let names: Vec<String> = self.groups().iter().map(|g| g.name.to_string()).collect();
        let at = match &self.group {
            None => Some(0),
            Some(name) => names.iter().position(|it| it == name).map(|at| at + 1),
        };
        let next = turned(names.len() + 1, at, by).unwrap_or(0);
        self.group = next.checked_sub(1).and_then(|at| names.get(at).cloned());
        self.set_amounts();
    }
}

/// The position `by` further on in a ring of `count`; `None` = there is none.
fn turned(count: usize, at: Option<usize>, by: isize) -> Option<usize> {
    let at = at.map_or(0, |at| at.cast_signed() + by);
    (count > 0).then(|| at.rem_euclid(count.cast_signed()).unsigned_abs())
}
