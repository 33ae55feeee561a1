//! What files hold, and how the files of an image get it.

use arcwright_units::Bytes;
use arcwright_workload::Stream;

use super::messages::MessageWriter;
use crate::LabError;
use crate::protocol::{Job, Message};
use crate::zpool::file::OpenFile;

/// Bytes per write, and per transaction group.
const WRITE: Bytes = Bytes::mib(1);
pub(super) const TXG: Bytes = Bytes::mib(64);

/// Fills a buffer with bytes that no compression shortens.
pub(crate) fn fill(buffer: &mut [u8], random: &mut Stream) {
    let (words, rest) = buffer.as_chunks_mut();
    words.fill_with(|| random.next_u64().to_le_bytes());
    if !rest.is_empty() {
        let last = random.next_u64().to_le_bytes();
        rest.iter_mut().zip(last).for_each(|(place, byte)| *place = byte);
    }
}

/// Bytes that are as compressible as the whole.
const UNIT: usize = 512;

/// Empties the end of every unit of a buffer, so that LZ4 makes of it so many hundredths less: 180 for 1.8x.
///
/// What LZ4 adds to the bytes that stay is 6 for each unit and an eightieth of them, from 1.01x to 100x; with it, blocks up to 128 KiB
/// take the sectors that their ratio asks for (docs/model/compression.md#in-the-lab).
pub(crate) fn shorten(buffer: &mut [u8], percent: Option<u32>) {
    let Some(percent) = percent.filter(|percent| *percent > 100) else { return };
    let share = UNIT * 100 / usize::try_from(percent).unwrap_or(UNIT * 100);
    let kept = share.saturating_sub(6 + share / 80);
    for unit in buffer.chunks_mut(UNIT) {
        unit.iter_mut().skip(kept).for_each(|byte| *byte = 0);
    }
}

/// Writes the files of an image one after the other, in transaction groups of a fixed size.
pub(super) struct FileWriter<'a> {
    writer: &'a MessageWriter,
    random: Stream,
    buffer: Vec<u8>,
    done: u64,
    /// What all of the image holds.
    total: Bytes,
}

impl<'a> FileWriter<'a> {
    pub(super) fn new(job: &Job, total: Bytes, writer: &'a MessageWriter) -> Self {
        let buffer = vec![0u8; usize::try_from(WRITE.0).unwrap_or(0)];
        let random = Stream::new(job.seed, "file contents");
        Self { writer, random, buffer, done: 0, total }
    }

    /// Writes `size` bytes to a file, which compress to `percent`; `end_txg` ends a transaction group.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the error number.
    pub(super) fn write(
        &mut self,
        file: &impl OpenFile,
        (size, percent): (Bytes, Option<u32>),
        end_txg: &dyn Fn(),
    ) -> Result<(), LabError> {
        let mut offset = 0;
        while offset < size.0 {
            let bytes = WRITE.0.min(size.0 - offset);
            let chunk = usize::try_from(bytes).unwrap_or(0).min(self.buffer.len());
            let (chunk, _) = self.buffer.split_at_mut(chunk);
            fill(chunk, &mut self.random);
            shorten(chunk, percent);
            file.write(offset, chunk)?;
            offset += bytes;
            self.done += bytes;
            if self.done % TXG.0 < WRITE.0 {
                end_txg();
                self.writer.send(&Message::Progress { done: self.done, total: self.total.0 });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use arcwright_workload::Stream;

    use super::{UNIT, fill, shorten};

    #[test]
    fn a_share_of_every_unit_stays() {
        let kept = |percent: Option<u32>| {
            let mut buffer = vec![1; 2 * UNIT + 100];
            shorten(&mut buffer, percent);
            let units: Vec<usize> = buffer
                .chunks(UNIT)
                .map(|unit| unit.iter().filter(|byte| **byte == 1).count())
                .collect();
            <[usize; 3]>::try_from(units).unwrap()
        };
        assert_eq!(kept(None), [512, 512, 100]);
        assert_eq!(kept(Some(100)), [512, 512, 100]);
        assert_eq!(kept(Some(200)), [247, 247, 100]);
        assert_eq!(kept(Some(1000)), [45, 45, 45]);
        assert_eq!(kept(Some(10_000)), [0, 0, 0]);
    }

    /// Checks that buffers of these lengths, filled one after the other, hold what one of all of them holds.
    #[track_caller]
    fn check(lengths: &[usize]) {
        let stream = || Stream::new(1, "file contents");
        let mut whole = vec![0; lengths.iter().sum()];
        fill(&mut whole, &mut stream());
        let mut random = stream();
        let parts = lengths.iter().flat_map(|length| {
            let mut part = vec![0; *length];
            fill(&mut part, &mut random);
            part
        });
        assert_eq!(parts.collect::<Vec<u8>>(), whole);
    }

    #[test]
    fn what_files_hold_does_not_hang_on_the_lengths_of_their_writes() {
        check(&[8, 8]);
        check(&[16, 0, 24, 3]);
        check(&[5]);
    }
}
