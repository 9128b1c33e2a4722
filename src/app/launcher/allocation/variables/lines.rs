//! Variables in the format of files and shells: one `NAME=value` in each line.

/// The variables in a pasted text, empty if it is any other text.
pub fn read(text: &str) -> Vec<(String, String)> {
    // Terminals send pasted line ends as carriage returns.
    let lines = text.split(['\n', '\r']).map(str::trim);
    let meant = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let read: Option<Vec<_>> = meant.map(one).collect();
    read.unwrap_or_default()
}

fn one(line: &str) -> Option<(String, String)> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    let plain = !name.is_empty() && !name.contains(char::is_whitespace);
    plain.then(|| (name.to_owned(), unquoted(value.trim()).to_owned()))
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_list_of_variables_is_left_alone() {
        for text in ["", "hello", "A=1\nhello", "a b=c"] {
            assert!(read(text).is_empty(), "{text}");
        }
        for text in [
            "A=1\rexport API_TOKEN=\"a b\"\rB=2",
            "A=1\r\nexport API_TOKEN='a b'\r\nB=2\r\n",
        ] {
            let read = read(text);
            let pairs: Vec<(&str, &str)> = read.iter().map(|(k, v)| (&**k, &**v)).collect();
            assert_eq!(
                pairs,
                [("A", "1"), ("API_TOKEN", "a b"), ("B", "2")],
                "{text:?}"
            );
        }
        assert_eq!(read("A=\"x\"")[0].1, "x");
        assert_eq!(read("A='")[0].1, "'");
    }
}
