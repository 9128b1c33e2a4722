//! The rows of what is in the containers: the environment, its variables, folders and ports.

use super::{
    Argument, FieldRow, Only, Widget, section,
    text_value::{PREOPEN_PORTS, word},
};
use crate::{model::launch_field::LaunchField, rules::launch::page::Page};

pub(super) const ROWS: [FieldRow; 7] = [
    FieldRow {
        field: LaunchField::Environment,
        option: "--env",
        argument: Some(Argument {
            section: section::SESSION,
            value: "NAME[:VERSION]",
            help: "Environment, as listed by `workbay env ls`",
            key: "environment",
        }),
        page: Page::Allocation,
        title: tr_later!("Environment"),
        meaning: tr_later!(
            "The programs of the session: an image and its version, or this machine's own programs."
        ),
        form: tr_later!("type to search for a part of the name, version or label"),
        rule: tr_later!("one that this engine can run"),
        text: Some(word!(environment)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Image,
        option: "--image",
        argument: Some(Argument {
            section: section::SESSION,
            value: "REF",
            help: "Image reference, instead of an environment",
            key: "image",
        }),
        page: Page::Allocation,
        title: tr_later!("Manual image"),
        meaning: tr_later!("An image reference, instead of an environment from the list."),
        form: tr_later!("registry/name:tag, as for docker pull"),
        rule: tr_later!("no spaces; the image must be on the engine"),
        text: Some(word!(image)),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Variables,
        option: "-e",
        argument: None,
        page: Page::Allocation,
        title: tr_later!("Environment variables"),
        meaning: tr_later!(
            "Set in every container. They override the image's variables. Values of secret names (PASSWORD, TOKEN, _KEY and others) are masked and not stored. A relaunch asks for them again."
        ),
        form: tr_later!("name and value; you can paste several NAME=VALUE lines"),
        rule: tr_later!(
            "letters, digits and _ in a name, no digit first; each name once and with a value"
        ),
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::OpenMp,
        option: "-e OMP_NUM_THREADS",
        argument: None,
        page: Page::Allocation,
        title: "OMP_NUM_THREADS",
        meaning: tr_later!(
            "Number of threads of programs that use OpenMP. Automatic: one per core. Some programs are faster with 1 or 2."
        ),
        form: tr_later!("a whole number"),
        rule: tr_later!("min 1"),
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::OpenBlas,
        option: "-e OPENBLAS_NUM_THREADS",
        argument: None,
        page: Page::Allocation,
        title: "OPENBLAS_NUM_THREADS",
        meaning: tr_later!(
            "Number of threads of programs that use OpenBLAS. Automatic: one per core."
        ),
        form: tr_later!("a whole number"),
        rule: tr_later!("min 1"),
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::Folders,
        option: "--mount",
        argument: None,
        page: Page::Storage,
        title: tr_later!("Folders"),
        meaning: tr_later!(
            "Files in a folder outlive the session, and the next session can use them. The session's home is deleted some days after it ends (setting history.keep-days, 7 by default; on a cluster at once). Folders whose name begins with a dot are mounted automatically."
        ),
        form: tr_later!("a path: empty is /home/work/NAME, a relative one is below /home/work"),
        rule: tr_later!(
            "letters, digits, _ . - and / in a path, without . and .. parts; one folder per path; not a system directory"
        ),
        text: None,
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
    FieldRow {
        field: LaunchField::PreopenPorts,
        option: "--preopen",
        argument: Some(Argument {
            section: section::INSIDE,
            value: "PORTS",
            help: "Ports to open at launch (8080,9000-9002)",
            key: "preopen",
        }),
        page: Page::Network,
        title: tr_later!("Open ports"),
        meaning: tr_later!(
            "Ports of programs in the session that you want to reach. The programs must listen on 0.0.0.0."
        ),
        form: "8080, 9000-9003",
        rule: tr_later!(
            "1024 to 65535, each once; not a service port of the environment, not 2000 to 2003, 2200 or 7681"
        ),
        text: Some(PREOPEN_PORTS),
        widget: Widget::Own,
        only: Only::Any,
        needs: None,
    },
];
