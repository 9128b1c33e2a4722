use proptest::prelude::*;

use super::*;
use crate::{
    app::testing::session,
    model::{
        id::{KernelId, SessionId},
        kernel::Kernel,
        status::Status,
    },
    protocol::message::Snapshot,
};

const NAMES: &[&str] = &[
    "train-resnet",
    "Train-BERT",
    "notebook",
    "한글",
    "café",
    "a-b_c.d",
    "be",
    "0f",
    "x",
    "be-12",
];

fn mirror(tab: Tab) -> Mirror {
    let sessions = NAMES.iter().zip(1..).map(|(name, number)| {
        let id = SessionId::from_u128((0xbe12_0000_u128 + number) << 96);
        let mut it = session(number, name);
        it.id = id;
        it.owner = ["ada@lab", "Bob"][number as usize % 2].into();
        it.placement.agents = vec!["i-agent01".into()];
        if tab == Tab::Finished {
            it.status = Status::Terminated;
            it.started_at = Some(it.created_at);
            it.kernels = vec![Kernel {
                exit_code: Some([0, 1, 13][number as usize % 3]),
                oom_killed: number == 6,
                ..Kernel::new(KernelId::from_u128(1), "main1".into(), Status::Terminated)
            }];
        }
        it
    });
    let mut mirror = Mirror::default();
    let snapshot = Snapshot {
        seq: 1,
        sessions: sessions.collect(),
        contexts: Vec::new(),
        forwards: Vec::new(),
    };
    mirror.replace(snapshot, jiff::Timestamp::UNIX_EPOCH);
    mirror
}

/// Types `text` into the filter and returns the matching sessions.
fn kept(index: &mut Index, filter: &mut Filter, text: &str, mirror: &Mirror) -> Vec<SessionKey> {
    filter.edit();
    filter.type_into(|input| input.set(text));
    index.keep(filter, mirror, ShownContexts::All);
    index.keys().collect()
}

proptest! {
    #[test]
    fn what_is_kept_is_what_the_filter_accepts(
        typed in "[a-e01tnB한é:!^' -]{0,6}|!?(bob|ada@|age|lab)|exit ?[013]{0,2}|!exit 1|out of m|oom b",
        cut in 0..6_usize,
        tab in prop_oneof![Just(Tab::Running), Just(Tab::Finished)],
    ) {
        let mirror = mirror(tab);
        let mut index = Index::default();
        index.collect(&mirror, tab, ShownContexts::All, SortOrder::default());
        let mut filter = Filter::default();
        // Types it letter by letter, and deletes it again.
        let letters: Vec<usize> = typed.char_indices().map(|(at, _)| at).chain([typed.len()]).collect();
        let back = letters.get(cut).copied().unwrap_or(0);
        for end in letters.into_iter().chain([back]) {
            let found = kept(&mut index, &mut filter, &typed[..end], &mirror);
            let all: Vec<SessionKey> = index.entries.iter().map(|entry| entry.key).collect();
            let accepted = all.into_iter().filter(|key| {
                let session = mirror.session(*key).unwrap();
                filter.accepts(session, ShownContexts::All)
            });
            prop_assert_eq!(found, accepted.collect::<Vec<_>>(), "{:?}", &typed[..end]);
        }
    }
}

#[test]
fn owners_projects_and_agents_are_found_where_there_are_several_owners() {
    let mut filter = Filter::default();
    let mut found = |mirror: &Mirror, text: &str| {
        let mut index = Index::default();
        index.collect(
            mirror,
            Tab::Running,
            ShownContexts::All,
            SortOrder::default(),
        );
        kept(&mut index, &mut filter, text, mirror).len()
    };
    let several = mirror(Tab::Running);
    assert_eq!(found(&several, "ada@"), NAMES.len() / 2);
    assert_eq!(found(&several, "!ada@"), NAMES.len() / 2);
    assert_eq!(found(&several, "agent01"), NAMES.len());
    let sessions = several.sessions().cloned().map(|mut it| {
        it.owner = "ada@lab".into();
        it
    });
    let mut one = Mirror::default();
    let snapshot = Snapshot {
        seq: 1,
        sessions: sessions.collect(),
        contexts: Vec::new(),
        forwards: Vec::new(),
    };
    one.replace(snapshot, jiff::Timestamp::UNIX_EPOCH);
    assert_eq!(found(&one, "ada@"), 0);
    assert_eq!(found(&one, "agent01"), 0);
}
