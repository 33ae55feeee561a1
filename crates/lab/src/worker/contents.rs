//! What files hold.

use arcwright_workload::Stream;

/// Fills a buffer with bytes that no compression shortens.
pub(crate) fn fill(buffer: &mut [u8], random: &mut Stream) {
    for word in buffer.chunks_mut(size_of::<u64>()) {
        let bytes = random.next_u64().to_le_bytes();
        for (place, byte) in word.iter_mut().zip(bytes) {
            *place = byte;
        }
    }
}
