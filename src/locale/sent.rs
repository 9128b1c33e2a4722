//! Translates the texts of a daemon, which are English: each is recognized by its template.
//!
//! A daemon serves clients of several languages at once, and stores what it says. So a text keeps no trace of its
//! template, and a client finds it again: the words of `session {name} not found` are compared with the text, and
//! what is between them are the values. Old entries and daemons of other versions are translated, too.

use super::fill::{Part, fill_from, parts};

/// The context of a daemon's texts in catalogs.
const CONTEXT: &str = "daemon\u{4}";

/// How often a value can have a translation of its own: `its command ended … while the daemon wasn't running`.
const DEPTH: u8 = 4;

/// A template with fewer letters matches too much: one of the daemon's, and one of another part of workbay, which the
/// daemon may use, too.
const FEWEST_LETTERS: (usize, usize) = (3, 12);

/// A template and its translation.
#[derive(Clone, Debug)]
pub struct Template {
    english: String,
    translation: &'static str,
    /// The number of letters that aren't values. The template with the most is the right one.
    letters: usize,
    /// Other templates are never those of a value.
    is_daemons: bool,
}

/// The templates of a language, the most exact first.
#[derive(Clone, Debug, Default)]
pub struct Templates(Vec<Template>);

impl Templates {
    /// Adds a template, or replaces its translation.
    pub fn insert(&mut self, key: &str, translation: &'static str) {
        let (english, is_daemons) = match key.strip_prefix(CONTEXT) {
            Some(english) => (english, true),
            None => (key, false),
        };
        let fewest = if is_daemons {
            FEWEST_LETTERS.0
        } else {
            FEWEST_LETTERS.1
        };
        let words = parts(english).into_iter().map(|part| match part {
            Part::Words(words) => words.chars().filter(|c| c.is_alphabetic()).count(),
            Part::Name(_) => 0,
        });
        let letters = words.sum();
        self.0
            .retain(|it| it.english != english || it.is_daemons != is_daemons);
        if letters < fewest {
            return;
        }
        let at = self.0.partition_point(|it| it.letters >= letters);
        let english = english.to_owned();
        self.0.insert(
            at,
            Template {
                english,
                translation,
                letters,
                is_daemons,
            },
        );
    }

    /// The translation of a text, `None` if no template fits.
    pub fn translate(&self, text: &str) -> Option<String> {
        self.nested(text, DEPTH, true)
    }

    fn nested(&self, text: &str, depth: u8, is_whole: bool) -> Option<String> {
        if text.is_empty() || depth == 0 {
            return None;
        }
        let mut templates = self.0.iter().filter(|it| is_whole || it.is_daemons);
        let found = templates.find_map(|it| Some((it, values(&it.english, text)?)));
        if let Some((template, values)) = found {
            let values = values.into_iter().map(|(name, value)| {
                let own = self.nested(value, depth - 1, false);
                (name, own.unwrap_or_else(|| value.to_owned()))
            });
            let values: Vec<(&str, String)> = values.collect();
            return Some(fill_from(template.translation, &values));
        }
        // A failure and its cause are often one text.
        let (what, why) = text.split_once(": ")?;
        let what = self.nested(what, depth - 1, is_whole)?;
        let own = self.nested(why, depth - 1, is_whole);
        let why = own.unwrap_or_else(|| why.to_owned());
        Some(format!("{what}: {why}"))
    }
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
        let mut templates = Templates::default();
        for (english, korean) in [
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
            ("{a} {b}", "{b}{a}"),
        ] {
            templates.insert(&format!("{CONTEXT}{english}"), korean);
        }
        templates.insert(
            "the disk limit {limit} is too small",
            "디스크 한도 {limit}: 작음",
        );
        templates.insert("{n} of {all} rows", "{all}행 중 {n}");
        templates
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
