//! The apps of the container with their state.

use std::collections::HashSet;

use super::{
    candidates::{self, Candidate},
    files::{AppFiles, Run},
    listening::{self, Listener},
    log_file::last_lines,
    process,
};
use crate::model::{
    app::{App, AppCategory, AppProtocol, AppSource, AppState, sort},
    app_order::AppOrder,
    text::Clean,
};

/// The most apps that are listed.
const MOST: usize = 200;

/// What is known about the container at one moment.
pub(super) struct Survey {
    pub(super) files: Option<AppFiles>,
    pub(super) listeners: Vec<Listener>,
}

impl Survey {
    pub(super) fn now() -> Self {
        Self {
            // Without its directory no app was started.
            files: AppFiles::open().ok(),
            listeners: listening::listeners(),
        }
    }

    pub(super) fn run(&self, name: &str) -> Option<Run> {
        self.files.as_ref()?.run(name)
    }

    fn is_listening(&self, port: u16) -> bool {
        self.listeners.iter().any(|one| one.port == port)
    }

    /// The ports on which the processes of a started app listen, its main port first.
    fn ports_of(&self, run: &Run) -> Vec<u16> {
        let mut ports = run.ports.clone();
        let own = self.listeners.iter().filter(|one| is_of(one, run));
        ports.extend(
            own.map(|one| one.port)
                .filter(|port| !run.ports.contains(port)),
        );
        ports
    }

    /// The app with its state.
    pub(super) fn app(&self, candidate: &Candidate) -> App {
        let run = self.run(&candidate.name);
        let state = self.state(candidate, run.as_ref());
        let runs = matches!(state, AppState::Running | AppState::Starting);
        let started = run.filter(|run| runs && self.has_processes(run));
        let path = started.as_ref().map_or(&candidate.path, |run| &run.path);
        App {
            name: Clean::new(&candidate.name),
            title: self.title(candidate),
            category: candidate.category,
            protocol: candidate.protocol,
            path: Clean::new(path),
            ports: started.map_or_else(|| candidate.ports.clone(), |run| self.ports_of(&run)),
            source: candidate.source,
            state,
            arguments: candidate
                .recipe
                .as_ref()
                .map(candidates::Recipe::arguments)
                .unwrap_or_default(),
            startable: candidate.recipe.is_some(),
        }
    }

    /// A preopened port is named after the program that listens on it.
    fn title(&self, candidate: &Candidate) -> Clean {
        let port = candidate
            .ports
            .first()
            .filter(|_| candidate.source == AppSource::Preopened);
        let listener = port.and_then(|port| self.listeners.iter().find(|one| one.port == *port));
        match listener.and_then(|one| one.owner.as_ref()) {
            Some(owner) => Clean::new(&format!("{} ({})", candidate.title, owner.name)),
            None => candidate.title.clone(),
        }
    }

    fn has_processes(&self, run: &Run) -> bool {
        run.app.is_alive() || self.listeners.iter().any(|one| is_of(one, run))
    }

    fn state(&self, candidate: &Candidate, run: Option<&Run>) -> AppState {
        if let Some(run) = run.filter(|run| self.has_processes(run)) {
            let answers = run
                .ports
                .first()
                .is_some_and(|port| self.is_listening(*port));
            return if answers {
                AppState::Running
            } else {
                AppState::Starting
            };
        }
        // Its user may have started it in a shell.
        if candidate
            .ports
            .first()
            .is_some_and(|port| self.is_listening(*port))
        {
            return AppState::Running;
        }
        match (run, &self.files) {
            (Some(run), Some(files))
                if run.exit_code != Some(0) && !files.is_stopped(&candidate.name) =>
            {
                AppState::Failed {
                    why: why(run, files, &candidate.name),
                }
            }
            _ => AppState::Stopped,
        }
    }
}

/// Whether a process of a started app listens. Programs that set up a session of their own, such as the shells of a
/// terminal in a page, aren't part of the app.
fn is_of(listener: &Listener, run: &Run) -> bool {
    let owner = listener.owner.as_ref();
    owner.is_some_and(|owner| owner.session == run.supervisor.pid)
        && process::stat(run.supervisor.pid).is_none_or(|stat| stat.start == run.supervisor.start)
}

/// How it ended, with the last line that it printed.
pub(super) fn why(run: &Run, files: &AppFiles, name: &str) -> Clean {
    let lines = last_lines(&files.log(name), 1);
    let line = lines.first().map(|line| format!(": {line}"));
    Clean::new(&format!(
        "{}{}",
        ended(run.exit_code),
        line.unwrap_or_default()
    ))
}

pub(super) fn ended(code: Option<i64>) -> String {
    match code {
        Some(code) => tr_sent!("it ended with exit code {code}", code),
        None => tr_sent!("it ended, and its exit code isn't known").to_owned(),
    }
}

/// All apps, in the order of the app launcher.
pub(super) fn all(order: &AppOrder) -> Vec<App> {
    let (survey, candidates) = (Survey::now(), candidates::all(order));
    let mut apps: Vec<App> = candidates.iter().map(|one| survey.app(one)).collect();
    let of_apps: HashSet<u16> = apps
        .iter()
        .flat_map(|app| app.ports.iter().copied())
        .collect();
    let others = survey
        .listeners
        .iter()
        .filter(|one| !of_apps.contains(&one.port));
    apps.extend(others.filter_map(plain_port));
    sort(&mut apps);
    apps.truncate(MOST);
    apps
}

/// An app for a port that belongs to no other app.
fn plain_port(listener: &Listener) -> Option<App> {
    let owner = listener.owner.as_ref();
    if owner.is_some_and(|owner| owner.is_ours || owner.is_kernel) {
        return None;
    }
    let port = listener.port.to_string();
    let name = owner
        .map(|owner| owner.name.clone())
        .filter(|name| !name.is_empty());
    Some(App {
        title: Clean::new(&name.unwrap_or_else(|| format!("Port {port}"))),
        name: Clean::new(&port),
        category: AppCategory::Listening,
        protocol: AppProtocol::Http,
        ports: vec![listener.port],
        source: AppSource::Listening,
        state: AppState::Running,
        path: Clean::new("/"),
        arguments: Vec::new(),
        startable: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        model::image,
        runner::app::{listening::Owner, process::ProcessId},
    };

    /// Nothing has this id: it is above the kernel's limit.
    const NOBODY: i32 = i32::MAX;

    fn listener(port: u16, session: i32, name: &str) -> Listener {
        Listener {
            port,
            owner: Some(Owner {
                pid: NOBODY,
                session,
                name: name.to_owned(),
                is_ours: name == "workbay",
                is_kernel: name == "kernel",
            }),
        }
    }

    fn run(ports: &[u16], exit_code: Option<i64>) -> Run {
        let nobody = ProcessId {
            pid: NOBODY,
            start: 0,
        };
        Run {
            app: nobody,
            supervisor: nobody,
            ports: ports.to_vec(),
            protocol: AppProtocol::Http,
            path: "/run".to_owned(),
            exit_code,
        }
    }

    fn candidate(label: &str) -> Candidate {
        let order = AppOrder {
            services: image::services(label),
            ..AppOrder::default()
        };
        let mut all = candidates::all(&order);
        all.retain(|one| label.starts_with(&one.name));
        all.remove(0)
    }

    fn survey(dir: &tempfile::TempDir, listeners: Vec<Listener>) -> Survey {
        Survey {
            files: Some(AppFiles::at(&dir.path().join("apps")).unwrap()),
            listeners,
        }
    }

    #[test]
    fn what_listens_runs_and_what_ended_badly_failed() {
        let dir = tempfile::tempdir().unwrap();
        let app = candidate("web:http:8000");
        let state = |listeners: Vec<Listener>| survey(&dir, listeners).app(&app);
        assert_eq!(state(vec![]).state, AppState::Stopped);
        assert_eq!(state(vec![listener(8000, 1, "x")]).state, AppState::Running);
        let files = survey(&dir, vec![]).files.unwrap();
        std::fs::write(files.log("web"), "first\nlast\n").unwrap();
        files.write_run("web", &run(&[8000], Some(3))).unwrap();
        let AppState::Failed { why } = state(vec![]).state else {
            panic!("not failed");
        };
        assert_eq!(why, "it ended with exit code 3: last");
        files.mark_stopped("web").unwrap();
        assert_eq!(state(vec![]).state, AppState::Stopped);
        files.write_run("web", &run(&[8000], None)).unwrap();
        let running = state(vec![
            listener(8000, NOBODY, "x"),
            listener(9000, NOBODY, "x"),
        ]);
        assert_eq!(
            (running.state, running.ports),
            (AppState::Running, vec![8000, 9000])
        );
        assert_eq!(running.path, "/run");
        let starting = state(vec![listener(9000, NOBODY, "x")]);
        assert_eq!(starting.state, AppState::Starting);
    }

    #[test]
    fn a_plain_port_has_the_name_of_its_program() {
        let app = plain_port(&listener(8000, 1, "python3")).unwrap();
        assert_eq!((app.name.as_str(), app.title.as_str()), ("8000", "python3"));
        let nameless = Listener {
            port: 9,
            owner: None,
        };
        assert_eq!(plain_port(&nameless).unwrap().title, "Port 9");
        for hidden in ["workbay", "kernel"] {
            assert_eq!(plain_port(&listener(8000, 1, hidden)), None);
        }
    }

    #[test]
    fn a_preopened_port_is_named_after_its_program() {
        let dir = tempfile::tempdir().unwrap();
        let app = candidate("9000:preopen:9000");
        let with = |listeners| survey(&dir, listeners).app(&app);
        assert_eq!(with(vec![]).title, "Port 9000");
        let served = with(vec![listener(9000, 1, "nc")]);
        assert_eq!(
            (served.title.as_str(), served.state),
            ("Port 9000 (nc)", AppState::Running)
        );
    }
}
