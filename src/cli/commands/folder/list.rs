//! `workbay folder ls` and `hosts`.

use super::FolderClient;
use crate::{
    cli::{
        Start, connection,
        fail::Outcome,
        output::{self, Cell},
        times,
    },
    model::{
        folder::{Folder, FolderRequest},
        text::Clean,
    },
    protocol::message::Reply,
};

/// How many sessions a row names.
const NAMED: usize = 3;

pub(super) fn ls(start: &Start, trash: bool, json: bool) -> Outcome {
    let folders = connection::block_on(async {
        let client = FolderClient::connect(start).await?;
        client.list(trash).await
    })?;
    if json {
        output::json(&folders)?;
    } else if trash {
        output::print(&trash_table(&folders))?;
    } else {
        output::print(&table(&folders))?;
    }
    Ok(0)
}

pub(super) fn hosts(start: &Start, json: bool) -> Outcome {
    let hosts = connection::block_on(async {
        let client = FolderClient::connect(start).await?;
        match client.ask(FolderRequest::Hosts).await? {
            Reply::FolderHosts { hosts } => Ok(hosts),
            other => Err(connection::unexpected(&other)),
        }
    })?;
    if json {
        output::json(&hosts)?;
        return Ok(0);
    }
    for host in &hosts.allowed {
        let is_default = hosts.default.as_ref() == Some(host);
        let note = if is_default { "  (default)" } else { "" };
        output::line(&format!("{host}{note}"))?;
    }
    Ok(0)
}

/// The columns of folders: on this machine with the path, on a cluster with the host and the owner.
fn table(folders: &[Folder]) -> String {
    let is_local = folders.iter().all(|folder| folder.path.is_some());
    let has_quotas = folders.iter().any(|folder| folder.max_size.is_some());
    let mut head = vec![tr_later!("NAME"), tr_later!("SIZE")];
    if has_quotas {
        head.push(tr_later!("QUOTA USE"));
    }
    head.extend([
        tr_later!("FILES"),
        tr_later!("MOUNTED BY"),
        tr_later!("PERMISSION"),
        tr_later!("CREATED"),
    ]);
    if is_local {
        head.push(tr_later!("PATH"));
    } else {
        head.extend([tr_later!("HOST"), tr_later!("OWNER"), tr_later!("STATUS")]);
    }
    let rows: Vec<Vec<Cell>> = folders
        .iter()
        .map(|folder| {
            let mut row: Vec<Cell> = vec![folder.name.as_str().into(), size(folder).into()];
            if has_quotas {
                row.push(quota(folder).into());
            }
            let created = folder.created_at.map(times::moment);
            row.extend([
                files(folder).into(),
                mounted_by(folder).into(),
                folder.permission.as_str().into(),
                created.unwrap_or_default().into(),
            ]);
            if is_local {
                let path = folder.path.as_deref().unwrap_or_default();
                row.push(Clean::new(path).as_str().into());
            } else {
                row.push(folder.host.as_str().into());
                row.push(folder.whose().into());
                row.push(folder.status.as_str().into());
            }
            row
        })
        .collect();
    output::table(&head, &rows, false)
}

fn trash_table(folders: &[Folder]) -> String {
    let rows: Vec<Vec<Cell>> = folders
        .iter()
        .map(|folder| {
            vec![
                folder.name.as_str().into(),
                size(folder).into(),
                folder
                    .trashed_at
                    .map(times::moment)
                    .unwrap_or_default()
                    .into(),
                folder.status.as_str().into(),
                folder.id.as_str().into(),
            ]
        })
        .collect();
    output::table(
        &[
            tr_later!("NAME"),
            tr_later!("SIZE"),
            tr_later!("DELETED"),
            tr_later!("STATUS"),
            tr_later!("ID"),
        ],
        &rows,
        false,
    )
}

/// `1.5 GiB`, `-` if it isn't known.
fn size(folder: &Folder) -> String {
    folder
        .size
        .map_or_else(|| "-".to_owned(), |size| size.to_string())
}

/// `15% of 10 GiB`, `-` without a quota.
fn quota(folder: &Folder) -> String {
    let Some(most) = folder.max_size else {
        return "-".to_owned();
    };
    let used = match folder.percent() {
        Some(percent) => tr!("{percent}% of {most}", percent, most),
        None => most.to_string(),
    };
    if folder.quota_enforced == Some(false) {
        return tr!("{used} (measured)", used);
    }
    used
}

fn files(folder: &Folder) -> String {
    match (folder.files, folder.size) {
        (Some(files), Some(_)) => files.to_string(),
        // Larger folders aren't counted completely.
        (Some(files), None) => format!(">{files}"),
        (None, _) => "-".to_owned(),
    }
}

fn mounted_by(folder: &Folder) -> String {
    let names: Vec<&str> = folder
        .mounted_by
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    match names.len().saturating_sub(NAMED) {
        0 if names.is_empty() => "-".to_owned(),
        0 => names.join(", "),
        more => tr!(
            "{names} and {more} more",
            names = names[..NAMED].join(", "),
            more
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{
        folder::MountingSession,
        id::{SessionId, SessionKey},
        resources::Bytes,
    };

    #[test]
    fn columns_follow_where_the_folders_are() {
        let mut local = Folder::own("data", "local");
        local.path = Some("/d/folders/data".to_owned());
        local.size = Some(Bytes::mib(3));
        local.files = Some(2);
        local.mounted_by = (0..5)
            .map(|n| MountingSession {
                session: SessionKey::local(SessionId::from_u128(n)),
                name: Clean::new(&format!("s{n}")),
            })
            .collect();
        let shown = table(std::slice::from_ref(&local));
        assert!(shown.contains("PATH") && !shown.contains("HOST"), "{shown}");
        assert!(shown.contains("s0, s1, s2 and 2 more"), "{shown}");
        local.path = None;
        local.max_size = Some(Bytes::mib(10));
        let shown = table(std::slice::from_ref(&local));
        assert!(
            shown.contains("30% of 10 MiB") && shown.contains("HOST"),
            "{shown}"
        );
        local.size = None;
        assert_eq!(files(&local), ">2");
    }
}
