//! The environment of a launch: what is asked for must be there, and one that can be launched.

use super::{
    super::{
        environment::{Environment, EnvironmentSource},
        reference, resolve,
        spec::LaunchRequest,
        text::Clean,
    },
    field::{FieldProblem, LaunchField as Field},
};

/// The environment a request means, by its name or by its image; `default` where it names none.
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

/// That no environment of that name is among them, and which was likely meant.
pub fn missing(request: &LaunchRequest, all: &[Environment], default: &str) -> FieldProblem {
    let asked = request.environment.as_deref().unwrap_or(default);
    let why = format!(
        "environment '{}' not found on this engine",
        Clean::new(asked)
    );
    FieldProblem::new(
        Field::Environment,
        match resolve::nearest_environment(all, asked) {
            Some(near) => format!("{why}. Did you mean {}?", Clean::new(&near)),
            None => format!("{why}. Choose another one"),
        },
    )
}

/// Why what was found cannot be launched; `None` = it can.
pub fn unavailable(request: &LaunchRequest, found: &Environment) -> Option<FieldProblem> {
    let why = found.unavailable.as_ref()?;
    let field = match request.image {
        Some(_) => Field::Image,
        None => Field::Environment,
    };
    let label = Clean::new(&found.label());
    let why = format!("{label} isn't available on this engine: {why}");
    Some(FieldProblem::new(field, why))
}

/// That it is not on the engine yet.
pub fn to_be_pulled(source: &EnvironmentSource) -> String {
    let from = match source {
        EnvironmentSource::Image { reference } => reference::registry(reference),
        EnvironmentSource::Host => "this machine",
    };
    format!("not on this engine yet: will be pulled from {from}")
}

/// The same of an image that nobody has told of: it may be spelt wrongly.
pub fn unknown(image: &str, all: &[Environment]) -> String {
    let reference = image.trim().to_owned();
    let why = to_be_pulled(&EnvironmentSource::Image { reference });
    match resolve::nearest_image(all, image) {
        Some(near) => format!("{why} (did you mean {}?)", Clean::new(&near)),
        None => why,
    }
}

/// That a manager does not list the image. It may take it all the same, so that is no problem.
pub fn unlisted(image: &str, all: &[Environment]) -> String {
    let why = "not in the image list of this cluster";
    match resolve::nearest_image(all, image) {
        Some(near) => format!("{why}. Did you mean {}?", Clean::new(&near)),
        None => format!("{why}. The cluster decides whether the image is available"),
    }
}
