//! The amounts of one container: from a preset, the environment's minimum, or custom.

use std::collections::BTreeMap;

use super::{
    amount_facts::AmountFacts,
    presets::{self, AmountSource},
    slider::{NumberUnit, Slider},
};
use crate::{
    app::launcher::LaunchInfo,
    model::{
        catalogue::{Preset, unit},
        launch_field::{FieldProblem, LaunchField as Field},
        resources::{Bytes, Cpu, ResourceSlots},
        spec::LaunchRequest,
    },
};

/// A kind of accelerator and its amount.
#[derive(Clone, Debug)]
pub struct Accelerator {
    pub slot: String,
    pub slider: Slider,
}

#[derive(Clone, Debug)]
pub struct Amounts {
    source: AmountSource,
    /// You haven't chosen anything yet, so another environment or group chooses again.
    automatic: bool,
    pub cpu: Slider,
    pub mem: Slider,
    pub shmem: Slider,
    /// The shared memory depends on the memory.
    pub automatic_shmem: bool,
    pub accelerators: Vec<Accelerator>,
    /// The amounts that a request has in addition to its preset.
    overrides: PresetOverrides,
}

/// Amounts that override those of a preset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct PresetOverrides {
    cpu: Option<Cpu>,
    mem: Option<Bytes>,
    shmem: Option<Bytes>,
    accelerators: BTreeMap<String, u64>,
}

impl PresetOverrides {
    fn of(request: &LaunchRequest) -> Self {
        Self {
            cpu: request.cpu,
            mem: request.mem,
            shmem: request.shmem,
            accelerators: request.accelerators.clone(),
        }
    }

    /// Removes the amounts that are the same in the preset.
    fn without(&mut self, preset: &Preset) {
        let slots = &preset.slots;
        self.cpu = self.cpu.filter(|cpu| *cpu != slots.cpu);
        self.mem = self.mem.filter(|mem| *mem != slots.mem);
        self.shmem = self.shmem.filter(|shmem| preset.shmem != Some(*shmem));
        let own = |slot: &str| slots.accelerators.get(slot).copied().unwrap_or(0);
        self.accelerators
            .retain(|slot, amount| own(slot) != *amount);
    }

    fn over(&self, slots: &ResourceSlots) -> ResourceSlots {
        let mut accelerators = slots.accelerators.clone();
        accelerators.extend(self.accelerators.clone());
        ResourceSlots {
            cpu: self.cpu.unwrap_or(slots.cpu),
            mem: self.mem.unwrap_or(slots.mem),
            accelerators,
        }
    }
}

impl Default for Amounts {
    fn default() -> Self {
        Self {
            source: AmountSource::Custom,
            automatic: true,
            cpu: Slider::new(NumberUnit::Cores, 1000),
            mem: Slider::new(NumberUnit::Bytes, 512 * Bytes::MIB),
            shmem: Slider::new(NumberUnit::Bytes, 64 * Bytes::MIB),
            automatic_shmem: true,
            accelerators: Vec::new(),
            overrides: PresetOverrides::default(),
        }
    }
}

impl Amounts {
    pub fn source(&self) -> &AmountSource {
        &self.source
    }

    /// The numbers can't be changed.
    pub fn are_fixed(&self, facts: &AmountFacts<'_>) -> bool {
        facts.presets_only()
    }

    /// The current amounts. A text that doesn't parse counts as nothing.
    pub fn slots(&self) -> ResourceSlots {
        let mut slots = ResourceSlots::new(
            Cpu::from_millis(self.cpu.value().unwrap_or(0)),
            Bytes(self.mem.value().unwrap_or(0)),
        );
        for accelerator in &self.accelerators {
            if let Ok(amount @ 1..) = accelerator.slider.value() {
                slots.accelerators.insert(accelerator.slot.clone(), amount);
            }
        }
        slots
    }

    /// Takes your choice of where amounts come from.
    pub fn choose(&mut self, source: AmountSource, facts: &AmountFacts<'_>) {
        self.automatic = false;
        self.overrides = PresetOverrides::default();
        self.source = source;
        self.apply(facts);
    }

    /// Makes the amounts custom after a number was changed.
    pub fn make_custom(&mut self) {
        self.automatic = false;
        self.overrides = PresetOverrides::default();
        self.source = AmountSource::Custom;
    }

    /// Takes another environment or group, or new data about them.
    pub fn update(&mut self, facts: &AmountFacts<'_>) {
        self.keep_kinds(facts);
        if self.is_elsewhere(facts) {
            self.automatic = true;
            self.overrides = PresetOverrides::default();
        }
        if self.automatic {
            self.source = presets::automatic(facts);
        }
        if self.automatic || self.source != AmountSource::Custom {
            self.apply(facts);
        }
    }

    /// The chosen preset belongs to another group.
    fn is_elsewhere(&self, facts: &AmountFacts<'_>) -> bool {
        let AmountSource::Preset(name) = &self.source else {
            return false;
        };
        let all = facts.catalogue().map_or(&[][..], |it| &it.presets);
        presets::find(name, facts).is_none() && all.iter().any(|it| it.name == *name.as_str())
    }

    fn apply(&mut self, facts: &AmountFacts<'_>) {
        match &self.source {
            AmountSource::Custom if !self.automatic => {}
            AmountSource::Custom => self.take(&facts.usual(), None),
            AmountSource::Minimum => self.take(&facts.least(), None),
            AmountSource::Preset(name) => {
                if let Some(preset) = presets::find(name, facts) {
                    self.overrides.without(preset);
                    let shmem = self.overrides.shmem.or(preset.shmem);
                    let slots = self.overrides.over(&preset.slots);
                    self.take(&slots, shmem.filter(|it| it.0 > 0));
                }
            }
        }
    }

    fn take(&mut self, slots: &ResourceSlots, shmem: Option<Bytes>) {
        self.cpu.set(slots.cpu.millis());
        self.mem.set(slots.mem.0);
        self.automatic_shmem = shmem.is_none();
        if let Some(shmem) = shmem {
            self.shmem.set(shmem.0);
        }
        for accelerator in &mut self.accelerators {
            let amount = slots.accelerators.get(&accelerator.slot);
            accelerator.slider.set(amount.copied().unwrap_or(0));
        }
    }

    /// Keeps a row for each kind that exists, and for requested kinds that don't exist.
    fn keep_kinds(&mut self, facts: &AmountFacts<'_>) {
        let mut old = std::mem::take(&mut self.accelerators);
        for kind in facts.kinds() {
            let at = old.iter().position(|it| it.slot == kind.slot);
            self.accelerators.push(match at {
                Some(at) => old.remove(at),
                None => Accelerator::new(&kind.slot, 0),
            });
        }
        old.retain(|it| it.slider.value() != Ok(0));
        self.accelerators.extend(old);
    }

    /// Switches the shared memory between automatic and custom.
    pub fn toggle_shmem(&mut self, facts: &AmountFacts<'_>) {
        self.automatic_shmem = !self.automatic_shmem;
        self.make_custom();
        if !self.automatic_shmem {
            self.shmem.set(self.usual_shmem(facts).0);
        }
    }

    /// The automatic amount of shared memory.
    pub fn usual_shmem(&self, facts: &AmountFacts<'_>) -> Bytes {
        facts.automatic_shmem(Bytes(self.mem.value().unwrap_or(0)))
    }

    pub fn problems(&self, info: &LaunchInfo) -> Vec<FieldProblem> {
        let mut found = Vec::new();
        let mut add = |field, slider: &Slider| {
            if let Err(why) = slider.value() {
                found.push(FieldProblem::new(field, why));
            }
        };
        add(Field::Cpu, &self.cpu);
        add(Field::Memory, &self.mem);
        if !self.automatic_shmem {
            add(Field::SharedMemory, &self.shmem);
        }
        for accelerator in &self.accelerators {
            if let Err(why) = accelerator.slider.value() {
                let slot = &accelerator.slot;
                let unit = unit(slot, info.catalogue.as_ref());
                let why = format!("{unit} ({slot}): {why}");
                found.push(FieldProblem::new(Field::Accelerator, why));
            }
        }
        found
    }

    pub fn read(&mut self, request: &LaunchRequest, facts: &AmountFacts<'_>) {
        *self = Self::default();
        let amounts_given = request.cpu.is_some()
            || request.mem.is_some()
            || request.shmem.is_some()
            || !request.accelerators.is_empty();
        self.automatic = request.preset.is_none() && !amounts_given;
        self.take(&given(request, facts), request.shmem);
        for (slot, amount) in &request.accelerators {
            let known = self.accelerators.iter().any(|it| it.slot == *slot);
            if !known && *amount > 0 {
                self.accelerators.push(Accelerator::new(slot, *amount));
            }
        }
        if let Some(preset) = &request.preset {
            self.source = AmountSource::Preset(preset.clone());
            self.overrides = PresetOverrides::of(request);
        }
        self.update(facts);
    }

    pub fn write(&self, request: &mut LaunchRequest) {
        if let AmountSource::Preset(name) = &self.source {
            // The launch takes the amounts from the preset.
            request.preset = Some(name.clone());
            request.cpu = self.overrides.cpu;
            request.mem = self.overrides.mem;
            request.shmem = self.overrides.shmem;
            request
                .accelerators
                .clone_from(&self.overrides.accelerators);
            return;
        }
        request.cpu = self.cpu.value().ok().map(Cpu::from_millis);
        request.mem = self.mem.value().ok().map(Bytes);
        if !self.automatic_shmem {
            request.shmem = self.shmem.value().ok().map(Bytes);
        }
        request.accelerators = self.slots().accelerators;
    }
}

/// The amounts of a request. Missing ones have the default amounts.
fn given(request: &LaunchRequest, facts: &AmountFacts<'_>) -> ResourceSlots {
    let usual = facts.usual();
    ResourceSlots {
        cpu: request.cpu.unwrap_or(usual.cpu),
        mem: request.mem.unwrap_or(usual.mem),
        accelerators: request.accelerators.clone(),
    }
}

impl Accelerator {
    fn new(slot: &str, amount: u64) -> Self {
        Self {
            slot: slot.to_owned(),
            slider: Slider::new(NumberUnit::Devices, amount),
        }
    }
}

#[cfg(test)]
mod tests;
