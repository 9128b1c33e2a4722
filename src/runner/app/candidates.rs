//! The apps that a container could run, from its labels, the environment catalog and its programs.

use std::{collections::BTreeMap, env, path::PathBuf};

use super::{
    super::shell_choice,
    known::{KnownProgram, PROGRAMS, named},
    service_definition::{self, ServiceDefinition},
};
use crate::model::{
    app::{AppArgument, AppCategory, AppProtocol, AppSource, presentation},
    app_definition::{AppDefinition, check_name},
    app_order::AppOrder,
    image,
    service::Service,
    text::Clean,
};

/// An app without its state.
#[derive(Clone)]
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) title: Clean,
    pub(super) category: AppCategory,
    pub(super) protocol: AppProtocol,
    /// The fixed ports. Empty = a free port is chosen at the start.
    pub(super) ports: Vec<u16>,
    pub(super) source: AppSource,
    pub(super) path: String,
    /// `None` = workbay can't start it.
    pub(super) recipe: Option<Recipe>,
}

/// How an app is started.
#[derive(Clone)]
pub(super) enum Recipe {
    Catalog(AppDefinition),
    Service(ServiceDefinition),
    Program(&'static KnownProgram, PathBuf),
}

impl Recipe {
    pub(super) fn arguments(&self) -> Vec<AppArgument> {
        match self {
            Self::Catalog(app) => app.arguments.clone(),
            Self::Program(known, _) => {
                let argument = known.argument.iter();
                argument
                    .map(|it| AppArgument {
                        name: it.name.into(),
                        title: it.title.into(),
                        default: it.default.into(),
                    })
                    .collect()
            }
            Self::Service(service) => {
                let defaults = service.defaults();
                let argument = |name: &String| AppArgument {
                    name: Clean::new(name),
                    title: Clean::new(name.trim_start_matches('-')),
                    default: Clean::new(defaults.get(name).map_or("", String::as_str)),
                };
                service.allowed_arguments.iter().map(argument).collect()
            }
        }
    }
}

/// All apps that are known before it is known which ports programs listen on, each name once.
pub(super) fn all(order: &AppOrder) -> Vec<Candidate> {
    collect(order, installed, service_definition::of)
}

/// The path of a program in the session.
fn installed(program: &str) -> Option<PathBuf> {
    let path = env::var("PATH").ok();
    shell_choice::named(program, path.as_deref())
}

fn collect(
    order: &AppOrder,
    find: impl Fn(&str) -> Option<PathBuf>,
    definition: impl Fn(&str) -> Option<ServiceDefinition>,
) -> Vec<Candidate> {
    let mut all: BTreeMap<String, Candidate> = BTreeMap::new();
    let program = |known: &'static KnownProgram| Some(Recipe::Program(known, find(known.program)?));
    for service in &order.services {
        let name = service.name.as_str();
        if service.protocol == image::INTERNAL || service.ports.is_empty() {
            continue;
        }
        let mut app = of_service(service);
        if app.source == AppSource::Image && check_name(name).is_ok() {
            let catalog = order.catalog.iter().find(|app| app.name == name);
            // What workbay knows listens on the loopback address only.
            app.recipe = catalog
                .map(|app| Recipe::Catalog(app.clone()))
                .or_else(|| named(name).and_then(program))
                .or_else(|| definition(name).map(Recipe::Service));
        }
        all.entry(name.to_owned()).or_insert(app);
    }
    for app in &order.catalog {
        all.entry(app.name.clone())
            .or_insert_with(|| of_catalog(app));
    }
    for known in PROGRAMS {
        if !all.contains_key(known.name)
            && let Some(recipe) = program(known)
        {
            all.insert(known.name.to_owned(), of_program(known, recipe));
        }
    }
    all.into_values().collect()
}

fn of_service(service: &Service) -> Candidate {
    let name = service.name.as_str();
    let (title, category, path) = presentation(name);
    let protocol = match service.protocol.as_str() {
        "http" | image::PREOPEN => AppProtocol::Http,
        _ => AppProtocol::Tcp,
    };
    let is_preopened = service.protocol == image::PREOPEN;
    Candidate {
        name: name.to_owned(),
        title: match name.parse::<u16>() {
            Ok(port) => Clean::new(&format!("Port {port}")),
            Err(_) => title,
        },
        category: if is_preopened {
            AppCategory::Preopened
        } else {
            category
        },
        protocol,
        ports: service.ports.clone(),
        source: if is_preopened {
            AppSource::Preopened
        } else {
            AppSource::Image
        },
        path: path.into_string(),
        recipe: None,
    }
}

fn of_catalog(app: &AppDefinition) -> Candidate {
    let (title, category, path) = presentation(&app.name);
    Candidate {
        name: app.name.clone(),
        title: app.title.clone().unwrap_or(title),
        category,
        protocol: app.protocol,
        ports: app.port.into_iter().collect(),
        source: AppSource::Catalog,
        path: app.path.clone().unwrap_or_else(|| path.into_string()),
        recipe: Some(Recipe::Catalog(app.clone())),
    }
}

fn of_program(known: &KnownProgram, recipe: Recipe) -> Candidate {
    let (title, category, path) = presentation(known.name);
    Candidate {
        name: known.name.to_owned(),
        title,
        category,
        protocol: AppProtocol::Http,
        ports: Vec::new(),
        source: AppSource::Installed,
        path: path.into_string(),
        recipe: Some(recipe),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(program: &str) -> Option<PathBuf> {
        let has = ["jupyter-notebook", "tensorboard"].contains(&program);
        has.then(|| PathBuf::from("/usr/bin").join(program))
    }

    fn order(label: &str, catalog: &[&str]) -> AppOrder {
        let app = |name: &&str| AppDefinition {
            command: vec!["x".to_owned()],
            title: Some("Mine".into()),
            ..AppDefinition::of(name)
        };
        AppOrder {
            services: image::services(label),
            catalog: catalog.iter().map(app).collect(),
            ..AppOrder::default()
        }
    }

    fn names(all: &[Candidate]) -> Vec<(&str, AppSource, bool)> {
        let row = |one: &'_ Candidate| one.recipe.is_some();
        all.iter()
            .map(|one| (one.name.as_str(), one.source, row(one)))
            .collect()
    }

    #[test]
    fn every_source_adds_its_apps_and_the_first_counts() {
        use AppSource::{Catalog, Image, Installed, Preopened};
        let order = order(
            "jupyter:http:8888,db:tcp:[90,91],api:internal:7,9000:preopen:9000,x:http:5",
            &["db", "own"],
        );
        let definition = |name: &str| {
            (name == "x").then(|| ServiceDefinition {
                command: vec!["x".to_owned()],
                ..ServiceDefinition::default()
            })
        };
        let all = collect(&order, found, definition);
        assert_eq!(
            names(&all),
            [
                ("9000", Preopened, false),
                ("db", Image, true),
                ("jupyter", Image, true),
                ("own", Catalog, true),
                ("tensorboard", Installed, true),
                ("x", Image, true),
            ]
        );
        assert_eq!(
            (all[0].title.as_str(), all[0].category),
            ("Port 9000", AppCategory::Preopened)
        );
        assert_eq!(
            (all[1].protocol, all[1].ports.as_slice()),
            (AppProtocol::Tcp, &[90, 91][..])
        );
        assert_eq!(
            (all[2].path.as_str(), all[2].ports.as_slice()),
            ("/tree", &[8888][..])
        );
        assert_eq!(all[3].title, "Mine");
        let arguments = all[4].recipe.as_ref().unwrap().arguments();
        assert_eq!(
            (arguments[0].name.as_str(), arguments[0].default.as_str()),
            ("logdir", "/home/work/logs")
        );
    }

    #[test]
    fn a_service_that_nothing_describes_cannot_be_started() {
        let all = collect(&order("weird:http:80", &[]), |_| None, |_| None);
        assert_eq!(names(&all), [("weird", AppSource::Image, false)]);
    }
}
