//! Damaged answers of a manager, each given to every reader of answers.

use jiff::Timestamp;
use serde_json::Value;

use super::{
    connect::{
        clock_skew,
        version::{Announcement, Version},
    },
    folder,
    image::reference::Reference,
    request::{
        lenient_json::{Node, slots, unfold},
        problem::ErrorBody,
    },
    session::{
        idle_checks,
        kernels::{exit_code_of, kernels, main_image},
        row, status_reason,
    },
};
use crate::{
    fuzz::{bounded, parser},
    model::status::Status,
};

#[test]
fn fuzz_manager_replies() {
    parser("manager-replies", &[], |bytes, _| {
        bounded(
            bytes,
            &ErrorBody::read(bytes).map(|problem| problem.sentence()),
        );
        if let Ok(announced) = serde_json::from_slice::<Announcement>(bytes) {
            bounded(bytes, &(announced.api_version(), announced.version()));
        }
        let Ok(answer) = serde_json::from_slice::<Value>(bytes) else {
            return;
        };
        let node = Node::new(&answer);
        bounded(bytes, &folder::read(&answer));
        bounded(bytes, &row::services(&unfold(&answer)));
        for now in [Timestamp::UNIX_EPOCH, Timestamp::MAX] {
            bounded(bytes, &idle_checks::read(&node.blob("idle_checks"), now));
        }
        bounded(bytes, &slots(&node.blob("occupied_slots")));
        bounded(bytes, &kernels(node));
        bounded(bytes, &main_image(node).map(|it| it.environment()));
        let data = node.blob("status_data");
        let info = node.text("status_info");
        let status = node.status("status");
        for status in [status, Status::Pending, Status::Error] {
            bounded(
                bytes,
                &status_reason::of_session(&status, info.as_ref(), &data, exit_code_of(&data)),
            );
        }
    });
}

#[test]
fn fuzz_manager_texts() {
    parser("manager-texts", &[], |bytes, _| {
        let text = String::from_utf8_lossy(bytes);
        let reference = Reference::read(&text);
        bounded(bytes, &(reference.environment(), Version::read(&text)));
        for now in [Timestamp::MIN, Timestamp::MAX] {
            let _ = clock_skew::between(now, &text).map(|skew| skew.to_string());
        }
    });
}
