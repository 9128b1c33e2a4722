//! The option of the command line for each field of a launch.

use super::super::args::Manner;
use crate::model::{
    launch::{FieldProblem, LaunchField},
    session::SessionType,
    spec::LaunchRequest,
};

pub fn of(field: LaunchField) -> &'static str {
    match field {
        LaunchField::Context => "--context",
        LaunchField::SessionType => "--batch",
        LaunchField::Name => "--name",
        LaunchField::StartupCommand => "--command",
        LaunchField::StartTime => "--start-at",
        LaunchField::Timeout => "--timeout",
        LaunchField::Owner => "--owner",
        LaunchField::Project => "--project",
        LaunchField::Environment => "--env",
        LaunchField::Image => "--image",
        LaunchField::Variables => "-e",
        LaunchField::ResourceGroup => "--group",
        LaunchField::Preset => "--preset",
        LaunchField::Cpu => "--cpu",
        LaunchField::Memory => "--mem",
        LaunchField::SharedMemory => "--shm",
        LaunchField::Accelerator => "--accelerator",
        LaunchField::Count => "--count",
        LaunchField::Agent => "--agent",
        LaunchField::ClusterMode => "--cluster-mode",
        LaunchField::ClusterSize => "--cluster-size",
        LaunchField::OpenMp => "-e OMP_NUM_THREADS",
        LaunchField::OpenBlas => "-e OPENBLAS_NUM_THREADS",
        LaunchField::Priority => "--priority",
        LaunchField::BootstrapScript => "--bootstrap",
        LaunchField::IdleTimeout => "--idle-timeout",
        LaunchField::Lifetime => "--lifetime",
        LaunchField::StopHook => "--stop-hook",
        LaunchField::Folders => "--mount",
        LaunchField::PreopenPorts => "--preopen",
    }
}

/// The sentence with its option before it.
pub fn named(problem: &FieldProblem) -> String {
    format!("{}: {}", of(problem.field), problem.message)
}

/// The likeliest way out, where it does not stand in the sentence.
pub fn help(problem: &FieldProblem, request: &LaunchRequest, manner: &Manner) -> Option<String> {
    let interactive = request.session_type == SessionType::Interactive;
    match problem.field {
        LaunchField::Timeout if interactive && manner.wait => {
            Some("use --wait-timeout to limit how long the command waits".to_owned())
        }
        LaunchField::StartupCommand | LaunchField::StartTime | LaunchField::Timeout
            if interactive =>
        {
            Some("add --batch for a batch session".to_owned())
        }
        LaunchField::StartupCommand => Some("add --command".to_owned()),
        LaunchField::Variables => request
            .env
            .iter()
            .find(|(name, value)| value.is_empty() && request.is_secret(name))
            .map(|(name, _)| {
                format!("use -e {name} (value from your environment) or -e {name}=VALUE")
            }),
        _ => None,
    }
}
