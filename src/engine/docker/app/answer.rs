//! What a session answers about its apps. Its user can replace the runner, so the answer is made small and plain.

use crate::{
    engine::api::Result,
    model::{
        app::{App, AppState, sort},
        app_definition::{check_argument_name, check_name},
        app_order::AppAnswer,
        failure::{Failure, FailureKind},
        text::Clean,
    },
};

/// The answer before it is checked.
pub(super) type Expected = AppAnswer;

const MOST_APPS: usize = 200;
const MOST_PORTS: usize = 16;
const MOST_ARGUMENTS: usize = 16;
const MOST_LINES: usize = 200;
const LONGEST_TITLE: usize = 100;
const LONGEST_PATH: usize = 1024;
const LONGEST_TEXT: usize = 500;
const LONGEST_LINE: usize = 2000;
/// The last lines of a failed app.
const LONGEST_WHY: usize = 16 * 1024;

/// Returns a reported failure as the error.
pub(super) fn checked(answer: AppAnswer) -> Result<AppAnswer> {
    let AppAnswer::Failed {
        kind,
        what,
        why,
        hint,
    } = answer
    else {
        return Ok(answer);
    };
    // A session must not decide that the engine is lost or that credentials are refused.
    let kind = match kind {
        FailureKind::Usage
        | FailureKind::NotFound
        | FailureKind::Refused
        | FailureKind::Unsupported => kind,
        _ => FailureKind::Failed,
    };
    let mut failure = Failure::new(kind, line(&what, LONGEST_TEXT));
    failure.why = why.map(|why| Clean::multiline(start(why.as_str(), LONGEST_WHY)));
    failure.hint = hint.map(|hint| line(&hint, LONGEST_LINE));
    Err(failure)
}

/// The apps in the order of the app launcher; `None` for another answer.
pub(super) fn apps(answer: AppAnswer) -> Option<Vec<App>> {
    let AppAnswer::Apps { apps } = answer else {
        return None;
    };
    let mut apps: Vec<App> = apps.into_iter().take(MOST_APPS).filter_map(plain).collect();
    sort(&mut apps);
    Some(apps)
}

/// The app with this name; `None` for another answer.
pub(super) fn app(answer: AppAnswer, name: &str) -> Option<App> {
    let AppAnswer::App { app } = answer else {
        return None;
    };
    plain(*app).filter(|app| app.name == *name)
}

/// The lines of a log; `None` for another answer.
pub(super) fn log(answer: AppAnswer) -> Option<Vec<Clean>> {
    let AppAnswer::Log { lines } = answer else {
        return None;
    };
    let lines = lines.into_iter().take(MOST_LINES);
    Some(lines.map(|text| line(&text, LONGEST_LINE)).collect())
}

fn plain(mut app: App) -> Option<App> {
    let name = app.name.as_str();
    let is_port = name.parse::<u16>().is_ok_and(|port| port > 0);
    if !is_port && check_name(name).is_err() {
        return None;
    }
    app.title = line(&app.title, LONGEST_TITLE);
    app.ports.retain(|port| *port > 0);
    app.ports.truncate(MOST_PORTS);
    if !is_path(app.path.as_str()) {
        app.path = Clean::new("/");
    }
    app.arguments.truncate(MOST_ARGUMENTS);
    // The arguments of an image's service begin with dashes.
    app.arguments
        .retain(|one| check_argument_name(one.name.as_str()).is_ok());
    for argument in &mut app.arguments {
        argument.title = line(&argument.title, LONGEST_TITLE);
        argument.default = line(&argument.default, LONGEST_PATH);
    }
    if let AppState::Failed { why } = &mut app.state {
        *why = line(why, LONGEST_TEXT);
    }
    Some(app)
}

/// It becomes a part of URLs.
fn is_path(path: &str) -> bool {
    path.starts_with('/')
        && !path.starts_with("//")
        && !path.contains('\\')
        && path.len() <= LONGEST_PATH
        && path.chars().all(|c| c.is_ascii_graphic())
}

/// One line of at most this many bytes.
fn line(text: &Clean, most: usize) -> Clean {
    Clean::new(start(text.as_str(), most))
}

fn start(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::app::{AppArgument, AppCategory, AppProtocol, AppSource};

    fn hostile(name: &str) -> App {
        App {
            name: name.into(),
            title: "t".repeat(5000).as_str().into(),
            category: AppCategory::Other,
            protocol: AppProtocol::Http,
            ports: vec![0; 100].into_iter().chain(1..100).collect(),
            source: AppSource::Image,
            state: AppState::Failed {
                why: Clean::multiline(&"한\n".repeat(5000)),
            },
            path: "//evil.example/".into(),
            arguments: vec![
                AppArgument {
                    name: "--logdir".into(),
                    title: Clean::multiline("a\nb"),
                    default: "x".repeat(5000).as_str().into(),
                };
                100
            ],
            startable: true,
        }
    }

    #[test]
    fn a_hostile_list_is_small_and_plain() {
        let all = ["fine", "8000", "../x", "", "a b", "0"].map(hostile);
        let all = [all.to_vec(), vec![hostile("x"); 500]].concat();
        let apps = apps(AppAnswer::Apps { apps: all }).unwrap();
        assert!(apps.len() <= MOST_APPS);
        assert!(
            apps.iter()
                .all(|app| ["fine", "8000", "x"].contains(&app.name.as_str()))
        );
        for app in apps {
            assert_eq!(
                (app.title.as_str().len(), app.path.as_str()),
                (LONGEST_TITLE, "/")
            );
            assert_eq!((app.ports.len(), app.ports[0]), (MOST_PORTS, 1));
            assert_eq!(
                (app.arguments.len(), app.arguments[0].title.as_str()),
                (MOST_ARGUMENTS, "a b")
            );
            assert!(app.arguments[0].default.as_str().len() <= LONGEST_PATH);
            let AppState::Failed { why } = app.state else {
                panic!("another state");
            };
            assert!(why.as_str().len() <= LONGEST_TEXT && !why.as_str().contains('\n'));
        }
    }

    #[test]
    fn an_answer_about_another_app_is_not_taken() {
        let answer = AppAnswer::App {
            app: Box::new(hostile("x")),
        };
        assert!(app(answer.clone(), "x").is_some() && app(answer, "y").is_none());
        assert!(app(AppAnswer::Stopped, "x").is_none() && apps(AppAnswer::Stopped).is_none());
    }

    #[test]
    fn a_session_cannot_report_that_the_engine_is_lost() {
        let failed = |kind| {
            let answer = AppAnswer::Failed {
                kind,
                what: "x".repeat(5000).as_str().into(),
                why: Some(Clean::multiline(&"line\n".repeat(50_000))),
                hint: None,
            };
            checked(answer).unwrap_err()
        };
        for kind in [
            FailureKind::Unreachable,
            FailureKind::Denied,
            FailureKind::Internal,
        ] {
            assert_eq!(failed(kind).kind, FailureKind::Failed);
        }
        let refused = failed(FailureKind::Refused);
        assert_eq!(
            (refused.kind, refused.what.as_str().len()),
            (FailureKind::Refused, LONGEST_TEXT)
        );
        let why = refused.why.unwrap();
        assert!(why.as_str().len() <= LONGEST_WHY && why.as_str().starts_with("line\nline\n"));
    }

    #[test]
    fn a_log_is_lines() {
        let lines = vec![Clean::multiline(&"a\n".repeat(5000)); 1000];
        let lines = log(AppAnswer::Log { lines }).unwrap();
        assert_eq!(lines.len(), MOST_LINES);
        assert!(lines[0].as_str().len() <= LONGEST_LINE && !lines[0].as_str().contains('\n'));
    }
}
