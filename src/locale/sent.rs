//! Translates the texts of a daemon, which are English: each is recognized by its template.
//!
//! A daemon serves clients of several languages at once, and stores what it says. So a text keeps no trace of its
//! template, and a client finds it again: the words of `session {name} not found` are compared with the text, and
//! what is between them are the values. Old entries and daemons of other versions are translated, too.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
};

use super::{
    catalog::Catalog,
    fill::{Part, fill_from, parts},
};

/// The context of a daemon's texts in catalogs.
const CONTEXT: &str = "daemon\u{4}";

/// How often a value can have a translation of its own: `its command ended … while the daemon wasn't running`.
const DEPTH: u8 = 4;

/// How many sentences of a text may be of different templates.
const SENTENCES: usize = 6;

/// A template with fewer letters matches too much: one of the daemon's, and one of another part of workbay, which the
/// daemon may use, too.
const FEWEST_LETTERS: (usize, usize) = (3, 12);

/// A template of a name and a cause with fewer letters is one of a name only.
const WEAK: usize = 8;

/// How many bytes of a template's begin or end find it. A longer key has fewer templates.
const KEYS: [usize; 3] = [14, 7, 3];

/// A template and its translation.
#[derive(Clone, Debug)]
struct Template {
    english: String,
    translation: &'static str,
    /// The number of letters that aren't values. The template with the most is the right one.
    letters: usize,
    /// Other templates are never those of a value.
    is_daemons: bool,
}

/// The templates of a language. There are thousands, so that a text is compared only with those that begin or end like
/// it.
#[derive(Clone, Debug, Default)]
pub struct Templates {
    /// The most exact first. Two that are as exact are in the order of their texts.
    all: Vec<Template>,
    /// Numbers of templates by how they begin.
    begins: HashMap<Vec<u8>, Vec<usize>>,
    /// Numbers of templates that begin with a value or a mark, by how they end.
    ends: HashMap<Vec<u8>, Vec<usize>>,
    /// Numbers of the other templates.
    open: Vec<usize>,
}

impl Templates {
    /// The templates of a catalog: the keys and their translations.
    pub fn new<'a>(texts: impl Iterator<Item = (&'a str, &'static str)>) -> Self {
        let sorted: BTreeMap<&str, &'static str> = texts.collect();
        let mut all: Vec<Template> = sorted
            .into_iter()
            .filter_map(|(key, translation)| template(key, translation))
            .collect();
        all.sort_by_key(|it| Reverse(it.letters));
        let mut templates = Self {
            all,
            ..Self::default()
        };
        for number in 0..templates.all.len() {
            templates.index(number);
        }
        templates
    }

    fn index(&mut self, number: usize) {
        let Some(template) = self.all.get(number) else {
            return;
        };
        let parts = parts(&template.english);
        let key = |part: Option<&Part<'_>>| match part {
            Some(Part::Words(words)) => KEYS
                .into_iter()
                .find(|length| *length <= words.len())
                .map(|length| (words.as_bytes().to_vec(), length)),
            _ => None,
        };
        let list = if let Some((words, length)) = key(parts.first()) {
            self.begins.entry(words[..length].to_vec()).or_default()
        } else if let Some((words, length)) = key(parts.last()) {
            let end = words[words.len() - length..].to_vec();
            self.ends.entry(end).or_default()
        } else {
            &mut self.open
        };
        list.push(number);
    }

    /// The translation of a text, `None` if no template fits.
    pub fn translate(&self, text: &str) -> Option<String> {
        self.nested(text, DEPTH, true)
    }

    fn nested(&self, text: &str, depth: u8, is_whole: bool) -> Option<String> {
        if text.is_empty() || depth == 0 {
            return None;
        }
        let as_one = self.sentence(text, depth, is_whole);
        as_one.or_else(|| self.sentences(text, depth, is_whole))
    }

    /// The translation of a text that is one template, or a failure and its cause.
    fn sentence(&self, text: &str, depth: u8, is_whole: bool) -> Option<String> {
        if text.is_empty() || depth == 0 {
            return None;
        }
        let parted = text.split_once(": ");
        let of_failure = parted.and_then(|(what, _)| Some(self.find(what, is_whole)?.0.letters));
        // `{title} doesn't answer: {why}` fits what has a more exact template without its cause.
        let is_best = |it: &Template| of_failure.is_none_or(|letters| letters <= it.letters);
        // `{app} ended with exit code {code}` fits `NAME failed: its command ended with exit code 3`, too.
        let is_cause = |it: &Template, values: &[(&str, &str)]| {
            let (_, value) = values.first().copied().unwrap_or_default();
            of_failure.is_some() && it.english.starts_with('{') && value.contains(": ")
        };
        let found = self.find(text, is_whole);
        let found = found.filter(|(it, values)| is_best(it) && !is_cause(it, values));
        if let Some((template, values)) = found {
            let values = values.into_iter().map(|(name, value)| {
                let own = self.nested(value, depth - 1, false);
                (name, own.unwrap_or_else(|| value.to_owned()))
            });
            let values: Vec<(&str, String)> = values.collect();
            return Some(fill_from(template.translation, &values));
        }
        // A failure and its cause are often one text.
        let (what, why) = parted?;
        let own = self.nested(why, depth - 1, is_whole);
        // A name or a path in front has no translation.
        let what = match self.sentence(what, depth - 1, is_whole) {
            None if own.is_some() && !what.contains(' ') => what.to_owned(),
            what => what?,
        };
        let why = own.unwrap_or_else(|| why.to_owned());
        Some(format!("{what}: {why}"))
    }

    /// The translation of several sentences, of which others may be by an engine: a failure and its hint, which begins
    /// with a capital then.
    fn sentences(&self, text: &str, depth: u8, is_whole: bool) -> Option<String> {
        for (at, mark) in text.match_indices(". ").take(SENTENCES) {
            let (first, rest) = (&text[..at], &text[at + mark.len()..]);
            let own_first = self.sentence(first, depth - 1, is_whole);
            let own_rest = self
                .nested(rest, depth - 1, is_whole)
                .or_else(|| self.sentence(&uncapitalized(rest), depth - 1, is_whole));
            if own_first.is_some() || own_rest.is_some() {
                let first = own_first.unwrap_or_else(|| first.to_owned());
                let rest = own_rest.unwrap_or_else(|| rest.to_owned());
                return Some(format!("{first}. {rest}"));
            }
        }
        None
    }

    /// The most exact template that fits, and the values of its placeholders.
    fn find<'s, 't>(
        &'s self,
        text: &'t str,
        is_whole: bool,
    ) -> Option<(&'s Template, Vec<(&'s str, &'t str)>)> {
        let bytes = text.as_bytes();
        let keys = KEYS.into_iter().filter(|length| *length <= bytes.len());
        let lists = keys.flat_map(|length| {
            let begins = self.begins.get(&bytes[..length]);
            let ends = self.ends.get(&bytes[bytes.len() - length..]);
            begins.into_iter().chain(ends)
        });
        let mut best: Option<(usize, Vec<(&str, &str)>)> = None;
        for list in lists.chain([&self.open]) {
            // A list is in the order of the templates, so its first one that fits is its best.
            let found = list
                .iter()
                .take_while(|number| best.as_ref().is_none_or(|(best, _)| *number < best))
                .filter_map(|number| Some((*number, self.all.get(*number)?)))
                .filter(|(_, it)| is_whole || it.is_daemons)
                .find_map(|(number, it)| Some((number, it.values(text)?)));
            best = found.or(best);
        }
        let (number, values) = best?;
        Some((self.all.get(number)?, values))
    }
}

impl Template {
    fn values<'s, 't>(&'s self, text: &'t str) -> Option<Vec<(&'s str, &'t str)>> {
        let found = values(&self.english, text)?;
        // `{program} failed: {why}` fits what engines say. A program has no space in its name.
        let is_weak = self.letters < WEAK && self.english.contains(": ");
        let is_name = |(_, value): &(&str, &str)| !value.contains(' ');
        let is_first = self.english.starts_with('{');
        (!is_weak || !is_first || found.first().is_some_and(is_name)).then_some(found)
    }
}

/// The template of a catalog's text, `None` if it would match too much.
fn template(key: &str, translation: &'static str) -> Option<Template> {
    let (english, is_daemons) = match key.strip_prefix(CONTEXT) {
        Some(english) => (english, true),
        None => (key, false),
    };
    let fewest = if is_daemons {
        FEWEST_LETTERS.0
    } else {
        FEWEST_LETTERS.1
    };
    let letters = letters(english);
    (letters >= fewest).then(|| Template {
        english: english.to_owned(),
        translation,
        letters,
        is_daemons,
    })
}

/// The number of letters that aren't values.
fn letters(template: &str) -> usize {
    let words = parts(template).into_iter().map(|part| match part {
        Part::Words(words) => words.chars().filter(|c| c.is_alphabetic()).count(),
        Part::Name(_) => 0,
    });
    words.sum()
}

/// The translation of a text by one of a few templates. The value of one placeholder may be a text of a daemon.
pub fn one_of(catalog: &Catalog, templates: &[&str], text: &str, why: &str) -> Option<String> {
    let fitting = templates
        .iter()
        .filter_map(|it| Some((*it, values(it, text)?)));
    let (template, values) = fitting.max_by_key(|(it, _)| letters(it))?;
    let values = values.into_iter().map(|(name, value)| {
        let own = catalog.sent(value).filter(|_| name == why);
        (name, own.unwrap_or_else(|| value.to_owned()))
    });
    let values: Vec<(&str, String)> = values.collect();
    Some(fill_from(catalog.get(template)?, &values))
}

fn uncapitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(char::to_lowercase);
    first.into_iter().flatten().chain(letters).collect()
}

/// The values of a template's placeholders in a text, `None` if it is a text of another template.
fn values<'t, 'e>(template: &'e str, text: &'t str) -> Option<Vec<(&'e str, &'t str)>> {
    let parts = parts(template);
    let mut found: Vec<(&str, &str)> = Vec::new();
    let mut rest = text;
    let mut open: Option<&str> = None;
    for (at, part) in parts.iter().enumerate() {
        match (part, open) {
            (Part::Name(name), None) => open = Some(name),
            // Two values without words between them can't be distinguished.
            (Part::Name(_), Some(_)) => return None,
            (Part::Words(words), None) => rest = rest.strip_prefix(words)?,
            (Part::Words(words), Some(name)) => {
                let is_last = at + 1 == parts.len();
                let place = if is_last {
                    rest.strip_suffix(words)?.len()
                } else {
                    rest.find(words)?
                };
                found.push((name, &rest[..place]));
                rest = &rest[place + words.len()..];
                open = None;
            }
        }
    }
    match open {
        Some(name) => found.push((name, rest)),
        None if !rest.is_empty() => return None,
        None => {}
    }
    found
        .iter()
        .all(|(_, value)| !value.is_empty())
        .then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates() -> Templates {
        let of_daemon = [
            ("session {name} not found", "세션 {name} 없음"),
            ("{what} not found", "{what} 없음"),
            ("its command", "명령"),
            (
                "{subject} ended with exit code {code}",
                "{subject} 종료 코드 {code}",
            ),
            (
                "{text} while the whole machine restarted",
                "다시 시작하는 동안 {text}",
            ),
            ("the engine refused", "엔진이 거부함"),
            ("{name} failed", "{name} 실패"),
            ("{a} {b}", "{b}{a}"),
            ("use another disk", "다른 디스크 사용"),
            ("{program} failed: {why}", "{program} 실패: {why}"),
            ("{title} doesn't answer: {why}", "{title} 무응답: {why}"),
        ];
        let of_daemon = of_daemon.map(|(english, korean)| (format!("{CONTEXT}{english}"), korean));
        let others = [
            (
                "the disk limit {limit} is too small",
                "디스크 한도 {limit}: 작음",
            ),
            ("{n} of {all} rows", "{all}행 중 {n}"),
            (
                "the engine at {endpoint} doesn't answer",
                "{endpoint} 엔진 무응답",
            ),
        ];
        let of_daemon = of_daemon.iter().map(|(key, text)| (key.as_str(), *text));
        Templates::new(of_daemon.chain(others))
    }

    #[test]
    fn the_most_exact_template_gives_the_text_and_its_values() {
        let templates = templates();
        let shown = |text: &str| templates.translate(text);
        assert_eq!(shown("session a not found").unwrap(), "세션 a 없음");
        assert_eq!(shown("image a not found").unwrap(), "image a 없음");
        let nested = "its command ended with exit code 3 while the whole machine restarted";
        assert_eq!(
            shown(nested).unwrap(),
            "다시 시작하는 동안 명령 종료 코드 3"
        );
        let caused = "the engine refused: no space left";
        assert_eq!(shown(caused).unwrap(), "엔진이 거부함: no space left");
        let by_cause = "the engine at unix:/x doesn't answer: no space left";
        assert_eq!(
            shown(by_cause).unwrap(),
            "unix:/x 엔진 무응답: no space left"
        );
        let with_end = "a failed: its command ended with exit code 3";
        assert_eq!(shown(with_end).unwrap(), "a 실패: 명령 종료 코드 3");
        let with_hint = "the engine refused: no space left. Use another disk";
        assert_eq!(
            shown(with_hint).unwrap(),
            "엔진이 거부함: no space left. 다른 디스크 사용"
        );
        let of_rules = "the disk limit 1 KiB is too small";
        assert_eq!(shown(of_rules).unwrap(), "디스크 한도 1 KiB: 작음");
        assert_eq!(
            shown(&format!("{of_rules} ended with exit code 1")),
            Some(format!("{of_rules} 종료 코드 1"))
        );
        for other in [
            "1 of 2 rows",
            "",
            "no space left",
            "session  not found!",
            "a b",
        ] {
            assert_eq!(shown(other), None, "{other}");
        }
    }
}
