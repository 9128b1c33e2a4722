//! Recognizes the names of secret variables by their parts: `GITHUB_PAT` has the part PAT, but PATH doesn't.

/// A name is secret if one of its parts is one of these.
const PARTS: [&str; 31] = [
    "ACCESS",
    "AUTH",
    "AUTHORIZATION",
    "CERTIFICATE",
    "CERTIFICATES",
    "COOKIE",
    "COOKIES",
    "CRED",
    "CREDS",
    "DSN",
    "ENCRYPT",
    "ENCRYPTION",
    "JWT",
    "KEY",
    "KEYS",
    "PASS",
    "PAT",
    "PATS",
    "PIN",
    "PRIVATE",
    "PSK",
    "PW",
    "PWD",
    "SALT",
    "SIGNATURE",
    "SSH",
    "TOKEN",
    "TOKENS",
    "JWTS",
    "DSNS",
    "PINS",
];

/// A name is secret if one of its parts ends with one of these: DBPASS, GITHUBTOKEN.
const ENDS: [&str; 17] = [
    "PASS",
    "PWD",
    "TOKEN",
    "TOKENS",
    "AUTH",
    "DSN",
    "JWT",
    "COOKIE",
    "ACCESSKEY",
    "ACCOUNTKEY",
    "APPKEY",
    "AUTHKEY",
    "LICENSEKEY",
    "MASTERKEY",
    "PRIVATEKEY",
    "SESSIONKEY",
    "SIGNINGKEY",
];

/// A name is secret if one of its parts contains one of these.
const WITHIN: [&str; 8] = [
    "PASSWORD",
    "PASSWD",
    "PASSPHRASE",
    "SECRET",
    "CREDENTIAL",
    "APIKEY",
    "KEYPAIR",
    "CONNSTR",
];

/// Words that only begin or end like the names of secrets.
const NOT_THESE: [&str; 7] = [
    "BYPASS",
    "COMPASS",
    "TRESPASS",
    "OVERPASS",
    "UNDERPASS",
    "SECRETARY",
    "SECRETARIAT",
];

/// Directories, although their names are like those of passwords.
const DIRECTORIES: [&str; 2] = ["PWD", "OLDPWD"];

/// Whether a variable of this name is secret, regardless of its value.
pub fn is_secret(name: &str) -> bool {
    if DIRECTORIES.contains(&name) {
        return false;
    }
    let parts = parts(name);
    parts.iter().any(|part| is_of_secret(part)) || is_connection_string(&parts)
}

/// Like `is_secret`, for a name within a value (`Password=…;Host=…`), where short words are ambiguous.
pub(super) fn is_strong(name: &str) -> bool {
    let parts = parts(name);
    let last = parts.last().map(String::as_str);
    parts.iter().any(|part| contains_any(part, &WITHIN))
        || last.is_some_and(|last| {
            let word = ["PASS", "PWD", "PW", "TOKEN", "SIG"].contains(&last)
                || (ends(last) && !last.ends_with("TOKENS"));
            let key = last == "KEY" && parts.len() > 1;
            (word || key) && !NOT_THESE.contains(&last)
        })
}

fn is_of_secret(part: &str) -> bool {
    if NOT_THESE.contains(&part) {
        return false;
    }
    PARTS.contains(&part) || ends(part) || contains_any(part, &WITHIN)
}

fn ends(part: &str) -> bool {
    ENDS.iter().any(|end| part.ends_with(end))
}

fn contains_any(part: &str, words: &[&str]) -> bool {
    words.iter().any(|word| part.contains(word))
}

/// `CONNECTION_STRING`, `MONGO_CONN_STR`.
fn is_connection_string(parts: &[String]) -> bool {
    let connection = |part: &String| ["CONN", "CONNECTION"].contains(&part.as_str());
    let string = |part: &String| ["STR", "STRING", "STRINGS"].contains(&part.as_str());
    let joined = parts.iter().any(|part| part.contains("CONNECTIONSTRING"));
    let at = parts.iter().position(connection);
    joined || at.is_some_and(|at| parts[at..].iter().any(string))
}

/// The words of a name in uppercase, without trailing digits: `dbPassword2` is DB, PASSWORD.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || (was_lower && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if let (Some(part), true) = (parts.last_mut(), c.is_ascii_alphanumeric()) {
            part.push(c.to_ascii_uppercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    let digits = |c: char| c.is_ascii_digit();
    let trimmed = parts.iter().map(|part| part.trim_end_matches(digits));
    let whole = trimmed.filter(|part| !part.is_empty());
    whole.map(str::to_owned).collect()
}
