//! Prints a launch as the equivalent `workbay launch` command.

use crate::model::{
    resources::Cpu,
    session::{ClusterMode, SessionType},
    spec::LaunchRequest,
    stop_hook::StopHook,
};
use crate::{
    model::launch_field::LaunchField,
    rules::launch::table::{TABLE, ValueKind},
};

/// The words after `workbay`. The values of secret variables come from the caller's environment.
pub fn words(request: &LaunchRequest, context: Option<&str>) -> Vec<String> {
    let mut words = Words(match request.home_of {
        None => vec!["launch".to_owned()],
        // Only a relaunch continues in the home directory of an ended session.
        Some(id) => ["relaunch", &id.to_string(), "--same-home"]
            .map(str::to_owned)
            .into(),
    });
    words.maybe("--context", context);
    for row in TABLE.iter() {
        match &row.text {
            Some(text) => {
                let value = (text.write)(request);
                // One copy and one container are the defaults.
                let value = value.filter(|it| text.kind != ValueKind::Count || it != "1");
                let is_script = row.field == LaunchField::BootstrapScript;
                let value = value.map(|it| if is_script { literal(&it) } else { it });
                words.maybe(row.option, value);
            }
            None => words.special(row.field, row.option, request),
        }
    }
    words.0
}

/// Escapes a script that begins with @, which would be parsed as the name of a file.
fn literal(script: &str) -> String {
    let at = if script.starts_with('@') { "@" } else { "" };
    format!("{at}{script}")
}

/// The command as one line for a shell.
pub fn line(request: &LaunchRequest, context: Option<&str>) -> String {
    let quoted: Vec<String> = words(request, context).iter().map(|it| quote(it)).collect();
    format!("workbay {}", quoted.join(" "))
}

struct Words(Vec<String>);

impl Words {
    /// A field that isn't one text.
    fn special(&mut self, field: LaunchField, option: &str, request: &LaunchRequest) {
        match field {
            LaunchField::SessionType if request.session_type == SessionType::Batch => {
                self.0.push(option.to_owned());
            }
            LaunchField::Accelerator => {
                for (slot, amount) in &request.accelerators {
                    let amount = Cpu::from_millis(*amount);
                    self.two(option, format!("{slot}={amount}"));
                }
            }
            LaunchField::ClusterMode
                if request.containers() != 1 && request.cluster_mode == ClusterMode::MultiNode =>
            {
                self.two(option, "multi-node");
            }
            LaunchField::Variables => {
                for (name, value) in &request.env {
                    let secret = request.is_secret(name);
                    let open = || format!("{name}={value}");
                    self.two(option, if secret { name.clone() } else { open() });
                }
            }
            LaunchField::Folders => {
                for mount in &request.mounts {
                    self.two(option, mount);
                }
            }
            LaunchField::StopHook => self.stop_hook(request.stop_hook.as_ref()),
            _ => {}
        }
    }

    fn stop_hook(&mut self, hook: Option<&StopHook>) {
        let Some(hook) = hook else {
            return;
        };
        self.maybe("--stop-hook", hook.command.as_deref());
        for path in &hook.save {
            self.two("--save", path);
        }
        self.maybe("--save-into", hook.folder.as_deref());
        let usual = hook.timeout == StopHook::USUAL;
        self.maybe("--stop-hook-timeout", (!usual).then_some(hook.timeout));
    }

    fn two(&mut self, option: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        // A value that begins with - would be parsed as an option.
        if value.starts_with('-') {
            return self.0.push(format!("{option}={value}"));
        }
        self.0.push(option.to_owned());
        self.0.push(value);
    }

    fn maybe(&mut self, option: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.two(option, value);
        }
    }
}

/// Quotes a word for a POSIX shell.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,@+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_as_one_line() {
        let request = LaunchRequest {
            name: Some("train-1".to_owned()),
            session_type: SessionType::Batch,
            startup_command: Some("echo 'hi' > out".to_owned()),
            mem: Some(crate::model::resources::Bytes::mib(1536)),
            env: [("A", "x y"), ("API_TOKEN", "hush")]
                .map(|(k, v)| (k.to_owned(), v.to_owned()))
                .into(),
            secret_names: ["API_TOKEN".to_owned()].into(),
            mounts: vec!["data:in:ro".parse().unwrap()],
            preopen_ports: vec![9000, 9001],
            ..LaunchRequest::default()
        };
        assert_eq!(
            line(&request, Some("prod")),
            r"workbay launch --context prod --name train-1 --batch --command 'echo '\''hi'\'' > out' --mem 1536m -e 'A=x y' -e API_TOKEN --mount data:in:ro --preopen 9000-9001"
        );
    }
}
