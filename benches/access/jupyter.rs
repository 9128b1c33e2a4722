//! From the command to a usable URL of Jupyter, against Jupyter alone in the same session until it answers.

use super::{
    compare,
    machine::{Machine, SESSION},
    timed,
};

/// Starts Jupyter, waits until it answers as its user needs it, and ends it.
const ALONE: &str = r"jupyter-notebook --no-browser --allow-root --ip=127.0.0.1 --port=8899 >/dev/null 2>&1 &
pid=$!
until (exec 3<>/dev/tcp/127.0.0.1/8899; printf 'GET /api HTTP/1.0\r\n\r\n' >&3; read -r line <&3; [[ $line = *200* ]]) 2>/dev/null
do sleep 0.01; done
kill $pid";

pub fn measure(machine: &Machine) {
    let ours = || {
        let took = timed(|| {
            let url = machine.workbay(&["app", "start", SESSION, "jupyter"]);
            assert!(url.starts_with("http://"), "{url}");
        });
        machine.workbay(&["app", "stop", SESSION, "jupyter"]);
        took
    };
    let alone = || {
        timed(|| {
            machine.workbay(&["exec", SESSION, "--", "bash", "-c", ALONE]);
        })
    };
    let [ours, alone] = compare(
        "start of Jupyter Notebook until its URL can be used",
        ours,
        "Jupyter alone",
        alone,
    );
    println!(
        "goal: {:.2}x of Jupyter's own start (max 1.1)",
        ours / alone
    );
}
