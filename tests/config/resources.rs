//! `resources.toml`: the site's and the user's as one, and where each value comes from.

use workbay::{
    config::{
        layer,
        origin::Places,
        resources::{self, EXAMPLE, Resources},
    },
    model::{
        idle::Join,
        network::{Isolation, NetworkRules},
        policy::{Backfill, QueueOrder, ResourceRules},
        resources::{Bytes, Cpu},
        span::Span,
    },
};

use crate::places;

fn load(site: &str, user: &str) -> Resources {
    let (_dir, places) = places(site, user);
    resources::load(&places)
}

fn origin<'a>(resources: &'a Resources, key: &str) -> (&'a str, &'static str) {
    let found = resources.set.iter().find(|(name, _, _)| name == key);
    let (_, value, origin) = found.unwrap_or_else(|| panic!("{key} is not set"));
    (value, origin.word())
}

#[test]
fn without_files_the_whole_machine_is_one_group() {
    let dir = tempfile::tempdir().unwrap();
    let nowhere = dir.path().join("none.toml");
    let places = Places {
        site: nowhere.clone(),
        user: nowhere,
    };
    let resources = resources::load(&places);
    assert_eq!(resources.rules, ResourceRules::default());
    assert_eq!((resources.set.len(), resources.problems.len()), (0, 0));
}

#[test]
fn the_example_says_what_its_comments_say() {
    let rules = load("", EXAMPLE).rules;
    let gpu = &rules.groups["gpu"];
    assert_eq!(gpu.most.cpu, Some(Cpu::from_millis(4000)));
    assert_eq!(gpu.most.mem, Some(Bytes(16 * Bytes::GIB)));
    assert_eq!(gpu.most.accelerators["cuda.shares"], 5000);
    assert_eq!(gpu.order, QueueOrder::Fifo);
    assert_eq!(gpu.num_retries_to_skip, 3);
    assert_eq!(gpu.pending_timeout, Some(Span(7200)));
    assert_eq!(gpu.backfill, Backfill::Safe);
    assert_eq!(gpu.age_limit(), Span(3600));
    let default = &rules.groups["default"];
    assert_eq!(default.backfill, Backfill::On);
    assert_eq!(default.age_limit(), Span(1800));
    assert_eq!(default.reserve_cpu, Cpu::from_millis(1000));
    assert_eq!(default.reserve_mem, Bytes(2 * Bytes::GIB));
    let names: Vec<&str> = rules.presets.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["small", "train"], "sorted by name");
    let train = &rules.presets[1];
    assert_eq!(train.slots.accelerators["cuda.shares"], 2500);
    assert_eq!(train.shmem, Some(Bytes(Bytes::GIB)));
    assert_eq!(train.resource_group, Some("gpu".into()));
    let limits = &rules.limits;
    assert_eq!(limits.total.cpu, Some(Cpu::from_millis(8000)));
    assert_eq!(limits.per_container.mem, Some(Bytes(16 * Bytes::GIB)));
    assert_eq!(limits.shmem, Some(Bytes(2 * Bytes::GIB)));
    assert_eq!(limits.concurrent_sessions, Some(5));
    assert_eq!(limits.pending_sessions, Some(20));
    assert_eq!(limits.containers_per_session, Some(4));
    assert_eq!(limits.preopen_ports, Some(10));
    assert!(!limits.presets_only);
    let train = &rules.presets[1].idle;
    assert_eq!(train.network_timeout, Some(Span(30 * 60)));
    assert_eq!(train.session_lifetime, Some(Span(86_400)));
    let idle = &rules.idle;
    assert_eq!(idle.network_timeout, Some(Span(3_600)));
    assert_eq!(idle.session_lifetime, Some(Span(7 * 86_400)));
    let utilization = idle.utilization.as_ref().unwrap();
    assert_eq!(utilization.time_window, Span(12 * 3_600));
    assert_eq!(utilization.initial_grace_period, Span(30 * 60));
    assert_eq!(utilization.operator, Join::And);
    let thresholds = [("cpu_util".to_owned(), 500), ("mem".to_owned(), 1_000)];
    assert_eq!(utilization.thresholds, thresholds.into());
    assert_eq!(rules.network.isolation, Some(Isolation::User));
    assert_eq!(rules.network.host_access, Some(false));
    let reprieve = &rules.reprieve;
    assert_eq!((reprieve.extensions, reprieve.extend_by), (2, Span(3_600)));
    assert!(!reprieve.exempt);
    assert_eq!(reprieve.contact, Some("ops@example.com".into()));
    let shares = &rules.accelerators["cuda.shares"];
    assert_eq!(
        (shares.amount, shares.quantum, shares.shares_per_device),
        (Some(5000), Some(100), Some(5))
    );
}

#[test]
fn a_group_or_preset_of_the_same_name_is_the_users() {
    let site = "[group.gpu]\ncpu = 4\norder = \"lifo\"\n[group.big]\ncpu = 8\n\
                [preset.small]\ncpu = 1\nmem = \"1g\"\n[preset.site]\ncpu = 2\nmem = \"2g\"\n";
    let user = "[group.gpu]\ncpu = 2\n[preset.small]\ncpu = 0.5\nmem = \"512m\"\n";
    let resources = load(site, user);
    assert_eq!(resources.problems, []);
    let groups = &resources.rules.groups;
    let names: Vec<&String> = groups.keys().collect();
    assert_eq!(names, ["big", "default", "gpu"]);
    // Whole, not field by field.
    assert_eq!(groups["gpu"].most.cpu, Some(Cpu::from_millis(2000)));
    assert_eq!(groups["gpu"].order, QueueOrder::Fifo);
    assert_eq!(resources.rules.presets.len(), 2);
    assert_eq!(resources.rules.presets[1].slots.cpu, Cpu::from_millis(500));
    assert_eq!(origin(&resources, "group.gpu"), ("{ cpu = 2 }", "user"));
    assert_eq!(origin(&resources, "group.big"), ("{ cpu = 8 }", "site"));
    assert_eq!(
        origin(&resources, "preset.small"),
        ("{ cpu = 0.5, mem = \"512m\" }", "user")
    );
}

#[test]
fn of_two_limits_the_tighter_one_counts() {
    let site = "[limits]\ncpu = 4\nconcurrent-sessions = 3\npresets-only = true\n\
                accelerators = { \"cuda.shares\" = 2 }\n";
    let user = "[limits]\ncpu = 8\nconcurrent-sessions = 2\npresets-only = false\n\
                accelerators = { \"cuda.shares\" = 1, \"cuda.device\" = 1 }\n\
                shmem = \"1g\"\n";
    for resources in [load(site, user), load(user, site)] {
        let limits = &resources.rules.limits;
        assert_eq!(limits.total.cpu, Some(Cpu::from_millis(4000)));
        assert_eq!(limits.concurrent_sessions, Some(2));
        assert!(limits.presets_only);
        assert_eq!(limits.total.accelerators["cuda.shares"], 1000);
        assert_eq!(limits.total.accelerators["cuda.device"], 1000);
        assert_eq!(limits.shmem, Some(Bytes(Bytes::GIB)));
    }
    let resources = load(site, user);
    assert_eq!(origin(&resources, "limits.cpu"), ("4", "site"));
    assert_eq!(
        origin(&resources, "limits.concurrent-sessions"),
        ("2", "user")
    );
    assert_eq!(origin(&resources, "limits.presets-only"), ("true", "site"));
}

#[test]
fn of_two_network_settings_the_tighter_one_counts() {
    let open = "[network]\nisolation = \"bridge\"\nhost-access = true\n";
    let closed = "[network]\nisolation = \"session\"\nhost-access = false\n";
    for resources in [load(open, closed), load(closed, open)] {
        assert_eq!(resources.problems, []);
        let network = resources.rules.network;
        assert_eq!(network.isolation, Some(Isolation::Session));
        assert_eq!(network.host_access, Some(false));
    }
    let resources = load(closed, open);
    assert_eq!(
        origin(&resources, "network.isolation"),
        ("\"session\"", "site")
    );
    assert_eq!(origin(&resources, "network.host-access"), ("false", "site"));
    let resources = load("", "");
    assert_eq!(resources.rules.network, NetworkRules::default());
    assert_eq!(resources.rules.network.isolation(), Isolation::User);
    let resources = load("", "[network]\nisolation = \"none\"\n");
    assert_eq!(resources.rules.network.isolation(), Isolation::None);
    assert_eq!(resources.rules.network.host_access, None);
}

#[test]
fn the_default_network_cannot_be_had_where_the_site_closes_this_machine() {
    let site = "[network]\nhost-access = false\n";
    let resources = load(site, "[network]\nisolation = \"bridge\"\n");
    let network = resources.rules.network;
    assert_eq!(network.isolation(), Isolation::User);
    assert_eq!(network.host_access, Some(false));
    assert_eq!(resources.problems.len(), 1);
    let problem = resources.problems[0].to_string();
    assert!(problem.contains(":2:1: "), "{problem}");
    assert!(problem.contains("exclude each other"), "{problem}");
    assert!(
        !resources
            .set
            .iter()
            .any(|(key, _, _)| key == "network.isolation")
    );
}

#[test]
fn of_two_idle_rules_the_tighter_one_counts_and_the_site_allows() {
    let site = "[idle]\nnetwork-timeout = \"1h\"\nextensions = 2\nextend-by = \"1h\"\n\
                contact = \"ops\"\n[limits]\nsession-lifetime = \"1d\"\n";
    let user = "[idle]\nnetwork-timeout = \"2h\"\nsession-lifetime = \"12h\"\nextensions = 9\n\
                extend-by = \"30m\"\nexempt = true\ncontact = \"me\"\n";
    let resources = load(site, user);
    assert_eq!(resources.problems, []);
    let rules = &resources.rules;
    assert_eq!(rules.idle.network_timeout, Some(Span(3_600)));
    assert_eq!(rules.idle.session_lifetime, Some(Span(12 * 3_600)));
    let reprieve = &rules.reprieve;
    assert_eq!((reprieve.extensions, reprieve.extend_by), (2, Span(1_800)));
    assert!(!reprieve.exempt, "the site says nothing of it");
    assert_eq!(reprieve.contact, Some("ops".into()));
    assert_eq!(
        origin(&resources, "idle.network-timeout"),
        ("\"1h\"", "site")
    );
    assert_eq!(
        origin(&resources, "idle.session-lifetime"),
        ("\"12h\"", "user")
    );
    // Who sets limits for nobody but himself may allow himself what he likes.
    let own = load("[group.gpu]\ncpu = 4\n", user).rules.reprieve;
    assert!(own.exempt && own.extensions == 9);
}

#[test]
fn a_user_cannot_loosen_the_sites_utilization_check() {
    let check = |window: &str, operator: &str, thresholds: &str| {
        format!(
            "[idle.utilization]\ntime-window = \"{window}\"\ninitial-grace-period = \"{window}\"\n\
             operator = \"{operator}\"\nthresholds = {{ {thresholds} }}\n"
        )
    };
    let merged = |site: &str, user: &str| {
        let resources = load(site, user);
        assert_eq!(resources.problems, []);
        resources.rules.idle.utilization.unwrap()
    };
    let site = check("1h", "and", "cpu_util = 5");
    let loose = merged(&site, &check("2h", "and", "cpu_util = 1, mem = 0.5"));
    assert_eq!(loose, merged(&site, ""));
    let tight = merged(&site, &check("10m", "or", "cpu_util = 7.5, mem = 2"));
    assert_eq!(
        tight,
        merged("", &check("10m", "or", "cpu_util = 7.5, mem = 2"))
    );
}

#[test]
fn a_broken_file_is_left_out_whole_and_the_other_stays() {
    let resources = load("[limits]\ncpu = 4\n", "[limits]\ncpu = 2\nmem = true\n");
    assert_eq!(resources.problems.len(), 1);
    assert_eq!(
        resources.rules.limits.total.cpu,
        Some(Cpu::from_millis(4000))
    );
}

#[test]
fn a_preset_may_be_for_a_group_of_the_other_file() {
    let user = "[preset.mine]\ncpu = 1\nmem = \"1g\"\ngroup = \"gpu\"\n";
    let resources = load("[group.gpu]\ncpu = 4\n", user);
    assert_eq!(resources.problems, []);
    assert_eq!(resources.rules.presets.len(), 1);
    // Where that group is gone, so is the preset.
    let resources = load("", user);
    assert_eq!(resources.problems.len(), 1);
    assert_eq!(resources.rules.presets, []);
}

#[test]
fn what_is_shown_reads_back_as_the_same_rules() {
    let first = load("", EXAMPLE);
    let lines: Vec<String> = first
        .set
        .iter()
        .map(|(key, value, _)| format!("{key} = {value}\n"))
        .collect();
    let again = load("", &lines.concat());
    assert_eq!(again.problems, []);
    assert_eq!(again.rules, first.rules);
}

#[test]
fn settings_take_them_with_their_problems() {
    let mut loaded = layer::defaults();
    loaded.take_resources(load("", "[limits]\ncpu = 2\n"));
    assert_eq!(
        loaded.settings.resources.limits.total.cpu,
        Some(Cpu::from_millis(2000))
    );
    loaded.take_resources(load("", "[limits]\ncpu = 0\n"));
    assert_eq!(loaded.problems.len(), 1);
}
