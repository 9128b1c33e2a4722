//! Estimates the size of a session in a message without serializing it: the daemon's main loop does this
//! for thousands of sessions at once.

use crate::model::{
    environment::{EnvironmentRef, EnvironmentSource},
    idle::{IdleCheck, IdleChecker, IdleResource},
    kernel::Kernel,
    pull::Pull,
    resources::ResourceSlots,
    service::Service,
    session::{Linked, Placement, Session},
    status::Status,
    text::Clean,
};

/// Upper bounds for field names, numbers, times and fixed words. The tests compare them with real messages.
const SESSION: usize = 2_048;
const KERNEL: usize = 640;
const CHECK: usize = 256;
const RESOURCE: usize = 128;
const LINKED: usize = 128;
const SERVICE: usize = 64;
const PULL: usize = 384;
const MOUNT: usize = 64;
const ACCELERATOR: usize = 32;
const STARTS_BY: usize = 48;
const PORT: usize = 8;
/// Quotes and a comma.
const TEXT: usize = 4;

/// An upper bound of the session's size in a message, apart from JSON's backslash escapes. The pattern names
/// every field, so that a new field isn't overlooked.
pub(super) fn of(session: &Session) -> usize {
    let Session {
        id: _,
        context,
        name,
        session_type: _,
        status,
        status_info,
        status_message,
        environment,
        requested_slots,
        shmem: _,
        disk_limit: _,
        owner,
        created_at: _,
        started_at: _,
        terminated_at: _,
        kernels,
        home,
        placement,
        occupied_slots,
        folders,
        mounts,
        depends_on,
        depended_by,
        services,
        idle_checks,
        startup_command,
        starts_at: _,
        timeout: _,
        preopen_ports,
        result: _,
        commit: _,
        activity: _,
        stop_hook,
        stop_hook_end,
        reprieve: _,
        pull,
        pending_request,
    } = session;
    let texts = [
        status_info,
        status_message,
        startup_command,
        stop_hook,
        pending_request,
    ];
    SESSION
        + context.as_str().len()
        + text(name)
        + of_status(status)
        + texts.into_iter().flatten().map(text).sum::<usize>()
        + of_environment(environment)
        + of_slots(requested_slots)
        + of_slots(occupied_slots)
        + text(owner)
        + all(kernels, of_kernel)
        + home.as_ref().map_or(0, String::len)
        + of_placement(placement)
        + all(folders, text)
        + all(mounts, |it| MOUNT + it.folder.len() + it.target.len())
        + all(depends_on, of_linked)
        + all(depended_by, of_linked)
        + all(services, of_service)
        + all(idle_checks, of_check)
        + PORT * preopen_ports.len()
        + stop_hook_end.as_ref().map_or(0, |(_, words)| text(words))
        + pull.as_ref().map_or(0, |pull| of_pull(pull))
}

fn all<T>(items: &[T], weight: impl Fn(&T) -> usize) -> usize {
    items.iter().map(weight).sum()
}

fn text(text: &Clean) -> usize {
    TEXT + text.as_str().len()
}

fn of_status(status: &Status) -> usize {
    status.word().len()
}

fn of_environment(environment: &EnvironmentRef) -> usize {
    let EnvironmentRef {
        name,
        version,
        source,
    } = environment;
    let reference = match source {
        EnvironmentSource::Host => 0,
        EnvironmentSource::Image { reference } => reference.len(),
    };
    text(name) + text(version) + reference
}

fn of_slots(slots: &ResourceSlots) -> usize {
    let names = slots.accelerators.keys();
    names.map(|name| ACCELERATOR + name.len()).sum()
}

fn of_kernel(kernel: &Kernel) -> usize {
    let Kernel {
        id: _,
        hostname,
        status,
        container_id,
        exit_code: _,
        oom_killed: _,
        started_at: _,
        terminated_at: _,
        agent,
        status_info,
        address,
    } = kernel;
    let texts = [container_id, agent, status_info, address];
    KERNEL
        + text(hostname)
        + of_status(status)
        + texts.into_iter().flatten().map(text).sum::<usize>()
}

fn of_placement(placement: &Placement) -> usize {
    let Placement {
        project,
        resource_group,
        agents,
        cluster_mode: _,
        cluster_size: _,
        priority: _,
        queue_position: _,
        starts_by,
        tag,
    } = placement;
    let texts = [project, resource_group, tag];
    let starts_by = starts_by.map_or(0, |_| STARTS_BY);
    texts.into_iter().flatten().map(text).sum::<usize>() + all(agents, text) + starts_by
}

fn of_linked(linked: &Linked) -> usize {
    LINKED + text(&linked.name) + of_status(&linked.status)
}

fn of_service(service: &Service) -> usize {
    SERVICE + text(&service.name) + text(&service.protocol) + PORT * service.ports.len()
}

fn of_check(check: &IdleCheck) -> usize {
    let checker = match &check.checker {
        IdleChecker::Other(name) => text(name),
        _ => 0,
    };
    let resource = |it: &IdleResource| RESOURCE + text(&it.resource);
    CHECK + checker + all(&check.resources, resource)
}

fn of_pull(pull: &Pull) -> usize {
    PULL + text(&pull.registry) + text(&pull.reference) + pull.broken.as_ref().map_or(0, text)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use jiff::Timestamp;

    use super::*;
    use crate::model::{
        history::Outcome,
        id::{KernelId, SessionId},
        idle::{Activity, ActivityKind, IdleBasis, IdleState, Join, Reprieve},
        pull::PullFigures,
        resources::{Bytes, Cpu},
        span::Span,
    };

    /// A time with the longest text that a time can have.
    fn time() -> Timestamp {
        Timestamp::from_nanosecond(1_999_999_999_123_456_789).unwrap()
    }

    fn empty() -> Session {
        let mut session = crate::model::testing::session(1, "");
        session.environment.name = "".into();
        session.environment.version = "".into();
        session.created_at = time();
        session
    }

    fn slots() -> ResourceSlots {
        ResourceSlots {
            cpu: Cpu::from_millis(u64::MAX),
            mem: Bytes(u64::MAX),
            accelerators: BTreeMap::from([("cuda.shares".into(), u64::MAX), (String::new(), 1)]),
        }
    }

    fn full() -> Session {
        let word: Clean = "한글".repeat(20).as_str().into();
        let linked = Linked {
            id: SessionId::from_u128(u128::MAX),
            name: "".into(),
            status: Status::RunningDegraded,
        };
        let kernel = Kernel {
            container_id: Some(word.clone()),
            exit_code: Some(i64::MIN),
            oom_killed: true,
            started_at: Some(time()),
            terminated_at: Some(time()),
            agent: Some("".into()),
            status_info: Some("".into()),
            ..Kernel::new(
                KernelId::from_u128(9),
                "".into(),
                Status::Unknown(word.clone()),
            )
        };
        let check = IdleCheck {
            basis: IdleBasis::ExpireAfter,
            limit: Some(Span(u64::MAX)),
            join: Some(Join::And),
            resources: vec![
                IdleResource {
                    resource: "".into(),
                    average: i64::MIN,
                    threshold: i64::MIN,
                };
                9
            ],
            ..IdleCheck::new(
                IdleChecker::SessionLifetime,
                IdleState::Counting { until: time() },
            )
        };
        let figures = PullFigures {
            layers: u32::MAX,
            layers_done: u32::MAX,
            bytes: Bytes(u64::MAX),
            bytes_done: Bytes(u64::MAX),
            unsized_layers: u32::MAX,
            more_layers: true,
        };
        Session {
            status_message: Some(word.clone()),
            shmem: Bytes(u64::MAX),
            disk_limit: Some(Bytes(u64::MAX)),
            requested_slots: slots(),
            occupied_slots: slots(),
            owner: word.clone(),
            started_at: Some(time()),
            terminated_at: Some(time()),
            kernels: vec![kernel; 9],
            home: Some("/home".into()),
            placement: Placement {
                project: Some("".into()),
                resource_group: Some("".into()),
                agents: vec!["".into(); 99],
                cluster_size: u32::MAX,
                priority: Some(i32::MIN),
                queue_position: Some(u32::MAX),
                tag: Some("".into()),
                ..Placement::default()
            },
            folders: vec!["".into(); 99],
            depends_on: vec![linked.clone(); 9],
            depended_by: vec![linked; 9],
            services: vec![
                Service {
                    name: "".into(),
                    protocol: "".into(),
                    ports: vec![u16::MAX; 99],
                };
                9
            ],
            idle_checks: vec![check; 9],
            startup_command: Some(word.clone()),
            starts_at: Some(time()),
            timeout: Some(Span(u64::MAX)),
            preopen_ports: vec![u16::MAX; 99],
            activity: Some(Activity {
                at: time(),
                kind: ActivityKind::Extended,
                open: u32::MAX,
            }),
            stop_hook: Some("".into()),
            stop_hook_end: Some((Outcome::NeedRetry, word)),
            reprieve: Reprieve {
                exempt: true,
                extended: u32::MAX,
                until: Some(time()),
            },
            pull: Some(Box::new(Pull {
                figures,
                rate: Some(Bytes(u64::MAX)),
                seconds_left: Some(u64::MAX),
                attempt: u32::MAX,
                broken: Some("".into()),
                ..Pull::default()
            })),
            pending_request: Some("".into()),
            ..empty()
        }
    }

    #[test]
    fn nothing_is_longer_than_its_weight() {
        for session in [empty(), full()] {
            let long = serde_json::to_vec(&session).unwrap().len();
            assert!(of(&session) >= long, "{} < {long}", of(&session));
        }
    }

    #[test]
    fn a_weight_is_not_much_more_than_the_length() {
        let long = serde_json::to_vec(&full()).unwrap().len();
        assert!(of(&full()) < 2 * long, "{} > 2 x {long}", of(&full()));
    }

    /// The half of a frame that isn't for sessions has room for the escapes.
    #[test]
    fn texts_of_backslashes_are_twice_their_weight_at_most() {
        let session = Session {
            status_message: Some("\"\\".repeat(50_000).as_str().into()),
            ..full()
        };
        let long = serde_json::to_vec(&session).unwrap().len();
        assert!(2 * of(&session) >= long);
    }
}
