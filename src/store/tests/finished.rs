//! Tests which of many ended sessions are loaded at the start, and which are read later.

use super::*;

/// A finished session, created at another second than the others.
fn done_with(number: u128, context: &str) -> Write {
    let mut record = record(number);
    record.session.status = Status::Terminated;
    record.session.context = context.parse().unwrap();
    record.step = Step::Settled;
    record.forgotten = true;
    Write::Session(Box::new(record))
}

fn ids(records: &[SessionRecord]) -> Vec<SessionId> {
    records.iter().map(|record| record.session.id).collect()
}

fn numbered(numbers: impl IntoIterator<Item = u128>) -> Vec<SessionId> {
    numbers.into_iter().map(SessionId::from_u128).collect()
}

#[tokio::test]
async fn only_the_newest_of_those_that_are_done_with_are_loaded_the_others_on_demand() {
    let dir = tempfile::tempdir().unwrap();
    let mut few = options(&dir);
    few.ended = 3;
    let (store, opened) = Store::open(&few).unwrap();
    assert_eq!(opened.unloaded, Unloaded::default());
    let mut writes: Vec<Write> = (10..30).map(|n| done_with(n, "local")).collect();
    writes.extend((1..5).map(|n| done_with(n, "other")));
    // The first session runs, although it is old. The second has ended but isn't finished.
    writes.push(session(0));
    let mut unforgotten = record(9);
    unforgotten.session.status = Status::Terminated;
    unforgotten.step = Step::Settled;
    writes.push(Write::Session(Box::new(unforgotten)));
    store.write(writes).await.unwrap();
    store.close().await;

    let (store, opened) = Store::open(&few).unwrap();
    assert_eq!(ids(&opened.records), numbered([0, 9, 27, 28, 29]));
    let [local, other] = ["local", "other"].map(|it| it.parse::<ContextName>().unwrap());
    assert_eq!(opened.unloaded.counts, [(local, 17), (other, 4)].into());
    let mark = opened.unloaded.before.unwrap();
    let page = store.older(local, mark.clone(), 5).await.unwrap();
    assert_eq!(ids(&page), numbered([26, 25, 24, 23, 22]));
    assert_eq!(page[0].session.kernels.len(), 1, "with its kernels");
    let next = Mark::of(&page[4].session);
    let rest = store.older(local, next, 100).await.unwrap();
    assert_eq!(ids(&rest), numbered((10..22).rev()));
    let others = store.older(other, mark, 100).await.unwrap();
    assert_eq!(ids(&others), numbered([4, 3, 2, 1]));

    // The names are 한글-N. The special characters of `LIKE` are matched literally.
    let named = async |text: &str| store.named(local, text.to_owned(), 2).await.unwrap();
    let (count, found) = named("글-1").await;
    assert_eq!(count, 10);
    assert_eq!(found, numbered([19, 18]));
    let (count, found) = named("한글-1").await;
    assert_eq!((count, found), (10, numbered([19, 18])));
    store.write(vec![done_with(1_900, "local")]).await.unwrap();
    let (_, found) = named("한글-19").await;
    assert_eq!(found, numbered([19, 1_900]), "whose name it is goes first");
    for none in ["%", "_", "글_1", "\\"] {
        assert_eq!(named(none).await, (0, Vec::new()), "{none}");
    }
    let asked = store.sessions(numbered([12, 99])).await.unwrap();
    assert_eq!(ids(&asked), numbered([12]));
}

#[tokio::test]
async fn what_is_left_is_counted_for_each_context() {
    let dir = tempfile::tempdir().unwrap();
    let (store, _) = open(&dir);
    let contexts = [("a", 0..7), ("b", 7..12), ("c", 12..14)];
    let writes = contexts.into_iter().flat_map(|(context, numbers)| {
        numbers.map(move |number| done_with(number * 3 + u128::from(context == "b"), context))
    });
    let mut writes: Vec<Write> = writes.collect();
    // It runs, so it isn't counted.
    writes.push(session(99));
    store.write(writes).await.unwrap();
    store.close().await;
    for (ended, left) in [
        (1, vec![("a", 7), ("b", 5), ("c", 1)]),
        (2, vec![("a", 7), ("b", 5)]),
        (4, vec![("a", 7), ("b", 3)]),
        (9, vec![("a", 5)]),
        (14, vec![]),
        (100, vec![]),
    ] {
        let options = StoreOptions {
            ended,
            ..options(&dir)
        };
        let (store, opened) = Store::open(&options).unwrap();
        let left = left.into_iter();
        let left = left.map(|(name, count)| (name.parse().unwrap(), count));
        assert_eq!(opened.unloaded.counts, left.collect(), "{ended}");
        store.close().await;
    }
}
