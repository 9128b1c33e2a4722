//! The text of a launch on its cards and in the list of steps.

use crate::{
    app::launcher::{LaunchInfo, Launcher, Page, QueueForecast},
    locale,
    model::{
        capability::Capability,
        catalogue::{AcceleratorKind, unit},
        launch_field::LaunchField,
        ports,
        resources::ResourceSlots,
        secret_rules,
        session::{ClusterMode, SessionType},
        spec::LaunchRequest,
        start_time::StartAt,
        text::Clean,
    },
    rules::launch::{
        amounts::thousandths,
        table::{FieldRow, TABLE, Widget},
    },
    view::glyphs::Glyphs,
};

/// A line of a card: its label and its value.
pub type ReviewFact = (&'static str, String);

pub const NO_FOLDER: &str = tr_later!("no folder mounted");
pub const NO_PORT: &str = tr_later!("no ports");

/// All facts of a page, the most important first.
pub fn facts(launcher: &Launcher, page: Page, glyphs: &Glyphs) -> Vec<ReviewFact> {
    let request = launcher.filled();
    match page {
        Page::Kind => kind(launcher, request),
        Page::Allocation => allocation(launcher, request, glyphs),
        Page::Storage => storage(launcher, request),
        Page::Network => vec![(tr_later!("Ports"), network(request))],
        Page::Review => Vec::new(),
    }
}

fn kind(launcher: &Launcher, request: &LaunchRequest) -> Vec<ReviewFact> {
    let mut facts = Vec::new();
    let info = launcher.info();
    if info.several {
        facts.push((tr_later!("Context"), info.context.to_string()));
    }
    let batch = request.session_type == SessionType::Batch;
    let word = if batch {
        tr!("batch")
    } else {
        tr!("interactive")
    };
    facts.push((tr_later!("Type"), word.to_owned()));
    for row in TABLE.iter().filter(|row| row.page == Page::Kind) {
        facts.extend(fact(row, request, info));
    }
    facts
}

/// A field of the first page, if it is set.
fn fact(row: &FieldRow, request: &LaunchRequest, info: &LaunchInfo) -> Option<ReviewFact> {
    let text = || row.written(request);
    let script = || text().as_deref().map(first_line).map(masked);
    Some(match (row.field, row.widget) {
        (LaunchField::Name, _) => (tr_later!("Name"), name(request)),
        (LaunchField::StartTime, _) => (
            tr_later!("Start time"),
            start_words(request.starts_at?, info),
        ),
        (LaunchField::Owner, _) => (tr_later!("Owner"), request.owner.as_ref()?.email.clone()),
        (LaunchField::BootstrapScript, _) => (tr_later!("Script"), script()?),
        (LaunchField::StopHook, _) => (
            tr_later!("Stop hook"),
            masked(request.stop_hook.as_ref()?.to_string()),
        ),
        (_, Widget::Script { label, .. }) => (locale::text(label), script()?),
        (_, Widget::Line { label, .. }) => (locale::text(label), text()?),
        (_, Widget::Own) => return None,
    })
}

/// The name that the session will get.
pub fn name(request: &LaunchRequest) -> String {
    match (&request.name, request.copies()) {
        (None, _) => tr!("generated: xxxxxxxx-session").to_owned(),
        (Some(name), 0 | 1) => name.clone(),
        (Some(name), copies) => tr!("{name}-1 to {name}-{copies}", name, copies),
    }
}

/// The first line of a text, with a mark if there are more lines.
fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().to_owned();
    match lines.count() {
        0 => first,
        1 => tr!("{first}  and 1 more line", first),
        more => tr!("{first}  and {more} more lines", first, more),
    }
}

/// A start time. A delay is shown with the time that it means if you launch now.
fn start_words(start: StartAt, info: &LaunchInfo) -> String {
    let at = moment(start.moment(info.now), info);
    match start {
        StartAt::After(_) => format!("{start} = {at}"),
        StartAt::At(_) => at,
    }
}

/// `10:31 today`, `09:30 tomorrow`, otherwise with its date.
fn moment(at: jiff::Timestamp, info: &LaunchInfo) -> String {
    let local = at.to_zoned(info.zone.clone());
    let today = info.now.to_zoned(info.zone.clone()).date();
    let day = local.date();
    let shown = if day == today {
        tr!("%H:%M today")
    } else if today.tomorrow().is_ok_and(|tomorrow| day == tomorrow) {
        tr!("%H:%M tomorrow")
    } else {
        "%Y-%m-%d %H:%M"
    };
    local.strftime(shown).to_string()
}

fn allocation(launcher: &Launcher, request: &LaunchRequest, glyphs: &Glyphs) -> Vec<ReviewFact> {
    let mut facts = Vec::new();
    let mut add = |what, value: Option<String>| facts.extend(value.map(|value| (what, value)));
    let image = request
        .image
        .clone()
        .or_else(|| request.environment.clone());
    add(tr_later!("Environment"), image);
    let fields = [LaunchField::Image, LaunchField::Environment];
    let word = fields.into_iter().find_map(|it| launcher.warning(it));
    add("", word.map(str::to_owned));
    let chosen = launcher.info().environment(request);
    let is_its_own = chosen.is_some_and(|it| !it.facts.user.is_ours());
    add(
        tr_later!("User"),
        is_its_own.then(|| tr!("the image's own").to_owned()),
    );
    add(tr_later!("Project"), request.project.clone());
    add(tr_later!("Group"), group(launcher, request));
    add(tr_later!("Preset"), request.preset.clone());
    let dot = glyphs.dot;
    add(
        tr_later!("Per container"),
        Some(amounts(launcher, request, dot)),
    );
    let (size, copies) = (request.containers(), request.copies());
    if size > 1 {
        let mode = match request.cluster_mode {
            ClusterMode::SingleNode => tr!("on one node"),
            ClusterMode::MultiNode => tr!("on several nodes"),
        };
        add(
            tr_later!("Cluster"),
            Some(tr!("{size} containers {mode}", size, mode)),
        );
    }
    add(
        tr_later!("Sessions"),
        (copies > 1).then(|| copies.to_string()),
    );
    if size.max(copies) > 1 {
        let all = total(launcher, request, size.max(copies), dot);
        add(tr_later!("Total"), Some(all));
    }
    add(tr_later!("Agent"), request.agent.clone());
    add(tr_later!("Variables"), variables(request, glyphs));
    facts
}

/// The selected group, or the only group of a Backend.AI cluster.
fn group(launcher: &Launcher, request: &LaunchRequest) -> Option<String> {
    let info = launcher.info();
    let known = info.catalogue.as_ref();
    let groups = known.map_or(&[][..], |it| &it.resource_groups);
    let only = || match groups {
        [only] if info.has(Capability::Schedules) => Some(only.name.to_string()),
        _ => None,
    };
    request.resource_group.clone().or_else(only)
}

/// The resources of each container.
fn amounts(launcher: &Launcher, request: &LaunchRequest, dot: &str) -> String {
    let mut parts = Vec::new();
    parts.extend(request.cpu.map(|cpu| tr!("{cpu} CPU", cpu)));
    parts.extend(request.mem.map(|mem| tr!("{mem} memory", mem)));
    let info = launcher.info();
    let usual = || {
        let facts = launcher.allocation.amount_facts(info);
        launcher.allocation.amounts().usual_shmem(&facts)
    };
    let shmem = request.shmem.unwrap_or_else(usual);
    parts.push(tr!("{shmem} of it shared", shmem));
    parts.extend(request.disk.map(|disk| tr!("{disk} disk", disk)));
    parts.extend(accelerators(launcher, request, 1));
    parts.extend(conversions(launcher, request));
    parts.join(&format!(" {dot} "))
}

/// `5 fGPU = 1 GPU`, if shares of a device are requested.
fn conversions(launcher: &Launcher, request: &LaunchRequest) -> Vec<String> {
    let catalogue = launcher.info().catalogue.as_ref();
    let kinds = catalogue.map_or(&[][..], |it| &it.accelerators).iter();
    let asked = |kind: &&AcceleratorKind| {
        request
            .accelerators
            .get(&kind.slot)
            .is_some_and(|it| *it > 0)
    };
    kinds
        .filter(asked)
        .filter_map(AcceleratorKind::conversion)
        .collect()
}

fn accelerators(launcher: &Launcher, request: &LaunchRequest, times: u32) -> Vec<String> {
    let catalogue = launcher.info().catalogue.as_ref();
    let given = request
        .accelerators
        .iter()
        .filter(|(_, amount)| **amount > 0);
    given
        .map(|(slot, amount)| {
            let amount = thousandths(amount.saturating_mul(u64::from(times)));
            format!("{amount} {}", unit(slot, catalogue))
        })
        .collect()
}

fn total(launcher: &Launcher, request: &LaunchRequest, times: u32, dot: &str) -> String {
    let slots = ResourceSlots {
        cpu: request.cpu.unwrap_or_default(),
        mem: request.mem.unwrap_or_default(),
        ..ResourceSlots::default()
    }
    .times(times);
    let mut parts = vec![
        tr!("{cpu} CPU", cpu = slots.cpu),
        tr!("{mem} memory", mem = slots.mem),
    ];
    parts.extend(accelerators(launcher, request, times));
    parts.join(&format!(" {dot} "))
}

/// Masks everything that looks like a secret in a command.
fn masked(text: String) -> String {
    secret_rules::mask(&text)
}

/// Shows only the names of secrets, never their values.
fn variables(request: &LaunchRequest, glyphs: &Glyphs) -> Option<String> {
    let one = |(name, value): (&String, &String)| {
        if request.is_secret(name) {
            format!("{name}={}", glyphs.masked.repeat(3))
        } else {
            format!("{name}={value}")
        }
    };
    let all: Vec<String> = request.env.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("  "))
}

fn storage(launcher: &Launcher, request: &LaunchRequest) -> Vec<ReviewFact> {
    let mut facts: Vec<ReviewFact> = request
        .mounts
        .iter()
        .map(|mount| {
            let only = if mount.read_only {
                tr!(", read-only")
            } else {
                ""
            };
            let target = mount.target();
            (
                tr_later!("Folder"),
                tr!(
                    "{folder} at {target}{only}",
                    folder = mount.folder,
                    target,
                    only
                ),
            )
        })
        .collect();
    if facts.is_empty() {
        facts.push((tr_later!("Folders"), locale::text(NO_FOLDER).to_owned()));
    }
    let automatic = launcher.storage.automatic();
    if !automatic.is_empty() {
        let names: Vec<&str> = automatic.iter().map(Clean::as_str).collect();
        facts.push((tr_later!("Automatic"), names.join("  ")));
    }
    facts
}

fn network(request: &LaunchRequest) -> String {
    if request.preopen_ports.is_empty() {
        return locale::text(NO_PORT).to_owned();
    }
    ports::write(&request.preopen_ports)
}

/// What the queue would do. `None` if it isn't known, or if the launch has problems.
pub fn forecast(launcher: &Launcher) -> Option<String> {
    let forecast = launcher.forecast();
    // A launch with problems has no start time, but a lack of room is still shown.
    if !launcher.problems().is_empty()
        && !matches!(
            forecast,
            QueueForecast::Waits(_) | QueueForecast::NoAgent { .. }
        )
    {
        return None;
    }
    Some(match forecast {
        QueueForecast::Unknown => return None,
        QueueForecast::AtOnce => tr!("starts now").to_owned(),
        QueueForecast::At(at) => tr!("waits until {time}", time = moment(at, launcher.info())),
        QueueForecast::Behind(1) => {
            tr!("there is room, but 1 session is ahead and may start first").to_owned()
        }
        QueueForecast::Behind(n) => {
            tr!(
                "there is room, but {n} sessions are ahead and may start first",
                n
            )
        }
        QueueForecast::Waits(short) => {
            let place = short.group.map(|group| tr!(" in group {group}", group));
            let of = short.all.map(|all| tr!(" of {all}", all));
            let before = ahead(short.waiting);
            tr!(
                "will wait: needs {needed}, {free}{of} free{place}{before}",
                needed = short.needed,
                free = short.free,
                of = of.unwrap_or_default(),
                place = place.unwrap_or_default(),
                before
            )
        }
        QueueForecast::NoAgent { group, waiting } => tr!(
            "will wait: no agent of group {group} has this much free{waiting}",
            group,
            waiting = ahead(waiting)
        ),
    })
}

/// `; 2 ahead`.
fn ahead(waiting: Option<u32>) -> String {
    match waiting {
        None | Some(0) => String::new(),
        Some(n) => tr!("; {n} ahead", n),
    }
}

/// A short summary of a page for the list of steps.
pub fn summary(launcher: &Launcher, page: Page) -> String {
    let request = launcher.request();
    match page {
        Page::Kind => {
            let batch = request.session_type == SessionType::Batch;
            let word = if batch {
                tr!("batch")
            } else {
                tr!("interactive")
            };
            match &request.name {
                Some(_) => format!("{word}, {}", name(request)),
                None => word.to_owned(),
            }
        }
        Page::Allocation => {
            let image = request.image.as_deref().or(request.environment.as_deref());
            image.unwrap_or_default().to_owned()
        }
        Page::Storage => match request.mounts.as_slice() {
            [] => tr!("no folder").to_owned(),
            [one] => one.folder.clone(),
            several => tr!("{several} folders", several = several.len()),
        },
        Page::Network => match request.preopen_ports.len() {
            0 => tr!("no ports").to_owned(),
            _ => ports::write(&request.preopen_ports),
        },
        Page::Review => match launcher.problems().len() {
            0 => forecast(launcher)
                .and_then(|text| text.split(": ").next().map(str::to_owned))
                .unwrap_or_default(),
            1 => tr!("1 problem").to_owned(),
            many => tr!("{many} problems", many),
        },
    }
}
