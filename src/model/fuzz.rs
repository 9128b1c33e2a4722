//! Feeds damaged amounts, times and references to all parsers of short texts.

use jiff::{Timestamp, tz::TimeZone};

use super::{
    image, reference,
    resources::{Bytes, Cpu},
    selector::TypedSession,
    span::Span,
    status::Status,
    text::Clean,
};
use crate::fuzz::{bounded, parser};
use crate::model::{ports, start_time};

#[test]
fn fuzz_values() {
    parser("values", &[], |bytes, _| {
        let text = &*String::from_utf8_lossy(bytes);
        bounded(bytes, &(text.parse::<Bytes>(), text.parse::<Cpu>()));
        bounded(bytes, &(text.parse::<Span>(), Status::from(text)));
        bounded(bytes, &(ports::read(text), image::services(text)));
        bounded(
            bytes,
            &(image::version_numbers(text), image::chips(text, None)),
        );
        bounded(
            bytes,
            &(reference::registry(text), reference::with_tag(text)),
        );
        bounded(bytes, &TypedSession::read(text));
        for now in [Timestamp::MIN, Timestamp::UNIX_EPOCH, Timestamp::MAX] {
            bounded(bytes, &start_time::read(text, now, &TimeZone::UTC));
        }
        let clean = Clean::from_bytes(bytes);
        bounded(bytes, &clean);
        assert_eq!(Clean::new(clean.as_str()), clean);
    });
}
