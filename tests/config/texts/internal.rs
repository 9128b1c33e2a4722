//! Texts that users don't see as they are, by file.

/// Why a text isn't translated.
#[derive(Clone, Copy, Debug)]
pub enum Reason {
    /// What another program says, sends or reads.
    OfAnotherProgram,
    /// It ends up in the log of the daemon, or nowhere.
    DaemonLog,
}
use Reason::{DaemonLog, OfAnotherProgram};

/// A file, why its texts aren't translated, and how they begin.
pub const INTERNAL: &[(&str, Reason, &[&str])] = &[
    ("src/daemon/apps/open.rs", OfAnotherProgram, &["SSH / SFTP"]),
    (
        "src/engine/backendai/app/mod.rs",
        OfAnotherProgram,
        &["Failed to launch the app service"],
    ),
    (
        "src/engine/backendai/catalogue/groups.rs",
        OfAnotherProgram,
        &["q{n}: session_pending_queue(resource_group_id"],
    ),
    (
        "src/engine/backendai/connect/sign.rs",
        OfAnotherProgram,
        &["BackendAI signMethod=HMAC-SHA256, credential="],
    ),
    (
        "src/engine/backendai/folder/create.rs",
        OfAnotherProgram,
        &["already exist", "already has", "same name"],
    ),
    (
        "src/engine/backendai/launch/refused.rs",
        OfAnotherProgram,
        &[
            "Internal server error",
            "a session with that name",
            "session name",
            "resource group",
            "scaling group",
            "no such project",
            "no such user group",
            "invalid group (",
            "virtual folder",
            "reserved for internal path",
            "are reserved for internal use",
            "containers per session",
            "cannot create session with more than",
            "shared memory",
            "unknown slot type",
            "startup command",
            "owner access key",
            "on behalf of other users",
            "cpu=",
            "mem=",
        ],
    ),
    (
        "src/engine/backendai/request/filter.rs",
        OfAnotherProgram,
        &[
            "(status in [{running}])",
            "(status in [{finished}])",
            "((!(status in [{running}, {finished}])) | {un",
            "(!(status in [{running}, {finished}]))",
            "(name ilike \"%{}%\")",
            "((status == \"TERMINATED\") & ((status_info i",
            "(id in [{}])",
        ],
    ),
    (
        "src/engine/backendai/request/queries.rs",
        OfAnotherProgram,
        &[
            "id row_id name type status status_info status",
            "row_id cluster_role cluster_idx cluster_hostn",
            "owner { email }",
            " image { name registry tag architecture }",
            "access_key status_history commit_status servi",
            "kernel_nodes {{ edges {{ node {{ {KERNEL}{ima",
            "dependees { edges { node { row_id name status",
            "vfolder_nodes { edges { node { name } } }",
            "kernel_nodes {{ edges {{ node {{ cluster_role",
            "t{n}: compute_session_nodes({}first: 0, filte",
            "$scope: ScopeField, ",
            "$project: UUID!, ",
            "scope_id: $scope, ",
            "project_id: $project, ",
        ],
    ),
    (
        "src/engine/backendai/session/others.rs",
        OfAnotherProgram,
        &["access_key user_id"],
    ),
    (
        "src/engine/backendai/session/row.rs",
        DaemonLog,
        &[
            "a session without an id was left out",
            "unknown status '{word}'",
            "unknown session type '{other}'",
        ],
    ),
    (
        "src/engine/backendai/session/unstarted.rs",
        OfAnotherProgram,
        &["not found", "no such"],
    ),
    (
        "src/engine/backendai/session/usage.rs",
        OfAnotherProgram,
        &["row_id kernel_nodes { edges { node { row_id s"],
    ),
    (
        "src/engine/backendai/stream/ssh/helper/python.rs",
        OfAnotherProgram,
        &["import os, sys\nleft, parts = int(sys.argv[1]"],
    ),
    (
        "src/engine/backendai/stream/ssh/hop.rs",
        OfAnotherProgram,
        &["cat /home/config/ssh/id_cluster; printf '\\0'"],
    ),
    (
        "src/engine/docker/client_error.rs",
        OfAnotherProgram,
        &["systemctl --user", "sudo systemctl"],
    ),
    (
        "src/engine/docker/connect/quirks.rs",
        OfAnotherProgram,
        &["Max open files", "Max processes", "Backing Filesystem"],
    ),
    (
        "src/engine/docker/connect/raw_request.rs",
        OfAnotherProgram,
        &["GET {path} HTTP/1.0"],
    ),
    (
        "src/engine/docker/connect/transport/ssh.rs",
        OfAnotherProgram,
        &["not found", "Unknown command", "No such file or directory"],
    ),
    (
        "src/engine/docker/home/skeleton.rs",
        OfAnotherProgram,
        &["syntax on\nset ruler backspace=indent,eol,sta"],
    ),
    (
        "src/engine/docker/image/host.rs",
        OfAnotherProgram,
        &["passwd: files\ngroup: files\nhosts: files dns"],
    ),
    (
        "src/engine/docker/image/own/commit.rs",
        OfAnotherProgram,
        &["LABEL {UNFINISHED}={instance}"],
    ),
    (
        "src/engine/docker/image/own/config.rs",
        OfAnotherProgram,
        &[
            "the image of the session",
            "workbay commit",
            "files that the session changed",
        ],
    ),
    (
        "src/engine/docker/image/own/transfer.rs",
        DaemonLog,
        &["the client ended"],
    ),
    (
        "src/engine/docker/image/own/transfer.rs",
        OfAnotherProgram,
        &[
            "invalid tar header",
            "unexpected eof",
            "payload does not match any of the supported i",
            "invalid character",
        ],
    ),
    (
        "src/engine/docker/image/pull/mod.rs",
        OfAnotherProgram,
        &["i/o timeout"],
    ),
    (
        "src/engine/docker/image/pull/reason.rs",
        OfAnotherProgram,
        &[
            "unexpected eof",
            "connection reset",
            "broken pipe",
            "connection timed out",
            "use of closed network connection",
            "filesystem layer verification failed",
            "unexpected http status: 5",
            "http2: server sent goaway",
            "stream error",
            "client connection lost",
            "context deadline exceeded",
            "no such host",
            "server misbehaving",
            "name resolution",
            "connection refused",
            "network is unreachable",
            "no route to host",
            "i/o timeout",
            "tls handshake timeout",
            "client.timeout exceeded",
            "manifest unknown",
            "not found",
            "repository name not known",
            "name unknown",
            "does not exist",
            "no basic auth credentials",
            "authentication required",
            "access denied",
            "access forbidden",
            "{target} can't be pulled: ",
        ],
    ),
    (
        "src/engine/docker/image/pull/totals.rs",
        OfAnotherProgram,
        &[
            "Verifying Checksum",
            "Download complete",
            "Pull complete",
            "Already exists",
        ],
    ),
    (
        "src/engine/docker/network/mod.rs",
        OfAnotherProgram,
        &["isolation = \"none\"", "host-access = false"],
    ),
    (
        "src/engine/docker/terminal/direct/mod.rs",
        DaemonLog,
        &[
            "another user answers",
            "the answer isn't a connection",
            "the socket of the session isn't its own",
            "the session handed over something else than t",
        ],
    ),
    (
        "src/engine/docker/terminal/hijack.rs",
        OfAnotherProgram,
        &["POST /exec/{id}/start HTTP/1.1"],
    ),
    (
        "src/engine/docker/toolbox/mod.rs",
        OfAnotherProgram,
        &["#!/bin/sh\n[ -w /tmp ] || export TMUX_TMPDIR="],
    ),
    (
        "src/engine/docker/usage/disk.rs",
        DaemonLog,
        &["too many entries"],
    ),
    (
        "src/gateway/http/access.rs",
        OfAnotherProgram,
        &["{name}={value}; Path=/; HttpOnly; SameSite=Lax"],
    ),
    (
        "src/gateway/http/body.rs",
        DaemonLog,
        &["the forward was closed"],
    ),
    (
        "src/gateway/http/pages.rs",
        OfAnotherProgram,
        &[
            "text/html; charset=utf-8",
            "text/plain; charset=utf-8",
            "default-src 'none'; style-src 'unsafe-inline'",
            "<!doctype html><html lang=\"{language}\"><met",
        ],
    ),
    (
        "src/runner/app/ready.rs",
        OfAnotherProgram,
        &["GET / HTTP/1.1"],
    ),
    (
        "src/scheduler/queue/wait_reason.rs",
        OfAnotherProgram,
        &["%Y-%m-%d %H:%M:%S UTC"],
    ),
    (
        "src/store/checksum.rs",
        OfAnotherProgram,
        &[
            "id, name, status, created_at, terminated_at, ",
            "id, hostname, status, container_id, exit_code",
        ],
    ),
    (
        "src/store/error.rs",
        OfAnotherProgram,
        &["no such column", "no such table", "has no column named"],
    ),
    (
        "src/store/forwards.rs",
        OfAnotherProgram,
        &["forward {id:020}"],
    ),
    (
        "src/store/scrub.rs",
        OfAnotherProgram,
        &["{RULES} {rules:?}"],
    ),
    (
        "src/store/unreadable.rs",
        OfAnotherProgram,
        &["id, name, status, created_at, terminated_at, "],
    ),
    (
        "src/store/unwritable.rs",
        OfAnotherProgram,
        &["kept_of = ?1 AND json_extract(body, '$.unwrit"],
    ),
];
