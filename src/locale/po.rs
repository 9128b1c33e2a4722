//! Reads gettext `.po` files.
//!
//! The crates for this format abort on damaged files or don't report lines, and both matter for files that users
//! write. The format itself is small.

/// One text of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The line of its `msgid`, counted from 1.
    pub line: usize,
    pub context: Option<String>,
    pub text: String,
    pub plural: Option<String>,
    /// The translations, one for each plural form.
    pub translations: Vec<String>,
    /// Whether the translation is marked as a guess: `#, fuzzy`.
    pub is_fuzzy: bool,
}

impl Message {
    /// How the catalog finds it: the text, after the context and U+0004 if it has one.
    #[must_use]
    pub fn key(&self) -> String {
        match &self.context {
            Some(context) => format!("{context}\u{4}{}", self.text),
            None => self.text.clone(),
        }
    }

    /// The value of a field of the header, which is the translation of the empty text.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&str> {
        let mut lines = self.translations.first()?.lines();
        lines.find_map(|line| Some(line.strip_prefix(name)?.strip_prefix(':')?.trim()))
    }
}

/// A line that isn't in the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxMistake {
    pub line: usize,
    pub message: &'static str,
}

/// Which text a line in quotes continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Field {
    None,
    Context,
    Text,
    Plural,
    Translation(usize),
}

struct Reader {
    messages: Vec<Message>,
    mistakes: Vec<SyntaxMistake>,
    current: Message,
    field: Field,
    line: usize,
}

/// Reads a file. Each line with a mistake is left out, with the text that it belongs to.
#[must_use]
pub fn read(file: &str) -> (Vec<Message>, Vec<SyntaxMistake>) {
    let mut reader = Reader {
        messages: Vec::new(),
        mistakes: Vec::new(),
        current: Message::default(),
        field: Field::None,
        line: 0,
    };
    let file = file.strip_prefix('\u{feff}').unwrap_or(file);
    for (at, line) in file.lines().enumerate() {
        reader.line = at + 1;
        if let Err(message) = reader.line(line.trim()) {
            let line = reader.line;
            reader.mistakes.push(SyntaxMistake { line, message });
            // The text isn't used, but what follows is read.
            reader.current.translations.clear();
        }
    }
    reader.finish();
    (reader.messages, reader.mistakes)
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some(comment) = line.strip_prefix('#') {
            // `#~` is a text that isn't used any more, `#|` the one before.
            if matches!(self.field, Field::Translation(_)) {
                self.finish();
            }
            if let Some(flags) = comment.strip_prefix(',') {
                self.current.is_fuzzy |= flags.split(',').any(|flag| flag.trim() == "fuzzy");
            }
            return Ok(());
        }
        if line.is_empty() {
            return Ok(());
        }
        if line.starts_with('"') {
            return self.add(line);
        }
        let (keyword, quoted) =
            line.split_at(line.find('"').ok_or("a text must be in \"quotes\"")?);
        let begins_text = matches!(keyword.trim(), "msgctxt" | "msgid");
        if begins_text && matches!(self.field, Field::Translation(_)) {
            self.finish();
        }
        self.field = match keyword.trim() {
            "msgctxt" => {
                self.current.context = Some(String::new());
                Field::Context
            }
            "msgid" => {
                self.current.line = self.line;
                Field::Text
            }
            "msgid_plural" => {
                self.current.plural = Some(String::new());
                Field::Plural
            }
            "msgstr" => Field::Translation(0),
            other => Field::Translation(
                form(other)
                    .ok_or("unknown word. Use msgctxt, msgid, msgid_plural, msgstr or msgstr[0]")?,
            ),
        };
        self.add(quoted)
    }

    /// Adds a quoted text to the current field.
    fn add(&mut self, quoted: &str) -> Result<(), &'static str> {
        let text = unquoted(quoted)?;
        let message = &mut self.current;
        let field = match self.field {
            Field::None => return Err("this text belongs to no msgid or msgstr"),
            Field::Context => message.context.get_or_insert_default(),
            Field::Text => &mut message.text,
            Field::Plural => message.plural.get_or_insert_default(),
            Field::Translation(form) => {
                if message.translations.len() <= form {
                    message.translations.resize(form + 1, String::new());
                }
                &mut message.translations[form]
            }
        };
        field.push_str(&text);
        Ok(())
    }

    fn finish(&mut self) {
        let message = std::mem::take(&mut self.current);
        self.field = Field::None;
        if message.line > 0 {
            self.messages.push(message);
        }
    }
}

/// The number in `msgstr[2]`.
fn form(keyword: &str) -> Option<usize> {
    let number = keyword.strip_prefix("msgstr[")?.strip_suffix(']')?;
    number.parse().ok().filter(|form| *form < 10)
}

/// A text in quotes, with the escapes of C.
fn unquoted(quoted: &str) -> Result<String, &'static str> {
    let inner = quoted.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let inner = inner.filter(|_| quoted.len() > 1);
    let inner = inner.ok_or("the text has no closing quote")?;
    // Most lines.
    if !inner.contains(['\\', '"']) {
        return Ok(inner.to_owned());
    }
    let mut text = String::with_capacity(inner.len());
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => return Err("write \\\" for a quote inside a text"),
            '\\' => text.push(match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('"') => '"',
                Some('\\') => '\\',
                _ => return Err("unknown escape. Use \\n, \\t, \\\" or \\\\"),
            }),
            c => text.push(c),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"# a comment
msgid ""
msgstr ""
"Language: ko\n"
"Plural-Forms: nplurals=1; plural=0;\n"

#: src/view/hints.rs
msgid "quit"
msgstr "종료"

msgctxt "verb"
msgid "open"
msgstr "열기"
#, fuzzy
msgid "{n} session"
msgid_plural ""
"{n} "
"sessions"
msgstr[0] "세션 \"{n}\"개\\"
"#;

    #[test]
    fn a_file_is_read() {
        let (messages, mistakes) = read(FILE);
        assert_eq!(mistakes, []);
        let [header, quit, open, plural] = &messages[..] else {
            panic!("{messages:?}");
        };
        assert_eq!(header.field("Language"), Some("ko"));
        assert_eq!((quit.line, quit.key().as_str()), (8, "quit"));
        assert_eq!(quit.translations, ["종료"]);
        assert_eq!(open.key(), "verb\u{4}open");
        assert_eq!(plural.plural.as_deref(), Some("{n} sessions"));
        assert_eq!(plural.translations, ["세션 \"{n}\"개\\"]);
        assert!(plural.is_fuzzy && !open.is_fuzzy);
    }

    #[test]
    fn a_mistake_has_its_line_and_costs_one_text() {
        for (line, text) in [
            (1, "msgid quit\nmsgstr \"종료\"\n"),
            (2, "msgid \"quit\"\nmsgstr \"종료\n"),
            (2, "msgid \"quit\"\nmsgstr \"종\"료\"\n"),
            (2, "msgid \"quit\"\nmsgstr \"\\q\"\n"),
            (2, "msgid \"quit\"\nmsgst \"종료\"\n"),
            (2, "msgid \"quit\"\nmsgstr[77] \"종료\"\n"),
            (1, "\"quit\"\n"),
            (2, "msgid \"quit\"\nmsgstr \"\n"),
        ] {
            let (messages, mistakes) = read(&format!("{text}\nmsgid \"log\"\nmsgstr \"로그\"\n"));
            assert_eq!(mistakes.len(), 1, "{text}{mistakes:?}");
            assert_eq!(mistakes[0].line, line, "{text}");
            let last = messages.last().unwrap();
            assert!(last.translations == ["로그"], "{text}{messages:?}");
        }
    }
}
