//! Where the web server keeps its logins: enough of Valkey's line protocol to let one expire.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

fn address() -> String {
    std::env::var("WORKBAY_CLUSTER_VALKEY").unwrap_or("127.0.0.1:8110".to_owned())
}

/// The keys of all logins there are.
pub fn logins() -> Vec<String> {
    ask(&["KEYS", "AIOHTTP_SESSION_*"])
}

/// Lets these expire.
pub fn forget(logins: &[String]) {
    for login in logins {
        ask(&["DEL", login]);
    }
}

/// One command; the texts of its answer.
fn ask(words: &[&str]) -> Vec<String> {
    let mut line = TcpStream::connect(address()).expect("the cluster's Valkey answers");
    write!(line, "*{}\r\n", words.len()).unwrap();
    for word in words {
        write!(line, "${}\r\n{word}\r\n", word.len()).unwrap();
    }
    let mut answer = BufReader::new(line);
    let head = read_line(&mut answer);
    let Some(count) = head.strip_prefix('*') else {
        assert!(head.starts_with(':'), "Valkey said {head}");
        return Vec::new();
    };
    let texts = 0..count.parse().unwrap();
    texts.map(|_| read_text(&mut answer)).collect()
}

fn read_text(answer: &mut BufReader<TcpStream>) -> String {
    let length = read_line(answer);
    let length: usize = length.strip_prefix('$').unwrap().parse().unwrap();
    let mut text = vec![0; length + 2];
    answer.read_exact(&mut text).unwrap();
    text.truncate(length);
    String::from_utf8(text).unwrap()
}

fn read_line(answer: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    answer.read_line(&mut line).unwrap();
    line.trim_end().to_owned()
}
