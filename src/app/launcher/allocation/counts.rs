//! The numbers of sessions, containers of a cluster, and threads.

use super::{
    options::SelectOption,
    slider::{NumberBounds, NumberUnit, Slider},
};
use crate::{
    app::launcher::LaunchInfo,
    model::{
        capability::Capability,
        launch_field::{FieldProblem, LaunchField as Field},
        session::ClusterMode,
        spec::LaunchRequest,
    },
    rules::launch::check::MOST_COPIES,
};

#[derive(Clone, Debug)]
pub struct SessionCounts {
    pub count: Slider,
    pub size: Slider,
    multi_node: bool,
}

impl Default for SessionCounts {
    fn default() -> Self {
        Self {
            count: Slider::new(NumberUnit::Pieces, 1),
            size: Slider::new(NumberUnit::Pieces, 1),
            multi_node: false,
        }
    }
}

impl SessionCounts {
    /// Containers in a session, 1 while the text isn't a number.
    pub fn containers(&self) -> u32 {
        small(&self.size)
    }

    /// The number of sessions. Only one cluster session can be launched at a time.
    pub fn copies(&self) -> u32 {
        if self.containers() > 1 {
            return 1;
        }
        small(&self.count)
    }

    pub fn count_bounds() -> NumberBounds {
        pieces(Some(u64::from(MOST_COPIES)))
    }

    pub fn size_bounds(info: &LaunchInfo) -> NumberBounds {
        let policy = info.catalogue.as_ref().map(|it| &it.policy);
        pieces(
            policy
                .and_then(|it| it.max_containers_per_session)
                .map(u64::from),
        )
    }

    pub fn modes(&self, info: &LaunchInfo) -> (Vec<SelectOption>, usize) {
        let why = info.why_not(Capability::MultiNode).map(ToString::to_string);
        let options = vec![
            SelectOption::new(tr!("single node"), tr!("all containers on one machine")),
            SelectOption::new(
                tr!("multi node"),
                tr!("containers may be on several machines"),
            )
            .unless(why),
        ];
        (options, usize::from(self.multi_node))
    }

    pub fn choose_mode(&mut self, at: usize) {
        self.multi_node = at == 1;
    }

    pub fn problems(&self) -> Vec<FieldProblem> {
        let fields = [
            (Field::Count, &self.count, self.containers() == 1),
            (Field::ClusterSize, &self.size, true),
        ];
        let wrong = |(field, slider, shown): (Field, &Slider, bool)| {
            let why = slider.value().err().filter(|_| shown)?;
            Some(FieldProblem::new(field, why))
        };
        fields.into_iter().filter_map(wrong).collect()
    }

    pub fn read(&mut self, request: &LaunchRequest) {
        self.count.set(u64::from(request.copies()));
        self.size.set(u64::from(request.containers()));
        self.multi_node = request.cluster_mode == ClusterMode::MultiNode;
    }

    pub fn write(&self, request: &mut LaunchRequest) {
        let above_one = |slider: &Slider| {
            let value = u32::try_from(slider.value().ok()?).ok()?;
            Some(value).filter(|value| *value != 1)
        };
        request.cluster_size = above_one(&self.size);
        if self.containers() > 1 {
            // The cluster mode matters only with several containers.
            if self.multi_node {
                request.cluster_mode = ClusterMode::MultiNode;
            }
        } else {
            request.count = above_one(&self.count);
        }
    }
}

fn small(slider: &Slider) -> u32 {
    let value = slider.value().ok().and_then(|it| u32::try_from(it).ok());
    value.unwrap_or(1).max(1)
}

pub fn pieces(most: Option<u64>) -> NumberBounds {
    NumberBounds {
        least: 1,
        most,
        free: None,
        quantum: 1,
    }
}
