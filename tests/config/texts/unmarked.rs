//! Texts that no macro marks, so that nobody sees them in another language.

use std::{collections::BTreeSet, path::Path};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use workbay::locale;

use super::{internal::INTERNAL, marked::unescaped};
use crate::wording::{files, without_tests};

/// Where every text must be marked.
const PLACES: [&str; 13] = [
    "src/archive",
    "src/daemon",
    "src/engine",
    "src/files",
    "src/gateway",
    "src/observer",
    "src/runner/app",
    "src/scheduler",
    "src/ssh_server",
    "src/state_machine",
    "src/store",
    "src/transfer",
    "src/tree",
];

/// Macros whose texts are marked, or are for the log and for maintainers.
const MACROS: [&str; 19] = [
    "assert",
    "compile_error",
    "concat",
    "debug",
    "error",
    "event",
    "info",
    "matches",
    "panic",
    "span",
    "tr",
    "tr_in",
    "tr_later",
    "tr_pieces",
    "tr_plural",
    "tr_sent",
    "trace",
    "unreachable",
    "warn",
];

/// Functions that look for a text in what another program says, or send it to one.
const CALLS: [&str; 15] = [
    "contains",
    "ends_with",
    "execute",
    "execute_batch",
    "find",
    "has",
    "prepare",
    "prepare_cached",
    "query_row",
    "says",
    "split",
    "split_once",
    "starts_with",
    "strip_prefix",
    "trim_start_matches",
];

/// Functions whose text is always shown.
const SHOWN: [&str; 16] = [
    "because",
    "denied",
    "engine_refused",
    "hint",
    "internal",
    "lost",
    "no_image",
    "not_found",
    "refused",
    "registry_broken",
    "registry_unreachable",
    "reported",
    "session_not_found",
    "unreachable",
    "unsupported",
    "usage",
];

/// How queries begin: those of the state database, and those of the manager.
const QUERIES: [&str; 13] = [
    "ALTER",
    "CREATE",
    "DELETE",
    "DROP",
    "INSERT",
    "PRAGMA",
    "REINDEX",
    "SELECT",
    "UPDATE",
    "VACUUM",
    "WHERE",
    "mutation(",
    "query",
];

#[test]
fn every_text_of_these_directories_is_marked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut wrong, mut met) = (Vec::new(), BTreeSet::new());
    for place in PLACES {
        for file in files(&root.join(place)) {
            let source = std::fs::read_to_string(&file).unwrap();
            let code: TokenStream = without_tests(&source).parse().expect("a source is Rust");
            let shown = file.strip_prefix(root).unwrap().display().to_string();
            for text in unmarked(code) {
                let mut known = INTERNAL
                    .iter()
                    .filter(|(file, ..)| *file == shown)
                    .flat_map(|(.., texts)| texts.iter());
                match known.find(|it| text.starts_with(**it)) {
                    Some(known) => drop(met.insert((shown.clone(), *known))),
                    None => wrong.push(format!("{shown}: {text:?}")),
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "texts without a macro (use tr_sent! for what users see):\n{}",
        wrong.join("\n")
    );
    let all = INTERNAL
        .iter()
        .flat_map(|(file, _, texts)| texts.iter().map(|text| ((*file).to_owned(), *text)));
    let gone: Vec<_> = all.filter(|it| !met.contains(it)).collect();
    assert!(gone.is_empty(), "no longer needed in the list: {gone:#?}");
}

#[test]
fn a_text_without_a_macro_is_found() {
    let code = r#"
        #[error("an attribute is skipped")]
        const A: &str = "a text of words";
        fn f() -> Failure {
            tracing::warn!("for the log only");
            if said.contains("what another program says") { g("SELECT all FROM it"); }
            Failure::refused(tr_sent!("a marked text {x}", x)).hint("retry");
            Failure::lost(format!("{x} broke")).because(why("x", "y"))
        }
    "#;
    let found = unmarked(code.parse().unwrap());
    assert_eq!(found, ["a text of words", "retry", "{x} broke"]);
}

/// The texts of words that are neither marked nor clearly for a program.
fn unmarked(code: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    collect(code, false, &mut found);
    found
}

fn collect(code: TokenStream, is_shown: bool, found: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Literal(_) => {
                let text = unescaped(std::slice::from_ref(token));
                found.extend(text.filter(|text| is_for_users(text, is_shown && at == 0)));
            }
            TokenTree::Group(group) => {
                let before = &tokens[..at];
                if !is_skipped(before, group.delimiter()) {
                    let is_format = name_of_macro(before) == Some("format".to_owned());
                    let is_shown = match before.last() {
                        _ if is_format => is_shown,
                        Some(TokenTree::Ident(name)) => SHOWN.contains(&&*name.to_string()),
                        _ => false,
                    };
                    collect(group.stream(), is_shown, found);
                }
            }
            _ => {}
        }
    }
}

fn name_of_macro(before: &[TokenTree]) -> Option<String> {
    match before {
        [.., TokenTree::Ident(name), TokenTree::Punct(mark)] if mark.as_char() == '!' => {
            Some(name.to_string())
        }
        _ => None,
    }
}

/// Whether a group is an attribute, or the arguments of something whose texts aren't looked at.
fn is_skipped(before: &[TokenTree], delimiter: Delimiter) -> bool {
    if let Some(name) = name_of_macro(before) {
        return MACROS.contains(&name.as_str());
    }
    match before.last() {
        // `#[…]` and `#![…]`, which documentation is, too.
        Some(TokenTree::Punct(_)) if delimiter == Delimiter::Bracket => {
            let marks = before.iter().rev().take(2);
            marks
                .filter_map(|it| match it {
                    TokenTree::Punct(mark) => Some(mark.as_char()),
                    _ => None,
                })
                .any(|mark| mark == '#')
        }
        Some(TokenTree::Ident(name)) => {
            delimiter == Delimiter::Parenthesis && CALLS.contains(&&*name.to_string())
        }
        _ => false,
    }
}

/// Whether a text has two words, or one where it is certainly shown.
fn is_for_users(text: &str, is_shown: bool) -> bool {
    if QUERIES.iter().any(|it| text.trim_start().starts_with(it)) {
        return false;
    }
    let names = locale::names(text);
    let values: Vec<(&str, &dyn std::fmt::Display)> = names
        .iter()
        .map(|name| (*name, &"" as &dyn std::fmt::Display))
        .collect();
    let text = locale::fill(text, &values);
    let is_word = |word: &&str| word.chars().filter(|c| c.is_alphabetic()).count() > 1;
    let words = text.split(' ').filter(is_word).count();
    words > usize::from(!is_shown)
}
