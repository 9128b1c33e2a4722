//! `workbay catalogue`: what a launch may choose from, besides environments.

use std::fmt::Write as _;

use super::{
    Start, args,
    choice::Choice,
    fail::Outcome,
    line::{self, Line},
    output::{self, Cell},
};
use crate::{
    model::{
        catalogue::{Catalogue, Limits, Policy},
        resources::ResourceSlots,
    },
    protocol::message::{Reply, Request},
};

pub fn catalogue(start: &Start, arguments: &args::Catalogue) -> Outcome {
    let catalogue = line::block_on(async {
        let line = Line::connect(&start.paths).await?;
        let context = Choice::of(start).context(&line.snapshot().await?)?;
        let project = arguments.project.clone();
        let anew = true;
        let request = Request::Catalogue {
            context,
            project,
            anew,
        };
        match line.ask(request).await? {
            Reply::Catalogue { catalogue } => Ok(*catalogue),
            other => Err(line::unexpected(&other)),
        }
    })?;
    for (part, why) in &catalogue.gaps {
        output::remark(&format!("workbay: {part} could not be read: {why}"));
    }
    if arguments.format.json {
        output::json(&catalogue)?;
    } else {
        output::print(&text(&catalogue))?;
    }
    Ok(0)
}

fn text(catalogue: &Catalogue) -> String {
    let mut out = output::fields(&facts(catalogue));
    let mut part = |title: &str, head: &[&str], rows: Vec<Vec<Cell>>| {
        if !rows.is_empty() {
            let _ = writeln!(out, "\n{title}");
            out.push_str(&output::table(head, &rows, false));
        }
    };
    part(
        "Resource groups",
        &["NAME", "USING", "REMAINING"],
        groups(catalogue),
    );
    part(
        "Presets",
        &["NAME", "RESOURCES", "SHARED MEMORY", "FITS NOW"],
        presets(catalogue),
    );
    part(
        "Folders",
        &["NAME", "HOST", "PERMISSION", "OWNER", "USE", "STATUS", "ID"],
        folders(catalogue),
    );
    part(
        "Agents",
        &["ID", "STATUS", "GROUP", "OCCUPIED", "OF", "SCHEDULABLE"],
        agents(catalogue),
    );
    out
}

fn facts(catalogue: &Catalogue) -> Vec<(&'static str, String)> {
    let mut facts = Vec::new();
    if let Some(user) = &catalogue.user {
        let text = format!("{} ({}, domain {})", user.email, user.role, user.domain);
        facts.push(("User", text));
    }
    let names: Vec<&str> = catalogue.projects.iter().map(|p| p.name.as_str()).collect();
    if !names.is_empty() {
        facts.push(("Projects", names.join(", ")));
    }
    if let Some(project) = &catalogue.project {
        facts.push(("Shown for", format!("project {project}")));
    }
    facts.extend(limits(&catalogue.limits));
    facts.extend(policy(&catalogue.policy));
    facts
}

/// `2.5 of 8`, or the use alone where nothing limits it.
fn of(used: String, limit: Option<String>) -> String {
    match limit {
        Some(limit) => format!("{used} of {limit}"),
        None => format!("{used}, no limit"),
    }
}

fn limits(limits: &Limits) -> Vec<(&'static str, String)> {
    let (using, most) = (&limits.using, &limits.limits);
    let mut facts = vec![
        (
            "CPU in use",
            of(using.cpu.to_string(), most.cpu.map(|cpu| cpu.to_string())),
        ),
        (
            "Memory in use",
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
        facts.push(("Accelerator in use", format!("{slot} {text}")));
    }
    facts
}

fn policy(policy: &Policy) -> Vec<(&'static str, String)> {
    let sessions = policy.concurrent_sessions.map(|now| {
        let limit = policy.max_concurrent_sessions.map(|max| max.to_string());
        of(now.to_string(), limit)
    });
    [
        ("Policy", policy.name.as_ref().map(ToString::to_string)),
        ("Sessions", sessions),
        (
            "Sessions waiting",
            policy.max_pending_sessions.map(|n| format!("{n} at most")),
        ),
        (
            "Lifetime",
            policy
                .max_session_lifetime
                .map(|n| format!("{n} s at most")),
        ),
        (
            "Idle",
            policy.idle_timeout.map(|n| format!("{n} s at most")),
        ),
    ]
    .into_iter()
    .filter_map(|(name, text)| Some((name, text?)))
    .collect()
}

fn groups(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let groups = catalogue.resource_groups.iter();
    groups
        .map(|group| {
            vec![
                group.name.as_str().into(),
                slots(&group.using).into(),
                slots(&group.remaining).into(),
            ]
        })
        .collect()
}

fn presets(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let presets = catalogue.presets.iter();
    presets
        .map(|preset| {
            let fits = match preset.allocatable {
                Some(true) => "yes",
                Some(false) => "no",
                None => "-",
            };
            vec![
                preset.name.as_str().into(),
                slots(&preset.slots).into(),
                preset
                    .shmem
                    .map_or_else(|| "-".to_owned(), |shmem| shmem.to_string())
                    .into(),
                fits.into(),
            ]
        })
        .collect()
}

fn folders(catalogue: &Catalogue) -> Vec<Vec<Cell>> {
    let folders = catalogue.folders.iter();
    folders
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
            vec![
                agent.id.as_str().into(),
                agent.status.as_str().into(),
                agent.resource_group.as_str().into(),
                slots(&agent.occupied).into(),
                slots(&agent.available).into(),
                if agent.schedulable { "yes" } else { "no" }.into(),
            ]
        })
        .collect()
}

/// `2 CPU, 4 GiB, cuda.device 1`.
pub fn slots(slots: &ResourceSlots) -> String {
    let mut words = vec![format!("{} CPU", slots.cpu), slots.mem.to_string()];
    let accelerators = slots.accelerators.iter().filter(|(_, n)| **n > 0);
    words.extend(accelerators.map(|(slot, n)| format!("{slot} {}", thousandths(*n))));
    words.join(", ")
}

/// `1`, `0.5`.
fn thousandths(number: u64) -> String {
    crate::model::resources::Cpu::from_millis(number).to_string()
}
