//! Random orders that are computed place by place, without a table.

/// Sends `index` to its place in one of many random orders of `0..places`, without a table.
///
/// Four rounds of a Feistel network permute the least power of four that holds all places; an index
/// sent beyond the last place is sent on until it is in (cycle walking: Black and Rogaway, "Ciphers with
/// Arbitrary Finite Domains", CT-RSA 2002). A power of four is below four times the places, so four
/// steps are expected at most.
pub(crate) fn shuffled(index: u64, places: u64, key: u64) -> u64 {
    let bits = u64::BITS - places.saturating_sub(1).leading_zeros();
    let half = bits.div_ceil(2).max(1);
    let mask = (1u64 << half) - 1;
    let permuted = |value: u64| {
        let (mut left, mut right) = (value >> half & mask, value & mask);
        for round in 0..4 {
            (left, right) = (right, left ^ (mixed(key ^ (round << 32 | right)) & mask));
        }
        left << half | right
    };
    // The cycle that holds `index` comes back to it, which is a place, at the latest.
    let mut place = permuted(index);
    while place >= places {
        place = permuted(place);
    }
    place
}

/// Mixes the bits of a number: the last steps of SplitMix64.
pub(crate) const fn mixed(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
