//! Names that say that a value is secret, compared by their parts: `GITHUB_PAT` has the part PAT,
//! PATH has not.

/// A part of a name that is one of these.
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

/// A part that ends so: DBPASS, GITHUBTOKEN.
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

/// A part that holds this.
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

/// Other words that end or begin as secrets do.
const NOT_THESE: [&str; 7] = [
    "BYPASS",
    "COMPASS",
    "TRESPASS",
    "OVERPASS",
    "UNDERPASS",
    "SECRETARY",
    "SECRETARIAT",
];

/// Directories, though their names sound like passwords.
const DIRECTORIES: [&str; 2] = ["PWD", "OLDPWD"];

/// Whether a variable of this name holds a secret, whatever its value is.
pub fn is_secret(name: &str) -> bool {
    if DIRECTORIES.contains(&name) {
        return false;
    }
    let parts = parts(name);
    parts.iter().any(|part| is_of_secret(part)) || is_connection_string(&parts)
}

/// The same of a name within a value (`Password=…;Host=…`), where short words mean many things.
pub(super) fn is_strong(name: &str) -> bool {
    let parts = parts(name);
    let last = parts.last().map(String::as_str);
    parts.iter().any(|part| holds(part, &WITHIN))
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
    PARTS.contains(&part) || ends(part) || holds(part, &WITHIN)
}

fn ends(part: &str) -> bool {
    ENDS.iter().any(|end| part.ends_with(end))
}

fn holds(part: &str, words: &[&str]) -> bool {
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

/// The words of a name in capitals, without the digits at their ends: `dbPassword2` is DB, PASSWORD.
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
