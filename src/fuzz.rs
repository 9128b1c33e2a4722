//! Feeds a parser with damaged forms of real inputs. For tests only.
//!
//! The inputs are in `tests/corpus/PARSER/`. Without settings a parser gets a fixed number of them and
//! the same ones each time; `WORKBAY_FUZZ_SECONDS` makes each parser run for that long, and
//! `WORKBAY_ATTACK_REPORT` names a file that gets a row for each parser.

use std::{
    fmt::{self, Debug, Write as _},
    fs::{self, OpenOptions},
    io::Write as _,
    path::Path,
    time::{Duration, Instant},
};

/// Inputs of the short form, beside the deep ones.
const INPUTS: usize = 250;
/// Longest input but for deep ones.
const LONGEST: usize = 8 * 1024;
/// Length of inputs that repeat one opening.
const DEEP: usize = 64 * 1024;

/// What opens another level somewhere, or repeats expensively.
const OPENINGS: [&[u8]; 12] = [
    b"[",
    b"{",
    b"{\"a\":",
    b"[[a]]\n",
    b"a.",
    b"x=[",
    b"x={x=",
    b"ctrl-",
    b"\x1b[",
    b"\x1bP",
    b"\"\\\\",
    b"%begin 1 1 1\n",
];

/// What parsers tend to misjudge, put in somewhere or in place of a word.
const SPECIAL: [&[u8]; 40] = [
    b"0",
    b"-1",
    b"-0",
    b"65536",
    b"4294967296",
    b"9223372036854775807",
    b"-9223372036854775808",
    b"18446744073709551615",
    b"99999999999999999999999999",
    b"1e308",
    b"1e-400",
    b"-1e999",
    b"NaN",
    b"inf",
    b"0.0000000000000000001",
    b"null",
    b"true",
    b"\"\"",
    b"[]",
    b"{}",
    b"''",
    b"\0",
    b"\r\n",
    b"\n\n",
    b"\t",
    b" ",
    b"\\u0000",
    b"\\ud800",
    b"\x1b[2J",
    b"\x1b]52;c;RVZJTA==\x07",
    b"\xe2\x80\xae",
    b"\xc2\x9b",
    b"\xff\xff\xff\xff",
    b"\xed\x95",
    b"9999-12-31T23:59:59Z",
    b"-009999-01-01T00:00:00Z",
    b"9223372036854775807d",
    b"16777216T",
    b"../../etc",
    b"=.:/@,;+-*",
];

/// A generator of numbers that gives the same ones each time.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 where there is none.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).expect("below a usize")
    }

    fn pick<'a>(&mut self, among: &[&'a [u8]]) -> &'a [u8] {
        among[self.below(among.len())]
    }

    /// `bytes` in pieces, as a connection might deliver them.
    pub(crate) fn split<'a>(&mut self, mut bytes: &'a [u8]) -> Vec<&'a [u8]> {
        let longest = [1, 7, 100, 5000][self.below(4)];
        let longest = longest.max(bytes.len() / 2000);
        let mut pieces = Vec::new();
        while !bytes.is_empty() {
            let (piece, rest) = bytes.split_at((1 + self.below(longest)).min(bytes.len()));
            pieces.push(piece);
            bytes = rest;
        }
        pieces
    }

    /// A random part of `bytes`.
    fn part(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let from = self.below(bytes.len() + 1);
        let length = 1 + self.below(64);
        from..(from + length).min(bytes.len())
    }

    /// A word or a number of `bytes`.
    fn word(&mut self, bytes: &[u8]) -> std::ops::Range<usize> {
        let at = self.below(bytes.len());
        let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
        let before = bytes[..at].iter().rev().take_while(|it| of_word(it));
        let after = bytes[at..].iter().take_while(|it| of_word(it));
        at - before.count()..at + after.count()
    }

    fn damage(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(bytes.len() + 1);
        match self.below(10) {
            0 if !bytes.is_empty() => {
                let at = self.below(bytes.len());
                bytes[at] ^= 1 << self.below(8);
            }
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(self.part(bytes))),
            3 => {
                let part = bytes[self.part(bytes)].to_vec();
                let times = 1 + self.below(20);
                bytes.splice(at..at, part.repeat(times));
            }
            4 => {
                let other = &seeds[self.below(seeds.len())];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[self.below(other.len())..]);
            }
            5 => drop(bytes.splice(at..at, self.pick(&SPECIAL).to_vec())),
            6 => {
                let times = 1 + self.below(300);
                bytes.splice(at..at, self.pick(&OPENINGS).repeat(times));
            }
            7 => {
                let random: Vec<u8> = (0..=self.below(16)).map(|_| self.next() as u8).collect();
                bytes.splice(at..at, random);
            }
            // A document that stays well formed reaches what is behind its syntax.
            _ if !bytes.is_empty() => {
                let word = self.word(bytes);
                let other = &seeds[self.below(seeds.len())];
                let instead = match self.below(3) {
                    0 if !other.is_empty() => other[self.word(other)].to_vec(),
                    _ => self.pick(&SPECIAL).to_vec(),
                };
                bytes.splice(word, instead);
            }
            _ => {}
        }
        bytes.truncate(LONGEST);
    }

    fn input(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        if self.below(20) == 0 {
            return (0..self.below(200)).map(|_| self.next() as u8).collect();
        }
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(6) {
            self.damage(&mut bytes, seeds);
        }
        bytes
    }
}

/// Prints the input at which a check failed.
struct Present<'a>(&'a str, &'a [u8]);

impl Drop for Present<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let shown = &self.1[..self.1.len().min(LONGEST)];
            eprintln!("{} failed at this input: {}", self.0, shown.escape_ascii());
        }
    }
}

/// Feeds the parser `name` with its corpus and `more`, then with damaged forms of both. `check` runs the
/// parser and fails where its promise isn't kept.
pub(crate) fn parser(name: &str, more: &[&[u8]], mut check: impl FnMut(&[u8], &mut Random)) {
    let mut seeds = corpus(name);
    seeds.extend(more.iter().map(|seed| seed.to_vec()));
    let mut random = Random(name.bytes().map(u64::from).sum());
    let mut count = 0_usize;
    let mut run = |bytes: &[u8], random: &mut Random| {
        let _present = Present(name, bytes);
        check(bytes, random);
        count += 1;
    };
    for seed in &seeds {
        run(seed, &mut random);
    }
    for opening in OPENINGS {
        let seed = &seeds[random.below(seeds.len())];
        let at = random.below(seed.len() + 1);
        let deep = opening.repeat(DEEP / opening.len());
        run(&deep, &mut random);
        run(&[&seed[..at], &deep, &seed[at..]].concat(), &mut random);
    }
    let end = seconds().map(|seconds| now() + seconds);
    let mut left = INPUTS;
    while end.map_or(left > 0, |end| now() < end) {
        left = left.saturating_sub(1);
        let input = random.input(&seeds);
        run(&input, &mut random);
    }
    report(name, count);
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/corpus")
        .join(name);
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(files.len() >= 3, "{folder:?} has too few inputs");
    let seeds = files.iter().map(|file| fs::read(file).expect("an input"));
    seeds.collect()
}

fn seconds() -> Option<Duration> {
    let seconds = std::env::var("WORKBAY_FUZZ_SECONDS").ok()?;
    let seconds = seconds.parse().expect("WORKBAY_FUZZ_SECONDS is a number");
    Some(Duration::from_secs(seconds))
}

fn report(name: &str, count: usize) {
    let Ok(path) = std::env::var("WORKBAY_ATTACK_REPORT") else {
        return;
    };
    let file = OpenOptions::new().append(true).create(true).open(path);
    let row = format!("| fuzzed {name} | {count} inputs | no panic, bounded |\n");
    // One write, so that rows of parallel tests don't mix.
    let written = file.and_then(|mut file| file.write_all(row.as_bytes()));
    written.expect("the report can be written");
}

/// Fails where what a parser made of `input` is out of proportion: its printed form is far longer.
pub(crate) fn bounded(input: &[u8], output: &impl Debug) {
    struct Length(usize);
    impl fmt::Write for Length {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 += text.len();
            Ok(())
        }
    }
    let mut length = Length(0);
    write!(length, "{output:?}").expect("counting never fails");
    let most = 64 * input.len() + 64 * 1024;
    assert!(length.0 <= most, "{} bytes of {}", length.0, input.len());
}

#[expect(clippy::disallowed_methods, reason = "the long form ends by the clock")]
fn now() -> Instant {
    Instant::now()
}
