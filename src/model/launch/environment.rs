//! The environment of a launch: what is asked for must be there, and one that can be launched.

use super::{
    super::{environment::Environment, reference, spec::LaunchRequest, text::Clean},
    field::{FieldProblem, LaunchField as Field},
};

/// The environment a request means, by its name or by its image; `default` where it names none.
pub fn find<'a>(
    request: &LaunchRequest,
    all: &'a [Environment],
    default: &str,
) -> Option<&'a Environment> {
    match (&request.image, &request.environment) {
        (Some(image), _) => reference::find_image(all, image),
        (None, Some(name)) => reference::find(all, name),
        (None, None) => reference::find(all, default),
    }
}

/// That it is not among them, and which was likely meant.
pub fn missing(request: &LaunchRequest, all: &[Environment], default: &str) -> FieldProblem {
    if let Some(image) = &request.image {
        let why = format!("there is no image '{}' on this engine", Clean::new(image));
        return FieldProblem::new(
            Field::Image,
            match reference::nearest_image(all, image) {
                Some(near) => format!("{why}: did you mean {}?", Clean::new(&near)),
                None => format!("{why}: pull it first, or choose an environment"),
            },
        );
    }
    let asked = request.environment.as_deref().unwrap_or(default);
    let why = format!("there is no environment '{}' here", Clean::new(asked));
    FieldProblem::new(
        Field::Environment,
        match reference::nearest_environment(all, asked) {
            Some(near) => format!("{why}: did you mean {}?", Clean::new(&near)),
            None => format!("{why}: choose another one"),
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
    let why = format!("{label} cannot be launched here: {why}");
    Some(FieldProblem::new(field, why))
}

/// That a manager does not list the image. It may take it all the same, so that is no problem.
pub fn unlisted(image: &str, all: &[Environment]) -> String {
    let why = "not among the images that are listed here";
    match reference::nearest_image(all, image) {
        Some(near) => format!("{why}: did you mean {}?", Clean::new(&near)),
        None => format!("{why}: the cluster decides whether it can be had"),
    }
}
