//! Where a session runs: project, resource group, agent.

use super::{around::in_words, options::Choose};
use crate::{
    app::launcher::Offer,
    model::{
        capability::Capability,
        catalogue::{Agent, Project, ResourceGroup},
        spec::LaunchRequest,
        text::Clean,
    },
};

/// ShownContexts if the engine chooses.
const ANY: &str = "any (the engine chooses)";

/// `None` is the context's default, or the choice of the engine.
#[derive(Clone, Debug, Default)]
pub struct Place {
    project: Option<String>,
    group: Option<String>,
    agent: Option<String>,
}

fn projects(offer: &Offer) -> &[Project] {
    offer.catalogue.as_ref().map_or(&[], |it| &it.projects)
}

fn groups(offer: &Offer) -> &[ResourceGroup] {
    let catalogue = offer.catalogue.as_ref();
    catalogue.map_or(&[], |it| &it.resource_groups)
}

fn agents<'a>(
    offer: &'a Offer,
    group: Option<&'a ResourceGroup>,
) -> impl Iterator<Item = &'a Agent> {
    let all = offer.catalogue.as_ref().map_or(&[][..], |it| &it.agents);
    all.iter()
        .filter(move |agent| group.is_none_or(|group| group.name == agent.resource_group))
}

impl Place {
    /// The chosen group, or the default group.
    pub fn group<'a>(&self, offer: &'a Offer) -> Option<&'a ResourceGroup> {
        offer.group(&LaunchRequest {
            resource_group: self.group.clone(),
            ..LaunchRequest::default()
        })
    }

    /// The project is shown only if there is a choice, or if its name isn't among the projects.
    pub fn has_projects(&self, offer: &Offer) -> bool {
        projects(offer).len() > 1 || (self.project.is_some() && offer.catalogue.is_some())
    }

    /// The only group of a Backend.AI cluster is shown too, because it shows where sessions run.
    pub fn has_groups(&self, offer: &Offer) -> bool {
        let several = groups(offer).len() > 1;
        let only = !groups(offer).is_empty() && offer.has(Capability::Schedules);
        several || only || (self.group.is_some() && self.group(offer).is_none())
    }

    pub fn has_agents(&self, offer: &Offer) -> bool {
        let told = agents(offer, None).next().is_some();
        self.agent.is_some() || (told && offer.has(Capability::AgentChoice))
    }

    pub fn projects(&self, offer: &Offer) -> (Vec<Choose>, usize) {
        let told = offer.catalogue.as_ref().and_then(|it| it.project.as_ref());
        let now = self.project.as_deref().or(told.map(Clean::as_str));
        let names = projects(offer).iter().map(|it| it.name.to_string());
        let options = names.map(|name| Choose::new(name, "")).collect();
        with_missing(options, now, "project not found")
    }

    pub fn groups(&self, offer: &Offer) -> (Vec<Choose>, usize) {
        // Without a scheduler of its own, an engine has a default group.
        let usual = offer.group(&LaunchRequest::default());
        // A Backend.AI cluster with a single group has that default group.
        let usual = usual.filter(|_| !offer.has(Capability::Schedules) || groups(offer).len() == 1);
        let usual = usual.map_or(ANY, |group| group.name.as_str());
        let mut options = Vec::new();
        if usual == ANY {
            options.push(Choose::new(ANY, ""));
        }
        options.extend(groups(offer).iter().map(|group| {
            let free = &group.remaining;
            let mut note = format!("{} free", in_words(free, offer));
            if let Some(waiting @ 1..) = group.waiting {
                note = format!("{note}, {waiting} waiting");
            }
            Choose::new(group.name.as_str(), note)
        }));
        let now = self.group.as_deref().unwrap_or(usual);
        with_missing(options, Some(now), "group not found")
    }

    pub fn agents(&self, offer: &Offer) -> (Vec<Choose>, usize) {
        let mut options = vec![Choose::new(ANY, "")];
        options.extend(agents(offer, self.group(offer)).map(|agent| {
            let free = agent.available.less(&agent.occupied);
            let note = format!("{} free", in_words(&free, offer));
            let why = (!agent.schedulable).then(|| "accepts no sessions now".to_owned());
            Choose::new(agent.id.as_str(), note).unless(why)
        }));
        let now = self.agent.as_deref().unwrap_or(ANY);
        with_missing(options, Some(now), "agent not found in this group")
    }

    pub fn choose_project(&mut self, at: usize, offer: &Offer) {
        let (options, now) = self.projects(offer);
        let Some(next) = options.get(at).filter(|_| at != now) else {
            return;
        };
        // The new project has other groups.
        *self = Self {
            project: Some(next.title.clone()),
            ..Self::default()
        };
    }

    pub fn choose_group(&mut self, at: usize, offer: &Offer) {
        self.group = chosen(&self.groups(offer).0, at);
        self.agent = None;
    }

    pub fn choose_agent(&mut self, at: usize, offer: &Offer) {
        self.agent = chosen(&self.agents(offer).0, at);
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
fn chosen(options: &[Choose], at: usize) -> Option<String> {
    let option = options.get(at).filter(|option| option.title != ANY)?;
    Some(option.title.clone())
}

/// Returns the options and the position of the option with this name. A missing one is added with the reason.
fn with_missing(mut options: Vec<Choose>, now: Option<&str>, why: &str) -> (Vec<Choose>, usize) {
    let Some(now) = now else {
        return (options, 0);
    };
    let at = options.iter().position(|option| option.title == now);
    let at = at.unwrap_or_else(|| {
        let missing = Choose::new(Clean::new(now).into_string(), "");
        options.push(missing.unless(Some(why.to_owned())));
        options.len() - 1
    });
    (options, at)
}
