//! Logins with one-time passwords, as the manager's own plugin requires them, and a password that has expired.

use crate::{
    built::{machine, open},
    machine::Machine,
    script,
    support::web_server,
    terminal::PATIENCE,
    valkey,
};

/// `user2` and `monitor` as every new Backend.AI has them.
const PASSWORDS: [(&str, &str); 2] = [("WBT_OTP", "P7oxTDdz"), ("WBT_OLD", "7tuEwF1J")];

/// The manager requires a second factor as long as this lives.
struct StrictLogins;

impl StrictLogins {
    /// `None` if this release has no plugin for it.
    fn start() -> Option<Self> {
        match script::exit_code("strict-logins", &["start"]) {
            0 => Some(Self),
            3 => None,
            code => panic!("strict-logins start ended with {code}"),
        }
    }

    fn code() -> String {
        script::output("strict-logins", &["code"]).trim().to_owned()
    }
}

impl Drop for StrictLogins {
    fn drop(&mut self) {
        script::run("strict-logins", &["stop"]);
    }
}

fn two_accounts() -> Machine {
    let endpoint = web_server();
    let account = |name: &str, user: &str, variable: &str| {
        format!(
            r#"
[contexts.{name}]
kind = "backendai"
endpoint = "{endpoint}"
mode = "session"
username = "{user}@lablup.com"
password = {{ env = "{variable}" }}
"#
        )
    };
    let contexts = [
        account("careful", "user2", PASSWORDS[0].0),
        account("old", "monitor", PASSWORDS[1].0),
    ];
    let mut machine = machine(&contexts.concat());
    for (name, password) in PASSWORDS {
        machine.set(name, password);
    }
    machine
}

/// What a command that fails prints.
fn refused(machine: &Machine, args: &[&str], code: i32) -> String {
    let output = machine.workbay(args);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    error
}

#[tokio::test]
async fn a_login_with_two_factors_and_one_whose_password_expired() {
    let Some(_strict) = StrictLogins::start() else {
        return;
    };
    let machine = two_accounts();
    let before = valkey::logins();

    let error = refused(&machine, &["--context", "careful", "ls"], 4);
    assert!(
        error.contains("Two-Factor Authentication needed"),
        "{error}"
    );
    assert!(error.contains("workbay context login careful"), "{error}");
    let error = refused(&machine, &["--context", "old", "ls"], 4);
    assert!(error.contains("Password expired"), "{error}");
    assert!(error.contains("set a new password in the WebUI"), "{error}");

    // A code of another time.
    let wrong = machine.workbay_with_input(&["context", "login", "careful"], "000000\n");
    let error = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert_eq!(wrong.status.code(), Some(4), "{error}");
    assert!(error.contains("Invalid TOTP code"), "{error}");

    let code = StrictLogins::code();
    let right = machine.workbay_with_input(&["context", "login", "careful"], &code);
    assert!(right.status.success(), "{right:?}");
    machine.ok(&["--context", "careful", "ls"]);

    // The web server forgets the login during the work: the TUI asks for another code.
    let mut terminal = open(&machine);
    terminal.be_patient(PATIENCE);
    terminal.type_("c");
    terminal.wait_for("careful");
    terminal.type_("careful\r");
    terminal.wait_for("connected");
    let made = valkey::logins();
    valkey::forget(
        &made
            .into_iter()
            .filter(|it| !before.contains(it))
            .collect::<Vec<_>>(),
    );
    terminal.type_("R");
    terminal.wait_for("Two-Factor Authentication needed");
    terminal.type_("\x0f");
    terminal.wait_for("One-time password for careful");
    terminal.type_(&format!("{}\r", StrictLogins::code()));
    terminal.wait_for("ogged in to careful");
}
