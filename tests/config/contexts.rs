//! Contexts: the site's file, the user's, the variables of Backend.AI's own client.

use workbay::config::contexts::{
    self, BackendaiSpec, ContextEntry, Contexts, Credentials, EngineSpec, Source,
};

use crate::places;

fn load(site: &str, user: &str, variables: &[(&str, &str)]) -> Contexts {
    let (_dir, places) = places(site, user);
    contexts::load(&places, |name| {
        let found = variables.iter().find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    })
}

fn names(contexts: &Contexts) -> Vec<&str> {
    contexts.names().collect()
}

#[track_caller]
fn named<'a>(contexts: &'a Contexts, name: &str) -> &'a ContextEntry {
    contexts.get(contexts.named(name).unwrap()).unwrap()
}

#[track_caller]
fn cluster<'a>(contexts: &'a Contexts, name: &str) -> &'a BackendaiSpec {
    match &named(contexts, name).engine {
        EngineSpec::Backendai(spec) => spec,
        EngineSpec::Docker { .. } => panic!("{name} is of kind docker"),
    }
}

fn problems_of(contexts: &Contexts) -> Vec<String> {
    contexts.problems.iter().map(ToString::to_string).collect()
}

const PROD: &str = "[contexts.prod]\nkind = \"backendai\"\nendpoint = \"https://one.example.com\"\n\
                    access-key = \"AKIA\"\nsecret-key = { env = \"PROD_KEY\" }\n";

#[test]
fn without_a_word_there_is_this_machines_own_engine() {
    let contexts = load("", "", &[]);
    assert_eq!(names(&contexts), ["local"]);
    assert_eq!(contexts.default.as_str(), "local");
    assert_eq!(problems_of(&contexts), [""; 0]);
    assert_eq!(contexts.list[0].origin.word(), "default");
}

#[test]
fn every_field_is_taken() {
    let text = include_str!("valid/contexts-all.toml");
    let contexts = load("", text, &[]);
    // The default one is first, one that is switched off isn't listed.
    assert_eq!(names(&contexts), ["prod", "local", "web"]);
    assert_eq!(contexts.default.as_str(), "prod");
    let prod = named(&contexts, "prod");
    assert!(prod.context.read_only);
    assert_eq!(prod.context.accent.as_ref().unwrap(), &"#e08684");
    assert_eq!(
        prod.context.endpoint.as_ref().unwrap(),
        &"https://api.example.com"
    );
    assert_eq!(prod.refresh.as_secs(), 30);
    assert!(
        prod.origin.to_string().ends_with("user.toml:8"),
        "{}",
        prod.origin
    );
    let spec = cluster(&contexts, "prod");
    assert_eq!(
        spec.credentials,
        Credentials::Keys {
            access: Source::Plain("AKIAIOSFODNN7EXAMPLE".into()),
            secret: Source::Env("PROD_SECRET_KEY".into()),
        }
    );
    assert_eq!(spec.domain.as_deref(), Some("default"));
    assert_eq!(spec.project.as_deref(), Some("research"));
    assert_eq!(
        spec.ca_file.as_deref().unwrap().to_str(),
        Some("/etc/ssl/private-ca.pem")
    );
    assert!(spec.all_users);
    assert_eq!(spec.shares_per_device, Some(10));
    assert_eq!(cluster(&contexts, "web").shares_per_device, None);
    assert_eq!(
        cluster(&contexts, "web").credentials,
        Credentials::Login {
            username: Source::Command(["pass", "show", "user"].map(str::to_owned).into()),
            password: Source::File("/run/secrets/web".into()),
        }
    );
    assert_eq!(
        named(&contexts, "local").engine,
        EngineSpec::Docker {
            endpoint: Some("unix:///var/run/docker.sock".into())
        }
    );
}

#[test]
fn plain_http_leads_to_another_machine_only_where_the_context_says_insecure() {
    let at = |endpoint: &str, more: &str| {
        let text = PROD.replace("https://one.example.com", endpoint);
        load("", &format!("{text}{more}"), &[])
    };
    for near in [
        "http://127.0.0.1:8091",
        "http://[::1]:8091",
        "http://localhost",
    ] {
        let contexts = at(near, "");
        assert_eq!(problems_of(&contexts), [""; 0], "{near}");
        assert!(!cluster(&contexts, "prod").insecure);
    }
    for far in [
        "http://one.example.com",
        "http://10.0.0.5:8091",
        "http://127.0.0.1.example.com",
    ] {
        for more in ["", "insecure = false\n"] {
            let refused = at(far, more);
            assert_eq!(names(&refused), ["local"], "{far}");
            assert!(
                problems_of(&refused)[0].contains("isn't encrypted"),
                "{:?}",
                problems_of(&refused)
            );
        }
        let accepted = at(far, "insecure = true\n");
        assert_eq!(problems_of(&accepted), [""; 0], "{far}");
        assert!(cluster(&accepted, "prod").insecure);
    }
    // A password is never sent over it.
    let refused = load(
        "",
        "[contexts.prod]\nkind = \"backendai\"\nendpoint = \"http://one.example.com\"\nmode = \"session\"\n\
         username = \"me@example.com\"\npassword = { env = \"PASSWORD\" }\ninsecure = true\n",
        &[],
    );
    assert_eq!(names(&refused), ["local"]);
    assert!(
        problems_of(&refused)[0].contains("a password is never sent over plain HTTP"),
        "{:?}",
        problems_of(&refused)
    );
    // The variables have no word for it; a context of the same address has.
    let variables = [("BACKEND_ENDPOINT", "http://one.example.com")];
    let refused = load("", "", &variables);
    assert_eq!(names(&refused), ["local"]);
    assert!(
        problems_of(&refused)[0].contains("insecure = true"),
        "{:?}",
        problems_of(&refused)
    );
    let text = PROD.replace("https:", "http:");
    let accepted = load("", &format!("{text}insecure = true\n"), &variables);
    assert_eq!(problems_of(&accepted), [""; 0]);
}

#[test]
fn the_user_completes_what_the_site_began() {
    let site = "default = \"prod\"\n[contexts.prod]\nkind = \"backendai\"\n\
                endpoint = \"https://one.example.com\"\nproject = \"site\"\n";
    let user = "[contexts.prod]\naccess-key = \"AKIA\"\nsecret-key = { file = \"~/key\" }\nproject = \"mine\"\n";
    let contexts = load(site, user, &[("HOME", "/home/ada")]);
    assert_eq!(problems_of(&contexts), [""; 0]);
    assert_eq!(names(&contexts), ["prod", "local"]);
    let spec = cluster(&contexts, "prod");
    assert_eq!(spec.project.as_deref(), Some("mine"));
    let Credentials::Keys { secret, .. } = &spec.credentials else {
        panic!("{spec:?}");
    };
    assert_eq!(*secret, Source::File("/home/ada/key".into()));
    // What only the site wrote is blamed on the site's file.
    let broken = load(
        &site.replace("https", "gopher"),
        user,
        &[("HOME", "/home/ada")],
    );
    assert_eq!(names(&broken), ["local"]);
    assert!(
        problems_of(&broken)[0].contains("site.toml:4:12: "),
        "{:?}",
        problems_of(&broken)
    );
}

#[test]
fn a_file_that_is_no_toml_leaves_the_other_one() {
    let contexts = load(PROD, "[contexts.x\n", &[]);
    assert_eq!(names(&contexts), ["local", "prod"]);
    assert_eq!(contexts.problems.len(), 1);
}

#[test]
fn this_machines_own_engine_can_be_switched_off_but_something_stays() {
    let off = "[contexts.local]\nenabled = false\n";
    assert_eq!(names(&load("", &format!("{off}{PROD}"), &[])), ["prod"]);
    let nothing = load("", off, &[]);
    assert_eq!(names(&nothing), ["local"]);
    assert!(
        problems_of(&nothing)[0]
            .ends_with("all contexts are invalid. workbay uses this machine's own engine")
    );
}

#[test]
fn the_official_variables_make_a_context_of_their_own() {
    let variables = [
        (
            "BACKEND_ENDPOINT",
            "https://one.example.com/,https://two.example.com",
        ),
        ("BACKEND_ACCESS_KEY", "AKIA"),
        ("BACKEND_SECRET_KEY", "s3cret"),
        ("BACKEND_DOMAIN", "default"),
        ("BACKEND_GROUP", "research"),
    ];
    let contexts = load("", "", &variables);
    assert_eq!(problems_of(&contexts), [""; 0]);
    assert_eq!(names(&contexts), ["local", "backendai"]);
    let spec = cluster(&contexts, "backendai");
    assert_eq!(spec.endpoint, "https://one.example.com");
    assert_eq!(spec.project.as_deref(), Some("research"));
    assert_eq!(
        spec.credentials,
        Credentials::Keys {
            access: Source::Env("BACKEND_ACCESS_KEY".into()),
            secret: Source::Env("BACKEND_SECRET_KEY".into()),
        }
    );
    assert_eq!(
        named(&contexts, "backendai").origin.to_string(),
        "environment, BACKEND_ENDPOINT"
    );
    assert!(!format!("{contexts:?}").contains("s3cret"));
    // A context of the same address makes them superfluous.
    assert_eq!(names(&load("", PROD, &variables)), ["local", "prod"]);
    // It can be chosen like any other.
    let chosen = load("", "default = \"backendai\"\n", &variables);
    assert_eq!(
        (problems_of(&chosen), names(&chosen)),
        (vec![], vec!["backendai", "local"])
    );
}

#[test]
fn official_variables_of_a_login_and_of_mistakes() {
    let with = |more: &[(&str, &str)]| {
        let mut variables = vec![("BACKEND_ENDPOINT", "https://one.example.com")];
        variables.extend(more);
        load("", "", &variables)
    };
    let login = with(&[
        ("BACKEND_ENDPOINT_TYPE", "session"),
        ("BACKEND_PROJECT", "p"),
    ]);
    let spec = cluster(&login, "backendai");
    assert_eq!(
        spec.credentials,
        Credentials::Login {
            username: Source::Env("BACKEND_USER".into()),
            password: Source::Env("BACKEND_PASSWORD".into()),
        }
    );
    assert_eq!(spec.project.as_deref(), Some("p"));
    let docker = with(&[("BACKEND_ENDPOINT_TYPE", "docker")]);
    assert_eq!(names(&docker), ["local"]);
    assert_eq!(
        problems_of(&docker),
        ["$BACKEND_ENDPOINT_TYPE: unknown endpoint type 'docker' (use api or session)"]
    );
    let skipping = with(&[("BACKEND_SKIP_SSL_CERT_VERIFICATION", "yes")]);
    assert_eq!(names(&skipping), ["local", "backendai"]);
    assert_eq!(
        problems_of(&skipping),
        [
            "$BACKEND_SKIP_SSL_CERT_VERIFICATION: workbay always verifies certificates, \
             so this setting has no effect (set ca-file in contexts.toml to the certificate \
             authority of the manager)"
        ]
    );
    let verifying = with(&[("BACKEND_SKIP_SSL_CERT_VERIFICATION", "no")]);
    assert_eq!(problems_of(&verifying), [""; 0]);
    let nonsense = load("", "", &[("BACKEND_ENDPOINT", "nonsense")]);
    assert_eq!(
        problems_of(&nonsense),
        [
            "$BACKEND_ENDPOINT: invalid manager address 'nonsense': write https://host or \
             https://host:port"
        ]
    );
}

#[test]
fn an_unknown_name_is_reported_with_the_nearest() {
    let contexts = load("", PROD, &[]);
    assert_eq!(
        contexts.named("prdo").unwrap_err(),
        "context 'prdo' not found (did you mean 'prod'?)"
    );
    assert_eq!(
        contexts.named("elsewhere").unwrap_err(),
        "context 'elsewhere' not found (configured: local, prod)"
    );
}
