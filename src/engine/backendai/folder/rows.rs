//! Reads the manager's list of folders. Its fields differ by version, so each may be missing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    engine::backendai::request::lenient_json::{self, Node},
    model::{folder::Folder, resources::Bytes},
};

/// The folders that can be mounted.
pub(in crate::engine::backendai) fn read(list: &Value) -> Vec<Folder> {
    usable(list)
}

pub(super) fn usable(list: &Value) -> Vec<Folder> {
    chosen(list, |folder| !is_deleted(folder))
}

pub(super) fn in_trash(list: &Value) -> Vec<Folder> {
    chosen(list, is_in_trash)
}

pub(super) fn all(list: &Value) -> Vec<Folder> {
    chosen(list, |_| true)
}

fn chosen(list: &Value, is_chosen: impl Fn(&Folder) -> bool) -> Vec<Folder> {
    let list = list.as_array().map_or(&[] as &[Value], Vec::as_slice);
    let folders = list.iter().filter_map(|it| folder(Node::new(it)));
    folders.filter(is_chosen).collect()
}

/// One list of several. A folder of the user is in the list of each of their projects.
pub(super) fn without_repeats(lists: Vec<Value>) -> Value {
    let mut known = BTreeSet::new();
    let folders = lists.into_iter().flat_map(|list| match list {
        Value::Array(folders) => folders,
        _ => Vec::new(),
    });
    folders
        .filter(|folder| known.insert(folder["id"].to_string()))
        .collect()
}

/// Whether it is in the trash or being deleted, so that it can't be mounted.
pub(super) fn is_deleted(folder: &Folder) -> bool {
    folder.status.as_str().starts_with("delete")
}

/// Whether it can be restored, or deleting it can be tried again.
pub(super) fn is_in_trash(folder: &Folder) -> bool {
    matches!(
        folder.status.as_str(),
        "delete-pending" | "delete-aborted" | "delete-error"
    )
}

pub(super) fn folder(node: Node<'_>) -> Option<Folder> {
    let ownership = node.text("ownership_type").or_else(|| node.text("type"));
    let name = node.text("name")?;
    Some(Folder {
        id: node.text("id")?,
        status: node.text("status").unwrap_or_default(),
        permission: node.text("permission").unwrap_or_default(),
        usage_mode: node.text("usage_mode").unwrap_or_default(),
        ownership: ownership.unwrap_or_default(),
        is_owner: node.flag("is_owner").unwrap_or(false),
        group: node.text("group_name").filter(|it| !it.is_empty()),
        creator: node.text("creator").filter(|it| !it.is_empty()),
        created_at: node.time("created_at"),
        size: size(node.raw("cur_size")),
        files: None,
        max_size: size(node.raw("max_size")).filter(|size| size.0 > 0),
        cloneable: node.flag("cloneable").unwrap_or(false),
        ..Folder::own(
            name.as_str(),
            node.text("host").unwrap_or_default().as_str(),
        )
    })
}

fn size(value: &Value) -> Option<Bytes> {
    lenient_json::bytes(value)
}
