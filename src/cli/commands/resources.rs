//! `workbay resources`: shows the available resources, except environments.

use std::{collections::BTreeMap, fmt::Write as _};

use clap::Args;

use crate::{
    cli::{
        Start,
        args::Json,
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome},
        invocation::Invocation,
        output::{self, Cell},
    },
    locale,
    model::{
        catalogue::{Catalogue, Limits, Policy, Preset, ResourceGroup},
        folder::Folder,
        request::ContextRequest,
        resources::ResourceSlots,
        span::Span,
        text::Clean,
    },
    protocol::message::{Reply, Request},
    rules::launch::amounts,
};

#[derive(Args, Debug, Default)]
pub struct Resources {
    /// Project to list the resources of
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,
    #[command(flatten)]
    pub format: Json,
}

impl RunCommand for Resources {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        let catalogue = read(start, self.project.clone())?;
        for (part, why) in &catalogue.gaps {
            output::remark(&tr!("workbay: {part} can't be read: {why}", part, why));
        }
        if self.format.json {
            output::json(&catalogue)?;
        } else {
            output::print(&text(&catalogue))?;
        }
        Ok(0)
    }
}

/// Reads the resources of the context in force from its engine.
fn read(start: &Start, project: Option<String>) -> Result<Catalogue, Fail> {
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        let context = Choice::of(start).context(&connection.snapshot().await?)?;
        let refresh = true;
        let request = Request::context(context, ContextRequest::Catalogue { project, refresh });
        match connection.request(request).await? {
            Reply::Catalogue { catalogue } => Ok(*catalogue),
            other => Err(connection::unexpected(&other)),
        }
    })
}

fn text(catalogue: &Catalogue) -> String {
    let mut out = output::fields(&facts(catalogue));
    let mut part = |title: &'static str, head: &[&str], rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            let _ = writeln!(out, "\n{}", locale::text(title));
            out.push_str(&output::table(head, &rows, false));
        }
    };
    part(
        tr!("Resource groups"),
        &[
            tr_later!("NAME"),
            tr_later!("USING"),
            tr_later!("REMAINING"),
            tr_later!("OF"),
            tr_later!("WAITING"),
        ],
        groups(catalogue),
    );
    part(
        tr_later!("Presets"),
        &[
            tr_later!("NAME"),
            tr_later!("RESOURCES"),
            tr_later!("SHARED MEMORY"),
            tr_later!("GROUP"),
            tr_later!("FITS NOW"),
            tr_later!("NOTE"),
        ],
        presets(catalogue),
    );
    part(
        tr_later!("Accelerators"),
        &[
            tr_later!("SLOT"),
            tr_later!("UNIT"),
            tr_later!("STEP"),
            tr_later!("NOTE"),
        ],
        kinds(catalogue),
    );
    part(
        tr_later!("Folders"),
        &FOLDER_HEAD,
        folders(&catalogue.folders),
    );
    part(
        tr_later!("Agents"),
        &[
            tr_later!("ID"),
            tr_later!("STATUS"),
            tr_later!("GROUP"),
            tr_later!("OCCUPIED"),
            tr_later!("OF"),
            tr_later!("SCHEDULABLE"),
        ],
        agents(catalogue),
    );
    out
}

fn facts(catalogue: &Catalogue) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(user) = &catalogue.user {
        let text = tr!(
            "{email} ({role}, domain {domain})",
            email = user.email,
            role = user.role,
            domain = user.domain
        );
        facts.push((tr_later!("User"), text));
    }
    let names: Vec<&str> = catalogue.projects.iter().map(|p| p.name.as_str()).collect();
    if !names.is_empty() {
        facts.push((tr_later!("Projects"), names.join(", ")));
    }
    if let Some(project) = &catalogue.project {
        facts.push((tr!("Shown for"), tr!("project {project}", project)));
    }
    facts.extend(limits(&catalogue.limits));
    facts.extend(policy(&catalogue.policy));
    if catalogue.presets_only {
        facts.push((tr_later!("Amounts"), tr!("presets only").to_owned()));
    }
    facts
}

/// `2.5 of 8`, or only the use if there is no limit.
fn of(used: String, limit: Option<String>) -> String {
    match limit {
        Some(limit) => tr!("{used} of {limit}", used, limit),
        None => tr!("{used}, no limit", used),
    }
}

fn limits(limits: &Limits) -> Vec<(&'static str, String)> {
    let (using, most) = (&limits.using, &limits.limits);
    let mut facts = vec![
        (
            tr!("CPU in use"),
            of(using.cpu.to_string(), most.cpu.map(|cpu| cpu.to_string())),
        ),
        (
            tr!("Memory in use"),
            of(using.mem.to_string(), most.mem.map(|mem| mem.to_string())),
        ),
    ];
    let mut slots: Vec<&String> = most
        .accelerators
        .keys()
        .chain(using.accelerators.keys())
        .collect();
    slots.sort_unstable();
    slots.dedup();
    for slot in slots {
        let used = using.accelerators.get(slot).copied().unwrap_or_default();
        let limit = most.accelerators.get(slot).copied();
        let text = of(thousandths(used), limit.map(thousandths));
        facts.push((tr!("Accelerator in use"), format!("{slot} {text}")));
    }
    facts
}

fn policy(policy: &Policy) -> Vec<(&'static str, String)> {
    let sessions = policy.concurrent_sessions.map(|now| {
        let limit = policy.max_concurrent_sessions.map(|max| max.to_string());
        of(now.to_string(), limit)
    });
    let most = |number: Option<u32>| number.map(|n| tr!("max {most}", most = n));
    let span = |seconds: Option<u64>| seconds.map(|n| tr!("max {most}", most = Span(n)));
    let each = &policy.per_container;
    let mut container: Vec<String> = each
        .cpu
        .map(|cpu| format!("{cpu} CPU"))
        .into_iter()
        .collect();
    container.extend(each.mem.map(|mem| mem.to_string()));
    container.extend(accelerators(&each.accelerators));
    let container = (!container.is_empty()).then(|| tr!("max {most}", most = container.join(", ")));
    [
        (
            tr_later!("Policy"),
            policy.name.as_ref().map(ToString::to_string),
        ),
        (tr_later!("Sessions"), sessions),
        (tr!("Sessions waiting"), most(policy.max_pending_sessions)),
        (
            tr!("Containers each"),
            most(policy.max_containers_per_session),
        ),
        (tr_later!("Container"), container),
        (
            tr!("Shared memory"),
            policy.max_shmem.map(|most| tr!("max {most}", most)),
        ),
        (tr_later!("Ports"), most(policy.max_preopen_ports)),
        (tr_later!("Lifetime"), span(policy.max_session_lifetime)),
        (tr_later!("Idle"), span(policy.idle_timeout)),
    ]
    .into_iter()
    .filter_map(|(name, text)| Some((name, text?)))
    .collect()
}

fn groups(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let groups = catalogue.resource_groups.iter();
    groups
        .map(|group| {
            let waiting = group.waiting.map(|n| n.to_string());
            vec![
                group.name.as_str().into(),
                slots(&group.using).into(),
                slots(&group.remaining).into(),
                dash(group.capacity.as_ref().map(slots)).into(),
                dash(waiting).into(),
            ]
        })
        .collect()
}

fn dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "-".to_owned())
}

fn presets(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let presets = catalogue.presets.iter();
    presets
        .map(|preset| {
            let fits = match preset.allocatable {
                Some(true) => tr!("yes"),
                Some(false) => tr!("no"),
                None => "-",
            };
            let only = preset.resource_group.as_ref();
            vec![
                preset.name.as_str().into(),
                slots(&preset.slots).into(),
                dash(preset.shmem.map(|shmem| shmem.to_string())).into(),
                dash(only.map(ToString::to_string)).into(),
                fits.into(),
                why_not(preset, catalogue).unwrap_or_default().into(),
            ]
        })
        .collect()
}

/// Why a preset can never be used in its resource groups.
fn why_not(preset: &Preset, catalogue: &Catalogue) -> Option<String> {
    let for_it = |group: &&ResourceGroup| {
        let only = preset.resource_group.as_ref();
        only.is_none_or(|only| *only == group.name)
    };
    let groups: Vec<&ResourceGroup> = catalogue.resource_groups.iter().filter(for_it).collect();
    let why = |group| amounts::why_not_preset(preset, None, Some(catalogue), group);
    if groups.is_empty() {
        return why(None);
    }
    let mut reasons = groups.into_iter().map(|group| why(Some(group)));
    // A preset is usable if one resource group allows it.
    let first = reasons.next()??;
    reasons.all(|why| why.is_some()).then_some(first)
}

fn kinds(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let kinds = catalogue.accelerators.iter();
    kinds
        .map(|kind| {
            let step = amounts::quantum(&kind.slot, 1, Some(catalogue));
            let note = kind.note.as_ref().map(ToString::to_string);
            vec![
                Clean::new(&kind.slot).into_string().into(),
                kind.unit.as_str().into(),
                thousandths(step).into(),
                note.unwrap_or_default().into(),
            ]
        })
        .collect()
}

const FOLDER_HEAD: [&str; 7] = [
    tr_later!("NAME"),
    tr_later!("HOST"),
    tr_later!("PERMISSION"),
    tr_later!("OWNER"),
    tr_later!("USE"),
    tr_later!("STATUS"),
    tr_later!("ID"),
];

fn folders(list: &[Folder]) -> Vec<Vec<Cell>> {
    list.iter()
        .map(|folder| {
            [
                &folder.name,
                &folder.host,
                &folder.permission,
                &folder.ownership,
                &folder.usage_mode,
                &folder.status,
                &folder.id,
            ]
            .map(|text| Cell::from(text.as_str()))
            .into()
        })
        .collect()
}

fn agents(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let agents = catalogue.agents.iter();
    agents
        .map(|agent| {
            let schedulable = if agent.schedulable {
                tr!("yes")
            } else {
                tr!("no")
            };
            vec![
                agent.id.as_str().into(),
                agent.status.as_str().into(),
                agent.resource_group.as_str().into(),
                slots(&agent.occupied).into(),
                slots(&agent.available).into(),
                schedulable.into(),
            ]
        })
        .collect()
}

/// `2 CPU, 4 GiB, cuda.device 1`.
pub fn slots(slots: &ResourceSlots) -> String {
    let mut words = vec![format!("{} CPU", slots.cpu), slots.mem.to_string()];
    words.extend(accelerators(&slots.accelerators));
    words.join(", ")
}

/// The accelerators with an amount above 0, such as `cuda.device 1`.
pub fn accelerators(amounts: &BTreeMap<String, u64>) -> impl Iterator<Item = String> {
    let some = amounts.iter().filter(|(_, n)| **n > 0);
    some.map(|(slot, n)| format!("{slot} {}", thousandths(*n)))
}

/// `1`, `0.5`.
fn thousandths(number: u64) -> String {
    amounts::thousandths(number).to_string()
}
