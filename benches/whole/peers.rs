//! What ours is held against: the engine's own command line with the same, and oxker.

use std::process::{Command, Stdio};

use crate::{
    machine::docker,
    measure::{COLUMNS, CPU, ROWS},
    terminal::Terminal,
};

pub fn oxker() -> Option<Terminal> {
    let found = Command::new("oxker")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    found
        .is_ok()
        .then(|| Terminal::start(&["oxker"], &[], COLUMNS, ROWS))
}

/// A tmux client grouped with the session's `main`, as a pane's is, by the docker command line.
pub fn docker_attach_command(container: &str, group: &str) -> Vec<String> {
    let toolbox = "/opt/workbay";
    let tmux = docker(&[
        "exec",
        container,
        "cat",
        &format!("{toolbox}/etc/tmux.argv"),
    ]);
    let mut command: Vec<String> = ["docker", "exec", "-it"].map(str::to_owned).to_vec();
    for variable in [
        "TERM=xterm-256color".to_owned(),
        "LC_ALL=C.UTF-8".to_owned(),
        format!("LOCPATH={toolbox}/share/locale"),
        format!("TERMINFO_DIRS={toolbox}/share/terminfo"),
    ] {
        command.extend(["-e".to_owned(), variable]);
    }
    command.push(container.to_owned());
    command.extend(tmux.lines().map(str::to_owned));
    command.extend(["-u", "new-session", "-t", "=main", "-s", group].map(str::to_owned));
    command.extend([";", "set-option", "status", "off"].map(str::to_owned));
    command
}

/// `docker run -d` with the image, mounts and limits of one of our containers.
pub fn docker_run_like(container: &str) -> Vec<String> {
    let text = docker(&["inspect", container]);
    let inspected: serde_json::Value =
        serde_json::from_str(&text).expect("docker inspect prints JSON");
    let host = &inspected[0]["HostConfig"];
    let mut run: Vec<String> = [
        "run",
        "-d",
        "--init",
        "--cap-drop",
        "ALL",
        "--security-opt",
        "no-new-privileges",
    ]
    .map(str::to_owned)
    .to_vec();
    for bind in host["Binds"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|b| b.as_str())
    {
        run.extend(["-v".to_owned(), bind.to_owned()]);
    }
    for mount in host["Mounts"].as_array().into_iter().flatten() {
        let (source, target) = (
            mount["Source"].as_str().unwrap_or(""),
            mount["Target"].as_str().unwrap_or(""),
        );
        let read_only = if mount["ReadOnly"].as_bool() == Some(true) {
            ":ro"
        } else {
            ""
        };
        run.extend(["-v".to_owned(), format!("{source}:{target}{read_only}")]);
    }
    let memory = host["Memory"].to_string();
    let config = &inspected[0]["Config"];
    let user = config["User"].as_str().unwrap_or("").to_owned();
    run.extend([
        "--memory".to_owned(),
        memory.clone(),
        "--memory-swap".to_owned(),
        memory,
    ]);
    run.extend([
        "--cpus".to_owned(),
        CPU.to_owned(),
        "--pids-limit".to_owned(),
        host["PidsLimit"].to_string(),
    ]);
    run.extend([
        "--user".to_owned(),
        user,
        config["Image"].as_str().unwrap_or("").to_owned(),
    ]);
    run.extend(["/bin/sleep".to_owned(), "infinity".to_owned()]);
    run
}
