//! Resolves the `USER` of an image to numbers with its /etc/passwd and /etc/group.

/// The largest number that engines accept for a user or a group.
const LARGEST: u32 = i32::MAX as u32;

/// The uid and gid of `user`, which is a name or a number, optionally with a group after a colon. The error
/// is the name that the files don't contain.
pub fn resolve(user: &str, passwd: &str, groups: &str) -> Result<(u32, u32), String> {
    let (user, group) = match user.split_once(':') {
        Some((user, group)) => (user, Some(group)),
        None => (user, None),
    };
    let user = if user.is_empty() { "root" } else { user };
    let entry = line_of(passwd, user);
    let uid = match (field(entry, 2), user) {
        (Some(uid), _) => uid,
        (None, "root") => 0,
        (None, _) => number(user).ok_or_else(|| user.to_owned())?,
    };
    let gid = match group {
        None | Some("") => field(entry, 3).unwrap_or(0),
        Some(group) => match field(line_of(groups, group), 2) {
            Some(gid) => gid,
            None => number(group).ok_or_else(|| group.to_owned())?,
        },
    };
    Ok((uid, gid))
}

/// The line with that name or number.
fn line_of<'a>(file: &'a str, wanted: &str) -> Option<&'a str> {
    let has = |line: &&str, index| line.split(':').nth(index) == Some(wanted);
    let by_name = file.lines().find(|line| has(line, 0));
    by_name.or_else(|| file.lines().find(|line| has(line, 2)))
}

fn field(line: Option<&str>, index: usize) -> Option<u32> {
    number(line?.split(':').nth(index)?)
}

fn number(text: &str) -> Option<u32> {
    text.parse().ok().filter(|number| *number <= LARGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSWD: &str = "root:x:0:0::/root:/bin/sh\nrstudio:x:1000:1001::/home/rstudio:/bin/sh\n";
    const GROUPS: &str = "root:x:0:\nstaff:x:50:rstudio\n";

    #[test]
    fn a_user_is_found_as_an_engine_finds_it() {
        for (written, owner) in [
            ("", (0, 0)),
            ("root", (0, 0)),
            ("rstudio", (1000, 1001)),
            ("1000", (1000, 1001)),
            ("1234", (1234, 0)),
            ("rstudio:staff", (1000, 50)),
            ("1234:77", (1234, 77)),
            (":50", (0, 50)),
        ] {
            assert_eq!(resolve(written, PASSWD, GROUPS), Ok(owner), "{written}");
        }
        assert_eq!(resolve("", "", ""), Ok((0, 0)));
        let unknown = |user| resolve(user, PASSWD, GROUPS).unwrap_err();
        assert_eq!(unknown("nobody-here"), "nobody-here");
        assert_eq!(unknown("0:wheel"), "wheel");
    }

    #[test]
    fn a_number_that_means_no_change_is_never_an_owner() {
        let passwd = "app:x:4294967295:4294967295::/:/bin/sh\n";
        assert_eq!(resolve("4294967295", "", ""), Err("4294967295".to_owned()));
        assert_eq!(resolve("app", passwd, ""), Err("app".to_owned()));
        assert_eq!(
            resolve("0:4294967295", "", ""),
            Err("4294967295".to_owned())
        );
    }
}
