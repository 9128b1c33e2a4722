//! Access of other users to folders of a cluster.

use clap::{Args, Subcommand};

use super::{FolderClient, Which, permission};
use crate::{
    cli::{
        Start,
        args::Json,
        connection,
        fail::{Fail, Outcome},
        output::{self, Cell},
        times,
    },
    model::folder::{FolderPermission, FolderRequest, FolderShare, Invitation},
    protocol::message::Reply,
};

#[derive(Debug, Subcommand)]
pub enum SharingCommand {
    /// Give users access to a folder: invite them to your own, or share one of a project
    #[command(visible_alias = "invite")]
    Share(ShareArgs),
    /// Take access to a folder away from users, or cancel their invitations
    Unshare {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        users: Users,
        #[command(flatten)]
        format: Json,
    },
    /// List the users who have access to a folder
    Shares {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        format: Json,
    },
    /// Change what users may do with a folder
    Permission {
        #[command(flatten)]
        which: Which,
        /// ro (read-only), rw (read and write) or wd (also delete)
        #[arg(value_name = "PERMISSION", value_parser = permission)]
        permission: FolderPermission,
        #[command(flatten)]
        format: Json,
    },
    /// Give up your access to a folder of another user
    Leave {
        #[command(flatten)]
        which: Which,
    },
    /// List the invitations that wait for your answer
    Invitations(Json),
    /// Accept an invitation
    Accept(Answer),
    /// Decline an invitation
    Decline(Answer),
}

#[derive(Args, Debug)]
pub struct ShareArgs {
    #[command(flatten)]
    which: Which,
    #[command(flatten)]
    users: Users,
    /// What the users may do: ro (read-only), rw (read and write) or wd (also delete)
    #[arg(long, value_name = "PERMISSION", default_value = "rw", value_parser = permission)]
    permission: FolderPermission,
    #[command(flatten)]
    format: Json,
}

#[derive(Args, Debug)]
pub struct Users {
    /// Email addresses of the users
    #[arg(value_name = "EMAIL", required = true)]
    users: Vec<String>,
}

#[derive(Args, Debug)]
pub struct Answer {
    /// Id of the invitation, see `workbay folder invitations`
    #[arg(value_name = "ID")]
    invitation: String,
    #[command(flatten)]
    format: Json,
}

impl SharingCommand {
    pub fn is_change(&self) -> bool {
        !matches!(self, Self::Shares { .. } | Self::Invitations(_))
    }

    pub fn run(self, start: &Start) -> Outcome {
        connection::block_on(async {
            let client = FolderClient::connect(start).await?;
            self.carry_out(&client).await
        })
    }

    async fn carry_out(self, client: &FolderClient) -> Outcome {
        match self {
            Self::Share(args) => {
                let folder = args.which.folder;
                let request = FolderRequest::Share {
                    folder: folder.clone(),
                    users: args.users.users,
                    permission: args.permission,
                };
                client.done(request).await?;
                print_shares(client, folder, args.format.json).await
            }
            Self::Unshare {
                which: Which { folder },
                users,
                format,
            } => {
                let request = FolderRequest::Unshare {
                    folder: folder.clone(),
                    users: users.users,
                };
                client.done(request).await?;
                print_shares(client, folder, format.json).await
            }
            Self::Shares { which, format } => print_shares(client, which.folder, format.json).await,
            Self::Permission {
                which,
                permission,
                format,
            } => {
                let folder = client
                    .folder(FolderRequest::SetPermission {
                        folder: which.folder,
                        permission,
                    })
                    .await?;
                if format.json {
                    output::json(&folder)?;
                } else {
                    output::line(&format!("{} {}", folder.name, folder.permission))?;
                }
                Ok(0)
            }
            Self::Leave { which } => {
                let folder = which.folder;
                client.done(FolderRequest::Leave { folder }).await?;
                Ok(0)
            }
            Self::Invitations(format) => print_invitations(client, format.json).await,
            Self::Accept(answer) => {
                let invitation = answer.invitation;
                client.done(FolderRequest::Accept { invitation }).await?;
                print_invitations(client, answer.format.json).await
            }
            Self::Decline(answer) => {
                let invitation = answer.invitation;
                client.done(FolderRequest::Decline { invitation }).await?;
                print_invitations(client, answer.format.json).await
            }
        }
    }
}

async fn print_shares(client: &FolderClient, folder: String, json: bool) -> Outcome {
    let shares = match client.ask(FolderRequest::Shares { folder }).await? {
        Reply::FolderShares { shares } => shares,
        other => return Err(connection::unexpected(&other)),
    };
    if json {
        output::json(&shares)?;
    } else if shares.is_empty() {
        output::remark(tr!("No other user has access."));
    } else {
        print(
            &[
                tr_later!("USER"),
                tr_later!("PERMISSION"),
                tr_later!("STATE"),
            ],
            &shares,
            share_row,
        )?;
    }
    Ok(0)
}

fn share_row(share: &FolderShare) -> Vec<Cell> {
    let state = if share.pending {
        tr!("invited")
    } else {
        tr!("shared")
    };
    vec![
        share.user.as_str().into(),
        share.permission.as_str().into(),
        state.into(),
    ]
}

async fn print_invitations(client: &FolderClient, json: bool) -> Outcome {
    let invitations = match client.ask(FolderRequest::Invitations).await? {
        Reply::FolderInvitations { invitations } => invitations,
        other => return Err(connection::unexpected(&other)),
    };
    if json {
        output::json(&invitations)?;
    } else if invitations.is_empty() {
        output::remark(tr!("No invitations wait for your answer."));
    } else {
        let head = [
            tr_later!("ID"),
            tr_later!("FOLDER"),
            tr_in!("invitation", "FROM"),
            tr_later!("PERMISSION"),
            tr_in!("invitation", "SENT"),
        ];
        print(&head, &invitations, invitation_row)?;
    }
    Ok(0)
}

fn invitation_row(invitation: &Invitation) -> Vec<Cell> {
    let sent = invitation.created_at.map(times::moment).unwrap_or_default();
    vec![
        invitation.id.as_str().into(),
        invitation.folder.as_str().into(),
        invitation.inviter.as_str().into(),
        invitation.permission.as_str().into(),
        sent.into(),
    ]
}

fn print<T>(head: &[&str], items: &[T], row: fn(&T) -> Vec<Cell>) -> Result<(), Fail> {
    let rows: Vec<Vec<Cell>> = items.iter().map(row).collect();
    output::print(&output::table(head, &rows, false))
}
