use super::*;

fn rules(add: &[&str], remove: &[&str]) -> SecretRules {
    let read = |list: &[&str]| list.iter().map(|it| it.parse().unwrap()).collect();
    SecretRules {
        add: read(add),
        remove: read(remove),
    }
}

#[test]
fn names_are_compared_by_their_parts() {
    for secret in [
        "API_TOKEN",
        "db_password",
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_X",
        "DB_PASS",
        "DB_PASS2",
        "DBPASS",
        "MYSQL_PWD",
        "PGPASSWORD",
        "SESSION_COOKIE",
        "OPENAI_APIKEY",
        "OPENAI_API_KEY",
        "apiKey",
        "sessionKey",
        "GITHUB_PAT",
        "PAT",
        "GITHUBTOKEN",
        "HF_TOKEN",
        "SENTRY_DSN",
        "MONGO_CONN_STR",
        "AZURE_STORAGE_CONNECTION_STRING",
        "ConnectionStrings__Main",
        "BASIC_AUTH",
        "OAUTH",
        "CLIENT_SECRET",
        "GOOGLE_CREDENTIALS",
        "TLS_PRIVATE",
        "MASTER_KEY",
        "KEYPAIR",
        "SSL_CERTIFICATE",
        "SIGNATURE",
        "PIN",
        "ENCRYPTION_X",
        "GPG_PASSPHRASE",
        "A_JWT",
    ] {
        assert!(names::is_secret(secret), "{secret}");
    }
    for open in [
        "PATH",
        "LD_LIBRARY_PATH",
        "PATTERN",
        "PATCH_LEVEL",
        "MONKEY",
        "MONKEYPATCH",
        "KEYBOARD",
        "MY_KEYBOARD",
        "HOTKEYS",
        "AUTHOR",
        "GIT_AUTHOR_NAME",
        "XAUTHORITY",
        "TOKENIZERS_PARALLELISM",
        "TOKENIZER",
        "BYPASS",
        "COMPASS_HOST",
        "PASSENGER",
        "PASSIVE_MODE",
        "PINNED",
        "SHIPPING",
        "SPINNER",
        "STAGE",
        "OMP_NUM_THREADS",
        "PWD",
        "OLDPWD",
        "HOME",
        "LANG",
        "CONNECT_TIMEOUT",
        "STRING",
        "DATABASE_URL",
        "SECRETARY",
    ] {
        assert!(!names::is_secret(open), "{open}");
    }
}

#[test]
fn values_are_secrets_whatever_their_names_are() {
    for secret in [
        "postgres://u:pw@db.example/x",
        "host=1 url=redis://:hush@cache:6379/0 more",
        "amqp://kim:p/w#1@mq/x",
        "Server=db;User Id=kim;Password=hush;Encrypt=yes",
        "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=abc123==",
        "https://h/x?page=1&token=abc",
        "{\"api_key\": \"abc\"}",
        "Authorization: Bearer abcdefghijkl",
        "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
        "see gho_16C7e42F292c6912E7710c838347Ae178B4a.",
        "github_pat_11ABCDEFG0abcdefghij_klmnopqrstuvwxyz",
        "glpat-ABCdef123456_7890xyz",
        "sk-proj-abc123def456ghi789",
        "xoxb-123456789012-abcdef",
        "xoxp-1234567890",
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----",
        "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXX",
    ] {
        assert!(values::contains_secret(secret), "{secret}");
        assert!(mask(secret).contains("•••"), "{secret}");
    }
    for open in [
        "",
        "fast",
        "/usr/bin:/bin",
        "postgres://kim@db/x",
        "http://host:8080/path",
        "http://host:8080/@user",
        "https://github.com/a/b.git",
        "ssh://git@host:22/x",
        "git@github.com:a/b",
        "task-scheduler-2024-release-candidate",
        "sk-learn-is-a-library",
        "hf_transfer_enabled_everywhere_here",
        "AKIA",
        "ASIA/Seoul",
        "eyJ.a.b",
        "a=b;c=d",
        "PWD=/home/kim",
        "--max-tokens=512",
        "TOKEN=$TOKEN",
        "12:30:45",
        "한글: 값=1",
    ] {
        assert!(!values::contains_secret(open), "{open}");
        assert_eq!(mask(open), open);
    }
}

#[test]
fn masking_takes_the_secret_alone() {
    for (text, masked) in [
        ("curl http://kim:pw@h/x -o y", "curl http://•••@h/x -o y"),
        ("A=1 API_TOKEN=hush make", "A=1 API_TOKEN=••• make"),
        (
            "X='ghp_16C7e42F292c6912E7710c838347Ae178B4a' make",
            "X='•••' make",
        ),
        ("Password=\"a b\";Host=x", "Password=\"•••\";Host=x"),
        ("한글 password=한글 x", "한글 password=••• x"),
    ] {
        assert_eq!(mask(text), masked);
    }
}

#[test]
fn the_settings_add_and_remove_names() {
    let rules = rules(
        &["LICENSE_*", "*_both"],
        &["MAX_TOKENS", "PUBLIC_*", "*_BOTH"],
    );
    for (name, value, secret) in [
        ("LICENSE_CODE", "x", true),
        ("license_code", "x", true),
        ("MY_LICENSE_CODE", "x", false),
        ("MAX_TOKENS", "512", false),
        ("PUBLIC_URL", "http://a:b@c", false),
        ("OTHER_URL", "http://a:b@c", true),
        ("API_TOKEN", "x", true),
        ("IN_BOTH", "x", true),
    ] {
        assert_eq!(rules.is_secret(name, value), secret, "{name}");
    }
    for bad in ["", "*", "**", "A B", "a=b", "é", &"A".repeat(200)] {
        assert!(bad.parse::<NamePattern>().is_err(), "{bad}");
    }
}

#[test]
fn a_mark_stays_and_a_blanked_value_is_gone() {
    let env = [
        ("A", "1"),
        ("DATABASE_URL", "postgres://u:pw@h"),
        ("MINE", "x"),
    ];
    let mut request = LaunchRequest {
        env: env.map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
        secret_names: ["MINE", "GONE"].map(str::to_owned).into(),
        ..LaunchRequest::default()
    };
    SecretRules::default().mark(&mut request);
    let marked: Vec<&str> = request.secret_names.iter().map(String::as_str).collect();
    assert_eq!(marked, ["DATABASE_URL", "MINE"]);
    request.env = blanked(&request);
    assert_eq!(
        (request.env["A"].as_str(), request.env["MINE"].as_str()),
        ("1", "")
    );
    // The variable stays secret with other settings and without its value.
    rules(&[], &["DATABASE_URL"]).mark(&mut request);
    assert!(request.is_secret("DATABASE_URL"));
}

proptest::proptest! {
    #[test]
    fn any_text_is_masked_without_a_fault(text in ".{0,200}", name in "[A-Za-z_*]{0,40}") {
        let masked = mask(&text);
        proptest::prop_assert_eq!(values::contains_secret(&text), masked != text);
        let _ = names::is_secret(&name);
        if let Ok(pattern) = name.parse::<NamePattern>() {
            let whole = name.replace('*', "X");
            proptest::prop_assert!(pattern.matches(&whole));
        }
    }

    #[test]
    fn texts_of_parts_of_secrets_are_masked_without_a_fault(
        parts in proptest::collection::vec(proptest::sample::select(vec![
            "://", ":", "@", "/", "=", "\"", "'", "-----BEGIN ", "-----END ", "-----", "eyJ", ".",
            "abcd", "1234567890123456", "ghp_", "sk-", "password", "Bearer ", "한", " ", ";", "\n",
        ]), 0..24),
    ) {
        let text = parts.concat();
        let masked = mask(&text);
        proptest::prop_assert!(masked.matches("•••").count() <= parts.len());
    }
}
