//! Checks a launch that was read from the labels of a container. Anyone with access to the engine can write
//! labels, so the rules of a launch are applied again.

use crate::model::{
    environment::EnvironmentSource,
    resources::Bytes,
    spec::{LaunchSpec, Mounted, check_variable_name},
    stop_hook::StopHook,
    text::is_hidden,
};
use crate::{
    model::{app_definition, ports, reference},
    rules::launch::{amounts::LEAST_DISK, check::check_value, folders, script},
};

/// Limits that no machine or cluster exceeds.
const MOST_CORES: u64 = 1 << 20;
const MOST_MEMORY: Bytes = Bytes(1 << 60);
const MOST_CONTAINERS: u32 = 10_000;
const LONGEST_LABEL: usize = 1024;

/// Why a recorded launch can't have been accepted.
pub fn check_recorded(spec: &LaunchSpec) -> Result<(), String> {
    check_source(spec)?;
    check_amounts(spec)?;
    for name in spec.env.keys().chain(&spec.secret_names) {
        check_variable_name(name)?;
    }
    for (name, value) in &spec.env {
        check_value(name, value)?;
    }
    for mount in &spec.mounts {
        check_mount(mount)?;
    }
    app_definition::check_all(&spec.apps)?;
    ports::check(&spec.preopen_ports, &[], u32::MAX)?;
    for text in [&spec.startup_command, &spec.bootstrap_script] {
        script::check(text.as_deref().unwrap_or_default(), tr!("the command"))?;
    }
    spec.stop_hook
        .as_ref()
        .map_or(Ok(()), |hook| check_stop_hook(hook, &spec.mounts))
}

fn check_source(spec: &LaunchSpec) -> Result<(), String> {
    if let EnvironmentSource::Image { reference } = &spec.source {
        reference::check(reference)?;
    }
    for text in [&spec.environment_label, &spec.resource_group] {
        if text.len() > LONGEST_LABEL || text.contains(is_hidden) {
            return Err(tr!("a label is too long or contains a control character").to_owned());
        }
    }
    Ok(())
}

fn check_amounts(spec: &LaunchSpec) -> Result<(), String> {
    let slots = &spec.accelerators;
    let accelerators = slots
        .iter()
        .all(|(slot, amount)| !slot.contains(is_hidden) && *amount <= MOST_CORES * 1000);
    let fine = spec.cpu.millis() <= MOST_CORES * 1000
        && spec.mem <= MOST_MEMORY
        && spec.shmem <= spec.mem
        && spec
            .disk
            .is_none_or(|it| it >= LEAST_DISK && it <= MOST_MEMORY)
        && (1..=MOST_CONTAINERS).contains(&spec.cluster_size)
        && accelerators;
    if fine {
        return Ok(());
    }
    Err(tr!("its resources are outside the limits of a launch").to_owned())
}

fn check_mount(mount: &Mounted) -> Result<(), String> {
    folders::check_folder(&mount.folder)?;
    let target = &mount.target;
    let climbs = |part: &str| matches!(part, "." | "..");
    if !target.starts_with('/') || target.contains(is_hidden) || target.split('/').any(climbs) {
        return Err(tr!("the path of a mounted folder isn't absolute").to_owned());
    }
    Ok(())
}

fn check_stop_hook(hook: &StopHook, mounts: &[Mounted]) -> Result<(), String> {
    script::check(
        hook.command.as_deref().unwrap_or_default(),
        tr!("the stop hook"),
    )?;
    if hook.save.iter().any(|path| path.contains('\0')) {
        return Err(tr!("a path to save contains a NUL byte").to_owned());
    }
    let is_mounted = |folder: &String| mounts.iter().any(|mount| mount.folder == *folder);
    if hook.folder.as_ref().is_none_or(is_mounted) && hook.timeout <= StopHook::MOST {
        return Ok(());
    }
    Err(
        tr!("the stop hook saves into a folder that isn't mounted, or its time limit is too long")
            .to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{resources::Cpu, span::Span};

    fn spec() -> LaunchSpec {
        LaunchSpec {
            env: [("A".to_owned(), "x\ny".to_owned())].into(),
            secret_names: vec!["API_TOKEN".to_owned()],
            mounts: vec![
                mount("data", "/srv/data"),
                mount(".cache", "/home/work/.cache"),
            ],
            preopen_ports: vec![8080],
            stop_hook: Some(StopHook {
                save: vec!["out".to_owned()],
                folder: Some("data".to_owned()),
                ..StopHook::default()
            }),
            ..LaunchSpec::new(
                EnvironmentSource::Image {
                    reference: "busybox:1.35".to_owned(),
                },
                "busybox:1.35".to_owned(),
                Cpu::from_millis(500),
                Bytes::mib(64),
                Bytes::mib(16),
            )
        }
    }

    fn mount(folder: &str, target: &str) -> Mounted {
        Mounted {
            folder: folder.to_owned(),
            target: target.to_owned(),
            read_only: false,
        }
    }

    #[test]
    fn what_no_launch_can_have_asked_for_is_refused() {
        assert_eq!(check_recorded(&spec()), Ok(()));
        let hostile: &[fn(&mut LaunchSpec)] = &[
            |s| {
                s.source = EnvironmentSource::Image {
                    reference: "x\u{1b}[2J".into(),
                }
            },
            |s| s.environment_label = "a\nb".into(),
            |s| s.resource_group = "a\0".into(),
            |s| drop(s.env.insert("A=B".into(), "x".into())),
            |s| drop(s.env.insert("A\nB".into(), "x".into())),
            |s| drop(s.env.insert("B".into(), "x\0".into())),
            |s| s.secret_names.push("../../etc/passwd".into()),
            |s| s.mounts.push(mount("../../etc", "/srv/etc")),
            |s| s.mounts.push(mount("/etc", "/srv/etc")),
            |s| s.mounts.push(mount("..", "/srv/etc")),
            |s| s.mounts.push(mount("etc", "/home/work/../../etc")),
            |s| s.mounts.push(mount("etc", "etc")),
            |s| s.mounts.push(mount("etc", "/etc\0")),
            |s| s.preopen_ports = vec![22],
            |s| s.cluster_size = 0,
            |s| s.cluster_size = u32::MAX,
            |s| s.mem = Bytes(u64::MAX),
            |s| s.shmem = Bytes::mib(65),
            |s| s.disk = Some(Bytes(1)),
            |s| s.disk = Some(Bytes(u64::MAX)),
            |s| s.accelerators = [("cuda.device".into(), u64::MAX)].into(),
            |s| s.accelerators = [("cuda\n".into(), 1000)].into(),
            |s| s.startup_command = Some("a\0".into()),
            |s| s.stop_hook.as_mut().unwrap().folder = Some("../../etc".into()),
            |s| s.stop_hook.as_mut().unwrap().timeout = Span(u64::from(u32::MAX)),
        ];
        for (number, change) in hostile.iter().enumerate() {
            let mut spec = spec();
            change(&mut spec);
            assert!(check_recorded(&spec).is_err(), "{number}: {spec:?}");
        }
    }
}
