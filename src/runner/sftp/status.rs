//! Which status a client gets for an error of the system, as in OpenSSH.

use std::io;

use russh_sftp::protocol::{Packet, Status, StatusCode};
use rustix::io::Errno;

/// Why a request isn't fulfilled.
#[derive(Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) code: StatusCode,
    pub(super) message: String,
}

impl Refusal {
    pub(super) fn new(code: StatusCode) -> Self {
        Self::because(code, &code.to_string())
    }

    pub(super) fn because(code: StatusCode, message: &str) -> Self {
        Self {
            code,
            message: message.to_owned(),
        }
    }

    pub(super) fn packet(self, id: u32) -> Packet {
        Packet::Status(Status {
            id,
            status_code: self.code,
            error_message: self.message,
            language_tag: "en".to_owned(),
        })
    }
}

impl From<io::Error> for Refusal {
    fn from(error: io::Error) -> Self {
        let code = match Errno::from_io_error(&error) {
            Some(Errno::NOENT | Errno::NOTDIR | Errno::BADF | Errno::LOOP) => {
                StatusCode::NoSuchFile
            }
            Some(Errno::PERM | Errno::ACCESS | Errno::FAULT | Errno::ROFS) => {
                StatusCode::PermissionDenied
            }
            Some(Errno::NAMETOOLONG | Errno::INVAL) => StatusCode::BadMessage,
            Some(Errno::NOSYS | Errno::OPNOTSUPP) => StatusCode::OpUnsupported,
            _ => StatusCode::Failure,
        };
        Self::because(code, &error.to_string())
    }
}

impl From<Errno> for Refusal {
    fn from(error: Errno) -> Self {
        io::Error::from(error).into()
    }
}

/// The answer to a request without a result.
pub(super) fn of(id: u32, outcome: Result<(), Refusal>) -> Packet {
    match outcome {
        Ok(()) => Refusal::new(StatusCode::Ok).packet(id),
        Err(refusal) => refusal.packet(id),
    }
}
