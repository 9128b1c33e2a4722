//! File systems that several machines share. Locks and databases on them are slow or unsafe.

/// The kernel's numbers of file systems (`f_type` of `statfs`).
const SHARED: [(u32, &str); 12] = [
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x7375_7245, "Coda"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x1983_0326, "BeeGFS"),
    // sshfs and other file systems use FUSE.
    (0x6573_5546, "FUSE"),
    (0x0102_1997, "9P"),
];

/// The name of the file system with this number; `None` = it belongs to this machine only.
pub fn name_of(number: u32) -> Option<&'static str> {
    let known = SHARED.iter().find(|(kind, _)| *kind == number);
    known.map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_ones_have_a_name_and_disks_have_none() {
        assert_eq!(name_of(0x6969), Some("NFS"));
        assert_eq!(name_of(0xfe53_4d42), Some("SMB"));
        // ext4, tmpfs
        assert_eq!(name_of(0xef53), None);
        assert_eq!(name_of(0x0102_1994), None);
    }
}
