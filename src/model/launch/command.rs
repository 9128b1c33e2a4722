//! A launch as the words of the command line that does the same.

use super::{
    super::{
        resources::Cpu,
        session::{ClusterMode, SessionType},
        spec::LaunchRequest,
        stop_hook::StopHook,
    },
    amounts, ports,
};

/// The words after `workbay`; the values of secret variables are taken from the caller's own
/// environment.
pub fn words(request: &LaunchRequest, context: Option<&str>) -> Vec<String> {
    let mut words = Words(vec!["launch".to_owned()]);
    words.maybe("--context", context);
    words.maybe("--name", request.name.as_deref());
    words.maybe("--env", request.environment.as_deref());
    words.maybe("--image", request.image.as_deref());
    if request.session_type == SessionType::Batch {
        words.0.push("--batch".to_owned());
    }
    words.maybe("--command", request.startup_command.as_deref());
    words.maybe("--start-at", request.starts_at);
    words.maybe("--timeout", request.timeout);
    words.maybe("--project", request.project.as_deref());
    words.maybe("--group", request.resource_group.as_deref());
    words.maybe("--preset", request.preset.as_deref());
    words.maybe("--cpu", request.cpu);
    words.maybe("--mem", request.mem.map(amounts::exact));
    words.maybe("--shm", request.shmem.map(amounts::exact));
    for (slot, amount) in &request.accelerators {
        let amount = Cpu::from_millis(*amount);
        words.two("--accelerator", format!("{slot}={amount}"));
    }
    words.maybe("--count", request.count.filter(|count| *count != 1));
    let size = request.cluster_size.filter(|size| *size != 1);
    words.maybe("--cluster-size", size);
    if size.is_some() && request.cluster_mode == ClusterMode::MultiNode {
        words.two("--cluster-mode", "multi-node");
    }
    words.maybe("--agent", request.agent.as_deref());
    words.maybe("--priority", request.priority);
    for (name, value) in &request.env {
        let secret = request.is_secret(name);
        words.two(
            "-e",
            if secret {
                name.clone()
            } else {
                format!("{name}={value}")
            },
        );
    }
    for mount in &request.mounts {
        words.two("--mount", mount);
    }
    if !request.preopen_ports.is_empty() {
        words.two(
            "--preopen",
            ports::write(&request.preopen_ports).replace(", ", ","),
        );
    }
    if let Some(owner) = &request.owner {
        words.two("--owner", owner.to_string());
    }
    words.maybe(
        "--bootstrap",
        request.bootstrap_script.as_deref().map(literal),
    );
    words.maybe("--idle-timeout", request.idle_timeout);
    words.maybe("--lifetime", request.lifetime);
    if let Some(hook) = &request.stop_hook {
        words.maybe("--stop-hook", hook.command.as_deref());
        for path in &hook.save {
            words.two("--save", path);
        }
        words.maybe("--save-into", hook.folder.as_deref());
        let usual = hook.timeout == StopHook::USUAL;
        words.maybe("--stop-hook-timeout", (!usual).then_some(hook.timeout));
    }
    words.0
}

/// A script as it is: one that begins with @ would be taken for the name of a file.
fn literal(script: &str) -> String {
    let at = if script.starts_with('@') { "@" } else { "" };
    format!("{at}{script}")
}

/// The same as one line for a shell.
pub fn line(request: &LaunchRequest, context: Option<&str>) -> String {
    let quoted: Vec<String> = words(request, context).iter().map(|it| quote(it)).collect();
    format!("workbay {}", quoted.join(" "))
}

struct Words(Vec<String>);

impl Words {
    fn two(&mut self, option: &str, value: impl std::fmt::Display) {
        let value = value.to_string();
        // A word that begins so would be taken for an option.
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

/// A word as a POSIX shell reads it back.
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
            mem: Some(super::super::super::resources::Bytes::mib(1536)),
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
