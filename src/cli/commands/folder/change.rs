//! Creates, renames, copies and deletes folders.

use std::{
    io::{self, Write as _},
    str::FromStr,
};

use clap::{Args, builder::TypedValueParser as _};

use super::{FolderClient, permission, words};
use crate::{
    cli::{
        Start,
        args::Json,
        connection,
        fail::{Fail, Outcome, code},
        output, tty,
    },
    model::{
        folder::{Folder, FolderPermission, FolderRequest, FolderUsage, NewFolder},
        resources::Bytes,
    },
    rules::launch::folders,
};

#[derive(Args, Debug)]
pub struct NewFolderArgs {
    /// Name (letters, digits, _ . and -). A name with a leading dot is mounted in every session
    name: String,
    /// Storage host, see `workbay folder hosts` (Backend.AI only; default: the cluster's)
    #[arg(long, value_name = "HOST")]
    host: Option<String>,
    /// Project that the folder belongs to (Backend.AI only; default: it is your own)
    #[arg(long, value_name = "PROJECT", alias = "group")]
    project: Option<String>,
    /// Use of the folder (Backend.AI only)
    #[arg(long, value_name = "MODE", default_value = "general",
        value_parser = words(&["general", "model", "data"]).map(|word| usage(&word)))]
    usage_mode: FolderUsage,
    /// What users may do with it: ro, rw or wd (Backend.AI only)
    #[arg(long, value_name = "PERMISSION", default_value = "rw", value_parser = permission)]
    permission: FolderPermission,
    /// Allow users who may read the folder to clone it (Backend.AI only)
    #[arg(long)]
    cloneable: bool,
    /// Most that may be in it (5g; not on Backend.AI)
    #[arg(long, value_name = "SIZE")]
    quota: Option<Bytes>,
    #[command(flatten)]
    format: Json,
}

fn usage(word: &str) -> FolderUsage {
    let mut all = FolderUsage::ALL.into_iter();
    all.find(|it| it.word() == word).unwrap_or_default()
}

pub(super) fn create(start: &Start, args: NewFolderArgs) -> Outcome {
    folders::check_new_name(&args.name).map_err(Fail::usage)?;
    let new = NewFolder {
        name: args.name,
        host: args.host,
        group: args.project,
        usage: args.usage_mode,
        permission: args.permission,
        cloneable: args.cloneable,
        quota: args.quota,
    };
    one(start, FolderRequest::Create { new }, args.format.json)
}

pub(super) fn rename(start: &Start, folder: String, name: String, json: bool) -> Outcome {
    folders::check_new_name(&name).map_err(Fail::usage)?;
    one(start, FolderRequest::Rename { folder, name }, json)
}

pub(super) fn clone(start: &Start, folder: String, name: String, json: bool) -> Outcome {
    folders::check_new_name(&name).map_err(Fail::usage)?;
    one(start, FolderRequest::Clone { folder, name }, json)
}

/// A size, or `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotaWord(pub Option<Bytes>);

impl FromStr for QuotaWord {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self(None)),
            size => Ok(Self(Some(size.parse()?))),
        }
    }
}

pub(super) fn quota(start: &Start, folder: String, quota: QuotaWord, json: bool) -> Outcome {
    let quota = quota.0;
    let changed = connection::block_on(async {
        let client = FolderClient::connect(start).await?;
        client
            .folder(FolderRequest::SetQuota { folder, quota })
            .await
    })?;
    if json {
        output::json(&changed)?;
        return Ok(0);
    }
    let name = &changed.name;
    output::line(&match (changed.max_size, changed.quota_enforced) {
        (None, _) => tr!("{name} has no quota", name),
        (Some(most), Some(true)) => {
            tr!(
                "{name} has a quota of {most}, which the file system enforces",
                name,
                most
            )
        }
        (Some(most), _) => tr!(
            "{name} has a quota of {most}. Sessions can exceed it: it is measured, not enforced",
            name,
            most
        ),
    })?;
    Ok(0)
}

pub(super) fn restore(start: &Start, folder: String, json: bool) -> Outcome {
    one(start, FolderRequest::Restore { folder }, json)
}

/// Carries out a request that ends with a folder, and prints the folder.
fn one(start: &Start, request: FolderRequest, json: bool) -> Outcome {
    let folder = connection::block_on(async {
        let client = FolderClient::connect(start).await?;
        client.folder(request).await
    })?;
    print(&folder, json)
}

fn print(folder: &Folder, json: bool) -> Outcome {
    match &folder.path {
        _ if json => output::json(folder)?,
        Some(path) => output::line(&format!("{} {path}", folder.name))?,
        None => output::line(folder.name.as_str())?,
    }
    Ok(0)
}

pub(super) fn rm(start: &Start, folders: Vec<String>, json: bool) -> Outcome {
    connection::block_on(async {
        let client = FolderClient::connect(start).await?;
        for folder in &folders {
            let folder = folder.clone();
            client.done(FolderRequest::Trash { folder }).await?;
        }
        Ok(())
    })?;
    if json {
        output::json(&folders)?;
    } else {
        for folder in &folders {
            output::remark(&tr!(
                "{folder} is in the trash. `workbay folder restore {folder}` brings it back.",
                folder
            ));
        }
    }
    Ok(0)
}

pub(super) fn purge(
    start: &Start,
    (words, all): (Vec<String>, bool),
    yes: bool,
    json: bool,
) -> Outcome {
    tty::require_for_confirmation("folder purge", yes)?;
    connection::block_on(async {
        let client = FolderClient::connect(start).await?;
        let trashed = client.list(true).await?;
        let chosen = chosen(&trashed, &words, all)?;
        if chosen.is_empty() {
            output::remark(tr!("The trash is empty."));
        } else if !yes && !agreed(&chosen)? {
            output::remark(tr!("Nothing was deleted."));
            return Ok(code::FAILED);
        }
        for folder in &chosen {
            let folder = folder.id.to_string();
            client.done(FolderRequest::Purge { folder }).await?;
        }
        if json {
            let ids: Vec<&str> = chosen.iter().map(|it| it.id.as_str()).collect();
            output::json(&ids)?;
        }
        Ok(0)
    })
}

/// The folders in the trash that the words mean. A name of several folders is an error.
fn chosen<'a>(trashed: &'a [Folder], words: &[String], all: bool) -> Result<Vec<&'a Folder>, Fail> {
    if all {
        return Ok(trashed.iter().collect());
    }
    let find = |word: &String| {
        if let Some(exact) = trashed.iter().find(|it| it.id == *word.as_str()) {
            return Ok(exact);
        }
        let mut called = trashed.iter().filter(|it| it.name == *word.as_str());
        match (called.next(), called.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(Fail::new(
                code::NOT_FOUND,
                tr!("folder '{word}' isn't in the trash", word),
            )
            .hint(tr!("`workbay folder ls --trash` lists the trash. Move a folder there with `workbay folder rm`"))),
            (Some(_), Some(_)) => {
                let text = tr!("the trash has several folders with the name '{word}'", word);
                Err(Fail::new(code::FAILED, text)
                    .hint(tr!("use the id. `workbay folder ls --trash` lists the ids")))
            }
        }
    };
    words.iter().map(find).collect()
}

fn agreed(folders: &[&Folder]) -> Result<bool, Fail> {
    let mut err = io::stderr().lock();
    for folder in folders {
        let size = folder
            .size
            .map(|size| format!("  {size}"))
            .unwrap_or_default();
        writeln!(err, "  {}{size}", folder.name)?;
    }
    let what = match folders.len() {
        1 => tr!("this folder").to_owned(),
        n => tr!("these {n} folders", n),
    };
    let question = tr!(
        "Delete {what} with all files? This can't be undone. [y/N] ",
        what
    );
    write!(err, "{question}")?;
    err.flush()?;
    tty::is_agreed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_several_folders_is_refused() {
        let folder = |id: &str, name: &str| Folder {
            id: id.into(),
            ..Folder::own(name, "local")
        };
        let trashed = [folder("1.a", "a"), folder("2.a", "a"), folder("3.b", "b")];
        let ids = |words: &[&str], all| {
            let words: Vec<String> = words.iter().map(|it| (*it).to_owned()).collect();
            let chosen = chosen(&trashed, &words, all).ok()?;
            Some(
                chosen
                    .iter()
                    .map(|it| it.id.to_string())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(ids(&["b", "2.a"], false).unwrap(), ["3.b", "2.a"]);
        assert_eq!(ids(&["a"], false), None);
        assert_eq!(ids(&["c"], false), None);
        assert_eq!(ids(&[], true).unwrap().len(), 3);
    }
}
