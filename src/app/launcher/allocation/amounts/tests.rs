//! Tests of amounts: read from a launch, written into one, custom and automatic.

use super::*;
use crate::{
    action::Action,
    app::launcher::{AllocationForm, FormRow, LaunchInfo, PageForm},
    key::Key,
    model::{
        catalogue::{AcceleratorKind, Catalogue, Preset},
        text::Clean,
    },
};

fn info(presets: &[(&str, u64)]) -> LaunchInfo {
    let preset = |(name, cores): &(&str, u64)| Preset {
        shmem: Some(Bytes::mib(256)),
        ..Preset::new(
            *name,
            ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(Bytes::GIB)),
        )
    };
    let kind = AcceleratorKind {
        slot: "cuda.device".to_owned(),
        unit: Clean::new("GPU"),
        note: None,
        shares_per_device: None,
    };
    let mut info = LaunchInfo::blank();
    info.catalogue = Some(Catalogue {
        presets: presets.iter().map(preset).collect(),
        accelerators: vec![kind],
        ..Catalogue::default()
    });
    info
}

fn facts(info: &LaunchInfo) -> AmountFacts<'_> {
    AmountFacts {
        info,
        environment: None,
        group: None,
        size: 1,
        copies: 1,
    }
}

fn again(request: &LaunchRequest, info: &LaunchInfo) -> LaunchRequest {
    let mut amounts = Amounts::default();
    amounts.read(request, &facts(info));
    let mut written = LaunchRequest::default();
    amounts.write(&mut written);
    written
}

#[test]
fn nothing_said_is_the_first_preset_or_the_settings() {
    let nothing = LaunchRequest::default();
    let first = again(&nothing, &info(&[("b", 2), ("a", 1)]));
    assert_eq!((first.preset.as_deref(), first.cpu), (Some("a"), None));
    let own = again(&nothing, &info(&[]));
    assert_eq!((own.preset, own.cpu), (None, Some(Cpu::from_millis(1000))));
    assert_eq!((own.mem, own.shmem), (Some(Bytes::mib(512)), None));
}

#[test]
fn an_earlier_launch_comes_back_as_it_was() {
    let info = info(&[("a", 1)]);
    let mut request = LaunchRequest {
        cpu: Some(Cpu::from_millis(3000)),
        mem: Some(Bytes::mib(1100)),
        shmem: Some(Bytes::mib(100)),
        accelerators: [
            ("cuda.device".to_owned(), 2000),
            ("tpu.device".to_owned(), 1000),
        ]
        .into(),
        ..LaunchRequest::default()
    };
    assert_eq!(again(&request, &info), request);
    // The same, but the amounts override those of a preset.
    request.preset = Some("a".to_owned());
    assert_eq!(again(&request, &info), request);
}

#[test]
fn a_preset_keeps_its_amounts_beside_one_that_was_given() {
    let request = LaunchRequest {
        preset: Some("a".to_owned()),
        shmem: Some(Bytes::mib(20)),
        ..LaunchRequest::default()
    };
    // The available resources may arrive before or after the launch is read.
    let (none, some) = (info(&[]), info(&[("a", 3)]));
    for first in [&none, &some] {
        let mut amounts = Amounts::default();
        amounts.read(&request, &facts(first));
        amounts.update(&facts(&some));
        assert_eq!(amounts.source(), &AmountSource::Preset("a".to_owned()));
        assert_eq!(amounts.cpu.value(), Ok(3000));
        assert_eq!(amounts.mem.value(), Ok(Bytes::GIB));
        assert_eq!(amounts.shmem.value(), Ok(20 * Bytes::MIB));
        let mut written = LaunchRequest::default();
        amounts.write(&mut written);
        assert_eq!(written, request);
    }
}

#[test]
fn a_preset_with_its_own_amounts_beside_it_is_the_preset() {
    let request = LaunchRequest {
        preset: Some("a".to_owned()),
        cpu: Some(Cpu::from_millis(1000)),
        mem: Some(Bytes(Bytes::GIB)),
        ..LaunchRequest::default()
    };
    let written = again(&request, &info(&[("a", 1)]));
    assert_eq!((written.preset.as_deref(), written.cpu), (Some("a"), None));
}

#[test]
fn a_number_by_hand_is_not_changed_by_what_comes_later() {
    let (none, some) = (info(&[]), info(&[("a", 1)]));
    let mut amounts = Amounts::default();
    amounts.read(&LaunchRequest::default(), &facts(&none));
    amounts.cpu.paste("7");
    amounts.make_custom();
    amounts.update(&facts(&some));
    assert_eq!(
        (amounts.source(), amounts.cpu.value()),
        (&AmountSource::Custom, Ok(7000))
    );
    amounts.choose(AmountSource::Preset("a".to_owned()), &facts(&some));
    assert_eq!(amounts.shmem.value(), Ok(256 * Bytes::MIB));
    assert!(!amounts.automatic_shmem);
}

#[test]
fn a_blank_takes_shared_memory_by_hand_and_gives_it_back() {
    let info = info(&[]);
    let mut allocation = AllocationForm::default();
    allocation.read(&LaunchRequest::default(), &info);
    let (row, blank) = (FormRow::of(Field::SharedMemory), Key::char(' '));
    for is_manual in [true, false, true, false] {
        // A key is text first: it is an action where no text takes it.
        assert!(!allocation.key(row, blank, &info));
        allocation.action(row, Action::LauncherToggle, Some(blank), &info);
        assert_eq!(allocation.automatic(row), Some(!is_manual));
        let mut request = LaunchRequest::default();
        allocation.write(&mut request, &info);
        assert_eq!(request.shmem, is_manual.then(|| Bytes::mib(64)));
    }
}
