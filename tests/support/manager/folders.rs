//! What a manager answers about folders: changes, the trash, access of other users.

use serde_json::{Value, json};

use super::{Asked, Reply, State};

const OTHER: &str = "user2@lablup.com";
const OTHER_ID: &str = "c0ffee00-4b28-432f-be29-c0d680c7a412";

fn gone() -> Reply {
    Reply::problem(404, "vfolder-not-found", "No such virtual folder.", "")
}

fn nothing() -> Reply {
    Reply::Raw(204, Vec::new(), Vec::new())
}

impl State {
    /// The answer, if it is a request about folders beyond lists and new ones.
    pub(super) fn folder_request(
        &mut self,
        method: &str,
        path: &str,
        asked: &Asked,
    ) -> Option<Reply> {
        let parts: Vec<&str> = path.strip_prefix("/folders")?.split('/').skip(1).collect();
        Some(match (method, &parts[..]) {
            ("DELETE", []) => self.set_folder_status(asked, "ready", "delete-pending"),
            ("POST", ["restore-from-trash-bin"]) => {
                self.set_folder_status(asked, "delete-pending", "ready")
            }
            ("POST", ["delete-from-trash-bin"]) => {
                self.set_folder_status(asked, "delete-pending", "delete-complete")
            }
            ("GET", ["_", "shared"]) => Reply::Json(200, json!({"shared": self.shared})),
            ("POST", ["_", "shared"]) => {
                let body = asked.json();
                self.shared
                    .retain(|it| it["shared_to"]["uuid"] != body["user"]);
                Reply::Json(200, json!({"msg": "done"}))
            }
            ("GET", ["invitations", "list-sent"]) => {
                Reply::Json(200, json!({"invitations": self.sent}))
            }
            ("GET", ["invitations", "list"]) => {
                Reply::Json(200, json!({"invitations": self.received}))
            }
            ("POST", ["invitations", "accept"]) => {
                let id = asked.json()["inv_id"].clone();
                let before = self.received.len();
                self.received.retain(|it| it["id"] != id);
                if self.received.len() == before {
                    return Some(Reply::problem(
                        404,
                        "object-not-found",
                        "E00002: No such vfolder invitation.",
                        "",
                    ));
                }
                self.folders.push(shared_folder());
                Reply::Json(200, json!({"msg": ""}))
            }
            ("POST", ["invitations", "delete"]) => {
                let id = asked.json()["inv_id"].clone();
                self.received.retain(|it| it["id"] != id);
                self.sent.retain(|it| it["id"] != id);
                Reply::Json(200, json!({"msg": ""}))
            }
            (_, [folder, rest @ ..]) => {
                let at = self.folders.iter().position(|it| it["id"] == *folder)?;
                self.on_folder(method, at, rest, asked)?
            }
            _ => return None,
        })
    }

    fn on_folder(
        &mut self,
        method: &str,
        at: usize,
        rest: &[&str],
        asked: &Asked,
    ) -> Option<Reply> {
        let body = asked.json();
        let id = self.folders[at]["id"].clone();
        Some(match (method, rest) {
            ("GET", []) => {
                let mut details = self.folders[at].clone();
                details["numFiles"] = json!(12);
                details["used_bytes"] = json!(3 << 20);
                Reply::Json(200, details)
            }
            ("POST", ["rename"]) => {
                let name = &body["new_name"];
                if self.folders.iter().any(|it| it["name"] == *name) {
                    return Some(Reply::problem(
                        400,
                        "invalid-api-params",
                        "Missing or invalid API parameters.",
                        "One of your accessible vfolders already has the name you requested.",
                    ));
                }
                self.folders[at]["name"] = name.clone();
                Reply::Json(201, json!({}))
            }
            ("POST", ["update-options"]) => {
                self.folders[at]["permission"] = body["permission"].clone();
                Reply::Json(200, json!({}))
            }
            ("POST", ["clone"]) => {
                self.next += 1;
                let new = format!("{:032x}", self.next);
                let mut copy = self.folders[at].clone();
                copy["id"] = json!(new);
                copy["name"] = body["target_name"].clone();
                self.folders.push(copy.clone());
                Reply::Json(201, copy)
            }
            ("POST", ["invite"]) => {
                let emails = body["emails"].as_array().cloned().unwrap_or_default();
                let invited: Vec<Value> = emails.into_iter().filter(|it| it == OTHER).collect();
                for email in &invited {
                    self.sent.push(
                        json!({"id": "inv-1", "inviter": super::USER, "invitee": email,
                        "perm": body["permission"], "state": "pending", "vfolder_id": id,
                        "vfolder_name": self.folders[at]["name"]}),
                    );
                }
                Reply::Json(201, json!({"invited_ids": invited}))
            }
            ("POST", ["share"]) if self.role == "user" => {
                Reply::problem(403, "generic-forbidden", "Forbidden operation.", "")
            }
            ("POST", ["share"]) => {
                self.shared
                    .push(json!({"vfolder_id": id, "perm": body["permission"],
                    "shared_to": {"uuid": OTHER_ID, "email": body["emails"][0]}}));
                Reply::Json(201, json!({"shared_emails": body["emails"]}))
            }
            ("DELETE", ["unshare"]) => {
                self.shared.clear();
                Reply::Json(200, json!({"unshared_emails": body["emails"]}))
            }
            ("POST", ["leave"]) => {
                self.folders.remove(at);
                Reply::Json(200, json!({"msg": "left"}))
            }
            _ => return None,
        })
    }

    fn set_folder_status(&mut self, asked: &Asked, from: &str, to: &str) -> Reply {
        let id = asked.json()["vfolderId"].clone();
        let mut folders = self.folders.iter_mut();
        match folders.find(|it| it["id"] == id && it["status"] == from) {
            Some(folder) => {
                folder["status"] = json!(to);
                nothing()
            }
            None => gone(),
        }
    }
}

/// A share of a user's folder that was accepted.
pub fn share(folder: &str) -> Value {
    json!({"vfolder_id": folder, "perm": "ro", "shared_to": {"uuid": OTHER_ID, "email": OTHER}})
}

/// An invitation that another user sent.
pub fn invitation() -> Value {
    json!({"id": "inv-9", "inviter": OTHER, "invitee": super::USER, "perm": "ro", "state": "pending",
        "created_at": "2026-11-20 10:00:00+00:00", "vfolder_id": "0badcafe", "vfolder_name": "theirs"})
}

fn shared_folder() -> Value {
    json!({"id": "0badcafe", "name": "theirs", "host": "local:volume1", "usage_mode": "general",
        "permission": "ro", "ownership_type": "user", "status": "ready", "is_owner": false,
        "creator": OTHER})
}
