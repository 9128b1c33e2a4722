//! The option of the command line for each field of a launch.

use super::LaunchMode;
use crate::model::{
    launch_field::{FieldProblem, LaunchField},
    session::SessionType,
    spec::LaunchRequest,
};

pub fn of(field: LaunchField) -> &'static str {
    field.row().option
}

/// The sentence after the option's name.
pub fn named(problem: &FieldProblem) -> String {
    format!("{}: {}", of(problem.field), problem.message)
}

/// The most likely fix, if the sentence doesn't contain it.
pub fn help(problem: &FieldProblem, request: &LaunchRequest, mode: &LaunchMode) -> Option<String> {
    let interactive = request.session_type == SessionType::Interactive;
    match problem.field {
        LaunchField::Timeout if interactive && mode.wait => {
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
