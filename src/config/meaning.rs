//! What each setting means, from the comments in `default.toml`.

use super::layer::DEFAULT;
use crate::locale;

/// The meaning of a setting (`ui.theme`) in the user's language. Empty for an unknown key.
pub fn meaning(key: &str) -> String {
    locale::of(&meaning_in_english(key)).to_owned()
}

/// The comment above a setting in one line.
pub fn meaning_in_english(key: &str) -> String {
    let Some((table, name)) = key.split_once('.') else {
        return String::new();
    };
    let mut comment: Vec<&str> = Vec::new();
    let (mut inside, mut after_setting) = (false, false);
    for line in DEFAULT.lines() {
        if let Some(text) = line.strip_prefix('#') {
            if after_setting {
                comment.clear();
            }
            after_setting = false;
            comment.push(text.trim());
            continue;
        }
        if let Some(title) = line.strip_prefix('[') {
            inside = title.trim_end().trim_end_matches(']') == table;
        }
        let set = line.split_once('=').map(|(name, _)| name.trim());
        if inside && set == Some(name) {
            return comment.join(" ");
        }
        // Settings that follow each other share the comment above them.
        after_setting = set.is_some();
        if !after_setting {
            comment.clear();
        }
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::setting::SETTINGS;

    #[test]
    fn every_setting_has_a_meaning() {
        for setting in SETTINGS {
            let key = setting.key();
            assert!(!meaning(&key).is_empty(), "{key}");
        }
        let theme = meaning("ui.theme");
        assert!(theme.starts_with("Theme: auto (dark or light"), "{theme}");
        assert!(theme.ends_with("WORKBAY_THEME"), "{theme}");
        assert_eq!(meaning("ui.nothing"), "");
        // A setting of another table with the same name is another setting.
        assert!(!meaning("launch.environment").contains("Theme"));
    }
}
