//! How images for Backend.AI start their services: `/etc/backend.ai/service-defs/NAME.json`.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
    process::{Command, Stdio},
};

use serde::Deserialize;
use serde_json::Value;

use super::super::preload;
use crate::model::inside;

const DIRECTORY: &str = "/etc/backend.ai/service-defs";

/// The largest definition that is read, in bytes.
const LARGEST: u64 = 256 * 1024;

/// The Python of an image that doesn't name its own.
pub(super) const USUAL_PYTHON: &str = "/usr/bin/python";

/// The program of a service, and what may be given to it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct ServiceDefinition {
    #[serde(alias = "prestart_actions")]
    pub(super) prestart: Vec<Action>,
    pub(super) command: Vec<String>,
    /// The service runs without being started.
    pub(super) noop: bool,
    #[serde(alias = "env")]
    pub(super) environment: BTreeMap<String, String>,
    pub(super) allowed_envs: Vec<String>,
    pub(super) allowed_arguments: Vec<String>,
    pub(super) default_arguments: BTreeMap<String, Value>,
}

/// A step before the program starts.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Action {
    action: String,
    #[serde(default)]
    args: BTreeMap<String, Value>,
    /// The template that gets its result.
    #[serde(default, rename = "ref")]
    result: Option<String>,
}

/// The values of templates: `{runtime_path}`, `{ports[0]}`, and the results of steps.
pub(super) type Values = BTreeMap<String, String>;

/// The definition of a service; `None` if the image has none that starts a program.
pub(super) fn of(name: &str) -> Option<ServiceDefinition> {
    read(&Path::new(DIRECTORY).join(format!("{name}.json")))
}

fn read(path: &Path) -> Option<ServiceDefinition> {
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST).read_to_end(&mut text).ok()?;
    let definition: ServiceDefinition = serde_json::from_slice(&text).ok()?;
    (!definition.noop && !definition.command.is_empty()).then_some(definition)
}

pub(super) fn values(runtime_path: Option<&str>, ports: &[u16]) -> Values {
    let python = runtime_path.unwrap_or(USUAL_PYTHON).to_owned();
    let mut values = Values::from([("runtime_path".to_owned(), python)]);
    for (at, port) in ports.iter().enumerate() {
        values.insert(format!("ports[{at}]"), port.to_string());
    }
    values
}

impl ServiceDefinition {
    /// The values of its arguments, by name: `--logdir`. Arguments without a value have none.
    pub(super) fn defaults(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => items
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(" "),
            _ => String::new(),
        };
        let defaults = self.default_arguments.iter();
        defaults
            .map(|(name, value)| (name.clone(), text(value)))
            .collect()
    }

    /// Runs the steps before the start. Their results become values of templates.
    pub(super) fn prepare(&self, values: &mut Values) -> io::Result<()> {
        for action in &self.prestart {
            let result = action.run(values)?;
            if let (Some(name), Some(result)) = (&action.result, result) {
                values.insert(name.clone(), result);
            }
        }
        Ok(())
    }

    /// The command line with these arguments.
    pub(super) fn argv(&self, values: &Values, given: &BTreeMap<String, String>) -> Vec<String> {
        let mut argv: Vec<String> = self.command.iter().map(|word| fill(word, values)).collect();
        let mut names: Vec<&String> = self.default_arguments.keys().collect();
        names.extend(
            given
                .keys()
                .filter(|name| !self.default_arguments.contains_key(*name)),
        );
        for name in names {
            argv.push(name.clone());
            match (given.get(name), self.default_arguments.get(name)) {
                (Some(value), _) if !value.is_empty() => argv.push(value.clone()),
                (None, Some(Value::String(value))) => argv.push(value.clone()),
                (None, Some(Value::Array(items))) => {
                    argv.extend(items.iter().filter_map(Value::as_str).map(str::to_owned));
                }
                _ => {}
            }
        }
        argv
    }

    pub(super) fn variables(&self, values: &Values) -> BTreeMap<String, String> {
        let variables = self.environment.iter();
        variables
            .map(|(name, value)| (fill(name, values), fill(value, values)))
            .collect()
    }
}

/// Replaces templates that have a value. `{{` and `}}` are braces.
fn fill(text: &str, values: &Values) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            out.push_str(&rest[..1]);
            rest = after;
            continue;
        }
        let known = rest[1..]
            .split_once('}')
            .and_then(|(name, after)| Some((values.get(name)?, after)));
        if let Some((value, after)) = known.filter(|_| rest.starts_with('{')) {
            out.push_str(value);
            rest = after;
        } else {
            out.push_str(&rest[..1]);
            rest = &rest[1..];
        }
    }
    out + rest
}

impl Action {
    /// Returns the result, if this kind of step has one.
    fn run(&self, values: &Values) -> io::Result<Option<String>> {
        match self.action.as_str() {
            "write_file" => {
                let name = self.text("filename", values)?;
                self.write(Path::new(&name), values)?;
                Ok(Some(name))
            }
            "write_tempfile" => {
                let name = format!("/tmp/{}", uuid::Uuid::new_v4().simple());
                self.write(Path::new(&name), values)?;
                Ok(Some(name))
            }
            "mkdir" => {
                fs::create_dir_all(self.text("path", values)?)?;
                Ok(None)
            }
            "run_command" => self.command(values).map(Some),
            // It writes to the log of Backend.AI's own runner.
            "log" => Ok(None),
            other => Err(io::Error::other(tr_sent!("unknown step '{other}'", other))),
        }
    }

    fn text(&self, name: &str, values: &Values) -> io::Result<String> {
        let text = self.args.get(name).and_then(Value::as_str);
        let text = text.ok_or_else(|| {
            io::Error::other(tr_sent!(
                "step '{action}' has no {name}",
                action = self.action,
                name
            ))
        })?;
        Ok(fill(text, values))
    }

    fn write(&self, path: &Path, values: &Values) -> io::Result<()> {
        let lines = self.args.get("body").and_then(Value::as_array);
        let lines = lines.map(Vec::as_slice).unwrap_or_default();
        let lines = lines.iter().filter_map(Value::as_str);
        let mut body = lines
            .map(|line| fill(line, values))
            .collect::<Vec<_>>()
            .join("\n");
        body.push('\n');
        let appends = self.args.get("append").and_then(Value::as_bool) == Some(true);
        let mode = self.args.get("mode").and_then(Value::as_str);
        let mode = mode
            .and_then(|mode| u32::from_str_radix(mode, 8).ok())
            .unwrap_or(0o755);
        let mut options = OpenOptions::new();
        options
            .create(true)
            .append(appends)
            .write(true)
            .truncate(!appends)
            .mode(mode);
        let mut file = options.open(path)?;
        file.write_all(body.as_bytes())?;
        file.set_permissions(fs::Permissions::from_mode(mode & 0o777))
    }

    /// The result is what the command prints.
    fn command(&self, values: &Values) -> io::Result<String> {
        let words = self.args.get("command").and_then(Value::as_array);
        let words = words.map(Vec::as_slice).unwrap_or_default();
        let mut words = words
            .iter()
            .filter_map(Value::as_str)
            .map(|word| fill(word, values));
        let program = words
            .next()
            .ok_or_else(|| io::Error::other(tr_sent!("step 'run_command' has no command")))?;
        let mut command = Command::new(program);
        preload::give(&mut command);
        let ran = command
            .args(words)
            .current_dir(inside::HOME)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output()?;
        Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition(text: &str) -> Option<ServiceDefinition> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.json");
        fs::write(&path, text).unwrap();
        read(&path)
    }

    #[test]
    fn a_definition_gives_its_command() {
        let read = definition(
            r#"{"command": ["{runtime_path}", "-m", "tb", "--port", "{ports[0]}", "{{x}}"],
                "environment": {"DIR": "/opt/{runtime_path}"},
                "allowed_envs": ["A"], "allowed_arguments": ["--logdir", "--fast"],
                "default_arguments": {"--logdir": "/home/work/logs", "--bind_all": null}}"#,
        )
        .unwrap();
        let values = values(Some("/usr/local/bin/python"), &[6006]);
        let start = ["/usr/local/bin/python", "-m", "tb", "--port", "6006", "{x}"];
        let rest = |words: &[&'static str]| [start.as_slice(), words].concat();
        let none = BTreeMap::new();
        assert_eq!(
            read.argv(&values, &none),
            rest(&["--bind_all", "--logdir", "/home/work/logs"])
        );
        let given = [("--logdir", "/tmp/x"), ("--fast", "")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        assert_eq!(
            read.argv(&values, &given),
            rest(&["--bind_all", "--logdir", "/tmp/x", "--fast"])
        );
        assert_eq!(read.variables(&values)["DIR"], "/opt//usr/local/bin/python");
        assert_eq!(read.defaults()["--logdir"], "/home/work/logs");
    }

    #[test]
    fn steps_write_files_and_give_their_names() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("made/config.py");
        let text = serde_json::json!({
            "prestart": [
                {"action": "mkdir", "args": {"path": dir.path().join("made")}},
                {"action": "write_file", "args": {
                    "filename": place, "body": ["port = {ports[0]}", "end"], "mode": "600"}, "ref": "config"},
                {"action": "log", "args": {"message": "made"}},
            ],
            "command": ["serve", "{config}"],
        });
        let read = definition(&text.to_string()).unwrap();
        let mut values = values(None, &[80]);
        read.prepare(&mut values).unwrap();
        assert_eq!(fs::read_to_string(&place).unwrap(), "port = 80\nend\n");
        assert_eq!(
            fs::metadata(&place).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(
            read.argv(&values, &BTreeMap::new())[1],
            place.to_str().unwrap()
        );
    }

    #[test]
    fn damage_is_no_definition() {
        for text in [
            "",
            "[]",
            "{}",
            r#"{"command": "x"}"#,
            r#"{"noop": true, "command": ["x"]}"#,
        ] {
            assert_eq!(definition(text), None, "{text}");
        }
        let read =
            definition(r#"{"command": ["x"], "prestart": [{"action": "explode"}]}"#).unwrap();
        assert!(read.prepare(&mut Values::new()).is_err());
    }

    #[test]
    fn fuzz_templates_are_filled() {
        let values = values(None, &[1]);
        for text in [
            "{",
            "}",
            "{}",
            "{{",
            "}}}",
            "{ports[0]",
            "{ports[1]}",
            "한{글}",
        ] {
            assert!(fill(text, &values).len() <= text.len());
        }
        assert_eq!(fill("{ports[0]}{no}", &values), "1{no}");
    }
}
