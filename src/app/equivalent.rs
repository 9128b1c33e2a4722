//! The command that does the same as a request of the TUI, for the list of equivalent commands.

use super::mirror::Mirror;
use crate::{
    model::{
        app::AppStart,
        folder::{FolderPermission, FolderRequest, FolderUsage, NewFolder},
        forward::{ForwardOptions, ForwardTarget},
        id::{ContextName, SessionKey},
        request::{AppRequest, ContextRequest, ForwardRequest},
    },
    protocol::message::Request,
    rules::launch::command::{self, quote},
};

/// One line for a shell, `None` if the request changes nothing or no command does the same.
pub fn equivalent(request: &Request, mirror: &Mirror) -> Option<String> {
    let words = match request {
        Request::Launch { context, launch } => {
            let context = of_several(*context, mirror);
            return Some(command::line(launch, context.as_deref()));
        }
        Request::Session { session, request } => request.command(&name_of(*session, mirror))?,
        Request::App { session, request } => of_app(request, name_of(*session, mirror))?,
        Request::Forward { request } => of_forward(request, mirror)?,
        Request::Context {
            context,
            request: ContextRequest::LogIn { .. },
        } => words(["context", "login", context.as_str()]),
        Request::Context { context, request } => {
            let mut words = of_context(request)?;
            if let Some(context) = of_several(*context, mirror) {
                words.extend(["--context".to_owned(), context]);
            }
            words
        }
        _ => return None,
    };
    let quoted: Vec<String> = words.iter().map(|it| quote(it)).collect();
    Some(format!("workbay {}", quoted.join(" ")))
}

/// The name of a context if there are several.
fn of_several(context: ContextName, mirror: &Mirror) -> Option<String> {
    mirror.has_several_contexts().then(|| context.to_string())
}

/// The name of a session, or its id if another session that hasn't ended has the same name.
fn name_of(key: SessionKey, mirror: &Mirror) -> String {
    let name = mirror.session(key).map(|it| it.name.to_string());
    let same = |name: &String| {
        let others = mirror
            .sessions()
            .filter(|it| it.context == key.context && it.name == **name && !it.status.is_final());
        others.count() <= 1
    };
    let word = name.filter(same).unwrap_or_else(|| key.id.to_string());
    match of_several(key.context, mirror) {
        Some(context) => format!("{context}/{word}"),
        None => word,
    }
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

fn of_context(request: &ContextRequest) -> Option<Vec<String>> {
    match request {
        ContextRequest::Pull { image } => Some(words(["env", "pull", image])),
        ContextRequest::Folder { request } => of_folder(request),
        _ => None,
    }
}

fn of_folder(request: &FolderRequest) -> Option<Vec<String>> {
    let with_users = |verb: &str, folder: &str, users: &[String]| {
        let mut line = words(["folder", verb, folder]);
        line.extend_from_slice(users);
        line
    };
    Some(match request {
        FolderRequest::Create { new } => creating(new),
        FolderRequest::Rename { folder, name } => words(["folder", "rename", folder, name]),
        FolderRequest::Clone { folder, name } => words(["folder", "clone", folder, name]),
        FolderRequest::Restore { folder } => words(["folder", "restore", folder]),
        FolderRequest::Trash { folder } => words(["folder", "rm", folder]),
        FolderRequest::Purge { folder } => words(["folder", "purge", folder]),
        FolderRequest::Unshare { folder, users } => with_users("unshare", folder, users),
        FolderRequest::Leave { folder } => words(["folder", "leave", folder]),
        FolderRequest::Accept { invitation } => words(["folder", "accept", invitation]),
        FolderRequest::Decline { invitation } => words(["folder", "decline", invitation]),
        FolderRequest::Share {
            folder,
            users,
            permission,
        }
        | FolderRequest::Invite {
            folder,
            users,
            permission,
        } => {
            let mut line = with_users("share", folder, users);
            line.extend(["--permission".to_owned(), permission.word().to_owned()]);
            line
        }
        FolderRequest::SetQuota { folder, quota } => {
            let quota = quota.map_or_else(|| "none".to_owned(), |quota| quota.0.to_string());
            words(["folder", "quota", folder, &quota])
        }
        FolderRequest::SetPermission { folder, permission } => {
            words(["folder", "permission", folder, permission.word()])
        }
        FolderRequest::List { .. }
        | FolderRequest::Hosts
        | FolderRequest::Shares { .. }
        | FolderRequest::Invitations => return None,
    })
}

/// Options with their default values are left out.
fn creating(new: &NewFolder) -> Vec<String> {
    let mut line = words(["folder", "create", &new.name]);
    let mut option = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            line.extend([format!("--{name}"), value]);
        }
    };
    option("host", new.host.clone());
    option("project", new.group.clone());
    let usage = (new.usage != FolderUsage::default()).then(|| new.usage.word().to_owned());
    option("usage-mode", usage);
    let permission = new.permission;
    let permission =
        (permission != FolderPermission::ReadWrite).then(|| permission.word().to_owned());
    option("permission", permission);
    option("quota", new.quota.map(|quota| quota.0.to_string()));
    if new.cloneable {
        line.push("--cloneable".to_owned());
    }
    line
}

fn of_app(request: &AppRequest, session: String) -> Option<Vec<String>> {
    match request {
        AppRequest::Stop { app } => Some(words(["app", "stop", &session, app])),
        AppRequest::Start { start } => {
            let mut line = starting(start, &session);
            line.push("--no-port".to_owned());
            Some(line)
        }
        AppRequest::Open { start, options } => {
            let mut line = starting(start, &session);
            line.extend(forwarded(options));
            Some(line)
        }
        AppRequest::List | AppRequest::Log { .. } | AppRequest::Proxy { .. } => None,
    }
}

/// Values of variables can be secret, so they aren't kept.
fn starting(start: &AppStart, session: &str) -> Vec<String> {
    let mut line = words(["app", "start", session, &start.app]);
    for (name, value) in &start.arguments {
        line.extend(["--arg".to_owned(), format!("{name}={value}")]);
    }
    for name in start.env.keys() {
        line.extend(["-e".to_owned(), format!("{name}=VALUE")]);
    }
    line
}

fn of_forward(request: &ForwardRequest, mirror: &Mirror) -> Option<Vec<String>> {
    match request {
        ForwardRequest::Open {
            session,
            target,
            options,
        } => {
            let session = name_of(*session, mirror);
            let target = match target {
                ForwardTarget::Port { port } => port.to_string(),
                ForwardTarget::App { .. } | ForwardTarget::Ssh => return None,
            };
            let mut line = words(["port", "open", &session, &target]);
            line.extend(forwarded(options));
            Some(line)
        }
        ForwardRequest::Close { id } => Some(words(["port", "close", &id.to_string()])),
        ForwardRequest::List | ForwardRequest::Url { .. } => None,
    }
}

fn forwarded(options: &ForwardOptions) -> Vec<String> {
    let mut line = Vec::new();
    if let Some(port) = options.preferred_port {
        line.extend(["--port".to_owned(), port.to_string()]);
    }
    if let Some(public) = &options.public {
        line.push("--public".to_owned());
        for network in &public.allowed {
            line.extend(["--allow".to_owned(), network.clone()]);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::{
        app::testing,
        model::{idle::Keep, request::SessionRequest, session::Session, spec::LaunchRequest},
        protocol::message::Snapshot,
    };

    fn mirror(sessions: &[Session]) -> Mirror {
        let mut mirror = Mirror::default();
        let snapshot = Snapshot {
            seq: 0,
            sessions: sessions.to_vec(),
            contexts: Vec::new(),
            forwards: Vec::new(),
        };
        mirror.replace(snapshot, Timestamp::UNIX_EPOCH);
        mirror
    }

    #[test]
    fn changes_have_a_command_and_questions_have_none() {
        let session = testing::session(1, "train 1");
        let mirror = mirror(std::slice::from_ref(&session));
        let line = |request| equivalent(&Request::session(session.key(), request), &mirror);
        assert_eq!(
            line(SessionRequest::Terminate { force: true }).unwrap(),
            "workbay terminate --force 'train 1'"
        );
        let name = "new".to_owned();
        assert_eq!(
            line(SessionRequest::Rename { name }).unwrap(),
            "workbay rename 'train 1' new"
        );
        let keep = Keep::Exempt;
        assert_eq!(
            line(SessionRequest::Keep { keep }).unwrap(),
            "workbay extend --exempt 'train 1'"
        );
        assert_eq!(line(SessionRequest::History), None);
        assert_eq!(equivalent(&Request::Recents, &mirror), None);
    }

    #[test]
    fn a_name_that_two_sessions_have_is_replaced_by_the_id() {
        let (one, two) = (testing::session(1, "same"), testing::session(2, "same"));
        let mirror = mirror(&[one.clone(), two]);
        let request = Request::session(one.key(), SessionRequest::Delete);
        assert_eq!(
            equivalent(&request, &mirror).unwrap(),
            format!("workbay rm {}", one.id)
        );
    }

    #[test]
    fn launches_and_folders_have_their_commands() {
        let mirror = Mirror::default();
        let context = ContextName::local();
        let launch = Box::new(LaunchRequest {
            environment: Some("python:3.12".to_owned()),
            ..LaunchRequest::default()
        });
        let line = equivalent(&Request::Launch { context, launch }, &mirror).unwrap();
        assert!(line.starts_with("workbay launch "), "{line}");
        assert!(line.contains("python:3.12"), "{line}");
        let folder = "my data".to_owned();
        let request = Request::context(context, FolderRequest::Trash { folder }.into());
        assert_eq!(
            equivalent(&request, &mirror).unwrap(),
            "workbay folder rm 'my data'"
        );
    }

    #[test]
    fn values_of_variables_are_not_kept() {
        let mut start = AppStart::of("jupyter");
        start.env.insert("TOKEN".to_owned(), "secret".to_owned());
        let session = testing::session(1, "lab");
        let request = Request::App {
            session: session.key(),
            request: AppRequest::Start { start },
        };
        let line = equivalent(&request, &mirror(&[session])).unwrap();
        assert_eq!(
            line,
            "workbay app start lab jupyter -e TOKEN=VALUE --no-port"
        );
    }
}
