//! The rows of how a session ends.

use super::{Argument, FieldRow, Only, Widget, section, text_value::value};
use crate::{
    model::{capability::Capability, launch_field::LaunchField, span::Span},
    rules::launch::page::Page,
};

pub(super) const ROWS: [FieldRow; 3] = [
    FieldRow {
        field: LaunchField::IdleTimeout,
        option: "--idle-timeout",
        argument: Some(Argument {
            section: section::END,
            value: "SPAN",
            help: "Reclaim the session after this time without use (30m; a number is seconds; max: the limit)",
            key: "idle-timeout",
        }),
        page: Page::Kind,
        title: tr_later!("Idle timeout"),
        meaning: tr_later!(
            "The session is reclaimed after this time without use: no typing, no running command, no open connection. Watching doesn't count as use. You get a warning first."
        ),
        form: tr_later!("a whole number and s, m, h, d or w: 90m"),
        rule: tr_later!("within the system-wide limit; not for batch sessions"),
        text: Some(value!(idle_timeout: Duration, Span::to_string)),
        widget: Widget::Line {
            label: tr_later!("Idle timeout"),
            empty: tr_later!("none"),
            note: "90m, 2h, 1d",
        },
        only: Only::Interactive,
        needs: Some(Capability::IdleRules),
    },
    FieldRow {
        field: LaunchField::Lifetime,
        option: "--lifetime",
        argument: Some(Argument {
            section: section::END,
            value: "SPAN",
            help: "Reclaim the session after this time, even in use (2h; a number is seconds; max: the limit)",
            key: "lifetime",
        }),
        page: Page::Kind,
        title: tr_later!("Lifetime"),
        meaning: tr_later!(
            "The session is reclaimed after this time, even if in use. Time in the queue doesn't count. You get a warning first."
        ),
        form: tr_later!("a whole number and s, m, h, d or w: 2d"),
        rule: tr_later!("within the system-wide limit"),
        text: Some(value!(lifetime: Duration, Span::to_string)),
        widget: Widget::Line {
            label: tr_later!("Lifetime"),
            empty: tr_later!("none"),
            note: "90m, 2h, 1d",
        },
        only: Only::Any,
        needs: Some(Capability::IdleRules),
    },
    FieldRow {
        field: LaunchField::StopHook,
        option: "--stop-hook",
        argument: None,
        page: Page::Kind,
        title: tr_later!("Stop hook"),
        meaning: tr_later!(
            "A command that runs before the session is terminated or reclaimed, but not before a kill. The scheduling history has its result. The command line can also save files: --save."
        ),
        form: tr_later!("shell, one line or several"),
        rule: tr_later!(
            "time limit 60s by default; doesn't run if something else kills the container"
        ),
        text: None,
        widget: Widget::Script {
            label: tr_later!("Stop hook"),
            empty: tr_later!("runs before it is terminated"),
        },
        only: Only::Any,
        needs: Some(Capability::StopHook),
    },
];
