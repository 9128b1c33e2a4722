//! The one-time password of a login with two factors.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de::Error as _};

use super::secret::Secret;

/// Six digits usually; some servers use letters and other lengths.
const LENGTH: std::ops::RangeInclusive<usize> = 4..=16;

/// A one-time password, for example `492039`. It is sent to the daemon in clear text over a private socket, is used for one
/// login, and is never stored or displayed.
#[derive(Clone, PartialEq, Eq)]
pub struct OneTimeCode(Secret);

impl OneTimeCode {
    /// Reads a typed code. Blanks within it are ignored, as authenticators show `492 039`.
    ///
    /// # Errors
    ///
    /// A sentence if the text can't be a code.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let code: String = text.split_whitespace().collect();
        if !code.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(tr_later!("a one-time password has only digits and letters"));
        }
        if !LENGTH.contains(&code.len()) {
            return Err(tr_later!(
                "a one-time password has 4 to 16 digits or letters, usually 6"
            ));
        }
        Ok(Self(Secret::new(code)))
    }

    /// The code itself, only for the request of the login.
    pub fn expose(&self) -> &str {
        self.0.expose()
    }
}

impl fmt::Debug for OneTimeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// For the protocol between client and daemon; unlike other secrets it must arrive.
impl Serialize for OneTimeCode {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.expose())
    }
}

impl<'de> Deserialize<'de> for OneTimeCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_as_authenticators_show_them() {
        for (typed, code) in [
            ("492039", "492039"),
            (" 492 039 ", "492039"),
            ("AB12cd34", "AB12cd34"),
        ] {
            assert_eq!(OneTimeCode::parse(typed).unwrap().expose(), code);
        }
        for wrong in ["", "12", "492-039", "４９２０３９", "12345678901234567"] {
            assert!(OneTimeCode::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn it_arrives_at_the_daemon_and_is_never_printed() {
        let code = OneTimeCode::parse("492039").unwrap();
        let sent = serde_json::to_string(&code).unwrap();
        assert_eq!(serde_json::from_str::<OneTimeCode>(&sent).unwrap(), code);
        assert!(!format!("{code:?}").contains("492039"));
        assert!(serde_json::from_str::<OneTimeCode>("\"1\"").is_err());
    }
}
