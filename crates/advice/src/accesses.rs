//! What was asked of the ARC, each reading with exactly the rows that it needs.
//!
//! A rule asks for what its sentence says. A row that was not read makes the readings that need it
//! unknown and no others; a row that the version does not have counts nothing (`versions.rs`).

use crate::format;
use crate::verdict::NotJudged;
use crate::view::{ACCESSES_MIN, View};

/// What columns of `arcstat` tell of two classes together.
pub(crate) const SUMS: &str = "zfs/arcstat";

/// Accesses of a class, and how many of them missed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) all: u64,
    pub(crate) missed: u64,
}

/// Accesses that somebody waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Demand {
    /// Contents of files.
    pub(crate) data: Class,
    /// Directories, dnodes, indirect blocks.
    pub(crate) metadata: Class,
}

impl Demand {
    /// Returns both kinds together.
    pub(crate) const fn sum(&self) -> Class {
        Class {
            all: self.data.all.saturating_add(self.metadata.all),
            missed: self.data.missed.saturating_add(self.metadata.missed),
        }
    }
}

impl View<'_> {
    /// Returns whether the ARC divides its room by fractions (2.2 and later) instead of limiting
    /// metadata; told by the rows that the module has, then by its version.
    pub(crate) fn has_fractions(&self) -> Option<bool> {
        if self.arc_now("arc_meta_limit").is_ok() {
            return Some(false);
        }
        if self.arc_now("iohits").is_ok() || self.arc_now("pd").is_ok() {
            return Some(true);
        }
        self.is_from("2.2.0")
    }

    /// Returns all accesses of the ARC.
    pub(crate) fn accesses(&self) -> Result<u64, NotJudged> {
        let found = self.arc("hits")?.saturating_add(self.arc_or_lacking("iohits")?);
        Ok(found.saturating_add(self.misses()?))
    }

    /// Returns all accesses of the ARC, or says that there were too few to judge shares; where they were not read,
    /// the ones that somebody waited for, which are at most as many.
    pub(crate) fn enough_accesses(&self) -> Result<u64, NotJudged> {
        let waited = |why| self.waited().map(|waited| waited.all).map_err(|_| why);
        let all = self.accesses().or_else(waited)?;
        self.enough(all, ACCESSES_MIN, "ARC accesses")?;
        Ok(all)
    }

    /// Returns the accesses that found nothing in memory.
    pub(crate) fn misses(&self) -> Result<u64, NotJudged> {
        self.arc("misses")
    }

    /// Returns the accesses that somebody waited for.
    pub(crate) fn demand(&self) -> Result<Demand, NotJudged> {
        Ok(Demand { data: self.class("demand_data")?, metadata: self.class("demand_metadata")? })
    }

    /// Returns the accesses that somebody waited for, contents and metadata together.
    pub(crate) fn waited(&self) -> Result<Class, NotJudged> {
        let sum = self.demand().map(|demand| demand.sum());
        let told = || {
            let missed = self.counted(SUMS, "dmis")?;
            Ok(Class { all: self.counted(SUMS, "dread")?.max(missed), missed })
        };
        sum.or_else(|why| told().map_err(|_: NotJudged| why))
    }

    /// Returns whether nearly all demand accesses are served though many of those of file contents are not: one in
    /// twenty or more, of enough to tell.
    pub(crate) fn hides_contents(&self) -> bool {
        const MISSED: f64 = 0.05;
        let share = |class: Class| format::fraction(class.missed, class.all);
        let data = self.class("demand_data").ok().filter(|data| data.all >= ACCESSES_MIN);
        let all = self.waited().ok();
        data.zip(all).is_some_and(|(data, all)| share(data) >= MISSED && share(all) < MISSED)
    }

    /// Returns the misses of metadata: those that somebody waited for, or, where only a sum tells, those with the
    /// ones of reading ahead.
    pub(crate) fn lookups_missed(&self) -> Result<u64, NotJudged> {
        let demanded = self.arc("demand_metadata_misses");
        demanded.or_else(|why| self.counted(SUMS, "mmis").map_err(|_| why))
    }

    /// Returns the accesses of one class: `demand_data`.
    pub(crate) fn class(&self, class: &str) -> Result<Class, NotJudged> {
        let missed = self.arc(&format!("{class}_misses"))?;
        let found = self
            .arc(&format!("{class}_hits"))?
            .saturating_add(self.arc_or_lacking(&format!("{class}_iohits"))?);
        Ok(Class { all: found.saturating_add(missed), missed })
    }

    /// Returns the misses of prefetch, that is what it read from disks or the L2ARC.
    pub(crate) fn prefetch_misses(&self) -> Result<u64, NotJudged> {
        Ok(self.arc("prefetch_data_misses")?.saturating_add(self.arc("prefetch_metadata_misses")?))
    }

    /// Returns the misses that a ghost list remembers, which are at most all.
    pub(crate) fn ghosts(&self) -> Result<u64, NotJudged> {
        let ghosts = self.arc("mru_ghost_hits")?.saturating_add(self.arc("mfu_ghost_hits")?);
        Ok(ghosts.min(self.misses()?))
    }
}
