//! Finds the field of a launch that a manager's refusal is about. Most refusals have the same error
//! type, so the words decide. If they don't name a field, the error has none. Pure.

use crate::model::{
    catalogue::Project,
    failure::{Failure, FailureKind},
    launch_field::LaunchField as Field,
    resources::{Bytes, Cpu},
    spec::LaunchRequest,
    text::Clean,
};

/// What a manager says of a fault of its own.
const FAULT: &str = "Internal server error";

/// Words of a refusal, in lowercase, and the field that they are about. The first match counts.
const WORDS: [(&str, Field); 32] = [
    ("a session with that name", Field::Name),
    ("session name", Field::Name),
    ("resource group", Field::ResourceGroup),
    ("scaling group", Field::ResourceGroup),
    ("scaling_group", Field::ResourceGroup),
    ("projectrow", Field::Project),
    ("no such project", Field::Project),
    ("no such user group", Field::Project),
    ("invalid group (", Field::Project),
    ("virtual folder", Field::Folders),
    ("vfolder", Field::Folders),
    ("reserved for internal path", Field::Folders),
    ("mount", Field::Folders),
    ("preopen", Field::PreopenPorts),
    ("are reserved for internal use", Field::PreopenPorts),
    ("containers per session", Field::ClusterSize),
    ("cannot create session with more than", Field::ClusterSize),
    ("cluster_size", Field::ClusterSize),
    ("cluster_mode", Field::ClusterMode),
    ("shared memory", Field::SharedMemory),
    ("shmem", Field::SharedMemory),
    ("unknown slot type", Field::Accelerator),
    ("accelerator", Field::Accelerator),
    ("startup command", Field::StartupCommand),
    ("starts_at", Field::StartTime),
    ("batch_timeout", Field::Timeout),
    ("owner access key", Field::Owner),
    ("on behalf of other users", Field::Owner),
    ("priority", Field::Priority),
    ("bootstrap_script", Field::BootstrapScript),
    ("environ:", Field::Variables),
    ("agent_list", Field::Agent),
];

/// Adds the field to the error, if the error clearly names one.
pub(super) fn at_field(error: Failure, request: &LaunchRequest) -> Failure {
    match error.kind {
        FailureKind::NoImage => Failure {
            kind: FailureKind::Refused,
            ..error
        }
        .about(if request.image.is_some() {
            Field::Image
        } else {
            Field::Environment
        }),
        FailureKind::Refused if error.field.is_none() => {
            match field(error.what.as_str(), request) {
                Some(field) => Failure {
                    what: sentence(field, error.what.as_str(), request).into(),
                    ..error
                }
                .about(field),
                None => error,
            }
        }
        _ => error,
    }
}

/// A manager of 25.15 or before fails if the project doesn't exist, without a word about it. Blames the project if
/// it is none of ours.
pub(super) fn at_project(error: Failure, request: &LaunchRequest, ours: &[Project]) -> Failure {
    let Some(project) = &request.project else {
        return error;
    };
    let is_ours = ours.iter().any(|it| it.name == *project.as_str());
    if is_ours || error.field.is_some() || !error.what.as_str().contains(FAULT) {
        return error;
    }
    let names: Vec<&str> = ours.iter().map(|it| it.name.as_str()).collect();
    Failure::refused(not_in(project))
        .because(error.what.as_str())
        .hint(tr_sent!("your projects: {names}", names = names.join(", ")))
        .about(Field::Project)
}

fn not_in(project: &str) -> String {
    let project = Clean::new(project);
    tr_sent!(
        "project '{project}' not found, or its owner isn't in it",
        project
    )
}

fn field(why: &str, request: &LaunchRequest) -> Option<Field> {
    let why = why.to_lowercase();
    if let Some(slot) = why.split("resource slot '").nth(1) {
        return Some(match slot.split('\'').next() {
            Some("cpu") => Field::Cpu,
            Some("mem") => Field::Memory,
            _ => Field::Accelerator,
        });
    }
    if why.contains("image minimum") || why.contains("minimum required by the image") {
        return Some(short_of(&why, request));
    }
    let found = WORDS.iter().find(|(words, _)| why.contains(words));
    found.map(|(_, field)| *field)
}

/// A minimum looks like `(cpu=1 mem=192m)`. The field is the one with a smaller request.
fn short_of(why: &str, request: &LaunchRequest) -> Field {
    let reported = |slot: &str| {
        let rest = why.split(slot).nth(1)?;
        rest.split([' ', ')', ',']).next()
    };
    let cpu: Option<Cpu> = reported("cpu=").and_then(|text| text.parse().ok());
    let mem: Option<Bytes> = reported("mem=").and_then(|text| text.parse().ok());
    match (cpu, mem) {
        (Some(least), _) if request.cpu.is_some_and(|cpu| cpu < least) => Field::Cpu,
        (_, Some(least)) if request.mem.is_some_and(|mem| mem < least) => Field::Memory,
        (Some(_), Some(_)) => Field::Accelerator,
        _ => Field::Memory,
    }
}

/// For a missing project, a manager reports a missing row of its table, or a "group" (26.4), which is
/// its older word for a project.
fn sentence(field: Field, why: &str, request: &LaunchRequest) -> String {
    match (field, &request.project) {
        (Field::Project, Some(project)) if why.contains("Row") => {
            tr_sent!(
                "project '{project}' not found",
                project = Clean::new(project)
            )
        }
        (Field::Project, Some(project)) if why.contains("Invalid group (") => not_in(project),
        _ => why.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_project_is_named_in_the_words_of_each_release() {
        let request = LaunchRequest {
            project: Some("lab".to_owned()),
            ..LaunchRequest::default()
        };
        for (why, wanted) in [
            (
                "ProjectRow not found: lab".to_owned(),
                "project 'lab' not found",
            ),
            (
                "Missing or invalid API parameters: Invalid group (lab): the group does not exist, \
                 is inactive, or the user is not a member"
                    .to_owned(),
                "project 'lab' not found, or its owner isn't in it",
            ),
        ] {
            let error = at_field(Failure::refused(why.as_str()), &request);
            assert_eq!(error.field, Some(Field::Project), "{why}");
            assert_eq!(error.what.as_str(), wanted);
        }
    }

    #[test]
    fn words_of_older_managers_lead_to_fields() {
        for (why, expected) in [
            (
                "Missing or invalid API parameters: Port 2000, 2001, 2200 and 7681 are reserved \
                 for internal use",
                Field::PreopenPorts,
            ),
            (
                "You have reached your resource limit: You cannot create session with more than 3 \
                 containers",
                Field::ClusterSize,
            ),
            (
                "No such virtual folder: There is no accessible vfolders at all",
                Field::Folders,
            ),
            (
                "Scaling group 'nogroup' is not accessible",
                Field::ResourceGroup,
            ),
        ] {
            assert_eq!(field(why, &LaunchRequest::default()), Some(expected));
        }
    }

    #[test]
    fn a_fault_of_the_manager_is_about_a_project_that_is_not_ours() {
        let ours = [Project {
            id: "1".into(),
            name: "default".into(),
        }];
        let blamed = |what: &str, project: &str| {
            let request = LaunchRequest {
                project: Some(project.to_owned()),
                ..LaunchRequest::default()
            };
            at_project(Failure::refused(what), &request, &ours).field
        };
        assert_eq!(blamed(FAULT, "lab"), Some(Field::Project));
        assert_eq!(blamed(FAULT, "default"), None);
        assert_eq!(blamed("no room", "lab"), None);
    }

    /// The wording of 26.9.6.
    #[test]
    fn words_of_a_manager_lead_to_fields() {
        let request = LaunchRequest {
            cpu: Some(Cpu::from_millis(500)),
            mem: Some(Bytes::mib(256)),
            ..LaunchRequest::default()
        };
        let params = "Missing or invalid API parameters";
        for (why, expected) in [
            (
                "No such resource group: nogroup".to_owned(),
                Field::ResourceGroup,
            ),
            ("No such virtual folder: nope".to_owned(), Field::Folders),
            (
                format!("{params}: /etc is reserved for internal path"),
                Field::Folders,
            ),
            (
                format!(
                    "{params}: kernel_specs[0] preopen_ports [7681] collide with reserved ports ([2000, 2001, 2200, 7681])"
                ),
                Field::PreopenPorts,
            ),
            (
                "a quota is exceeded: You have reached your resource limit: Session requests 99 \
                 kernels, exceeding the keypair limit of 1 containers per session"
                    .to_owned(),
                Field::ClusterSize,
            ),
            (
                format!(
                    "{params}: kernel_specs[0] resource request is smaller than the image minimum (cpu=1 mem=192m)"
                ),
                Field::Cpu,
            ),
            (
                "Unknown resource slot type: Unknown slot type: 'cuda.device'".to_owned(),
                Field::Accelerator,
            ),
            (
                "Invalid resource slot quantity: Resource slot 'mem' cannot be negative: -1"
                    .to_owned(),
                Field::Memory,
            ),
            (
                "Forbidden operation: Only admins can perform operations on behalf of other users"
                    .to_owned(),
                Field::Owner,
            ),
            (
                "Invalid or Missing API Parameters: Unknown owner access key".to_owned(),
                Field::Owner,
            ),
            (
                format!("{params}: Parameter starts_at should be used only for batch sessions"),
                Field::StartTime,
            ),
            (
                format!("{params}: Batch sessions must have a non-empty startup command"),
                Field::StartupCommand,
            ),
            (
                "a session with that name already exists".to_owned(),
                Field::Name,
            ),
        ] {
            assert_eq!(field(&why, &request), Some(expected), "{why}");
        }
        for silent in ["Internal server error", "the manager is in maintenance"] {
            assert_eq!(field(silent, &request), None, "{silent}");
        }
    }

    #[test]
    fn a_minimum_is_about_what_was_asked_less_of() {
        let why = "smaller than the image minimum (cpu=1 mem=192m).";
        let asked = |cpu: u64, mem: u64| LaunchRequest {
            cpu: Some(Cpu::from_millis(cpu)),
            mem: Some(Bytes::mib(mem)),
            ..LaunchRequest::default()
        };
        assert_eq!(field(why, &asked(1000, 64)), Some(Field::Memory));
        assert_eq!(field(why, &asked(500, 64)), Some(Field::Cpu));
        assert_eq!(field(why, &asked(1000, 256)), Some(Field::Accelerator));
    }
}
