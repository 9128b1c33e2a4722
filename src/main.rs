//! Opens the doors between the command line and the rooms it may not enter. Nothing else.

use std::process::ExitCode;

use color_eyre::eyre::eyre;
use workbay::cli::{self, Doors, NoEngine};

fn main() -> ExitCode {
    cli::main(&Doors {
        tui: |_| Err(eyre!("the full-screen view is not in this build")),
        shell: |_, _| Err(eyre!("`shell` is not in this build")),
        daemon: |_, _| Err(eyre!("the daemon is not in this build")),
        runner: |arguments| workbay::runner::main(arguments),
        probe: |_| {
            Err(NoEngine {
                why: "the engine is not in this build".into(),
                mend: None,
            })
        },
    })
}
