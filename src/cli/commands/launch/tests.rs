//! Checks that the command line reads back the launches that it prints.

use std::collections::BTreeMap;

use clap::Parser;
use jiff::{Timestamp, tz::TimeZone};
use proptest::prelude::*;

use super::{
    Launch,
    request::{Around, over},
};
use crate::{
    cli::{args::Cli, commands::Command, fail::Fail},
    config::recipe,
    model::{
        launch_field::LaunchField,
        resources::{Bytes, Cpu},
        secret_rules::{self, SecretRules},
        session::{ClusterMode, SessionType},
        span::Span,
        spec::{FolderMount, LaunchRequest, Owner},
        start_time::StartAt,
    },
    rules::launch::{check_words, command},
};

/// The request that these words mean, in this environment.
fn parsed(words: &[String], environment: &BTreeMap<String, String>) -> LaunchRequest {
    read(words, environment).unwrap_or_else(|fail| panic!("{fail:?}"))
}

fn read(words: &[String], environment: &BTreeMap<String, String>) -> Result<LaunchRequest, Fail> {
    let words = std::iter::once("workbay").chain(words.iter().map(String::as_str));
    let cli = Cli::try_parse_from(words).unwrap();
    let Some(Command::Launch(Launch { fields, .. })) = cli.command else {
        panic!("no launch");
    };
    let around = Around {
        now: Timestamp::UNIX_EPOCH,
        zone: TimeZone::UTC,
        variable: &|name| environment.get(name).cloned(),
    };
    over(LaunchRequest::default(), fields, &around).map(marked)
}

/// Marks secrets as the command line does.
fn marked(mut request: LaunchRequest) -> LaunchRequest {
    SecretRules::default().mark(&mut request);
    request
}

/// Words as users and programs pass them: with spaces, quotes, and `@` or `-` in front.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z][a-z0-9_.:/-]{0,12}",
        "[ -~가-힣\n\t]{1,20}",
        Just("--wait".to_owned()),
        Just("@file".to_owned()),
        Just("@@".to_owned()),
        Just("'\\\"\"\"".to_owned()),
    ]
}

fn some<T: std::fmt::Debug>(value: impl Strategy<Value = T>) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(value)
}

fn memory() -> impl Strategy<Value = Bytes> {
    prop_oneof![
        (1u64..9).prop_map(|n| Bytes(n * Bytes::GIB)),
        (1u64..9000).prop_map(Bytes::mib),
        (0u64..1 << 42).prop_map(Bytes),
    ]
}

fn mount() -> impl Strategy<Value = FolderMount> {
    (
        "[a-z._-]{1,8}",
        some("/?[a-z]{1,8}(/[a-z]{1,4})?"),
        any::<bool>(),
    )
        .prop_map(|(folder, path, read_only)| FolderMount {
            folder: format!("f{folder}"),
            path,
            read_only,
        })
}

fn variables() -> impl Strategy<Value = BTreeMap<String, String>> {
    let name = prop_oneof!["[A-Z_][A-Z0-9_]{0,8}", Just("API_TOKEN".to_owned())];
    let text = || prop_oneof![9 => text(), 1 => Just("db://u:hush-hush-hush@h".to_owned())];
    proptest::collection::btree_map(name, text(), 0..4)
}

fn mounts() -> impl Strategy<Value = Vec<FolderMount>> {
    proptest::collection::vec(mount(), 0..3).prop_map(|mut mounts| {
        let mut seen = std::collections::BTreeSet::new();
        mounts.retain(|mount| seen.insert(mount.folder.clone()));
        mounts
    })
}

fn start() -> impl Strategy<Value = StartAt> {
    prop_oneof![
        (0u64..10_000_000).prop_map(|seconds| StartAt::After(Span(seconds))),
        (0i64..4_000_000_000).prop_map(|at| Timestamp::from_second(at).unwrap().into()),
    ]
}

prop_compose! {
    fn who()(
        name in some(text()),
        environment in some(text()),
        image in some(text()),
        project in some(text()),
        resource_group in some(text()),
        preset in some(text()),
        agent in some(text()),
        owner in some(("[a-z]{1,5}@[a-z/]{1,5}", "[A-Z0-9]{1,9}")),
    ) -> LaunchRequest {
        LaunchRequest {
            name,
            // Both together are refused, also by clap.
            image: image.filter(|_| environment.is_none()),
            environment,
            project,
            resource_group,
            preset,
            agent,
            owner: owner.map(|(email, access_key)| Owner { email, access_key }),
            ..LaunchRequest::default()
        }
    }
}

prop_compose! {
    fn launches()(
        base in who(),
        batch in any::<bool>(),
        startup_command in some(text()),
        bootstrap_script in some(text()),
        starts_at in some(start()),
        timeout in some(0u64..10_000_000),
        cpu in some(10u64..4_096_000),
        mem in some(memory()),
        shmem in some(memory()),
        disk in some(memory()),
        accelerators in proptest::collection::btree_map(
            "[a-z]{1,4}\\.(device|shares)", 0u64..1_000_000, 0..3),
    ) -> LaunchRequest {
        LaunchRequest {
            session_type: if batch { SessionType::Batch } else { SessionType::Interactive },
            startup_command,
            bootstrap_script,
            starts_at,
            timeout: timeout.map(Span),
            cpu: cpu.map(Cpu::from_millis),
            mem,
            shmem,
            disk,
            accelerators,
            ..base
        }
    }
}

prop_compose! {
    fn requests()(
        base in launches(),
        count in some(2u32..200),
        cluster_size in some(2u32..50),
        multi in any::<bool>(),
        priority in some(0i32..=100),
        env in variables(),
        mounts in mounts(),
        preopen_ports in proptest::collection::vec(1u16.., 0..6),
    ) -> LaunchRequest {
        let multi = multi && cluster_size.is_some();
        LaunchRequest {
            count,
            cluster_size,
            cluster_mode: if multi { ClusterMode::MultiNode } else { ClusterMode::SingleNode },
            priority,
            env,
            mounts,
            preopen_ports,
            ..base
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_command_of_a_launch_asks_for_that_launch(request in requests()) {
        let request = marked(request);
        let words = command::words(&request, Some("prod"));
        prop_assert_eq!(parsed(&words, &request.env), request);
    }

    /// The values of secrets are the exception: they are requested again.
    #[test]
    fn a_recipe_of_a_launch_is_that_launch(request in requests()) {
        let request = marked(request);
        let kept = LaunchRequest { env: secret_rules::blanked(&request), ..request.clone() };
        let text = recipe::write(&request);
        let read = recipe::parse(
            std::path::Path::new("recipe.toml"),
            &text,
            Timestamp::UNIX_EPOCH,
            &TimeZone::UTC,
        );
        prop_assert_eq!(read, Ok(kept), "{}", text);
        for (name, value) in &request.env {
            // The value may also be a word of the file itself, which proves nothing.
            if request.is_secret(name) && value.len() > 12 {
                let others = LaunchRequest { env: BTreeMap::new(), ..request.clone() };
                prop_assert!(!text.contains(value) || recipe::write(&others).contains(value));
            }
        }
    }
}

fn words(line: &str) -> Vec<String> {
    let words = line.split(' ').filter(|word| !word.is_empty());
    std::iter::once("launch")
        .chain(words)
        .map(str::to_owned)
        .collect()
}

#[test]
fn what_is_given_goes_over_a_recipe() {
    let recipe = recipe::parse(
        std::path::Path::new("r.toml"),
        "image = \"python\"\ncpu = 2\nmounts = [\"data:in\", \"lib\"]\nenv = { A = \"1\", B = \"2\" }\n\
         secrets = [\"API_TOKEN\"]\naccelerators = { cuda.shares = 1 }\n",
        Timestamp::UNIX_EPOCH,
        &TimeZone::UTC,
    )
    .unwrap();
    let line =
        "launch --env host -e B=3 -e API_TOKEN --mount data:out:ro --accelerator cuda.device=1";
    let cli = Cli::try_parse_from(std::iter::once("workbay").chain(line.split(' '))).unwrap();
    let Some(Command::Launch(launch)) = cli.command else {
        panic!("no launch");
    };
    let around = Around {
        now: Timestamp::UNIX_EPOCH,
        zone: TimeZone::UTC,
        variable: &|name| (name == "API_TOKEN").then(|| "hush".to_owned()),
    };
    let request = match over(recipe, launch.fields, &around) {
        Ok(request) => request,
        Err(fail) => panic!("{fail:?}"),
    };
    assert_eq!(request.environment.as_deref(), Some("host"));
    assert_eq!(request.image, None);
    assert_eq!(request.cpu, Some(Cpu::from_millis(2000)));
    let env: Vec<(&str, &str)> = request
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(env, [("A", "1"), ("API_TOKEN", "hush"), ("B", "3")]);
    let mounts: Vec<String> = request.mounts.iter().map(ToString::to_string).collect();
    assert_eq!(mounts, ["lib", "data:out:ro"]);
    assert_eq!(request.accelerators.len(), 2);
}

#[test]
fn a_folder_that_is_mounted_twice_is_refused() {
    let request = parsed(
        &words("--mount src:a --mount lib --mount src:b"),
        &BTreeMap::new(),
    );
    let problems = check_words(&request, Timestamp::UNIX_EPOCH);
    let [problem] = problems.as_slice() else {
        panic!("{problems:?}");
    };
    assert_eq!(problem.field, LaunchField::Folders);
    assert!(
        problem.message.starts_with("folder 'src' is mounted twice"),
        "{}",
        problem.message
    );
}

#[test]
fn the_old_words_are_still_taken() {
    let request = parsed(
        &words("--resource-group gpu --folder data:in --set A=2 -e B=x=y"),
        &BTreeMap::new(),
    );
    assert_eq!(request.resource_group.as_deref(), Some("gpu"));
    assert_eq!(request.mounts[0].to_string(), "data:in");
    assert_eq!(
        (request.env["A"].as_str(), request.env["B"].as_str()),
        ("2", "x=y")
    );
}

#[test]
fn a_variable_is_given_once() {
    let fail = read(&words("-e A=1 -e B=2 -e A=2"), &BTreeMap::new()).err();
    assert!(format!("{fail:?}").contains("A is set twice"), "{fail:?}");
}

#[test]
fn a_recipe_takes_start_times_as_a_user_writes_them() {
    let seoul = TimeZone::fixed(jiff::tz::offset(9));
    let start = |time: &str| {
        let text = format!("type = \"batch\"\ncommand = \"make\"\nstart-at = \"{time}\"\n");
        let file = std::path::Path::new("r.toml");
        let read = recipe::parse(file, &text, Timestamp::UNIX_EPOCH, &seoul);
        read.unwrap().starts_at.unwrap().to_string()
    };
    assert_eq!(start("+90m"), "+90m");
    // It is 09:00 in Seoul.
    assert_eq!(start("09:30"), "1970-01-01T00:30:00Z");
    assert_eq!(start("2026-11-22 09:30"), "2026-11-22T00:30:00Z");
    assert_eq!(start("2026-11-22T09:30:00Z"), "2026-11-22T09:30:00Z");
}

#[test]
fn start_times_are_read_where_the_user_is() {
    let start = |time: &str| {
        let line = format!("--batch --start-at {time}");
        parsed(&words(&line), &BTreeMap::new()).starts_at.unwrap()
    };
    assert_eq!(start("+2h"), StartAt::After(Span(7200)));
    let half_past_nine = Timestamp::from_second(34_200).unwrap();
    assert_eq!(start("09:30"), StartAt::At(half_past_nine));
}
