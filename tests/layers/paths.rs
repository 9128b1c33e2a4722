//! All paths that a piece of code names, such as `crate::model::id`.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// All paths of the code, groups (`a::{b, c}`) expanded. Items with `#[cfg(test)]` are left out.
pub fn paths(code: TokenStream) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    collect(&without_tests(code), &mut found);
    found
}

/// The modules that the code declares for tests in files of their own: `#[cfg(test)] mod name;`.
pub fn test_modules(code: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let mut names = Vec::new();
    for at in 0..tokens.len() {
        if is_cfg_test(&tokens[at..]) {
            let item = &tokens[at..end_of_item(&tokens, at)];
            let name = item.windows(2).find(|pair| is(&pair[0], "mod"));
            names.extend(name.map(|pair| pair[1].to_string()));
        }
    }
    names
}

fn collect(tokens: &[TokenTree], found: &mut Vec<Vec<String>>) {
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Ident(_) => at = path(tokens, at, Vec::new(), found),
            TokenTree::Group(group) => {
                collect(&without_tests(group.stream()), found);
                at += 1;
            }
            _ => at += 1,
        }
    }
}

/// Reads one path that begins at a token, and returns where the next one may begin.
fn path(
    tokens: &[TokenTree],
    mut at: usize,
    mut segments: Vec<String>,
    found: &mut Vec<Vec<String>>,
) -> usize {
    loop {
        match tokens.get(at) {
            Some(TokenTree::Ident(ident)) => segments.push(ident.to_string()),
            Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
                expand(group.stream(), &segments, found);
                return at + 1;
            }
            _ => break,
        }
        at += 1;
        if !is_separator(tokens, at) {
            break;
        }
        at += 2;
    }
    found.push(segments);
    at
}

/// Reads the paths of a group, each of which continues `prefix`.
fn expand(group: TokenStream, prefix: &[String], found: &mut Vec<Vec<String>>) {
    let tokens: Vec<TokenTree> = group.into_iter().collect();
    for entry in tokens.split(|token| is(token, ",")) {
        if !entry.is_empty() {
            path(entry, 0, prefix.to_vec(), found);
        }
    }
}

fn is_separator(tokens: &[TokenTree], at: usize) -> bool {
    matches!(tokens.get(at..at + 2), Some([first, second]) if is(first, ":") && is(second, ":"))
}

fn is(token: &TokenTree, text: &str) -> bool {
    !matches!(token, TokenTree::Group(_) | TokenTree::Literal(_)) && token.to_string() == text
}

fn without_tests(code: TokenStream) -> Vec<TokenTree> {
    let tokens: Vec<TokenTree> = code.into_iter().collect();
    let (mut kept, mut at) = (Vec::new(), 0);
    while at < tokens.len() {
        if is_cfg_test(&tokens[at..]) {
            at = end_of_item(&tokens, at);
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

fn is_cfg_test(tokens: &[TokenTree]) -> bool {
    let [hash, TokenTree::Group(attribute), ..] = tokens else {
        return false;
    };
    let text = attribute.stream().to_string().replace(' ', "");
    is(hash, "#") && (text == "cfg(test)" || text.starts_with("cfg(all(test,"))
}

/// Where the item ends whose first attribute is at `start`.
fn end_of_item(tokens: &[TokenTree], start: usize) -> usize {
    let mut at = start;
    while is(&tokens[at], "#") {
        at += 2;
    }
    // These end with a semicolon, and braces may come before it.
    let first = tokens[at..].iter().find(|token| {
        !is(token, "pub") && !matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis)
    });
    let needs_semicolon = first.is_some_and(|token| {
        ["use", "const", "static", "type", "let"]
            .iter()
            .any(|it| is(token, it))
    });
    while at < tokens.len() {
        let is_body =
            matches!(&tokens[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        if is(&tokens[at], ";") || (is_body && !needs_semicolon) {
            return at + 1;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(code: &str) -> Vec<String> {
        let paths = paths(code.parse().expect("code"));
        paths.iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn groups_are_expanded() {
        let names = names("use crate::{self as root, model::{a, b::{self, C}}, store::x};");
        let expected = [
            "crate::self",
            "crate::model::a",
            "crate::model::b::self",
            "crate::model::b::C",
            "crate::store::x",
        ];
        for path in expected {
            assert!(names.iter().any(|it| it == path), "{path} in {names:?}");
        }
    }

    #[test]
    fn bodies_and_macros_are_read() {
        let names =
            names("fn f() { select! { it = crate::daemon::run() => std::env::var(\"A\") } }");
        assert!(names.contains(&"crate::daemon::run".to_owned()));
        assert!(names.contains(&"std::env::var".to_owned()));
    }

    #[test]
    fn code_for_tests_comments_and_strings_are_left_out_and_code_after_them_is_not() {
        let code = "
            #[cfg(test)] #[allow(dead_code)] pub(super) fn only_tests() { crate::store::a() }
            #[cfg(test)] use crate::{run::{a, b}, cli};
            // crate::view::cells
            const TEXT: &str = \"crate::theme::x\";
            #[cfg(test)] mod tests { use crate::engine::x; }
            struct S { #[cfg(not(test))] a: crate::config::A }
            fn later() { crate::client::connect() }";
        let found: Vec<String> = names(code);
        let roots: Vec<&str> = found
            .iter()
            .filter_map(|it| it.strip_prefix("crate::"))
            .collect();
        assert_eq!(roots, ["config::A", "client::connect"]);
    }

    #[test]
    fn modules_of_tests_are_found() {
        let code = "mod a; #[cfg(test)] mod tests; #[cfg(test)] pub mod testing; mod b;";
        assert_eq!(
            test_modules(code.parse().expect("code")),
            ["tests", "testing"]
        );
    }
}
