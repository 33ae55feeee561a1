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

    /// Writes `size` bytes to a file; `end_txg` ends a transaction group.
    ///
    /// # Errors
    /// [`LabError::Zfs`] with the error number.
    pub(super) fn write(
        &mut self,
        file: &impl OpenFile,
        size: Bytes,
        end_txg: &dyn Fn(),
    ) -> Result<(), LabError> {
        let mut offset = 0;
        while offset < size.0 {
            let bytes = WRITE.0.min(size.0 - offset);
            let chunk = usize::try_from(bytes).unwrap_or(0).min(self.buffer.len());
            let (chunk, _) = self.buffer.split_at_mut(chunk);
            fill(chunk, &mut self.random);
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

    use super::fill;

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
