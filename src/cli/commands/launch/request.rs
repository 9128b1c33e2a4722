//! Builds a launch request from the command line, on top of a recipe or a recent launch.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    path::Path,
};

use jiff::{Timestamp, tz::TimeZone};

use super::fields::Fields;
use crate::{
    cli::{fail::Fail, now},
    config::config_file,
    model::{
        launch_field::LaunchField,
        session::SessionType,
        span::Span,
        spec::{LaunchRequest, check_variable_name},
        stop_hook::StopHook,
        text::Clean,
    },
    rules::launch::{script, table::TimeContext},
};

/// The surroundings that the meaning of the words depends on.
pub struct Around<'a> {
    pub now: Timestamp,
    pub zone: TimeZone,
    /// Looks up an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
}

impl Around<'_> {
    /// This machine and this process.
    pub fn here() -> Self {
        Self {
            now: now(),
            zone: TimeZone::system(),
            variable: &|name| std::env::var(name).ok(),
        }
    }
}

/// Given fields override those of the request.
pub fn over(
    mut request: LaunchRequest,
    fields: Fields,
    around: &Around<'_>,
) -> Result<LaunchRequest, Fail> {
    // Environment and image exclude each other: the given one replaces the other.
    if fields.has(LaunchField::Environment) {
        request.image = None;
    }
    if fields.has(LaunchField::Image) {
        request.environment = None;
    }
    let reading = TimeContext {
        now: around.now,
        zone: &around.zone,
    };
    for (field, text) in fields.texts() {
        read(&mut request, field, text, reading)?;
    }
    let fields = fields.own;
    request.env.extend(variables(&fields.variables, around)?);
    if fields.batch {
        request.session_type = SessionType::Batch;
    }
    let stop_hooks = (fields.stop_hook, fields.save, fields.save_into);
    request.stop_hook = stop_hook(request.stop_hook, stop_hooks, fields.stop_hook_timeout);
    request.accelerators.extend(fields.accelerators);
    request.cluster_mode = fields.cluster_mode.map_or(request.cluster_mode, Into::into);
    // An option replaces the mount of a recipe. Two options for one folder stay, and the check refuses them.
    let replaced = |folder: &str| fields.mounts.iter().any(|it| it.folder == folder);
    request.mounts.retain(|known| !replaced(&known.folder));
    request.mounts.extend(fields.mounts);
    Ok(request)
}

/// Sets a field that is one text.
fn read(
    request: &mut LaunchRequest,
    field: LaunchField,
    text: &str,
    reading: TimeContext<'_>,
) -> Result<(), Fail> {
    let text = match field {
        LaunchField::BootstrapScript => script(text)?,
        // The range is checked with the other rules, so that all problems are listed.
        LaunchField::Priority => {
            request.priority = text.parse().ok();
            return Ok(());
        }
        _ => text.to_owned(),
    };
    match &field.row().text {
        Some(value) => (value.read)(request, &text, reading).map_err(about(field)),
        None => Ok(()),
    }
}

/// Given parts override the known ones. Paths are added.
fn stop_hook(
    known: Option<StopHook>,
    (command, save, folder): (Option<String>, Vec<String>, Option<String>),
    timeout: Option<Span>,
) -> Option<StopHook> {
    let given = command.is_some() || !save.is_empty() || folder.is_some() || timeout.is_some();
    if !given {
        return known;
    }
    let mut hook = known.unwrap_or_default();
    replace(&mut hook.command, command);
    replace(&mut hook.folder, folder);
    hook.save.extend(save);
    hook.timeout = timeout.unwrap_or(hook.timeout);
    Some(hook)
}

fn replace<T>(place: &mut Option<T>, given: Option<T>) {
    if given.is_some() {
        *place = given;
    }
}

/// Turns a sentence about a field into an error of the command.
fn about(field: LaunchField) -> impl Fn(String) -> Fail {
    move |why| {
        let option = super::option::of(field);
        Fail::usage(format!("{option}: {why}"))
    }
}

/// Reads `NAME=VALUE`, or `NAME` with the value of the caller's environment. Each name may occur once.
fn variables(words: &[String], around: &Around<'_>) -> Result<BTreeMap<String, String>, Fail> {
    let mut variables = BTreeMap::new();
    for word in words {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (word.as_str(), None),
        };
        check_variable_name(name).map_err(about(LaunchField::Variables))?;
        let value = match value {
            Some(value) => value,
            None => (around.variable)(name).ok_or_else(|| not_set(name))?,
        };
        if variables.insert(name.to_owned(), value).is_some() {
            let why = tr!("-e: {name} is set twice", name);
            return Err(Fail::usage(why).hint(tr!("set each variable once")));
        }
    }
    Ok(variables)
}

fn not_set(name: &str) -> Fail {
    let why = tr!("-e: {name} isn't set in your environment", name);
    Fail::usage(why).hint(tr!("write -e {name}=VALUE, or export {name} first", name))
}

/// The text itself, or the contents of the file of `@FILE`. `@@…` is a text that begins with `@`.
fn script(text: &str) -> Result<String, Fail> {
    let Some(file) = text.strip_prefix('@') else {
        return Ok(text.to_owned());
    };
    if file.starts_with('@') {
        return Ok(file.to_owned());
    }
    beginning(file).map_err(|error| {
        let file = Clean::new(file);
        about(LaunchField::BootstrapScript)(tr!("{file} can't be read: {error}", file, error))
    })
}

/// Reads only enough of a file to see whether it is too long.
fn beginning(file: &str) -> io::Result<String> {
    let mut text = String::new();
    let most = script::MOST as u64 + 1;
    config_file::open(Path::new(file))?
        .take(most)
        .read_to_string(&mut text)?;
    Ok(text)
}
