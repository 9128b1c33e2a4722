//! Starts an app, and waits until it answers on its port.

use std::{
    collections::BTreeMap,
    env,
    net::{Ipv4Addr, TcpListener},
    path::Path,
    process::{Command, Stdio},
};

use super::{
    super::{preload, shell_choice},
    candidates::{self, Candidate, Recipe},
    files::AppFiles,
    known::KnownProgram,
    list::Survey,
    listening,
    service_definition::{self, ServiceDefinition},
    started,
    supervise::{self, Plan},
};
use crate::model::{
    app::{App, AppArgument, AppStart},
    app_definition::{AppDefinition, PORT, check_text, filled},
    app_order::AppOrder,
    failure::Failure,
    spec::check_variable_name,
    text::Clean,
};

type Result<T> = std::result::Result<T, Failure>;

/// Starts the app of the order unless it runs.
pub(super) fn run(order: &AppOrder) -> Result<App> {
    let start = order
        .start
        .as_ref()
        .ok_or_else(|| Failure::usage(tr_sent!("no app was named")))?;
    let candidate = find(order, &start.app)?;
    let files = files()?;
    let lock = lock(&files, &candidate.name)?;
    let survey = Survey::now();
    if files
        .run(&candidate.name)
        .is_none_or(|run| !run.app.is_alive())
    {
        let is_taken = candidate
            .ports
            .first()
            .is_some_and(|port| listening::is_listening(*port));
        if is_taken {
            return Ok(survey.app(&candidate));
        }
        let start = match files.last_start(&candidate.name) {
            Some(last) if start.again => start.clone().with_last(last),
            _ => start.clone(),
        };
        begin(order, &start, &candidate, &files)?;
    }
    // A stop and another start don't wait until it answers.
    drop(lock);
    started::wait(&candidate, &files)?;
    Ok(Survey::now().app(&candidate))
}

/// An app that is known without looking at the ports.
pub(super) fn find(order: &AppOrder, name: &str) -> Result<Candidate> {
    let mut all = candidates::all(order);
    if let Some(at) = all.iter().position(|one| one.name == name) {
        return Ok(all.swap_remove(at));
    }
    let names: Vec<&str> = all.iter().map(|one| one.name.as_str()).collect();
    let failure = Failure::not_found(tr_sent!(
        "this session has no app '{name}'",
        name = Clean::new(name)
    ));
    Err(match names.as_slice() {
        [] => failure.hint(tr_sent!(
            "install a program, or define one in the environment catalog"
        )),
        names => failure.hint(tr_sent!("available: {names}", names = names.join(", "))),
    })
}

pub(super) fn files() -> Result<AppFiles> {
    AppFiles::open().map_err(|error| {
        Failure::refused(tr_sent!("this session has no place for the files of apps"))
            .because(error.to_string())
    })
}

pub(super) fn lock(files: &AppFiles, name: &str) -> Result<std::fs::File> {
    let locked = files.lock(name);
    locked.map_err(|error| {
        Failure::refused(tr_sent!(
            "app '{name}' can't be locked: {error}",
            name,
            error
        ))
    })
}

fn begin(order: &AppOrder, start: &AppStart, app: &Candidate, files: &AppFiles) -> Result<()> {
    let name = &app.name;
    let recipe = app.recipe.as_ref().ok_or_else(|| {
        Failure::refused(tr_sent!(
            "workbay doesn't know how '{name}' is started",
            name
        ))
        .hint(tr_sent!(
            "start it in a shell of the session, or define its command in the environment catalog"
        ))
    })?;
    let arguments = arguments(start, name, &recipe.arguments())?;
    check_variables(start, name, recipe)?;
    let ports = ports(order, app, files)?;
    let Prepared {
        argv,
        mut variables,
        path,
    } = match recipe {
        Recipe::Catalog(app) => of_catalog(app, &ports, &arguments),
        Recipe::Service(service) => of_service(order, service, name, &ports, &start.arguments)?,
        Recipe::Program(known, program) => {
            of_program(order, known, program, &ports, arguments, &files.data(name))?
        }
    };
    variables.extend(start.env.clone());
    files.clear(name);
    // Without the file, a restart has the defaults.
    let _ = files.keep_start(name, start);
    let plan = Plan {
        name: name.clone(),
        argv,
        variables,
        ports,
        protocol: app.protocol,
        path: path.unwrap_or_else(|| app.path.clone()),
    };
    supervise::start(&plan).map_err(|error| {
        Failure::refused(tr_sent!("app '{name}' can't be started", name)).because(error.to_string())
    })
}

/// What is run.
struct Prepared {
    argv: Vec<String>,
    variables: BTreeMap<String, String>,
    /// `None` = the app's own.
    path: Option<String>,
}

/// The values of all arguments.
fn arguments(
    start: &AppStart,
    name: &str,
    known: &[AppArgument],
) -> Result<BTreeMap<String, String>> {
    let names: Vec<&str> = known.iter().map(|one| one.name.as_str()).collect();
    for (argument, value) in &start.arguments {
        if !names.contains(&argument.as_str()) {
            let what = tr_sent!(
                "app '{name}' has no argument '{argument}'",
                name,
                argument = Clean::new(argument)
            );
            return Err(Failure::usage(what).hint(match names.as_slice() {
                [] => tr_sent!("it has none").to_owned(),
                names => tr_sent!("available: {names}", names = names.join(", ")),
            }));
        }
        check_text(value).map_err(Failure::usage)?;
    }
    let value = |one: &AppArgument| {
        let given = start.arguments.get(one.name.as_str()).cloned();
        given.unwrap_or_else(|| one.default.as_str().to_owned())
    };
    Ok(known
        .iter()
        .map(|one| (one.name.as_str().to_owned(), value(one)))
        .collect())
}

fn check_variables(start: &AppStart, name: &str, recipe: &Recipe) -> Result<()> {
    for (variable, value) in &start.env {
        check_variable_name(variable).map_err(Failure::usage)?;
        if value.contains('\0') {
            return Err(Failure::usage(tr_sent!(
                "the value of variable {variable} contains a zero byte",
                variable
            )));
        }
        if let Recipe::Service(service) = recipe
            && !service.allowed_envs.contains(variable)
        {
            let what = tr_sent!(
                "app '{name}' doesn't take the variable {variable}",
                name,
                variable
            );
            return Err(
                Failure::usage(what).hint(match service.allowed_envs.as_slice() {
                    [] => tr_sent!("it takes none").to_owned(),
                    allowed => tr_sent!("available: {allowed}", allowed = allowed.join(", ")),
                }),
            );
        }
    }
    Ok(())
}

/// Its fixed ports, else the port that it had before, else a free one.
fn ports(order: &AppOrder, app: &Candidate, files: &AppFiles) -> Result<Vec<u16>> {
    if !app.ports.is_empty() {
        return Ok(app.ports.clone());
    }
    let reserved = |port: u16| {
        order
            .services
            .iter()
            .any(|service| service.ports.contains(&port))
    };
    let earlier = files
        .run(&app.name)
        .and_then(|run| run.ports.first().copied());
    let earlier = earlier.filter(|port| !reserved(*port)).and_then(free);
    let found = earlier.or_else(|| (0..16).find_map(|_| free(0).filter(|port| !reserved(*port))));
    found.map(|port| vec![port]).ok_or_else(|| {
        Failure::refused(tr_sent!(
            "no port of this session is free for app '{name}'",
            name = app.name
        ))
    })
}

/// The port, if it is free; 0 = any.
fn free(port: u16) -> Option<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok()?;
    Some(listener.local_addr().ok()?.port())
}

fn of_catalog(
    app: &AppDefinition,
    ports: &[u16],
    arguments: &BTreeMap<String, String>,
) -> Prepared {
    let port = ports.first().map(u16::to_string);
    let fill = |text: &String| {
        filled(text, |name| match name {
            PORT => port.clone(),
            name => arguments.get(name).cloned(),
        })
    };
    let variables = app.variables.iter();
    Prepared {
        argv: app.command.iter().map(fill).collect(),
        variables: variables
            .map(|(name, value)| (name.clone(), fill(value)))
            .collect(),
        path: None,
    }
}

fn of_service(
    order: &AppOrder,
    service: &ServiceDefinition,
    name: &str,
    ports: &[u16],
    given: &BTreeMap<String, String>,
) -> Result<Prepared> {
    let mut values = service_definition::values(order.runtime_path.as_deref(), ports);
    service.prepare(&mut values).map_err(|error| {
        Failure::refused(tr_sent!(
            "the image can't prepare its service '{name}'",
            name
        ))
        .because(error.to_string())
    })?;
    Ok(Prepared {
        argv: service.argv(&values, given),
        variables: service.variables(&values),
        path: None,
    })
}

fn of_program(
    order: &AppOrder,
    known: &KnownProgram,
    program: &Path,
    ports: &[u16],
    mut values: BTreeMap<String, String>,
    data: &Path,
) -> Result<Prepared> {
    let path = env::var("PATH").ok();
    let shell = shell_choice::choose(rustix::process::getuid().as_raw(), path.as_deref());
    let shell = shell.map(|shell| shell.to_string_lossy().into_owned());
    values.insert(
        "shell".to_owned(),
        shell.unwrap_or_else(|| "/bin/sh".to_owned()),
    );
    values.insert("data".to_owned(), data.to_string_lossy().into_owned());
    let port = ports.first().map(u16::to_string).unwrap_or_default();
    values.insert(PORT.to_owned(), port);
    let fill = |word: &&str| filled(word, |name| values.get(name).cloned());
    let mut prepared = Prepared {
        argv: vec![program.to_string_lossy().into_owned()],
        variables: BTreeMap::new(),
        path: None,
    };
    prepared
        .argv
        .extend(newer(known, program).map(str::to_owned));
    prepared.argv.extend(known.words.iter().map(fill));
    if !order.shares_network {
        prepared.argv.extend(known.without_login.iter().map(fill));
        return Ok(prepared);
    }
    let Some(variable) = known.token_variable else {
        let what = tr_sent!(
            "app '{name}' isn't started, because it has no token and this session shares the network of its machine",
            name = known.name
        );
        return Err(Failure::refused(what).hint(tr_sent!(
            "launch the session in a network of its own ([network] isolation)"
        )));
    };
    let token = uuid::Uuid::new_v4().simple().to_string();
    let (_, _, page) = crate::model::app::presentation(known.name);
    prepared.path = Some(format!("{page}?token={token}"));
    prepared.variables.insert(variable.to_owned(), token);
    Ok(prepared)
}

/// Its options that only newer versions know.
fn newer(known: &KnownProgram, program: &Path) -> impl Iterator<Item = &'static str> {
    let mut help = String::new();
    if !known.if_known.is_empty() {
        let mut command = Command::new(program);
        preload::give(&mut command);
        if let Ok(ran) = command.arg("--help").stdin(Stdio::null()).output() {
            help = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
        }
    }
    known
        .if_known
        .iter()
        .copied()
        .filter(move |option| help.contains(option))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::failure::FailureKind, runner::app::known};

    fn start(arguments: &[(&str, &str)]) -> AppStart {
        let arguments = arguments.iter();
        AppStart {
            arguments: arguments
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..AppStart::of("x")
        }
    }

    fn program(shares_network: bool, name: &str) -> Result<Prepared> {
        let order = AppOrder {
            shares_network,
            ..AppOrder::default()
        };
        let known = known::named(name).unwrap();
        let values = known
            .argument
            .iter()
            .map(|it| (it.name.to_owned(), it.default.to_owned()));
        of_program(
            &order,
            known,
            Path::new("/bin/x"),
            &[80],
            values.collect(),
            Path::new("/d"),
        )
    }

    #[test]
    fn arguments_have_defaults_and_unknown_ones_are_refused() {
        let known = [AppArgument {
            name: "logdir".into(),
            title: "Log directory".into(),
            default: "/home/work/logs".into(),
        }];
        let values = |given: &[(&str, &str)]| arguments(&start(given), "x", &known);
        assert_eq!(values(&[]).unwrap()["logdir"], "/home/work/logs");
        assert_eq!(values(&[("logdir", "/tmp")]).unwrap()["logdir"], "/tmp");
        let error = values(&[("logdri", "/tmp")]).unwrap_err();
        assert_eq!(error.kind, FailureKind::Usage);
        assert!(error.hint.unwrap().as_str().contains("logdir"));
        assert!(values(&[("logdir", "a\nb")]).is_err());
    }

    #[test]
    fn variables_are_checked_and_a_service_takes_only_its_own() {
        let recipe = Recipe::Service(ServiceDefinition {
            allowed_envs: vec!["A".to_owned()],
            ..ServiceDefinition::default()
        });
        let check = |name: &str, recipe: &Recipe| {
            let mut start = start(&[]);
            start.env.insert(name.to_owned(), "1".to_owned());
            check_variables(&start, "x", recipe).is_ok()
        };
        assert!(check("A", &recipe) && !check("B", &recipe));
        let any = Recipe::Catalog(AppDefinition::of("x"));
        assert!(check("B", &any) && !check("B=C", &any) && !check("", &any));
    }

    #[test]
    fn a_program_in_a_network_of_its_own_has_no_login() {
        let prepared = program(false, "jupyter").unwrap();
        assert!(prepared.argv.contains(&"--ip=127.0.0.1".to_owned()));
        assert!(prepared.argv.contains(&"--port=80".to_owned()));
        assert!(prepared.argv.contains(&"--ServerApp.token=".to_owned()));
        assert!(prepared.variables.is_empty() && prepared.path.is_none());
        let prepared = program(false, "tensorboard").unwrap();
        assert_eq!(prepared.argv.last().unwrap(), "/home/work/logs");
    }

    #[test]
    fn a_program_in_a_shared_network_has_a_token_or_is_refused() {
        let prepared = program(true, "jupyterlab").unwrap();
        assert!(!prepared.argv.iter().any(|word| word.contains("token")));
        let token = &prepared.variables["JUPYTER_TOKEN"];
        assert_eq!(prepared.path.unwrap(), format!("/lab?token={token}"));
        assert_eq!(token.len(), 32);
        let error = program(true, "ttyd").err().unwrap();
        assert_eq!(error.kind, FailureKind::Refused);
    }

    #[test]
    fn an_app_of_the_catalog_gets_its_port_and_arguments() {
        let app = AppDefinition {
            command: ["serve", "{port}", "{dir}", "${HOME}"]
                .map(str::to_owned)
                .to_vec(),
            variables: [("DIR".to_owned(), "{dir}".to_owned())].into(),
            ..AppDefinition::of("serve")
        };
        let arguments = [("dir".to_owned(), "/data".to_owned())].into();
        let prepared = of_catalog(&app, &[8000], &arguments);
        assert_eq!(prepared.argv, ["serve", "8000", "/data", "${HOME}"]);
        assert_eq!(prepared.variables["DIR"], "/data");
    }
}
