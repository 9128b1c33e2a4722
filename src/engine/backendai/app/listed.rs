//! A service that the manager lists, as an app. Pure.

use serde_json::Value;

use crate::{
    engine::backendai::stream::services::ListedService,
    model::{
        app::{self, App, AppArgument, AppCategory, AppProtocol, AppSource, AppState},
        image,
        text::Clean,
    },
};

/// The apps of a session in the order of the app launcher. Ports between the containers of a session aren't apps.
pub(super) fn apps(services: &[ListedService]) -> Vec<App> {
    let usable = |service: &&ListedService| {
        service.protocol != image::INTERNAL && !service.ports.is_empty() && !service.name.is_empty()
    };
    let mut apps: Vec<App> = services.iter().filter(usable).map(app).collect();
    app::sort(&mut apps);
    apps
}

/// The manager doesn't report whether a service runs.
fn app(service: &ListedService) -> App {
    let name = service.name.as_str();
    let (title, category, path) = app::presentation(name);
    let is_preopened = service.protocol == image::PREOPEN;
    let title = match name.parse::<u16>() {
        Ok(port) => Clean::new(&format!("Port {port}")),
        Err(_) => title,
    };
    App {
        name: Clean::new(name),
        title,
        category: if is_preopened {
            AppCategory::Preopened
        } else {
            category
        },
        protocol: match service.protocol.as_str() {
            "http" | image::PREOPEN => AppProtocol::Http,
            _ => AppProtocol::Tcp,
        },
        ports: service.ports.clone(),
        source: if is_preopened {
            AppSource::Preopened
        } else {
            AppSource::Image
        },
        state: AppState::Unknown,
        path,
        arguments: known_arguments(name, arguments(&service.allowed_arguments)),
        startable: !is_preopened,
    }
}

/// Managers don't list the arguments of every image. The log directory of TensorBoard is worth asking for anyway.
fn known_arguments(name: &str, listed: Vec<AppArgument>) -> Vec<AppArgument> {
    if !listed.is_empty() || name != "tensorboard" {
        return listed;
    }
    vec![AppArgument {
        name: "--logdir".into(),
        title: "logdir".into(),
        default: "/home/work/logs".into(),
    }]
}

/// A list of names, or names with their defaults.
fn arguments(allowed: &Value) -> Vec<AppArgument> {
    let argument = |name: &str, default: &Value| AppArgument {
        name: Clean::new(name),
        title: Clean::new(name.trim_start_matches('-')),
        default: Clean::new(default.as_str().unwrap_or_default()),
    };
    match allowed {
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .map(|name| argument(name, &Value::Null))
            .collect(),
        Value::Object(names) => names
            .iter()
            .map(|(name, default)| argument(name, default))
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<App> {
        let services: Vec<ListedService> = serde_json::from_str(text).unwrap();
        apps(&services)
    }

    #[test]
    fn services_become_apps_in_their_usual_order() {
        let apps = listed(
            r#"[{"name":"9000","protocol":"preopen","ports":[9000]},
            {"name":"hostport7","protocol":"internal","ports":[7]},
            {"name":"none","protocol":"http","ports":[]},
            {"name":"tensorboard","protocol":"http","ports":[6006],"allowed_arguments":["--logdir"]},
            {"name":"vnc","protocol":"vnc","ports":[5901]},
            {"name":"sshd","protocol":"tcp","ports":[2200]},
            {"name":"ttyd","protocol":"http","ports":[7681]}]"#,
        );
        let rows: Vec<_> = apps
            .iter()
            .map(|app| (app.name.as_str(), app.protocol, app.startable))
            .collect();
        assert_eq!(
            rows,
            [
                ("ttyd", AppProtocol::Http, true),
                ("sshd", AppProtocol::Tcp, true),
                ("tensorboard", AppProtocol::Http, true),
                ("vnc", AppProtocol::Tcp, true),
                ("9000", AppProtocol::Http, false),
            ]
        );
        assert!(apps.iter().all(|app| app.state == AppState::Unknown));
        assert_eq!(apps[4].title, "Port 9000");
        let argument = &apps[2].arguments[0];
        assert_eq!(
            (argument.name.as_str(), argument.title.as_str()),
            ("--logdir", "logdir")
        );
    }

    #[test]
    fn arguments_may_have_defaults_and_odd_ones_are_none() {
        let with = |allowed: &str| {
            let text = format!(
                r#"[{{"name":"x","protocol":"http","ports":[1],"allowed_arguments":{allowed}}}]"#
            );
            listed(&text).remove(0).arguments
        };
        assert_eq!(with(r#"{"--port":"80"}"#)[0].default, "80");
        for odd in ["null", "[]", "7", "[1]", r#""x""#] {
            assert_eq!(with(odd), [], "{odd}");
        }
    }
}
