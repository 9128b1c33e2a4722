//! Builds a context from the variables of Backend.AI's own client, so that its users need no file.

use super::{
    super::{Problem, origin::Origin},
    BackendaiSpec, ContextEntry, Credentials, EngineSpec, REFRESH, Source, address,
    fields::VariableLookup,
};
use crate::model::{
    context::{Context, EngineKind},
    id::ContextName,
    text::Clean,
};

/// The context's name.
pub(super) const NAME: &str = "backendai";

/// Adds the context of the variables unless another context has the same address.
pub(super) fn add(
    entries: &mut Vec<ContextEntry>,
    problems: &mut Vec<Problem>,
    variable: VariableLookup<'_>,
) {
    let Some(text) = variable("BACKEND_ENDPOINT") else {
        return;
    };
    // The variable may contain a list. Only the first address is used.
    let first = text.split(',').next().unwrap_or_default();
    match address::check(first) {
        Ok(endpoint) if entries.iter().any(|entry| leads_to(entry, &endpoint)) => {}
        Ok(endpoint) => {
            match check_encryption(&endpoint).and_then(|()| entry(endpoint, entries, variable)) {
                Ok(entry) => {
                    problems.extend(unverified(&entry, variable));
                    entries.push(entry);
                }
                Err(problem) => problems.push(problem),
            }
        }
        Err(why) => problems.push(problem("BACKEND_ENDPOINT", why, None)),
    }
}

/// No variable allows plain HTTP to another machine. Only a context in `contexts.toml` can.
fn check_encryption(endpoint: &str) -> Result<(), Problem> {
    let help = tr!("write https://…, or add a context with insecure = true to contexts.toml");
    match address::why_unencrypted(endpoint) {
        Some(why) => Err(problem("BACKEND_ENDPOINT", why, Some(help))),
        None => Ok(()),
    }
}

fn leads_to(entry: &ContextEntry, endpoint: &str) -> bool {
    match &entry.engine {
        EngineSpec::Backendai(spec) => spec.endpoint == endpoint,
        EngineSpec::Docker { .. } => false,
    }
}

fn entry(
    endpoint: String,
    there: &[ContextEntry],
    variable: VariableLookup<'_>,
) -> Result<ContextEntry, Problem> {
    let taken = there
        .iter()
        .any(|entry| entry.context.name.as_str() == NAME);
    let name = ContextName::new(NAME).ok().filter(|_| !taken);
    let Some(name) = name else {
        let why = tr!(
            "the context name '{name}' is used for another endpoint",
            name = NAME
        );
        let help = tr!("rename that context, or add a context for this endpoint");
        return Err(problem("BACKEND_ENDPOINT", why, Some(help)));
    };
    let shown = Clean::new(&endpoint);
    let spec = BackendaiSpec {
        endpoint,
        credentials: credentials(variable)?,
        domain: variable("BACKEND_DOMAIN"),
        project: variable("BACKEND_GROUP").or_else(|| variable("BACKEND_PROJECT")),
        ca_file: None,
        all_users: false,
        shares_per_device: None,
        insecure: false,
    };
    Ok(ContextEntry {
        context: Context {
            name,
            kind: EngineKind::Backendai,
            endpoint: Some(shown),
            accent: None,
            read_only: false,
        },
        engine: EngineSpec::Backendai(Box::new(spec)),
        refresh: REFRESH,
        origin: Origin::Environment {
            variable: "BACKEND_ENDPOINT",
        },
    })
}

/// Secrets are resolved late, so the context reports a missing variable itself.
fn credentials(variable: VariableLookup<'_>) -> Result<Credentials, Problem> {
    const TYPE: &str = "BACKEND_ENDPOINT_TYPE";
    let from = |name: &str| Source::Env(name.to_owned());
    match variable(TYPE).as_deref() {
        None | Some("api") => Ok(Credentials::Keys {
            access: from("BACKEND_ACCESS_KEY"),
            secret: from("BACKEND_SECRET_KEY"),
        }),
        Some("session") => Ok(Credentials::Login {
            username: from("BACKEND_USER"),
            password: from("BACKEND_PASSWORD"),
        }),
        Some(other) => {
            let why = tr!("unknown endpoint type '{other}'", other);
            Err(problem(TYPE, why, Some(tr!("use api or session"))))
        }
    }
}

/// Certificates are always verified. Explains the alternative if the variable switches verification off.
fn unverified(entry: &ContextEntry, variable: VariableLookup<'_>) -> Option<Problem> {
    const SKIP: &str = "BACKEND_SKIP_SSL_CERT_VERIFICATION";
    let asked = variable(SKIP)?.to_lowercase();
    let on = matches!(asked.as_str(), "1" | "y" | "yes" | "true" | "t" | "on");
    let secure = entry
        .context
        .endpoint
        .as_ref()
        .is_some_and(|endpoint| endpoint.as_str().starts_with("https:"));
    (on && secure).then(|| {
        let why =
            tr!("workbay always verifies certificates, so this setting has no effect").to_owned();
        let help = tr!("set ca-file in contexts.toml to the certificate authority of the manager");
        problem(SKIP, why, Some(help))
    })
}

fn problem(variable: &str, message: String, help: Option<&str>) -> Problem {
    Problem {
        file: format!("${variable}").into(),
        line: 0,
        column: 0,
        message: Clean::new(&message).into_string(),
        help: help.map(str::to_owned),
    }
}
