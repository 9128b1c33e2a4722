//! The JSON Schema of everything that `--json` prints, in docs/reference/json/. Tests check that the files are those of
//! the types, and the integration tests that the output follows the files.

use std::{fmt::Write as _, fs, path::PathBuf};

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::Value;

use super::{
    commands::{
        context::{ContextJson, Listed as ListedContext},
        cp::CopiedJson,
        daemon::{NotRunning, StatusJson},
        doctor::Report,
        events::Event,
        folder::files::SpaceJson,
        info::InfoJson,
        keys::BindingRow,
        keys_check::KeyProblemRow,
        rescue::{RescuedJson, UnsavedJson},
        show::SessionJson,
        themes::{ThemeRow, check::CheckedTheme, show::ShownTheme},
        top::rows::Printed,
    },
    listed::Listed,
};
use crate::model::{
    app::{App, ProxyUrl},
    catalogue::Catalogue,
    environment::Environment,
    files::FileEntry,
    folder::{Folder, FolderHosts, FolderShare, Invitation},
    forward::{Forward, OpenedForward},
    history::HistoryEntry,
    own_image::{ImageProgress, StoredImage},
    pull::Pull,
    recent::Recent,
    text::Clean,
};

/// `launch` prints one session, or a list with `--count`.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum OneOrMany<'a> {
    One(Listed<'a>),
    Many(Vec<Listed<'a>>),
}

#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum DaemonState<'a> {
    Running(StatusJson<'a>),
    NotRunning(NotRunning),
}

/// `rescue --list` prints what would be lost, `rescue` what was copied.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum RescueOutput {
    Listed(UnsavedJson),
    Copied(RescuedJson),
}

/// The output of one or more commands.
struct Output {
    /// The name of the file: the words of the command, joined by `-`.
    name: &'static str,
    title: &'static str,
    /// Whether the output is one object per line until the command ends.
    lines: bool,
    schema: Schema,
}

impl Output {
    fn of<T: JsonSchema>(name: &'static str, title: &'static str) -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<T>();
        let lines = false;
        Self {
            name,
            title,
            lines,
            schema,
        }
    }

    fn lines_of<T: JsonSchema>(name: &'static str, title: &'static str) -> Self {
        let lines = true;
        Self {
            lines,
            ..Self::of::<T>(name, title)
        }
    }

    /// The contents of the file.
    fn text(&self) -> String {
        let mut schema = self.schema.clone();
        schema.insert("title".to_owned(), self.title.into());
        let mut value = schema.to_value();
        as_sentences(&mut value);
        format!("{}\n", serde_json::to_string_pretty(&value).unwrap())
    }
}

/// Descriptions are comments of the source: links to other items become plain words.
fn as_sentences(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(text) if name == "description" => {
                        *text = text.replace("[`", "`").replace("`]", "`");
                    }
                    other => as_sentences(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(as_sentences),
        _ => {}
    }
}

fn outputs() -> Vec<Output> {
    vec![
        Output::of::<OneOrMany<'_>>("launch", "launch, relaunch, recent launch and run --detach"),
        Output::of::<Vec<Listed<'_>>>("ls", "ls"),
        Output::of::<Vec<Listed<'_>>>("wait", "wait"),
        Output::of::<SessionJson<'_>>("show", "show"),
        Output::lines_of::<Printed<'_>>("top", "top"),
        Output::of::<Vec<HistoryEntry>>("history", "history"),
        Output::of::<Vec<Recent>>("recent-ls", "recent ls"),
        Output::of::<Vec<Environment>>("env-ls", "env ls"),
        Output::lines_of::<Pull>("env-pull", "env pull"),
        Output::of::<Vec<StoredImage>>("image-ls", "image ls"),
        Output::lines_of::<ImageProgress>("image-push", "image push"),
        Output::lines_of::<ImageProgress>("image-import", "image import"),
        Output::of::<Catalogue>("resources", "resources"),
        Output::of::<Vec<Folder>>("folder-ls", "folder ls"),
        Output::of::<Folder>("folder-create", "folder create"),
        Output::of::<Vec<FileEntry>>("folder-files", "folder ls NAME/PATH"),
        Output::of::<CopiedJson>("folder-get", "folder get"),
        Output::of::<CopiedJson>("folder-put", "folder put"),
        Output::of::<SpaceJson>("folder-du", "folder du"),
        Output::of::<Folder>("folder-rename", "folder rename"),
        Output::of::<Folder>("folder-clone", "folder clone"),
        Output::of::<Vec<String>>("folder-rm", "folder rm"),
        Output::of::<Folder>("folder-restore", "folder restore"),
        Output::of::<Vec<String>>("folder-purge", "folder purge"),
        Output::of::<FolderHosts>("folder-hosts", "folder hosts"),
        Output::of::<Vec<FolderShare>>("folder-share", "folder share"),
        Output::of::<Vec<FolderShare>>("folder-unshare", "folder unshare"),
        Output::of::<Vec<FolderShare>>("folder-shares", "folder shares"),
        Output::of::<Folder>("folder-permission", "folder permission"),
        Output::of::<Vec<Invitation>>("folder-invitations", "folder invitations"),
        Output::of::<Vec<Invitation>>("folder-accept", "folder accept"),
        Output::of::<Vec<Invitation>>("folder-decline", "folder decline"),
        Output::of::<Vec<App>>("app-ls", "app ls"),
        Output::of::<OpenedForward>("app-start", "app start"),
        Output::of::<ProxyUrl>("app-proxy", "app proxy"),
        Output::of::<Vec<Clean>>("app-logs", "app logs"),
        Output::of::<Vec<Forward>>("port-ls", "port ls"),
        Output::of::<OpenedForward>("port-open", "port open"),
        Output::of::<OpenedForward>("port-url", "port url"),
        Output::of::<CopiedJson>("cp", "cp"),
        Output::of::<RescueOutput>("rescue", "rescue"),
        Output::of::<Vec<ListedContext>>("context-ls", "context ls"),
        Output::of::<ContextJson>("context-show", "context show"),
        Output::lines_of::<Event<'_>>("events", "events"),
        Output::of::<Report<'_>>("doctor", "doctor"),
        Output::of::<InfoJson>("info", "info"),
        Output::of::<DaemonState<'_>>("daemon-status", "daemon status"),
        Output::of::<Vec<BindingRow>>("keys", "keys"),
        Output::of::<Vec<ThemeRow>>("themes", "themes and themes ls"),
        Output::of::<ShownTheme>("themes-show", "themes show"),
        Output::of::<Vec<CheckedTheme>>("themes-check", "themes check"),
        Output::of::<Vec<KeyProblemRow>>("keys-check", "keys check"),
    ]
}

/// The page that lists the schemas.
fn page(outputs: &[Output]) -> String {
    let mut page = String::from(
        "<!-- Generated by `scripts/docs --reference`. Changes here are lost. -->\n\n\
         # JSON\n\n\
         Commands with `--json` print the data below. Each file is a [JSON Schema](https://json-schema.org/) (2020-12) that names and explains every field.\n\
         [The command line](../cli.md) has examples. Within a major version, fields may be added, but none is renamed or removed.\n\n\
         | command | output | schema |\n|--|--|--|\n",
    );
    for output in outputs {
        let form = if output.lines {
            "one object per line"
        } else {
            "one document"
        };
        let (title, name) = (output.title, output.name);
        writeln!(
            page,
            "| `{title}` | {form} | [{name}.json](json/{name}.json) |"
        )
        .unwrap();
    }
    page
}

#[test]
fn the_documented_schemas_are_those_of_the_types() {
    let dir = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/reference");
    let outputs = outputs();
    let files = outputs
        .iter()
        .map(|output| (format!("json/{}.json", output.name), output.text()));
    let files: Vec<(String, String)> = files
        .chain([("json.md".to_owned(), page(&outputs))])
        .collect();
    if std::env::var_os("WORKBAY_WRITE_REFERENCE").is_some() {
        let _ = fs::remove_dir_all(dir.join("json"));
        fs::create_dir_all(dir.join("json")).unwrap();
        for (path, text) in &files {
            fs::write(dir.join(path), text).unwrap();
        }
    }
    for (path, text) in &files {
        let found = fs::read_to_string(dir.join(path)).unwrap_or_default();
        assert!(
            found == *text,
            "docs/reference/{path} is stale: run `scripts/docs --reference`"
        );
    }
    let found = fs::read_dir(dir.join("json")).unwrap().count();
    assert_eq!(found, outputs.len(), "a schema that no command prints");
}
