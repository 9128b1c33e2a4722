//! The rows of what a session is and runs, and when it starts.

use super::{
    Argument, FieldRow, Only, Widget, section,
    text_value::{PRIORITY, START_TIME, value, word},
};
use crate::{
    model::{capability::Capability, launch_field::LaunchField, span::Span, spec::Owner},
    rules::launch::page::Page,
};

pub(super) const ROWS: [FieldRow; 9] = [
    FieldRow {
        field: LaunchField::Context,
        option: "--context",
        argument: None,
        page: Page::Kind,
        title: tr_later!("Context"),
        meaning: tr_later!(
            "The engine that runs the session: Docker or Podman of this machine, or a cluster. All other choices depend on it."
        ),
        form: "",
        rule: tr_later!("connected and not read-only"),
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Name,
        option: "--name",
        argument: Some(Argument {
            section: section::SESSION,
            value: "N",
            help: "Name, 4 to 64 letters, digits, _ - and . (default: generated; on a cluster, only Latin letters)",
            key: "name",
        }),
        page: Page::Kind,
        title: tr_later!("Name"),
        meaning: tr_later!(
            "The name in the list and on the command line. If empty, a name is generated: eight letters and digits, then -session."
        ),
        form: "",
        rule: tr_later!(
            "4 to 64 letters, digits, _ - and .; begins and ends with a letter, a digit or _; unique among sessions that haven't ended"
        ),
        text: Some(word!(name)),
        widget: Widget::Line {
            label: tr_later!("Name"),
            empty: tr_later!("generated if empty"),
            note: "",
        },
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::SessionType,
        option: "--batch",
        argument: None,
        page: Page::Kind,
        title: tr_later!("Session type"),
        meaning: tr_later!(
            "An interactive session runs until it is terminated: for shells and notebooks. A batch session runs one command and ends with success or failure."
        ),
        form: "",
        rule: tr_later!("interactive or batch"),
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::StartupCommand,
        option: "--command",
        argument: Some(Argument {
            section: section::SESSION,
            value: "CMD",
            help: "Command of a batch session, run by a shell in the home directory",
            key: "command",
        }),
        page: Page::Kind,
        title: tr_later!("Command"),
        meaning: tr_later!(
            "The command of a batch session. A shell runs it in /home/work. Exit code 0 is success, any other code is failure. Its output is the log."
        ),
        form: tr_later!("shell, one line or several"),
        rule: tr_later!("required for batch sessions, not for others"),
        text: Some(word!(startup_command)),
        widget: Widget::Script {
            label: tr_later!("Command"),
            empty: tr_later!("what it runs, in /home/work"),
        },
        only: Only::Batch,
        needs: None,
    },
    FieldRow {
        field: LaunchField::StartTime,
        option: "--start-at",
        argument: Some(Argument {
            section: section::SESSION,
            value: "TIME",
            help: "Earliest start of a batch session (+2h, 09:30, '2026-11-22 09:30')",
            key: "start-at",
        }),
        page: Page::Kind,
        title: tr_later!("Start time"),
        meaning: tr_later!(
            "The earliest start of a batch session. Until then it waits in the queue, and longer if there isn't enough room."
        ),
        form: "+2h, 09:30, 2026-11-22 09:30",
        rule: tr_later!("in the future; batch sessions only"),
        text: Some(START_TIME),
        widget: Widget::Line {
            label: tr_later!("Start time"),
            empty: tr_later!("at once"),
            note: "+2h, 09:30, 2026-11-22 09:30",
        },
        only: Only::Batch,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Timeout,
        option: "--timeout",
        argument: Some(Argument {
            section: section::SESSION,
            value: "SPAN",
            help: "Time limit of a batch session, which then ends as failed (90s, 30m, 2h; a number is seconds)",
            key: "timeout",
        }),
        page: Page::Kind,
        title: tr_later!("Timeout"),
        meaning: tr_later!("A batch session that runs longer is terminated and counts as failed."),
        form: tr_later!("a whole number and s, m, h, d or w: 90m"),
        rule: tr_later!("min 1 second; batch sessions only"),
        text: Some(value!(timeout: Duration, Span::to_string)),
        widget: Widget::Line {
            label: tr_later!("Timeout"),
            empty: tr_later!("none"),
            note: "90m, 2h, 1d",
        },
        only: Only::Batch,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Priority,
        option: "--priority",
        argument: Some(Argument {
            section: section::SESSION,
            value: "N",
            help: "Priority in the queue, 0 to 100, highest first (default: 10)",
            key: "priority",
        }),
        page: Page::Kind,
        title: tr_later!("Priority"),
        meaning: tr_later!(
            "Of several sessions in a queue, the one with the highest priority starts first. With equal priorities, the order of the queue counts."
        ),
        form: tr_later!("a whole number"),
        rule: tr_later!("0 to 100 (default: 10)"),
        text: Some(PRIORITY),
        widget: Widget::Line {
            label: tr_later!("Priority"),
            empty: "10",
            note: tr_later!("0 to 100"),
        },
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Owner,
        option: "--owner",
        argument: Some(Argument {
            section: section::SESSION,
            value: "EMAIL[/KEY]",
            help: "Owner of the session, for administrators (KEY: if the user has several access keys)",
            key: "owner",
        }),
        page: Page::Kind,
        title: tr_later!("Owner"),
        meaning: tr_later!(
            "For administrators who launch for another user. Enter looks the address up. Then choose one of the user's access keys and projects."
        ),
        form: tr_later!("an e-mail address"),
        rule: tr_later!("a user of this context with an active access key"),
        text: Some(value!(owner: Owner, Owner::to_string)),
        widget: Widget::Own,
        only: Only::Any,
        needs: Some(Capability::Owners),
    },
    FieldRow {
        field: LaunchField::BootstrapScript,
        option: "--bootstrap",
        argument: Some(Argument {
            section: section::INSIDE,
            value: "TEXT|@FILE",
            help: "Script to run in each container before its services (@FILE: read from a file)",
            key: "bootstrap",
        }),
        page: Page::Kind,
        title: tr_later!("Bootstrap script"),
        meaning: tr_later!(
            "A script that runs in each container before the session's shells, command and services."
        ),
        form: tr_later!("shell, one line or several"),
        rule: "",
        text: Some(word!(bootstrap_script)),
        widget: Widget::Script {
            label: tr_later!("Bootstrap"),
            empty: tr_later!("no script"),
        },
        only: Only::Any,
        needs: None,
    },
];
