//! Chooses the language from the setting and the variables of the locale.

/// The variables of the locale that choose a language. The first one that is set decides.
pub const VARIABLES: [&str; 3] = ["LC_ALL", "LC_MESSAGES", "LANG"];

/// The language of a user, or why it is English.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    English(English),
    /// Codes of the language, the most exact first: `pt_BR`, `pt`. `is_asked`: the setting names it.
    Language {
        codes: Vec<String>,
        is_asked: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum English {
    Chosen,
    /// The locale can only show ASCII, so no other language is readable.
    NotUtf8,
}

/// The language of the setting `ui.language`, or of the first variable that is set: LC_ALL, LC_MESSAGES, LANG.
///
/// `unicode` = whether the terminal shows Unicode.
pub fn wanted(setting: &str, unicode: bool, variable: impl Fn(&str) -> Option<String>) -> Wanted {
    let is_asked = setting != "auto";
    let locale = if is_asked {
        setting.to_owned()
    } else {
        first(&VARIABLES, variable)
    };
    let codes = codes(&locale);
    match codes.last().map(String::as_str) {
        None | Some("en" | "C" | "POSIX") => Wanted::English(English::Chosen),
        Some(_) if !unicode => Wanted::English(English::NotUtf8),
        Some(_) => Wanted::Language { codes, is_asked },
    }
}

/// Whether the locale's character set is UTF-8. LC_ALL overrides LC_CTYPE, which overrides LANG.
pub fn is_utf8(variable: impl Fn(&str) -> Option<String>) -> bool {
    let locale = first(&["LC_ALL", "LC_CTYPE", "LANG"], variable).to_ascii_lowercase();
    locale.ends_with("utf-8") || locale.ends_with("utf8")
}

fn first(names: &[&str], variable: impl Fn(&str) -> Option<String>) -> String {
    let mut set = names.iter().filter_map(|name| variable(name));
    set.find(|value| !value.is_empty()).unwrap_or_default()
}

/// `ko_KR.UTF-8@x` → `ko_KR`, `ko`. Empty for a text that isn't a name of a locale, such as a path.
fn codes(locale: &str) -> Vec<String> {
    let name = locale.split(['.', '@']).next().unwrap_or_default();
    let name = name.replace('-', "_");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if name.is_empty() || !name.chars().all(is_name) {
        return Vec::new();
    }
    let language = name.split('_').next().unwrap_or_default().to_owned();
    let mut codes = vec![name];
    if codes[0] != language {
        codes.push(language);
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(setting: &str, unicode: bool, pairs: &[(&str, &str)]) -> String {
        let variable = |name: &str| {
            let found = pairs.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        match wanted(setting, unicode, variable) {
            Wanted::English(_) => "en".to_owned(),
            Wanted::Language { codes, .. } => codes.join(" "),
        }
    }

    #[test]
    fn the_strongest_variable_decides() {
        let korean = ("LANG", "ko_KR.UTF-8");
        assert_eq!(chosen("auto", true, &[korean]), "ko_KR ko");
        assert_eq!(chosen("auto", true, &[("LANG", "ko")]), "ko");
        assert_eq!(chosen("auto", true, &[korean, ("LC_ALL", "C.UTF-8")]), "en");
        assert_eq!(chosen("auto", true, &[korean, ("LC_ALL", "")]), "ko_KR ko");
        let german = ("LC_MESSAGES", "de_DE.UTF-8");
        assert_eq!(chosen("auto", true, &[korean, german]), "de_DE de");
        assert_eq!(chosen("auto", true, &[("LANG", "en_GB.UTF-8")]), "en");
        assert_eq!(chosen("auto", true, &[("LANG", "POSIX")]), "en");
        assert_eq!(chosen("auto", true, &[]), "en");
        assert_eq!(chosen("auto", true, &[("LANG", "../x")]), "en");
    }

    #[test]
    fn the_setting_overrides_the_locale_but_not_the_terminal() {
        let korean = ("LANG", "ko_KR.eucKR");
        assert_eq!(chosen("auto", false, &[korean]), "en");
        assert_eq!(chosen("ko", false, &[]), "en");
        assert_eq!(chosen("ko", true, &[("LANG", "C")]), "ko");
        assert_eq!(chosen("en", true, &[("LANG", "ko_KR.UTF-8")]), "en");
        assert_eq!(chosen("pt-BR", true, &[]), "pt_BR pt");
    }

    #[test]
    fn the_character_set_is_of_the_strongest_variable() {
        let with = |pairs: &'static [(&str, &str)]| {
            is_utf8(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(with(&[("LANG", "ko_KR.UTF-8")]));
        assert!(with(&[("LANG", "C"), ("LC_CTYPE", "C.utf8")]));
        assert!(!with(&[("LANG", "ko_KR.UTF-8"), ("LC_ALL", "C")]));
        assert!(!with(&[]));
    }
}
