//! Collects the entries of the palette.

use std::cmp::Reverse;

use super::{
    Loaded, PaletteData,
    entry::{Choice, EntryKind, PaletteEntry},
};
use crate::{
    action::{Action, Scope},
    app::{
        launcher::EarlierLaunch, layouts::LayoutRow, panels::PanelEnv,
        shown_contexts::ShownContexts,
    },
    model::{
        environment::{Environment, EnvironmentSource, HOST},
        forward::{Forward, ForwardTarget},
        id::ContextName,
        session::Session,
        spec::LaunchRequest,
    },
};

/// All entries, in the order of the list: actions of `scopes` first, verbs before movements.
pub fn entries(scopes: &[Scope], data: &PaletteData, env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let mut entries = commands(scopes, env);
    entries.extend(actions(scopes));
    entries.extend(layouts(env));
    entries.extend(sessions(env));
    entries.extend(environments(env));
    entries.extend(folders(data, env));
    entries.extend(env.mirror.forwards().iter().flat_map(ports));
    entries.extend(recents(data, env));
    entries.extend(contexts(env));
    let settings = env.facts.settings.iter().enumerate();
    entries.extend(settings.map(|(at, setting)| {
        let texts = (setting.key.clone(), setting.meaning.clone());
        PaletteEntry::new(EntryKind::Setting, &setting.key, texts, Choice::Setting(at))
            .noted(format!("{}  {}", setting.value, setting.origin))
    }));
    entries
}

/// Your own commands of the view.
fn commands(scopes: &[Scope], env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let mut found: Vec<usize> = Vec::new();
    let mut entries = Vec::new();
    let all = &env.facts.commands;
    for scope in scopes {
        for (at, command) in all.of(*scope) {
            if found.contains(&at) {
                continue;
            }
            found.push(at);
            let texts = (command.name.clone(), tr!("your command").to_owned());
            let id = format!("custom/{}", command.name);
            let key = all.keys.of(at, *scope).unwrap_or_default();
            let entry = PaletteEntry::new(EntryKind::Action, id, texts, Choice::Command(at));
            entries.push(entry.noted(key));
        }
    }
    entries
}

fn layouts(env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let rows = env.layouts.unwrap_or_default().iter();
    let entry = |row: &LayoutRow| {
        let name = &row.name;
        let texts = (tr!("show the layout {name}", name), tr!("panes").to_owned());
        let choice = Choice::Layout(name.clone());
        let note = match &row.read {
            Ok(layout) => tr!("{panes} panes", panes = layout.panes().len()),
            Err(_) => tr!("can't be read").to_owned(),
        };
        PaletteEntry::new(EntryKind::Action, format!("layout/{name}"), texts, choice).noted(note)
    };
    rows.map(entry).collect()
}

fn actions(scopes: &[Scope]) -> Vec<PaletteEntry> {
    let mut found: Vec<(Scope, Action)> = Vec::new();
    for scope in scopes {
        let here = Action::ALL
            .iter()
            .filter(|action| action.scopes().contains(scope) && is_offered(**action));
        for action in here {
            if !found.iter().any(|(_, known)| known == action) {
                found.push((*scope, *action));
            }
        }
    }
    found.sort_by_key(|(_, action)| action.is_movement());
    let entry = |(scope, action): (Scope, Action)| {
        let texts = (action.doc(), action.name());
        let choice = Choice::Action(scope, action);
        PaletteEntry::new(EntryKind::Action, action.name(), texts, choice)
    };
    found.into_iter().map(entry).collect()
}

/// The palette itself, and the key before a sequence, do nothing when they are chosen.
fn is_offered(action: Action) -> bool {
    !matches!(action, Action::Command | Action::TerminalLeader)
}

/// Running sessions first, then the newest.
fn sessions(env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let several = env.mirror.has_several_contexts();
    let mut sessions: Vec<&Session> = env.mirror.sessions().collect();
    sessions.sort_unstable_by_key(|it| (it.tab() as usize, Reverse(it.created_at), it.id));
    let entry = |session: &Session| {
        let label = session.environment.label();
        let detail = if several {
            format!("{label}  {}", session.context)
        } else {
            label
        };
        let id = format!("{}/{}", session.context, session.id);
        let texts = (session.name.to_string(), detail);
        PaletteEntry::new(
            EntryKind::Session,
            id,
            texts,
            Choice::Session(session.key()),
        )
        .noted(session.status.to_string())
    };
    sessions.into_iter().map(entry).collect()
}

fn environments(env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let several = env.mirror.has_several_contexts();
    let shown = env.mirror.shown(env.shown);
    let each = shown.flat_map(|state| {
        let name = state.context.name;
        let launchable = state.environments.iter();
        let launchable = launchable.filter(|it| it.unavailable.is_none());
        launchable.map(move |it| environment(name, it, several))
    });
    each.collect()
}

fn environment(context: ContextName, it: &Environment, several: bool) -> PaletteEntry {
    let word = match it.source {
        EnvironmentSource::Host => HOST.to_owned(),
        EnvironmentSource::Image { .. } => it.label(),
    };
    let launch = LaunchRequest {
        environment: Some(word.clone()),
        ..LaunchRequest::default()
    };
    let choice = Choice::Launch(Box::new(EarlierLaunch::new(context, launch)));
    let place = if several {
        tr!("in {context}", context)
    } else {
        String::new()
    };
    let id = format!("{context}/{word}");
    PaletteEntry::new(EntryKind::Environment, id, (word, place), choice).noted(if it.absent {
        tr!("will be pulled")
    } else {
        ""
    })
}

fn folders(data: &PaletteData, env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let several = env.mirror.has_several_contexts();
    let mut entries = Vec::new();
    for (context, loaded) in &data.folders {
        let Loaded::Known(folders) = loaded else {
            continue;
        };
        for folder in folders {
            let (name, whose) = (folder.name.to_string(), folder.whose());
            let detail = if several {
                format!("{whose}  {context}")
            } else {
                whose
            };
            let id = format!("{context}/{name}");
            let choice = Choice::Folder(*context, name.clone());
            let texts = (name, detail);
            entries.push(
                PaletteEntry::new(EntryKind::Folder, id, texts, choice)
                    .noted(folder.access().to_owned()),
            );
        }
    }
    entries
}

/// Opening a forward in the browser, and copying its URL. SSH has no page to open.
fn ports(forward: &Forward) -> Vec<PaletteEntry> {
    let name = tr!(
        "{title} of {session_name}",
        title = forward.title,
        session_name = forward.session_name
    );
    let entry = |verb: &str, text: String, choice: Choice| {
        let id = format!("{verb}/{}/{}", forward.session.id, forward.title);
        let texts = (text, String::new());
        PaletteEntry::new(EntryKind::Port, id, texts, choice)
            .noted(format!("{}:{}", forward.address, forward.port))
    };
    let text = tr!("copy the URL of {name}", name);
    let copy = entry("copy", text, Choice::CopyUrl(forward.id));
    if forward.target == ForwardTarget::Ssh {
        return vec![copy];
    }
    let text = tr!("open {name}", name);
    vec![entry("open", text, Choice::Browse(forward.id)), copy]
}

fn recents(data: &PaletteData, env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    let Loaded::Known(recents) = &data.recents else {
        return Vec::new();
    };
    let known = |context| env.mirror.context(context).is_some();
    let recents = recents.iter().filter(|it| known(it.context));
    let entry =
        |it: &crate::model::recent::Recent| {
            let launch = EarlierLaunch::new(it.context, it.launch.clone());
            let runs = it.launch.image.as_ref().or(it.launch.environment.as_ref());
            let detail = runs.cloned().unwrap_or_default();
            let texts = (tr!("relaunch {title}", title = it.title), detail);
            let choice = Choice::Launch(Box::new(launch));
            PaletteEntry::new(EntryKind::Recent, it.id.to_string(), texts, choice)
                .noted(if it.pinned { tr!("pinned") } else { "" })
        };
    recents.map(entry).collect()
}

/// With a single context, there is nothing to choose.
fn contexts(env: &PanelEnv<'_>) -> Vec<PaletteEntry> {
    if !env.mirror.has_several_contexts() {
        return Vec::new();
    }
    let entry = |name: &str, shown| {
        let texts = (tr!("show {name}", name), tr!("context").to_owned());
        PaletteEntry::new(EntryKind::Context, name, texts, Choice::Context(shown)).noted(
            if env.shown == shown {
                tr!("shown now")
            } else {
                ""
            },
        )
    };
    let each = env.mirror.contexts().iter().map(|state| {
        let name = state.context.name;
        entry(name.as_str(), ShownContexts::One(name))
    });
    let all = entry(tr!("all contexts"), ShownContexts::All);
    each.chain([all]).collect()
}
