//! Reads the manager's list of folders. Its fields differ by version, so each may be missing.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    engine::backendai::request::lenient_json::{self, Node},
    model::{catalogue::Project, folder::Folder, resources::Bytes},
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

/// One list from those of several projects, in the order of the projects. A folder of the user is in each of them. One
/// of a project is in its own list, or in every one (26.4). Newer managers give its project by id alone, or not at all.
pub(super) fn without_repeats(projects: &[Project], lists: Vec<Value>) -> Value {
    let mut known = BTreeSet::new();
    let mut all = Vec::new();
    for (listed, list) in projects.iter().zip(lists) {
        let Value::Array(folders) = list else {
            continue;
        };
        for mut folder in folders {
            if !known.insert(folder["id"].to_string()) {
                continue;
            }
            let name = folder["group_name"].as_str().unwrap_or_default();
            if folder["ownership_type"] == "group" && name.is_empty() {
                let id = folder["group"].as_str().unwrap_or_default();
                let project = projects.iter().find(|it| it.id == *id).unwrap_or(listed);
                folder["group_name"] = project.name.as_str().into();
            }
            all.push(folder);
        }
    }
    Value::Array(all)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::Clean;
    use serde_json::json;

    #[test]
    fn folders_of_several_projects_are_one_list() {
        let project = |id: &str, name: &str| Project {
            id: id.into(),
            name: name.into(),
        };
        let projects = [project("d-1", "default"), project("l-1", "lab")];
        let own = json!({"id": "1", "name": "mine", "ownership_type": "user", "group_name": ""});
        let of_project = |id: &str, name: &str| json!({"id": id, "name": name, "ownership_type": "group", "group_name": ""});
        let data = of_project("2", "data");
        let mut elsewhere = of_project("4", "of lab");
        elsewhere["group"] = "l-1".into();
        let named =
            json!({"id": "3", "name": "old", "ownership_type": "group", "group_name": "theirs"});
        let lists = vec![
            json!([own.clone(), elsewhere.clone()]),
            json!([data, own, named, elsewhere]),
        ];
        let groups: Vec<_> = usable(&without_repeats(&projects, lists))
            .into_iter()
            .map(|it| (it.name, it.group.map(Clean::into_string)))
            .collect();
        let expected = [
            ("mine", None),
            ("of lab", Some("lab")),
            ("data", Some("lab")),
            ("old", Some("theirs")),
        ];
        let expected = expected.map(|(name, group)| (Clean::new(name), group.map(str::to_owned)));
        assert_eq!(groups, expected);
    }
}
