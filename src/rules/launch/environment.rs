//! The environment of a launch, which must exist and be launchable.

use crate::model::{
    environment::{Environment, EnvironmentSource},
    spec::LaunchRequest,
    text::Clean,
};
use crate::{
    model::{
        launch_field::{FieldProblem, LaunchField as Field},
        reference,
    },
    rules::resolve,
};

/// The environment of a request, by its name or its image. `default` applies if the request names none.
pub fn find<'a>(
    request: &LaunchRequest,
    all: &'a [Environment],
    default: &str,
) -> Option<&'a Environment> {
    match (&request.image, &request.environment) {
        (Some(image), _) => resolve::find_image(all, image),
        (None, Some(name)) => resolve::find(all, name),
        (None, None) => resolve::find(all, default),
    }
}

/// The problem that no environment has that name, with the one that was probably meant.
pub fn missing(request: &LaunchRequest, all: &[Environment], default: &str) -> FieldProblem {
    let wanted = request.environment.as_deref().unwrap_or(default);
    let asked = Clean::new(wanted);
    FieldProblem::new(
        Field::Environment,
        match resolve::nearest_environment(all, wanted) {
            Some(near) => tr!(
                "environment '{asked}' not found on this engine. Did you mean {near}?",
                asked,
                near = Clean::new(&near)
            ),
            None => tr!(
                "environment '{asked}' not found on this engine. Choose another one",
                asked
            ),
        },
    )
}

/// Why the environment can't be launched; `None` = it can.
pub fn unavailable(request: &LaunchRequest, found: &Environment) -> Option<FieldProblem> {
    let why = found.unavailable.as_ref()?;
    let field = match request.image {
        Some(_) => Field::Image,
        None => Field::Environment,
    };
    let label = Clean::new(&found.label());
    let why = tr!("{label} isn't available on this engine: {why}", label, why);
    Some(FieldProblem::new(field, why))
}

/// The warning that an image isn't on the engine yet.
pub fn to_be_pulled(source: &EnvironmentSource) -> String {
    let from = match source {
        EnvironmentSource::Image { reference } => reference::registry(reference),
        EnvironmentSource::Host => tr!("this machine"),
    };
    tr!("not on this engine yet: will be pulled from {from}", from)
}

/// The same warning for an image that wasn't reported. It may be misspelled.
pub fn unknown(image: &str, all: &[Environment]) -> String {
    let reference = image.trim().to_owned();
    let why = to_be_pulled(&EnvironmentSource::Image { reference });
    match resolve::nearest_image(all, image) {
        Some(near) => tr!(
            "{why} (did you mean {near}?)",
            why,
            near = Clean::new(&near)
        ),
        None => why,
    }
}

/// The warning that a manager doesn't list the image. It may accept the image anyway, so this isn't a
/// problem.
pub fn unlisted(image: &str, all: &[Environment]) -> String {
    match resolve::nearest_image(all, image) {
        Some(near) => tr!(
            "not in the image list of this cluster. Did you mean {near}?",
            near = Clean::new(&near)
        ),
        None => tr!(
            "not in the image list of this cluster. The cluster decides whether the image is available"
        )
        .to_owned(),
    }
}
