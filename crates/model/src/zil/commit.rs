//! A commit: a slot comes, and whoever has the log's lock puts what is there into blocks
//! (docs/model/zil.md#a-commit).
#![expect(clippy::indexing_slicing, reason = "there is a list for every file")]

use arcwright_units::Nanos;

use super::size::RecordBytes;
use super::{LogId, Place, Record, State, Urgent, WAIT_MIN, Zil};
use crate::ids::{FileId, SlotId};
use crate::versions::rules::LogCompany;

/// The slot that has the log's lock, from when on, and the latest group that is on the disks then.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LockHolder {
    pub(crate) slot: SlotId,
    pub(crate) now: Nanos,
    pub(crate) synced: u64,
}

/// What a slot that put records into blocks learns.
#[derive(Debug)]
pub(crate) struct Gathered {
    /// How many of the records need their block's pointer.
    pub(crate) pointers: u64,
    /// Slots that have nothing to wait for.
    pub(crate) done: Vec<SlotId>,
}

impl Zil {
    /// A slot comes to wait for everything of `file`: its marker stands behind that.
    pub(crate) fn arrive(&mut self, slot: SlotId, file: FileId, now: Nanos) {
        self.counters.commits += 1;
        let records = self.later[file.place()].drain(..).chain([Record::Wait(slot)]);
        self.urgent.extend(records.map(|record| Urgent { at: now, record }));
    }

    /// Says whether nobody has put the marker of `slot` into a block yet.
    pub(crate) fn is_to_be_placed(&self, slot: SlotId) -> bool {
        let is_its = |record: &Record| matches!(record, Record::Wait(who) if *who == slot);
        self.queue.iter().any(is_its) || self.urgent.iter().any(|urgent| is_its(&urgent.record))
    }

    /// Lets who has the lock put all records that are there into blocks; appends those that are full now to
    /// `full`, each with room for the next one taken by `take`.
    pub(crate) fn gather(
        &mut self,
        holder: LockHolder,
        take: &mut dyn FnMut(u64) -> Place,
        full: &mut Vec<LogId>,
    ) -> Gathered {
        let LockHolder { slot, now, synced } = holder;
        self.counters.writers += 1;
        let mut gathered = Gathered { pointers: 0, done: Vec::new() };
        let queue = &mut self.queue;
        self.urgent.retain(|Urgent { at, record }| {
            let is_there = *at <= now;
            if is_there {
                gathered.pointers += u64::from(record.needs_pointer());
                queue.push_back(*record);
            }
            !is_there
        });
        self.sizes.begin(
            self.queue
                .iter()
                .map(|record| RecordBytes { whole: record.whole_bytes(), own: record.own_bytes() }),
        );
        let mut own = self.join_what_is_under_way(slot, &mut gathered.done);
        if self.queue.is_empty() {
            return gathered;
        }
        let (state, last) = (self.tail().state, self.chain.len());
        let before = last.checked_sub(2).and_then(|place| self.chain.get(place));
        let is_quiet = before.is_none_or(|before| before.state == State::Done);
        let mut is_alone = state != State::Opened && is_quiet;
        self.sizes.note_other_writers(state == State::Opened, is_quiet);
        while let Some(record) = self.queue.pop_front() {
            if let Record::Write { txg, .. } = record
                && txg <= synced
            {
                self.sizes.leave(record.whole_bytes());
                continue;
            }
            self.assign(record, take, full);
            self.sizes.leave(record.whole_bytes());
            if matches!(record, Record::Wait(who) if who == slot) {
                own = Some(Some(self.last()));
            }
            if own.is_some_and(|own| own != Some(self.last())) && self.sizes.packing.is_of_2_2 {
                self.sizes.expect_company();
                is_alone = false;
                break;
            }
        }
        let is_over = match self.sizes.packing.company {
            LogCompany::Always => false,
            LogCompany::UnlessIdle => {
                let tail = self.tail();
                let nearly_full = tail.room() < tail.size / 8;
                is_alone && (self.company_span() < WAIT_MIN || nearly_full)
            }
            LogCompany::IfExpected => !self.sizes.expects_others(),
        };
        if is_over && self.tail().state == State::Opened {
            self.close(take, full);
        }
        gathered
    }

    /// Lets those whose markers come first, with no records before them, wait in the block that was opened last;
    /// those that have nothing to wait for are `done`. Returns where `slot` waits then, if it is one of them, or
    /// that it does not.
    fn join_what_is_under_way(
        &mut self,
        slot: SlotId,
        done: &mut Vec<SlotId>,
    ) -> Option<Option<LogId>> {
        let last = match self.tail().state {
            State::New => self.last().before(),
            _ => Some(self.last()),
        };
        let mut own = None;
        while let Some(Record::Wait(who)) = self.queue.front().copied() {
            self.queue.pop_front();
            let block = last.and_then(|last| self.get(last));
            let joined = block.filter(|block| block.state != State::Done);
            let place = joined.is_some().then_some(last).flatten();
            match joined {
                Some(block) => block.waiting.push(who),
                None => done.push(who),
            }
            if who == slot {
                own = Some(place);
            }
        }
        own
    }
}
