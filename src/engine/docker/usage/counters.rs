//! Block I/O and network as the kernel counts them, summed like in `docker stats`.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TransferredBytes {
    /// Read, received.
    pub taken: u64,
    /// Written, sent.
    pub given: u64,
}

/// Version 1: `8:0 Read 4096`, for each device and kind of operation.
pub(super) fn of_devices(text: &str) -> TransferredBytes {
    let mut moved = TransferredBytes::default();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let (Some(_device), Some(operation), Some(bytes)) =
            (words.next(), words.next(), words.next())
        else {
            continue;
        };
        moved.add_operation(operation, bytes.parse().unwrap_or(0));
    }
    moved
}

/// Version 2: `8:0 rbytes=4096 wbytes=0 rios=1 …`, for each device.
pub(super) fn of_devices_v2(text: &str) -> TransferredBytes {
    let mut moved = TransferredBytes::default();
    for (name, bytes) in text
        .split_ascii_whitespace()
        .filter_map(|word| word.split_once('='))
    {
        let bytes = bytes.parse().unwrap_or(0);
        match name {
            "rbytes" => moved.add(bytes, 0),
            "wbytes" => moved.add(0, bytes),
            _ => {}
        }
    }
    moved
}

/// `/proc/PID/net/dev`: every interface except the loopback.
pub(super) fn of_network(text: &str) -> TransferredBytes {
    /// Columns after the interface's name.
    const RECEIVED: usize = 0;
    const SENT: usize = 8;
    let mut moved = TransferredBytes::default();
    for (name, counts) in text.lines().filter_map(|line| line.split_once(':')) {
        if name.trim() == "lo" {
            continue;
        }
        let column = |place| {
            let word = counts.split_ascii_whitespace().nth(place);
            word.and_then(|word| word.parse().ok()).unwrap_or(0)
        };
        moved.add(column(RECEIVED), column(SENT));
    }
    moved
}

impl TransferredBytes {
    /// Uses the first letter of the operation; others (`Sync`, `Total`) count the same bytes again.
    pub(super) fn add_operation(&mut self, operation: &str, bytes: u64) {
        match operation.as_bytes().first() {
            Some(b'R' | b'r') => self.add(bytes, 0),
            Some(b'W' | b'w') => self.add(0, bytes),
            _ => {}
        }
    }

    pub(super) fn pair(self) -> (u64, u64) {
        (self.taken, self.given)
    }

    pub(super) fn add(&mut self, taken: u64, given: u64) {
        self.taken = self.taken.saturating_add(taken);
        self.given = self.given.saturating_add(given);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moved(taken: u64, given: u64) -> TransferredBytes {
        TransferredBytes { taken, given }
    }

    #[test]
    fn both_versions_of_block_io() {
        let v1 = "8:0 Read 4096\n8:0 Write 100\n8:0 Sync 4096\n8:0 Async 100\n8:0 Discard 7\n\
                  8:0 Total 4196\n253:0 Read 1\n253:0 Write 2\nTotal 8392\n";
        assert_eq!(of_devices(v1), moved(4097, 102));
        assert_eq!(of_devices("Total 0\n"), moved(0, 0));
        let v2 = "8:0 rbytes=4096 wbytes=100 rios=1 wios=2 dbytes=9 dios=1\n\
                  253:0 rbytes=1 wbytes=2 rios=0 wios=0 dbytes=0 dios=0\n7:7 \n";
        assert_eq!(of_devices_v2(v2), moved(4097, 102));
        assert_eq!(of_devices_v2(""), moved(0, 0));
    }

    #[test]
    fn the_network_is_what_goes_in_and_out() {
        let text = "\
Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop
    lo: 1000 10 0 0 0 0 0 0 1000 10 0 0 0 0 0 0
  eth0:  200  2 0 0 0 0 0 0   30  3 0 0 0 0 0 0
eth1:1 2 0 0 0 0 0 0 4 3 0 0 0 0 0 0
";
        assert_eq!(of_network(text), moved(201, 34));
        assert_eq!(of_network(""), moved(0, 0));
    }
}
