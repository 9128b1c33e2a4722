use super::*;

const FILE: &str = r#"msgid ""
msgstr "Plural-Forms: nplurals=1; plural=0;\n"
msgid "{count} of {all}"
msgstr "{all} 중 {count}"
msgid "quit"
msgstr "종료"
msgctxt "verb"
msgid "open"
msgstr "열기"
msgid "{n} session"
msgid_plural "{n} sessions"
msgstr[0] "세션 {n}개"
msgid "Press {key}."
msgstr "{key}를 누르세요."
"#;

fn small() -> &'static Catalog {
    let mut catalog = Catalog::new("ko");
    assert_eq!(catalog.add(FILE), []);
    Box::leak(Box::new(catalog))
}

fn texts() -> [String; 5] {
    let all = 3;
    let pieces = tr_pieces!("Press {key}.", 'w', key = ("n".to_owned(), 'k'));
    let pieces: Vec<String> = pieces
        .iter()
        .map(|(text, it)| format!("{it}{text}"))
        .collect();
    [
        tr!("{count} of {all}", count = 1 + 1, all),
        tr!("quit").to_owned(),
        tr_in!("verb", "open").to_owned(),
        tr_plural!(1, "{n} session", "{n} sessions", n = 1),
        pieces.join(" "),
    ]
}

#[test]
fn the_language_of_a_thread_ends_with_its_guard() {
    let english = ["2 of 3", "quit", "open", "1 session", "wPress  kn w."];
    assert_eq!(texts(), english);
    let guard = in_this_thread(small());
    let korean = ["3 중 2", "종료", "열기", "세션 1개", "kn w를 누르세요."];
    assert_eq!(texts(), korean);
    assert_eq!(tr!("not in the catalog"), "not in the catalog");
    let elsewhere = std::thread::spawn(texts).join().unwrap();
    assert_eq!(elsewhere, english);
    drop(guard);
    assert_eq!(texts(), english);
}

#[test]
fn a_wrong_translation_is_reported_and_left_out() {
    let mut catalog = Catalog::new("ko");
    let mistakes = catalog.add(
        "msgid \"a {x}\"\nmsgstr \"b\"\n\nmsgid \"c\"\nmsgstr \"d {y}\"\n\nmsgid \"e\"\nmsgstr \"f\"\n\n\
         msgid \"{n} g\"\nmsgid_plural \"{n} gs\"\nmsgstr[0] \"h\"\n\n#, fuzzy\nmsgid \"i\"\nmsgstr \"j\"\n",
    );
    let lines: Vec<(usize, &str)> = mistakes
        .iter()
        .map(|it| (it.line, it.help.as_deref().unwrap()))
        .collect();
    let expected = [
        (1, "use {x}"),
        (4, "this text has none"),
        (10, "the language has 2: msgstr[0] to msgstr[1]"),
    ];
    assert_eq!(lines, expected);
    assert_eq!(catalog.get("e"), Some("f"));
    assert_eq!(catalog.get("a {x}"), None);
    assert_eq!(catalog.get("i"), None);
}
