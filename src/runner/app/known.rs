//! Programs that workbay knows how to start, where a session has them.
//!
//! All of them listen on the loopback address only, and most without a login of their own: workbay's gateway asks for
//! its token, and in a network of its own only programs of the session reach its loopback address. In a session that
//! shares the network of the machine, a program starts only if it can be given a token.

/// A program that serves a port.
pub(super) struct KnownProgram {
    /// [`crate::model::app::App::name`].
    pub(super) name: &'static str,
    /// What is searched in PATH.
    pub(super) program: &'static str,
    /// Its arguments, with templates: `{port}`, `{shell}`, `{data}` (a file for its own data) and its argument.
    pub(super) words: &'static [&'static str],
    /// The arguments that switch its own login off.
    pub(super) without_login: &'static [&'static str],
    /// Arguments of newer versions, used if its `--help` names them.
    pub(super) if_known: &'static [&'static str],
    /// The variable that gives it a token, which its page takes as `?token=`.
    pub(super) token_variable: Option<&'static str>,
    pub(super) argument: Option<KnownArgument>,
}

/// What may be given when it is started.
pub(super) struct KnownArgument {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) default: &'static str,
}

const fn plain(
    name: &'static str,
    program: &'static str,
    words: &'static [&'static str],
) -> KnownProgram {
    KnownProgram {
        name,
        program,
        words,
        without_login: &[],
        if_known: &[],
        token_variable: None,
        argument: None,
    }
}

/// `NotebookApp` are the options of the classic notebook, `ServerApp` those of Jupyter Server. Each ignores the other's.
/// Requests with another `Origin` than `Host` are refused by Jupyter itself, so it needs no XSRF cookie. It gets the
/// gateway's `Host`, so it must accept other names than `localhost`.
const JUPYTER: &[&str] = &[
    "--no-browser",
    "--allow-root",
    "--ip=127.0.0.1",
    "--port={port}",
    "--ServerApp.port_retries=0",
    "--NotebookApp.port_retries=0",
    "--ServerApp.allow_remote_access=True",
    "--NotebookApp.allow_remote_access=True",
    "--ServerApp.disable_check_xsrf=True",
    "--NotebookApp.disable_check_xsrf=True",
];

const JUPYTER_WITHOUT_LOGIN: &[&str] = &[
    "--ServerApp.token=",
    "--NotebookApp.token=",
    "--ServerApp.password=",
    "--NotebookApp.password=",
];

const fn jupyter(name: &'static str, program: &'static str) -> KnownProgram {
    KnownProgram {
        without_login: JUPYTER_WITHOUT_LOGIN,
        token_variable: Some("JUPYTER_TOKEN"),
        ..plain(name, program, JUPYTER)
    }
}

pub(super) const PROGRAMS: &[KnownProgram] = &[
    KnownProgram {
        // Versions before 1.7.4 are writable and don't know the option.
        if_known: &["--writable"],
        ..plain(
            "ttyd",
            "ttyd",
            &["--interface", "lo", "--port", "{port}", "{shell}"],
        )
    },
    plain(
        "filebrowser",
        "filebrowser",
        &[
            "--address",
            "127.0.0.1",
            "--port",
            "{port}",
            "--root",
            "/home/work",
            "--noauth",
            "--database",
            "{data}",
        ],
    ),
    jupyter("jupyter", "jupyter-notebook"),
    jupyter("jupyterlab", "jupyter-lab"),
    plain(
        "vscode",
        "openvscode-server",
        &[
            "--host",
            "127.0.0.1",
            "--port",
            "{port}",
            "--without-connection-token",
        ],
    ),
    plain(
        "code-server",
        "code-server",
        &[
            "--bind-addr",
            "127.0.0.1:{port}",
            "--auth",
            "none",
            "--disable-telemetry",
            "--disable-update-check",
            "/home/work",
        ],
    ),
    KnownProgram {
        argument: Some(KnownArgument {
            name: "logdir",
            title: tr_sent!("Log directory"),
            default: "/home/work/logs",
        }),
        ..plain(
            "tensorboard",
            "tensorboard",
            &[
                "--host",
                "127.0.0.1",
                "--port",
                "{port}",
                "--logdir",
                "{logdir}",
            ],
        )
    },
    KnownProgram {
        argument: Some(KnownArgument {
            name: "backend-store",
            title: tr_sent!("Backend store"),
            default: "/home/work/mlruns",
        }),
        ..plain(
            "mlflow-ui",
            "mlflow",
            &[
                "ui",
                "--host",
                "127.0.0.1",
                "--port",
                "{port}",
                "--backend-store-uri",
                "{backend-store}",
            ],
        )
    },
];

pub(super) fn named(name: &str) -> Option<&'static KnownProgram> {
    PROGRAMS.iter().find(|program| program.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{app, app_definition::templates};

    #[test]
    fn every_program_has_a_title_and_only_known_templates() {
        for program in PROGRAMS {
            let (title, category, _) = app::presentation(program.name);
            assert_ne!(title, program.name, "{} has no title", program.name);
            assert_ne!(category, app::AppCategory::Other);
            let argument = program.argument.as_ref().map(|argument| argument.name);
            let known = ["port", "shell", "data"].into_iter().chain(argument);
            let known: Vec<&str> = known.collect();
            let used: Vec<&str> = program
                .words
                .iter()
                .flat_map(|word| templates(word))
                .collect();
            assert!(used.contains(&"port"), "{}", program.name);
            assert!(used.iter().all(|name| known.contains(name)), "{used:?}");
        }
    }
}
