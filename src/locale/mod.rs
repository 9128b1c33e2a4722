//! Texts in the language of the user.
//!
//! The English text in the source is the key: `tr!("Terminate {name}?", name)`. A [`Catalog`] has the texts of one
//! other language, read from gettext `.po` files. It is chosen once, when the process starts. Without a catalog a
//! text costs one atomic load. This is the lowest module: every other one may use it.

mod catalog;
mod choose;
pub mod embedded;
mod fill;
mod plural;
mod po;
mod sent;

use std::{
    cell::Cell,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

pub use self::{
    catalog::{Catalog, Mistake, texts_of},
    choose::{English, Wanted, is_utf8, wanted},
    fill::{fill, names, pieces},
};

/// A text in the user's language: `&'static str` without arguments, otherwise `String`.
///
/// Arguments are named: `tr!("{count} of {all} sessions", count = shown, all)`.
#[macro_export]
macro_rules! tr {
    ($text:literal $(,)?) => { $crate::locale::text($text) };
    ($text:literal, $($args:tt)+) => { $crate::tr_filled!([$text, $text] [] $($args)+ ,) };
}

/// Like `tr!`, with a context in front that tells the meaning of a text with several: `tr_in!("verb", "open")`.
#[macro_export]
macro_rules! tr_in {
    ($context:literal, $text:literal $(,)?) => {
        $crate::locale::text_in(concat!($context, "\u{4}", $text), $text)
    };
    ($context:literal, $text:literal, $($args:tt)+) => {
        $crate::tr_filled!([concat!($context, "\u{4}", $text), $text] [] $($args)+ ,)
    };
}

/// The second part of `tr!`: reads the arguments `name` and `name = value`.
#[doc(hidden)]
#[macro_export]
macro_rules! tr_filled {
    ([$key:expr, $text:literal] [$($name:ident = $value:expr;)+] $(,)?) => {
        match $crate::locale::find($key) {
            None => format!($text, $($name = $value),+),
            Some(text) => {
                $crate::locale::fill(text, &[$((stringify!($name), &$value as &dyn std::fmt::Display)),+])
            }
        }
    };
    ($key:tt [$($done:tt)*] $name:ident = $value:expr, $($rest:tt)*) => {
        $crate::tr_filled!($key [$($done)* $name = $value;] $($rest)*)
    };
    ($key:tt [$($done:tt)*] $name:ident, $($rest:tt)*) => {
        $crate::tr_filled!($key [$($done)* $name = $name;] $($rest)*)
    };
}

/// A text that depends on a number: `tr_plural!(n, "{n} session", "{n} sessions", n)`. The first argument chooses the
/// form, the texts are the ones for one and for several.
#[macro_export]
macro_rules! tr_plural {
    ($number:expr, $one:literal, $many:literal $(,)?) => {
        $crate::locale::plural_text($number, $one, $many)
    };
    ($number:expr, $one:literal, $many:literal, $($args:tt)+) => {
        $crate::tr_counted!([$number, $one, $many] [] $($args)+ ,)
    };
}

/// The second part of `tr_plural!`.
#[doc(hidden)]
#[macro_export]
macro_rules! tr_counted {
    ([$number:expr, $one:literal, $many:literal] [$($name:ident = $value:expr;)+] $(,)?) => {
        $crate::locale::fill(
            $crate::locale::plural_text($number, $one, $many),
            &[$((stringify!($name), &$value as &dyn std::fmt::Display)),+],
        )
    };
    ($key:tt [$($done:tt)*] $name:ident = $value:expr, $($rest:tt)*) => {
        $crate::tr_counted!($key [$($done)* $name = $value;] $($rest)*)
    };
    ($key:tt [$($done:tt)*] $name:ident, $($rest:tt)*) => {
        $crate::tr_counted!($key [$($done)* $name = $name;] $($rest)*)
    };
}

/// A text whose placeholders have a style of their own, as pieces: the words have the style in the second argument.
/// `tr_pieces!("Press {key} to launch.", Face::Hint, key = (key, Face::Key))`.
#[macro_export]
macro_rules! tr_pieces {
    ($text:literal, $plain:expr, $($name:ident = $piece:expr),+ $(,)?) => {
        $crate::locale::pieces($crate::locale::text($text), $plain, [$((stringify!($name), $piece)),+])
    };
}

/// Marks a text in a table, which [`text`] translates where it is shown. The value is the English text.
#[macro_export]
macro_rules! tr_later {
    ($text:literal) => {
        $text
    };
}

/// A text that the daemon sends or stores: English where it is made, in every process. A client translates it where
/// it reads it ([`sent`]). `&'static str` without arguments, otherwise `String`.
#[macro_export]
macro_rules! tr_sent {
    ($text:literal $(,)?) => { $text };
    ($text:literal, $($args:tt)+) => { $crate::tr_sent_filled!([$text] [] $($args)+ ,) };
}

/// The second part of `tr_sent!`.
#[doc(hidden)]
#[macro_export]
macro_rules! tr_sent_filled {
    ([$text:literal] [$($name:ident = $value:expr;)+] $(,)?) => { format!($text, $($name = $value),+) };
    ($key:tt [$($done:tt)*] $name:ident = $value:expr, $($rest:tt)*) => {
        $crate::tr_sent_filled!($key [$($done)* $name = $value;] $($rest)*)
    };
    ($key:tt [$($done:tt)*] $name:ident, $($rest:tt)*) => {
        $crate::tr_sent_filled!($key [$($done)* $name = $name;] $($rest)*)
    };
}

/// The catalog of the process.
static CATALOG: OnceLock<&'static Catalog> = OnceLock::new();
/// The catalog for what the daemon says to programs that don't translate: SSH clients and browsers.
static SPOKEN: OnceLock<&'static Catalog> = OnceLock::new();
/// Whether any catalog exists, of the process or of a test.
static IS_TRANSLATED: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The catalog of a test, which doesn't change the texts of other tests.
    static OF_THREAD: Cell<Option<&'static Catalog>> = const { Cell::new(None) };
}

/// Sets the catalog of the process, once.
pub fn start(catalog: &'static Catalog) {
    if CATALOG.set(catalog).is_ok() {
        IS_TRANSLATED.store(true, Ordering::Relaxed);
    }
}

/// Sets the catalog of what this process says to programs that don't translate, once.
pub fn start_speaking(catalog: &'static Catalog) {
    let _ = SPOKEN.set(catalog);
}

/// The catalog for programs that don't translate, `None` for English.
#[must_use]
pub fn speaking() -> Option<&'static Catalog> {
    OF_THREAD.get().or_else(|| SPOKEN.get().copied())
}

/// A text of the daemon for a program that doesn't translate and whose language isn't known.
#[must_use]
pub fn spoken(english: &str) -> String {
    let translated = speaking().and_then(|it| it.sent(english));
    translated.unwrap_or_else(|| english.to_owned())
}

/// The catalog for a program that asks for a language, by its codes. `None` for English and for an unknown language.
#[must_use]
pub fn speaking_in(codes: &[String]) -> Option<&'static Catalog> {
    let is_asked = |language: &str| codes.iter().any(|code| code == language);
    let own = speaking().filter(|own| is_asked(own.language()));
    own.or_else(|| is_asked("ko").then(embedded::korean))
}

/// The catalog for a program with these variables of the locale. Without any of them: [`speaking`].
#[must_use]
pub fn speaking_to(variable: impl Fn(&str) -> Option<String>) -> Option<&'static Catalog> {
    let is_set = |name: &&str| variable(name).is_some_and(|value| !value.is_empty());
    if !choose::VARIABLES.iter().any(is_set) {
        return speaking();
    }
    match wanted("auto", is_utf8(&variable), &variable) {
        Wanted::English(_) => None,
        Wanted::Language { codes, .. } => speaking_in(&codes),
    }
}

/// Uses a catalog in this thread until the guard is dropped. For tests.
#[must_use]
pub fn in_this_thread(catalog: &'static Catalog) -> ThreadCatalog {
    IS_TRANSLATED.store(true, Ordering::Relaxed);
    ThreadCatalog {
        before: OF_THREAD.replace(Some(catalog)),
    }
}

/// Restores the language that a thread had before.
pub struct ThreadCatalog {
    before: Option<&'static Catalog>,
}

impl Drop for ThreadCatalog {
    fn drop(&mut self) {
        OF_THREAD.set(self.before);
    }
}

/// The catalog in force, `None` for English.
#[must_use]
pub fn catalog() -> Option<&'static Catalog> {
    if !IS_TRANSLATED.load(Ordering::Relaxed) {
        return None;
    }
    OF_THREAD.get().or_else(|| CATALOG.get().copied())
}

/// The translation of a key: a text, or a context, U+0004 and a text.
#[must_use]
pub fn find(key: &str) -> Option<&'static str> {
    catalog()?.get(key)
}

/// The translation of an English text, or the text itself.
#[must_use]
pub fn text(english: &'static str) -> &'static str {
    find(english).unwrap_or(english)
}

/// [`text`] with a context. A text that has no translation in its context has the one without.
#[must_use]
pub fn text_in(key: &'static str, english: &'static str) -> &'static str {
    find(key).unwrap_or(english)
}

/// The form of a text for a number.
#[must_use]
pub fn plural_text(
    number: impl TryInto<u64>,
    one: &'static str,
    many: &'static str,
) -> &'static str {
    // No language has a form for negative numbers.
    let number = number.try_into().unwrap_or(0);
    let translated = catalog().and_then(|it| it.get_plural(one, number));
    translated.unwrap_or(if number == 1 { one } else { many })
}

/// The translation of a text that a daemon sent, `None` if it has none.
#[must_use]
pub fn sent(english: &str) -> Option<String> {
    catalog()?.sent(english)
}

/// The translation of a text by one of these templates, `None` if it is another text. The value of the placeholder
/// `why` is translated, too, if a daemon may have made it.
#[must_use]
pub fn one_of(templates: &[&str], english: &str, why: &str) -> Option<String> {
    sent::one_of(catalog()?, templates, english, why)
}

/// [`text`] for a text that isn't a literal. A text without a translation, such as a translated one, stays as it is.
#[must_use]
pub fn of(english: &str) -> &str {
    find(english).unwrap_or(english)
}

#[cfg(test)]
mod tests;
