//! A machine's datasets and what was asked of them, in order: looked for once for each pool or each
//! dataset, tens of thousands would take their square.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use arcwright_machine::{Dataset, Machine};

use crate::verdict::NotJudged;

/// What clients asked of a dataset, from its objset kstat; none where a row was not read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ClientCounts {
    pub(crate) reads: Option<u64>,
    pub(crate) read_bytes: Option<u64>,
    pub(crate) writes: Option<u64>,
    pub(crate) written_bytes: Option<u64>,
    /// Waits for stable storage (2.2 and later).
    pub(crate) commits: Option<u64>,
}

/// What clients asked of each dataset, by its name.
pub(crate) type Requests = BTreeMap<String, ClientCounts>;

/// What is put in order at its first use.
#[derive(Debug, Default)]
pub(crate) struct InOrder<'a> {
    by_name: OnceCell<BTreeMap<&'a str, &'a Dataset>>,
    by_pool: OnceCell<BTreeMap<&'a str, Vec<&'a Dataset>>>,
    requests: OnceCell<Requests>,
    requests_by_pool: OnceCell<BTreeMap<String, Requests>>,
    complete: OnceCell<Result<(), NotJudged>>,
}

impl<'a> InOrder<'a> {
    /// Returns the dataset of a name.
    pub(crate) fn named(&self, machine: &'a Machine, name: &str) -> Option<&'a Dataset> {
        let order = || machine.datasets.iter().map(|set| (set.name.as_str(), set)).collect();
        self.by_name.get_or_init(order).get(name).copied()
    }

    /// Returns the datasets of a pool.
    pub(crate) fn of_pool(&self, machine: &'a Machine, pool: &str) -> &[&'a Dataset] {
        let order = || {
            let mut by_pool: BTreeMap<&str, Vec<&Dataset>> = BTreeMap::new();
            for dataset in &machine.datasets {
                by_pool.entry(pool_of(&dataset.name)).or_default().push(dataset);
            }
            by_pool
        };
        match self.by_pool.get_or_init(order).get(pool) {
            Some(of_pool) => of_pool,
            None => &[],
        }
    }

    /// Returns what was asked of all datasets, which `read` reads.
    pub(crate) fn requests(&self, read: impl FnOnce() -> Requests) -> &Requests {
        self.requests.get_or_init(read)
    }

    /// Returns what was asked of the datasets of a pool.
    pub(crate) fn requests_of_pool(&self, all: &Requests, pool: &str) -> Option<&Requests> {
        let order = || {
            let mut by_pool: BTreeMap<String, Requests> = BTreeMap::new();
            for (name, asked) in all {
                let of_pool = by_pool.entry(pool_of(name).to_owned()).or_default();
                of_pool.insert(name.clone(), *asked);
            }
            by_pool
        };
        self.requests_by_pool.get_or_init(order).get(pool)
    }

    /// Returns whether what was asked of all datasets in use is known, which `look` finds out.
    pub(crate) fn are_complete(
        &self,
        look: impl FnOnce() -> Result<(), NotJudged>,
    ) -> Result<(), NotJudged> {
        self.complete.get_or_init(look).clone()
    }
}

/// Returns the name of the pool that a dataset belongs to.
pub(crate) fn pool_of(dataset: &str) -> &str {
    dataset.split_once(['/', '@']).map_or_else(|| dataset, |(pool, _)| pool)
}
