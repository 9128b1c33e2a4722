//! Sessions that take all they can: processes, memory, output. The daemon and the other sessions keep running.

use crate::{attack::ground::Ground, attack::report, machine::launch, wait};

/// Each kills only itself, and ends after some seconds in any case.
const BOMBS: &[(&str, &str)] = &[
    (
        "processes",
        "import os, time\nfor _ in range(2000):\n try:\n  if os.fork() == 0: time.sleep(60); os._exit(0)\n except OSError: pass",
    ),
    ("memory", "x = []\nwhile True: x.append(bytearray(1 << 20))"),
    (
        "output",
        "import os\nblock = b'y' * 65536\nfor _ in range(4096): os.write(1, block)",
    ),
];

#[test]
fn a_session_that_takes_all_it_can_stops_nobody_else() {
    let Ground { machine, .. } = &Ground::new();
    machine.ok(&launch("bystander", &["--wait"]));
    for (name, program) in BOMBS {
        let command = format!("timeout -s KILL 10 python3 -c \"{program}\"");
        machine.ok(&launch(name, &["--batch", "--command", &command]));
    }
    let echoed = machine.ok(&["exec", "bystander", "--", "echo", "alive"]);
    assert_eq!(echoed.trim(), "alive");
    for (name, _) in BOMBS {
        wait::while_it_continues(
            &format!("{name} has ended"),
            || wait::status(machine, name),
            |status| status.as_deref() == Some("TERMINATED") || status.as_deref() == Some("ERROR"),
        );
    }
    assert_eq!(
        wait::status(machine, "bystander").as_deref(),
        Some("RUNNING")
    );
    report::held(
        "fork bomb, memory hog and 256 MiB of output in one line",
        format!("{} sessions", BOMBS.len()),
        "each ends within its own limits; other sessions and the daemon answer",
    );
}
