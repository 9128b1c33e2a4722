//! The texts of one language.

use std::{
    collections::{BTreeMap, HashMap},
    sync::OnceLock,
};

use super::{
    fill::names,
    plural::PluralRule,
    po::{self, Message},
    sent::Templates,
};

/// The texts of one language. They live as long as the process, so that a translation is a `&'static str`.
#[derive(Debug)]
pub struct Catalog {
    language: String,
    texts: HashMap<String, &'static str>,
    plurals: HashMap<String, Vec<&'static str>>,
    rule: PluralRule,
    /// What a text of a daemon is compared with. Most commands show none.
    sent: OnceLock<Templates>,
}

/// What is wrong in a file of translations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
    pub help: Option<String>,
}

impl Catalog {
    #[must_use]
    pub fn new(language: &str) -> Self {
        Self {
            language: language.to_owned(),
            texts: HashMap::new(),
            plurals: HashMap::new(),
            rule: PluralRule::english(),
            sent: OnceLock::new(),
        }
    }

    /// The code of the language: `ko`.
    #[must_use]
    pub fn language(&self) -> &str {
        &self.language
    }

    #[must_use]
    pub fn get(&self, key: &str) -> Option<&'static str> {
        self.texts.get(key).copied()
    }

    #[must_use]
    pub fn get_plural(&self, key: &str, number: u64) -> Option<&'static str> {
        let forms = self.plurals.get(key)?;
        forms.get(self.rule.form(number)).copied()
    }

    /// The translation of a text that a daemon sent.
    #[must_use]
    pub fn sent(&self, english: &str) -> Option<String> {
        let texts = || self.texts.iter().map(|(key, text)| (key.as_str(), *text));
        let templates = self.sent.get_or_init(|| Templates::new(texts()));
        templates.translate(english)
    }

    /// Adds the texts of a `.po` file, which replace earlier ones. Texts with a mistake are left out. Untranslated and
    /// fuzzy texts aren't mistakes.
    pub fn add(&mut self, file: &str) -> Vec<Mistake> {
        let (messages, syntax) = po::read(file);
        let mut mistakes: Vec<Mistake> = syntax
            .into_iter()
            .map(|it| Mistake {
                line: it.line,
                message: it.message.to_owned(),
                help: None,
            })
            .collect();
        if let Some(header) = messages.iter().find(|it| it.text.is_empty()) {
            mistakes.extend(self.read_header(header));
        }
        for message in messages {
            let is_used = !message.is_fuzzy && !message.translations.iter().all(String::is_empty);
            if message.text.is_empty() || !is_used {
                continue;
            }
            match self.mistake(&message) {
                Some(mistake) => mistakes.push(mistake),
                None => self.insert(message),
            }
        }
        mistakes.sort_by_key(|it| it.line);
        mistakes
    }

    fn read_header(&mut self, header: &Message) -> Option<Mistake> {
        let rule = header.field("Plural-Forms")?;
        match PluralRule::read(rule) {
            Some(rule) => {
                // Forms of another rule would be chosen wrongly.
                if rule != self.rule {
                    self.plurals.clear();
                }
                self.rule = rule;
                None
            }
            None => Some(Mistake {
                line: header.line,
                message: format!("invalid Plural-Forms '{rule}'"),
                help: Some("use for example nplurals=2; plural=(n != 1);".to_owned()),
            }),
        }
    }

    /// Why a translation can't be used.
    fn mistake(&self, message: &Message) -> Option<Mistake> {
        let at = |message_text: String, help: String| {
            Some(Mistake {
                line: message.line,
                message: message_text,
                help: Some(help),
            })
        };
        if let Some(many) = &message.plural {
            let (has, needs) = (message.translations.len(), self.rule.forms);
            if has != needs || message.translations.iter().any(String::is_empty) {
                return at(
                    format!(
                        "the plural of '{}' has {has} forms",
                        shortened(&message.text)
                    ),
                    format!(
                        "the language has {needs}: msgstr[0] to msgstr[{}]",
                        needs - 1
                    ),
                );
            }
            let allowed = names(many);
            let unknown = |form: &String| names(form).iter().any(|it| !allowed.contains(it));
            if message.translations.iter().any(unknown) {
                return at(different(message), expected(&allowed));
            }
            return None;
        }
        let wanted = names(&message.text);
        let translation = message.translations.first().map(String::as_str);
        if names(translation.unwrap_or_default()) != wanted {
            return at(different(message), expected(&wanted));
        }
        None
    }

    fn insert(&mut self, message: Message) {
        let key = message.key();
        let mut forms = message.translations.into_iter().map(|it| &*it.leak());
        if message.plural.is_some() {
            self.plurals.insert(key, forms.collect());
        } else if let Some(text) = forms.next() {
            self.sent = OnceLock::new();
            self.texts.insert(key, text);
        }
    }

    /// The keys of all texts.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let all = self.texts.keys().chain(self.plurals.keys());
        all.map(String::as_str)
    }
}

/// The keys of a `.po` or `.pot` file with their lines, translated or not.
#[must_use]
pub fn texts_of(file: &str) -> BTreeMap<String, usize> {
    let (messages, _) = po::read(file);
    let texts = messages.into_iter().filter(|it| !it.text.is_empty());
    texts.map(|it| (it.key(), it.line)).collect()
}

fn different(message: &Message) -> String {
    format!(
        "the placeholders of the translation of '{}' differ",
        shortened(&message.text)
    )
}

fn expected(names: &[&str]) -> String {
    match names {
        [] => "this text has none".to_owned(),
        names => format!("use {{{}}}", names.join("}, {")),
    }
}

/// The beginning of a text.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace('\n', " ")
}
