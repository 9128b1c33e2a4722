//! Refuses commands that change something while `ui.read-only` is on.

use super::{
    fail::{Fail, code},
    handlers::Start,
};
use crate::config::origin::Origin;

/// Fails with the reason if nothing may be changed.
pub fn check(start: &Start) -> Result<(), Fail> {
    if !start.loaded.settings.ui.read_only {
        return Ok(());
    }
    Err(refusal(start.loaded.origin("ui.read-only")))
}

fn refusal(origin: &Origin) -> Fail {
    let (why, fix) = match origin {
        Origin::Flag { option } => (
            tr!("`{option}` is set", option),
            tr!("remove the option").to_owned(),
        ),
        Origin::Environment { variable } => (
            tr!("{variable} is set", variable),
            format!("unset {variable}"),
        ),
        Origin::Site { file, line, .. } | Origin::User { file, line, .. } => (
            tr!("the setting ui.read-only is on").to_owned(),
            tr!(
                "set it to false in {file}, line {line}",
                file = file.display(),
                line
            ),
        ),
        Origin::Default => (
            tr!("the setting ui.read-only is on").to_owned(),
            tr!("set it to false in your config.toml").to_owned(),
        ),
    };
    Fail::new(code::FAILED, tr!("read-only: {why}", why)).hint(fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_what_set_it_and_the_fix() {
        let user = Origin::User {
            file: "/home/ada/config.toml".into(),
            line: 3,
            column: 1,
        };
        for (origin, says, fix) in [
            (
                Origin::Flag {
                    option: "--read-only",
                },
                "read-only: `--read-only` is set",
                "remove the option",
            ),
            (
                Origin::Environment {
                    variable: "WORKBAY_READ_ONLY",
                },
                "read-only: WORKBAY_READ_ONLY is set",
                "unset WORKBAY_READ_ONLY",
            ),
            (
                user,
                "read-only: the setting ui.read-only is on",
                "set it to false in /home/ada/config.toml, line 3",
            ),
        ] {
            let fail = refusal(&origin);
            assert_eq!(fail.code, code::FAILED);
            let failure = fail.failure.unwrap();
            assert_eq!(failure.message().as_str(), says);
            assert_eq!(failure.hint.unwrap().as_str(), fix);
        }
    }
}
