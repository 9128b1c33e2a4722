//! The planned containers of one session: the main one, and the others of a cluster.

use crate::{engine::api::CreatePlan, model::id::KernelId};

/// One planned container of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine::docker) struct PlannedContainer {
    pub(in crate::engine::docker) kernel: KernelId,
    /// 0 is the main container, then come `sub1` and so on.
    pub(in crate::engine::docker) place: u32,
}

impl PlannedContainer {
    /// All containers of a session, the main one first.
    pub(in crate::engine::docker) fn all(plan: &CreatePlan) -> Vec<Self> {
        std::iter::once(plan.kernel)
            .chain(plan.subs.iter().copied())
            .zip(0..)
            .map(|(kernel, place)| Self { kernel, place })
            .collect()
    }

    pub(in crate::engine::docker) fn is_main(self) -> bool {
        self.place == 0
    }

    pub(in crate::engine::docker) fn role(self) -> &'static str {
        role(self.place)
    }

    /// Its number within its role.
    pub(in crate::engine::docker) fn number(self) -> u32 {
        self.place.max(1)
    }

    pub(in crate::engine::docker) fn hostname(self) -> String {
        hostname(self.place)
    }
}

fn role(place: u32) -> &'static str {
    if place == 0 { "main" } else { "sub" }
}

/// `main1`, `sub1`, `sub2`, as in Backend.AI.
pub(in crate::engine::docker) fn hostname(place: u32) -> String {
    format!("{}{}", role(place), place.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names_and_numbers() {
        let planned = |place| PlannedContainer {
            kernel: KernelId::from_u128(1),
            place,
        };
        let reported = |place| {
            (
                planned(place).role(),
                planned(place).number(),
                planned(place).hostname(),
            )
        };
        assert_eq!(reported(0), ("main", 1, "main1".to_owned()));
        assert_eq!(reported(1), ("sub", 1, "sub1".to_owned()));
        assert_eq!(reported(12), ("sub", 12, "sub12".to_owned()));
    }
}
