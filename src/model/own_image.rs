//! Images that users create from their sessions: their names, their labels, and what lists show of images.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{id::SessionId, reference, resources::Bytes, text::Clean};

/// The id of an image within the images that were created from sessions.
pub const OWN_ID: &str = "ai.backend.customized-image.id";
/// The session that an image was created from.
pub const FROM_SESSION: &str = "workbay.image.session";
/// The image that the session was launched with.
pub const FROM_IMAGE: &str = "workbay.image.base";
/// The beginning of the references of images that workbay creates on an engine of containers. `localhost` isn't a registry
/// that anybody pushes to, so no image of a registry has the same reference.
pub const PREFIX: &str = "localhost/workbay/";

/// The rule for the names of images: that of Backend.AI.
pub fn check_name(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    if let Some(bad) = name.chars().find(|c| !fits(*c)) {
        let bad = Clean::new(&bad.to_string());
        return Err(tr!(
            "'{bad}' isn't allowed in the image name. Use letters, digits, '.', '-' and '_'",
            bad
        ));
    }
    match name.chars().count() {
        4..=32 => Ok(()),
        0..4 => Err(tr!("the image name must have 4 to 32 characters").to_owned()),
        n => Err(tr!(
            "the image name has {n} characters (4 to 32 allowed)",
            n
        )),
    }
}

/// The reference of a new image: `localhost/workbay/USER/BASE:VERSION-customized_ID`. A base that was created from a
/// session is replaced, not nested.
pub fn reference_of(user: &str, base: &str, id: &str) -> String {
    let (name, version) = reference::name_and_version(base);
    let name = name.rsplit('/').next().unwrap_or_default().to_owned();
    let version = version.split("-customized_").next().unwrap_or_default();
    let version = version.strip_prefix("customized_").map_or(version, |_| "");
    // 128 characters is the longest tag.
    let version: String = version.chars().take(80).collect();
    let version = if version.is_empty() || version.contains(':') {
        "1"
    } else {
        &version
    };
    format!(
        "{PREFIX}{}/{}:{version}-customized_{id}",
        path_part(user, "user"),
        path_part(&name, "image")
    )
}

/// A part of a repository's name: small letters and digits, with single separators between them.
fn path_part(text: &str, otherwise: &str) -> String {
    let mut part = String::new();
    for c in text.chars().map(|c| c.to_ascii_lowercase()) {
        if c.is_ascii_alphanumeric() {
            part.push(c);
        } else if !part.is_empty() && !part.ends_with('-') {
            part.push('-');
        }
    }
    let part = part.trim_end_matches('-');
    if part.is_empty() {
        return otherwise.to_owned();
    }
    part.chars().take(64).collect()
}

/// How to create an image from a running session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitPlan {
    pub session: SessionId,
    /// The name that the user chose.
    pub name: String,
    /// The user, for the reference and for other users.
    pub user: String,
    /// Whether the session's programs wait meanwhile.
    pub pause: bool,
    /// How many images of this kind the user may have; `None` = any number.
    pub limit: Option<u32>,
    /// The space that must stay free on the engine's disk.
    pub keep_free: Bytes,
}

/// What happens while an image is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommitStep {
    /// Work that has begun, and its place in all steps.
    Begun {
        number: u32,
        of: u32,
        what: &'static str,
    },
    /// The image is complete.
    Done { reference: String },
}

/// An image of the engine, as `image ls` lists it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StoredImage {
    pub reference: String,
    /// `sha256:…`, where the engine has it.
    pub id: Option<String>,
    /// The name that its creator gave it, if it was created from a session.
    pub name: Option<Clean>,
    /// Whether it was created from a session of yours.
    pub mine: bool,
    /// The user whose session it was created from, if it is another one.
    pub owner: Option<Clean>,
    /// Size on disk in bytes.
    pub size: Option<Bytes>,
    pub created_at: Option<Timestamp>,
    /// The image of the session that it was created from.
    pub base: Option<Clean>,
    /// The names of your sessions that use it.
    pub used_by: Vec<Clean>,
}

impl StoredImage {
    /// Whether a user's word means it: its reference, its own name, or the beginning of its id.
    pub fn answers_to(&self, word: &str) -> bool {
        let id = self
            .id
            .as_deref()
            .map(|id| id.trim_start_matches("sha256:"));
        let word_id = word.trim_start_matches("sha256:");
        let is_id = word_id.len() >= 6 && id.is_some_and(|id| id.starts_with(word_id));
        self.reference == word
            || reference::is_same(&self.reference, word)
            || self.name.as_ref().is_some_and(|name| *name == *word)
            || is_id
    }
}

/// A request about the images of a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case")]
pub enum ImageRequest {
    /// All images, those that you created from sessions first.
    List,
    /// Removes the image with this reference, unless a session uses it.
    Remove { reference: String },
}

/// The progress of a transfer of an image, as a line of JSON in its stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ImageProgress {
    /// What happens now, in a few words.
    pub what: Clean,
    /// Bytes transferred so far.
    pub done: u64,
    /// Bytes to transfer, as far as known.
    pub total: u64,
    /// In the last line: the images that are complete now.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Clean>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_of_an_images_name() {
        for good in ["abcd", "my-image_1.0", &"x".repeat(32)] {
            assert_eq!(check_name(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "abc",
            "a b c",
            "이미지-이름",
            "a\u{1b}bc",
            &"x".repeat(33),
        ] {
            let why = check_name(bad).unwrap_err();
            assert!(!why.contains('\u{1b}'), "{why:?}");
        }
    }

    #[test]
    fn references_follow_the_grammar_whatever_they_are_made_of() {
        let id = "0123456789abcdef0123456789abcdef";
        let of = |user, base| reference_of(user, base, id);
        assert_eq!(
            of("kim", "cr.example:5000/team/Python:3.12-py312"),
            format!("localhost/workbay/kim/python:3.12-py312-customized_{id}")
        );
        let nested = of("kim", "localhost/workbay/kim/python:3-customized_ffff");
        assert_eq!(
            nested,
            format!("localhost/workbay/kim/python:3-customized_{id}")
        );
        let digest = format!("busybox@sha256:{}", "a".repeat(64));
        let long = format!("busybox:{}", "9".repeat(128));
        for (user, base) in [
            ("Kim@Example.org", "busybox"),
            ("김", "__/--:x"),
            ("", digest.as_str()),
            ("a..b", long.as_str()),
            ("kim", "sha256:0123"),
        ] {
            let reference = of(user, base);
            assert_eq!(reference::check(&reference), Ok(()), "{reference}");
            assert!(reference.ends_with(id), "{reference}");
        }
    }

    #[test]
    fn words_that_mean_an_image() {
        let image = StoredImage {
            reference: "localhost/workbay/kim/busybox:1-customized_ab".to_owned(),
            id: Some("sha256:0123456789ab".to_owned()),
            name: Some("my-tools".into()),
            mine: true,
            owner: None,
            size: None,
            created_at: None,
            base: None,
            used_by: Vec::new(),
        };
        for word in [
            "my-tools",
            "0123456",
            "sha256:0123456789ab",
            &image.reference,
        ] {
            assert!(image.answers_to(word), "{word}");
        }
        for word in ["", "my", "0123", "busybox", "other:1"] {
            assert!(!image.answers_to(word), "{word}");
        }
    }
}
