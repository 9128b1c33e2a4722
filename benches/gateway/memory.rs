//! The memory of the gateway's process.

use crate::{load::Client, servers::Target};

/// A value of `/proc/PID/status` in MiB.
fn status(pid: u32, name: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("its status");
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let digits = line.and_then(|line| line.split_ascii_whitespace().nth(1));
    let kib: f64 = digits.and_then(|it| it.parse().ok()).expect("a number");
    kib / 1024.0
}

/// The resident memory now, after which the peak is measured from here.
fn begin(pid: u32) -> f64 {
    std::fs::write(format!("/proc/{pid}/clear_refs"), "5").expect("the peak is reset");
    status(pid, "VmRSS")
}

fn report(pid: u32, before: f64, what: &str) {
    let peak = status(pid, "VmHWM");
    println!(
        "memory, {what}: {before:.1} MiB before, at most {:.1} MiB more (max 20)",
        peak - before
    );
}

/// Connections with one request each, and then none.
pub async fn idle(pid: u32, target: &Target, connections: usize) {
    let before = begin(pid);
    let mut idle = Vec::new();
    for _ in 0..connections {
        let mut client = Client::connect(target).await;
        client.get(100).await;
        idle.push(client);
    }
    report(pid, before, &format!("{connections} idle connections"));
}

/// A large body in each direction.
pub async fn body(pid: u32, target: &Target, bytes: u64) {
    let gib = bytes >> 30;
    let before = begin(pid);
    Client::connect(target).await.get(bytes).await;
    report(pid, before, &format!("a download of {gib} GiB"));
    let before = begin(pid);
    Client::connect(target).await.put(bytes).await;
    report(pid, before, &format!("an upload of {gib} GiB"));
}
