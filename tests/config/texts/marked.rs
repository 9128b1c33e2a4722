//! The texts in the sources, by the macros that translate them.

use std::path::Path;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use workbay::locale;

use crate::wording::{files, without_tests};

/// A text in the sources.
#[derive(Clone, Debug, Default)]
pub struct Marked {
    pub file: String,
    pub context: Option<String>,
    pub text: String,
    pub plural: Option<String>,
    /// The names of its arguments. `None`: the text is filled elsewhere.
    pub arguments: Option<Vec<String>>,
}

impl Marked {
    pub fn key(&self) -> String {
        match &self.context {
            Some(context) => format!("{context}\u{4}{}", self.text),
            None => self.text.clone(),
        }
    }

    /// What is wrong with its placeholders.
    pub fn mistake(&self) -> Option<String> {
        let arguments = self.arguments.as_ref()?;
        let Self { file, text, .. } = self;
        let many = self.plural.as_ref().unwrap_or(text);
        if arguments.is_empty() {
            let is_plain = !text.contains(['{', '}']) && !many.contains(['{', '}']);
            return (!is_plain).then(|| format!("{file}: a brace without an argument: {text:?}"));
        }
        let mut given: Vec<&str> = arguments.iter().map(String::as_str).collect();
        given.sort_unstable();
        let of_one = locale::names(text);
        let is_known = of_one.iter().all(|it| given.contains(it));
        (locale::names(many) != given || !is_known)
            .then(|| format!("{file}: {text:?} has other placeholders than {given:?}"))
    }
}

/// All texts in the sources below `src/`.
pub fn marked(root: &Path) -> Vec<Marked> {
    let mut found = Vec::new();
    for file in files(&root.join("src")) {
        let source = std::fs::read_to_string(&file).unwrap();
        if ![
            "tr!",
            "tr_in!",
            "tr_plural!",
            "tr_pieces!",
            "tr_later!",
            "tr_sent!",
        ]
        .iter()
        .any(|it| source.contains(it))
        {
            continue;
        }
        let shown = file.strip_prefix(root).unwrap().display().to_string();
        let code: TokenStream = without_tests(&source).parse().expect("a source is Rust");
        collect(&shown, code, &mut found);
    }
    found
}

fn collect(file: &str, code: TokenStream, found: &mut Vec<Marked>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        // A rule of `macro_rules!` has no literal at the place of the text.
        if let [.., TokenTree::Ident(name), TokenTree::Punct(mark)] = &tokens[..at]
            && mark.as_char() == '!'
            && group.delimiter() == Delimiter::Parenthesis
        {
            let marked = text(&name.to_string(), group.stream());
            found.extend(marked.map(|it| Marked {
                file: file.to_owned(),
                ..it
            }));
        }
        collect(file, group.stream(), found);
    }
}

/// The text of a macro call.
fn text(name: &str, arguments: TokenStream) -> Option<Marked> {
    let tokens: Vec<TokenTree> = arguments.into_iter().collect();
    let mut parts: Vec<&[TokenTree]> = tokens
        .split(|it| matches!(it, TokenTree::Punct(mark) if mark.as_char() == ','))
        .collect();
    parts.retain(|part| !part.is_empty());
    let literal = |at: usize| parts.get(at).and_then(|part| unescaped(part));
    let (context, text, plural, rest) = match name {
        "tr" | "tr_later" => (None, literal(0)?, None, 1),
        "tr_sent" => (Some("daemon".to_owned()), literal(0)?, None, 1),
        "tr_pieces" => (None, literal(0)?, None, 2),
        "tr_in" => (Some(literal(0)?), literal(1)?, None, 2),
        "tr_plural" => (None, literal(1)?, Some(literal(2)?), 3),
        _ => return None,
    };
    let arguments = parts[rest..].iter().filter_map(|part| match part {
        [TokenTree::Ident(name)] => Some(name.to_string()),
        [TokenTree::Ident(name), TokenTree::Punct(mark), ..] if mark.as_char() == '=' => {
            Some(name.to_string())
        }
        _ => None,
    });
    Some(Marked {
        file: String::new(),
        context,
        text,
        plural,
        arguments: (name != "tr_later").then(|| arguments.collect()),
    })
}

/// The value of a string literal.
pub fn unescaped(tokens: &[TokenTree]) -> Option<String> {
    let [TokenTree::Literal(literal)] = tokens else {
        return None;
    };
    let source = literal.to_string();
    let body = source.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::new();
    let mut chars = body.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next()? {
            '\n' => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            'n' => text.push('\n'),
            't' => text.push('\t'),
            'r' => text.push('\r'),
            'u' => {
                let code: String = chars.by_ref().take_while(|c| *c != '}').collect();
                let code = u32::from_str_radix(code.trim_start_matches('{'), 16).ok()?;
                text.push(char::from_u32(code)?);
            }
            other => text.push(other),
        }
    }
    Some(text)
}

#[test]
fn texts_are_found_in_macros_wherever_they_are() {
    let code = r#"
        const A: &[&str] = &[tr_later!("a {x}")];
        fn f() { vec![tr!("b \"{n}\" \
            c", n = g(1, 2), )]; tr_in!("verb", "open"); format!("{}", tr_plural!(n, "d", "{n} ds", n)) }
        // tr!("comment")
        fn h() { tr_pieces!("e {key}", Face::Hint, key = (a, b)); tr!($text); other!("f") }
    "#;
    let mut found = Vec::new();
    collect("x.rs", code.parse().unwrap(), &mut found);
    let keys: Vec<String> = found.iter().map(Marked::key).collect();
    let expected = ["a {x}", "b \"{n}\" c", "verb\u{4}open", "d", "e {key}"];
    assert_eq!(keys, expected);
    let mistakes: Vec<String> = found.iter().filter_map(Marked::mistake).collect();
    assert_eq!(mistakes, [""; 0]);
    let wrong = Marked {
        text: "{a}".to_owned(),
        arguments: Some(vec!["b".to_owned()]),
        ..Marked::default()
    };
    assert!(wrong.mistake().is_some());
}
