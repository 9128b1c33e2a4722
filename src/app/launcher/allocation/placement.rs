//! Where a session runs: project, resource group, agent.

use super::{amount_facts::in_words, options::SelectOption};
use crate::{
    app::launcher::LaunchInfo,
    model::{
        capability::Capability,
        catalogue::{Agent, Project, ResourceGroup},
        spec::LaunchRequest,
        text::Clean,
    },
};

/// The option that leaves the choice to the engine.
fn any() -> &'static str {
    tr!("any (the engine chooses)")
}

/// `None` is the context's default, or the choice of the engine.
#[derive(Clone, Debug, Default)]
pub struct PlacementInput {
    project: Option<String>,
    group: Option<String>,
    agent: Option<String>,
}

fn projects(info: &LaunchInfo) -> &[Project] {
    info.catalogue.as_ref().map_or(&[], |it| &it.projects)
}

fn groups(info: &LaunchInfo) -> &[ResourceGroup] {
    let catalogue = info.catalogue.as_ref();
    catalogue.map_or(&[], |it| &it.resource_groups)
}

fn agents<'a>(
    info: &'a LaunchInfo,
    group: Option<&'a ResourceGroup>,
) -> impl Iterator<Item = &'a Agent> {
    let all = info.catalogue.as_ref().map_or(&[][..], |it| &it.agents);
    all.iter()
        .filter(move |agent| group.is_none_or(|group| group.name == agent.resource_group))
}

impl PlacementInput {
    /// The chosen group, or the default group.
    pub fn group<'a>(&self, info: &'a LaunchInfo) -> Option<&'a ResourceGroup> {
        info.group(&LaunchRequest {
            resource_group: self.group.clone(),
            ..LaunchRequest::default()
        })
    }

    /// The project is shown only if there is a choice, or if its name isn't among the projects.
    pub fn has_projects(&self, info: &LaunchInfo) -> bool {
        projects(info).len() > 1 || (self.project.is_some() && info.catalogue.is_some())
    }

    /// The only group of a Backend.AI cluster is shown too, because it shows where sessions run.
    pub fn has_groups(&self, info: &LaunchInfo) -> bool {
        let several = groups(info).len() > 1;
        let only = !groups(info).is_empty() && info.has(Capability::Schedules);
        several || only || (self.group.is_some() && self.group(info).is_none())
    }

    pub fn has_agents(&self, info: &LaunchInfo) -> bool {
        let reported = agents(info, None).next().is_some();
        self.agent.is_some() || (reported && info.has(Capability::AgentChoice))
    }

    pub fn projects(&self, info: &LaunchInfo) -> (Vec<SelectOption>, usize) {
        let reported = info.catalogue.as_ref().and_then(|it| it.project.as_ref());
        let now = self.project.as_deref().or(reported.map(Clean::as_str));
        let names = projects(info).iter().map(|it| it.name.to_string());
        let options = names.map(|name| SelectOption::new(name, "")).collect();
        with_missing(options, now, tr!("project not found"))
    }

    pub fn groups(&self, info: &LaunchInfo) -> (Vec<SelectOption>, usize) {
        // Without a scheduler of its own, an engine has a default group.
        let usual = info.group(&LaunchRequest::default());
        // A Backend.AI cluster with a single group has that default group.
        let usual = usual.filter(|_| !info.has(Capability::Schedules) || groups(info).len() == 1);
        let usual = usual.map_or(any(), |group| group.name.as_str());
        let mut options = Vec::new();
        if usual == any() {
            options.push(SelectOption::new(any(), ""));
        }
        options.extend(groups(info).iter().map(|group| {
            let free = &group.remaining;
            let mut note = tr!("{info} free", info = in_words(free, info));
            if let Some(waiting @ 1..) = group.waiting {
                note = tr!("{note}, {waiting} waiting", note, waiting);
            }
            SelectOption::new(group.name.as_str(), note)
        }));
        let now = self.group.as_deref().unwrap_or(usual);
        with_missing(options, Some(now), tr!("group not found"))
    }

    pub fn agents(&self, info: &LaunchInfo) -> (Vec<SelectOption>, usize) {
        let mut options = vec![SelectOption::new(any(), "")];
        options.extend(agents(info, self.group(info)).map(|agent| {
            let free = agent.available.less(&agent.occupied);
            let note = tr!("{info} free", info = in_words(&free, info));
            let why = (!agent.schedulable).then(|| tr!("accepts no sessions now").to_owned());
            SelectOption::new(agent.id.as_str(), note).unless(why)
        }));
        let now = self.agent.as_deref().unwrap_or(any());
        with_missing(options, Some(now), tr!("agent not found in this group"))
    }

    pub fn choose_project(&mut self, at: usize, info: &LaunchInfo) {
        let (options, now) = self.projects(info);
        let Some(next) = options.get(at).filter(|_| at != now) else {
            return;
        };
        // The new project has other groups.
        *self = Self {
            project: Some(next.title.clone()),
            ..Self::default()
        };
    }

    pub fn choose_group(&mut self, at: usize, info: &LaunchInfo) {
        self.group = chosen(&self.groups(info).0, at);
        self.agent = None;
    }

    pub fn choose_agent(&mut self, at: usize, info: &LaunchInfo) {
        self.agent = chosen(&self.agents(info).0, at);
    }

    pub fn read(&mut self, request: &LaunchRequest) {
        *self = Self {
            project: request.project.clone(),
            group: request.resource_group.clone(),
            agent: request.agent.clone(),
        };
    }

    pub fn write(&self, request: &mut LaunchRequest) {
        // The session of another owner has that owner's project, which is already in the request.
        if request.owner.is_none() {
            request.project.clone_from(&self.project);
        }
        request.resource_group.clone_from(&self.group);
        request.agent.clone_from(&self.agent);
    }
}

/// The name of an option, `None` for "any".
fn chosen(options: &[SelectOption], at: usize) -> Option<String> {
    let option = options.get(at).filter(|option| option.title != any())?;
    Some(option.title.clone())
}

/// Returns the options and the position of the option with this name. A missing one is added with the reason.
fn with_missing(
    mut options: Vec<SelectOption>,
    now: Option<&str>,
    why: &str,
) -> (Vec<SelectOption>, usize) {
    let Some(now) = now else {
        return (options, 0);
    };
    let at = options.iter().position(|option| option.title == now);
    let at = at.unwrap_or_else(|| {
        let missing = SelectOption::new(Clean::new(now).into_string(), "");
        options.push(missing.unless(Some(why.to_owned())));
        options.len() - 1
    });
    (options, at)
}
