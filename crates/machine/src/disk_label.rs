//! A label of ZFS on a disk or partition, as `zdb -l` prints it.

/// What a label says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiskLabel {
    /// Where it was read, by the command: `/dev/sdb1`; none where the text does not tell.
    pub device: Option<String>,
    /// The pool that it is of.
    pub pool: String,
    /// That pool's number, which tells pools of one name apart.
    pub pool_guid: String,
    /// The number of the device itself.
    pub guid: Option<String>,
    /// The transaction group of its last change; 0 on a device that is no member any more.
    pub txg: Option<u64>,
    /// The machine that had the pool.
    pub host: Option<String>,
    /// The members of its top-level vdev: number and path at that time.
    pub members: Vec<(String, String)>,
}

impl DiskLabel {
    /// Returns where the device is: as the command says, or by its own path at that time.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        let own = || {
            let guid = self.guid.as_deref()?;
            let (_, path) = self.members.iter().find(|(member, _)| member == guid)?;
            Some(path.as_str())
        };
        self.device.as_deref().or_else(own)
    }
}
