//! Access of other users: invitations to your own folders, shares of a project's folders.

use reqwest::Method;
use serde_json::{Value, json};

use super::{done, refused};
use crate::{
    engine::{
        api::Result,
        backendai::{
            connect::connection::ManagerConnection,
            request::{
                call::with_query,
                http::{ManagerCall, SHORT},
                lenient_json::Node,
            },
        },
    },
    model::{
        failure::Failure,
        folder::{Folder, FolderAnswer, FolderPermission, FolderRequest, FolderShare, Invitation},
        text::Clean,
    },
};

/// Another user's access, and the user's id, by which the manager changes it.
struct SharedWith {
    user_id: Option<Clean>,
    share: FolderShare,
}

impl ManagerConnection {
    pub(super) async fn share_request(&self, request: &FolderRequest) -> Result<FolderAnswer> {
        match request {
            FolderRequest::Shares { folder } => {
                let folder = self.usable_folder(folder).await?;
                let mut shares: Vec<FolderShare> = self.shared_with(&folder).await?;
                let sent = self.sent_invitations(&folder).await?;
                shares.extend(sent.into_iter().map(|(_, share)| share));
                Ok(FolderAnswer::Shares(shares))
            }
            FolderRequest::Share {
                folder,
                users,
                permission,
            } => done(self.share(folder, users, *permission).await),
            FolderRequest::Unshare { folder, users } => done(self.unshare(folder, users).await),
            FolderRequest::Leave { folder } => {
                let folder = self.usable_folder(folder).await?;
                let path = format!("/folders/{}/leave", folder.id);
                done(self.send_change(ManagerCall::post(path, &json!({}))).await)
            }
            FolderRequest::Invitations => Ok(FolderAnswer::Invitations(self.invitations().await?)),
            FolderRequest::Invite {
                folder,
                users,
                permission,
            } => done(self.invite(folder, users, *permission).await),
            FolderRequest::Accept { invitation } => done(
                self.reply_to(invitation, "/folders/invitations/accept")
                    .await,
            ),
            FolderRequest::Decline { invitation } => done(
                self.reply_to(invitation, "/folders/invitations/delete")
                    .await,
            ),
            other => Err(Failure::unsupported(tr_sent!(
                "a cluster has no request {name}",
                name = other.name()
            ))
            .hint(tr_sent!("update workbay, then try again"))),
        }
    }

    async fn invite(
        &self,
        word: &str,
        users: &[String],
        permission: FolderPermission,
    ) -> Result<()> {
        let folder = self.usable_folder(word).await?;
        if folder.ownership == *"group" {
            let what = tr_sent!("folder {name} belongs to a project", name = folder.name);
            return Err(refused(what).hint(tr_sent!("use `workbay folder share` for it")));
        }
        let body = json!({"permission": permission.word(), "emails": users});
        let call = ManagerCall::post(format!("/folders/{}/invite", folder.id), &body);
        let answer: Value = self.http.json(&call).await?;
        let invited = answer["invited_ids"].as_array().map_or(0, Vec::len);
        if invited == 0 {
            let what = tr_sent!("nobody was invited to folder {name}", name = folder.name);
            return Err(refused(what)
                .because(tr_sent!("each user has access or an invitation already"))
                .hint(tr_sent!(
                    "check the addresses, and `workbay folder shares` for who has access"
                )));
        }
        Ok(())
    }

    /// Shares a folder of a project, which only administrators may do. To your own folder, users are invited.
    async fn share(
        &self,
        word: &str,
        users: &[String],
        permission: FolderPermission,
    ) -> Result<()> {
        let folder = self.usable_folder(word).await?;
        if folder.ownership != *"group" {
            return self.invite(folder.id.as_str(), users, permission).await;
        }
        if !self.me.user.is_administrator() {
            let what =
                tr_sent!("only administrators can share a folder of a project on this cluster");
            return Err(refused(what).hint(tr_sent!("ask the administrator of the cluster")));
        }
        let body = json!({"permission": permission.word(), "emails": users});
        let path = format!("/folders/{}/share", folder.id);
        self.send_change(ManagerCall::post(path, &body)).await
    }

    /// Takes away access, and cancels invitations that nobody answered.
    async fn unshare(&self, word: &str, users: &[String]) -> Result<()> {
        let folder = self.usable_folder(word).await?;
        if folder.ownership == *"group" {
            let path = format!("/folders/{}/unshare", folder.id);
            let call = ManagerCall::new(Method::DELETE, path).json(&json!({"emails": users}));
            return self.send_change(call).await;
        }
        let shared = self.shares(&folder).await?;
        let sent = self.sent_invitations(&folder).await?;
        for user in users {
            let has = shared.iter().find(|it| it.share.user == *user.as_str());
            let invited = sent.iter().find(|(_, share)| share.user == *user.as_str());
            if let Some(id) = has.and_then(|it| it.user_id.as_ref()) {
                let body =
                    json!({"vfolder": folder.id.as_str(), "user": id.as_str(), "perm": null});
                self.send_change(ManagerCall::post("/folders/_/shared", &body))
                    .await?;
            } else if let Some((id, _)) = invited {
                self.reply_to(id.as_str(), "/folders/invitations/delete")
                    .await?;
            } else {
                let what = tr_sent!(
                    "{user} has no access to folder {name}",
                    user = Clean::new(user),
                    name = folder.name
                );
                return Err(refused(what).hint(tr_sent!(
                    "run `workbay folder shares {name}`",
                    name = folder.name
                )));
            }
        }
        Ok(())
    }

    async fn reply_to(&self, invitation: &str, path: &str) -> Result<()> {
        self.send_change(ManagerCall::post(path, &json!({"inv_id": invitation})))
            .await
    }

    async fn shared_with(&self, folder: &Folder) -> Result<Vec<FolderShare>> {
        let shares = self.shares(folder).await?;
        Ok(shares.into_iter().map(|it| it.share).collect())
    }

    async fn shares(&self, folder: &Folder) -> Result<Vec<SharedWith>> {
        let path = with_query("/folders/_/shared", &[("vfolder_id", folder.id.as_str())]);
        let answer: Value = self
            .http
            .json(&ManagerCall::get(path).within(SHORT))
            .await?;
        let list = Node::new(&answer).list("shared").iter().map(Node::new);
        // Managers add dashes to some ids.
        let plain = |id: Clean| id.as_str().replace('-', "");
        let of_it = |row: &Node<'_>| {
            row.text("vfolder_id")
                .is_none_or(|id| plain(id) == plain(folder.id.clone()))
        };
        let shares = list.filter(of_it).filter_map(|row| {
            let user = row.node("shared_to");
            Some(SharedWith {
                user_id: user.text("uuid"),
                share: FolderShare {
                    user: user.text("email")?,
                    permission: row.text("perm").unwrap_or_default(),
                    pending: false,
                },
            })
        });
        Ok(shares.collect())
    }

    /// Invitations to the folder that nobody has answered, with their ids.
    async fn sent_invitations(&self, folder: &Folder) -> Result<Vec<(Clean, FolderShare)>> {
        let call = ManagerCall::get("/folders/invitations/list-sent").within(SHORT);
        let answer: Value = self.http.json(&call).await?;
        let plain = |id: Clean| id.as_str().replace('-', "");
        let list = Node::new(&answer).list("invitations").iter().map(Node::new);
        let sent = list.filter_map(|row| {
            let of_it = plain(row.text("vfolder_id")?) == plain(folder.id.clone());
            let waits = row.text("state").is_none_or(|it| it == *"pending");
            let share = FolderShare {
                user: row.text("invitee")?,
                permission: row.text("perm").unwrap_or_default(),
                pending: true,
            };
            (of_it && waits).then_some((row.text("id")?, share))
        });
        Ok(sent.collect())
    }

    async fn invitations(&self) -> Result<Vec<Invitation>> {
        let call = ManagerCall::get("/folders/invitations/list").within(SHORT);
        let answer: Value = self.http.json(&call).await?;
        let list = Node::new(&answer).list("invitations").iter().map(Node::new);
        let read = list.filter_map(|row| {
            let inviter = row
                .text("inviter")
                .or_else(|| row.text("inviter_user_email"));
            Some(Invitation {
                id: row.text("id")?,
                folder: row.text("vfolder_name").unwrap_or_default(),
                inviter: inviter.unwrap_or_default(),
                permission: row
                    .text("perm")
                    .or_else(|| row.text("mount_permission"))
                    .unwrap_or_default(),
                created_at: row.time("created_at"),
            })
        });
        Ok(read.collect())
    }
}
