//! Named processors: how many cores OpenZFS sees, and how fast they carry a read.
//!
//! By the real clock the lab's own processor is what it is, and is made to look like the scenario's
//! by choosing how fast time runs: a machine half as fast, in time that runs at half speed, is the
//! same machine. By events the work itself has a price, in the table below, or in a file that
//! `arcwright calibrate processor` has measured.

use arcwright_units::{Bytes, Nanos, Rate};
use serde::{Deserialize, Serialize};

/// What work costs on a processor.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Costs {
    /// Time until a thread that is ready runs on a free core.
    pub switch: Nanos,
    /// Time of one lock operation, with the work around it.
    pub step: Nanos,
    /// Nanoseconds per byte whose checksum is computed.
    pub checksum_ns_per_byte: f64,
    /// Nanoseconds per byte that is copied to or from a client.
    pub copy_ns_per_byte: f64,
    /// Nanoseconds per byte that is encrypted or decrypted; 0 where nobody says, which nothing encrypted runs with.
    pub cipher_ns_per_byte: f64,
    /// Time of one call of a client.
    pub call: Nanos,
}

impl Costs {
    /// Returns the time of computing the checksum of `bytes`.
    #[must_use]
    #[inline]
    pub fn checksum(&self, bytes: u64) -> Nanos {
        span(bytes, self.checksum_ns_per_byte)
    }

    /// Returns the time of encrypting or decrypting `bytes`.
    #[must_use]
    #[inline]
    pub fn cipher(&self, bytes: u64) -> Nanos {
        span(bytes, self.cipher_ns_per_byte)
    }

    /// Returns the time of copying `bytes`.
    #[must_use]
    #[inline]
    pub fn copy(&self, bytes: u64) -> Nanos {
        span(bytes, self.copy_ns_per_byte)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the product is far below the range of i64")]
#[inline]
fn span(bytes: u64, ns_per_byte: f64) -> Nanos {
    // What is below 2^63 is converted in one instruction, the whole range in several.
    let nanos = (bytes.cast_signed() as f64 * ns_per_byte + 0.5) as i64;
    Nanos(nanos.cast_unsigned())
}

/// A processor profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Processor {
    /// Logical processors.
    pub cores: u32,
    /// Bytes per second of a cold sequential read on storage that takes no time.
    ///
    /// Checksum, copy and bookkeeping are in it; only the lab's real clock uses it.
    pub read_rate: Rate,
    /// Bytes per second of one core that computes checksums (fletcher4).
    pub checksum: Rate,
    /// Bytes per second of one core that copies out of the ARC.
    pub copy: Rate,
    /// Bytes per second of one core that encrypts or decrypts (AES-256-GCM); none where nobody says.
    pub cipher: Option<Rate>,
    /// Time of one call of a client: system call, lookup, locks.
    pub call: Nanos,
    /// Time until a woken thread runs.
    pub switch: Nanos,
    /// Time of one lock operation with the work around it.
    pub step: Nanos,
}

/// What a processor file says; the rest follows from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema, Deserialize)]
pub struct ProcessorFigures {
    /// Logical processors.
    pub cores: u32,
    /// Bytes per second of one core that computes checksums (fletcher4).
    pub checksum: Rate,
    /// Bytes per second of one core that copies out of the ARC.
    pub copy: Rate,
    /// Bytes per second of one core that encrypts or decrypts (AES-256-GCM); none where the file does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cipher: Option<Rate>,
    /// Time of one call of a client.
    pub call: Nanos,
    /// Time until a woken thread runs.
    pub switch: Nanos,
    /// Time of one lock operation with the work around it.
    pub step: Nanos,
}

impl ProcessorFigures {
    /// Returns the processor. A cold read of a record of 128 KiB takes its checksum, its copy and one call: of
    /// `nas-quad` that makes 1.9 GiB/s, where its profile says 2.
    #[must_use]
    pub fn processor(self) -> Processor {
        let record = Bytes::kib(128);
        let Self { cores, checksum, copy, cipher, call, switch, step } = self;
        let time = checksum.time_for(record) + copy.time_for(record) + call;
        let read_rate = Rate::of(record, time);
        Processor { cores, read_rate, checksum, copy, cipher, call, switch, step }
    }
}

impl Processor {
    /// Returns what work costs by events in an experiment of 1/`scale`.
    ///
    /// Sizes are divided by the scale but blocks are not, so there are fewer blocks, each of which
    /// stands for `scale` of them and takes the time of all.
    #[must_use]
    pub fn costs(&self, scale: u64) -> Costs {
        let ns_per_byte = |rate: Rate| scale as f64 * 1e9 / (rate.0 as f64).max(1.0);
        let times = |span: Nanos| Nanos(span.0.saturating_mul(scale));
        Costs {
            switch: times(self.switch),
            step: times(self.step),
            checksum_ns_per_byte: ns_per_byte(self.checksum),
            copy_ns_per_byte: ns_per_byte(self.copy),
            // Where nothing is encrypted nobody asks for it; a scenario that needs it is refused without.
            cipher_ns_per_byte: self.cipher.map_or(0.0, ns_per_byte),
            call: times(self.call),
        }
    }
}

/// Profiles known so far. Rates are estimates from reports of cached sequential reads on such
/// machines, where one client got 1 to 3 GiB/s; the field report steam-library shows 1.44 GiB/s on its NAS.
/// Each with its range and its reason stands in docs/model/constants.md.
const PROFILES: [(&str, Processor); 4] = [NAS_DUAL, NAS_QUAD, DESKTOP, SERVER];
const NAS_DUAL: (&str, Processor) = profile("nas-dual", 2, 1, [2, 2, 600], [12_000, 5_000, 150]);
const NAS_QUAD: (&str, Processor) = profile("nas-quad", 4, 2, [4, 5, 1000], [8_000, 4_000, 100]);
const DESKTOP: (&str, Processor) = profile("desktop", 8, 3, [10, 8, 2500], [4_000, 2_500, 60]);
const SERVER: (&str, Processor) = profile("server", 16, 4, [10, 8, 2500], [4_000, 2_500, 60]);

/// Rates in GiB/s, that of the cipher in MiB/s, times in nanoseconds.
const fn profile(
    name: &str,
    cores: u32,
    read: u64,
    [checksum, copy, cipher]: [u64; 3],
    [call, switch, step]: [u64; 3],
) -> (&str, Processor) {
    let processor = Processor {
        cores,
        read_rate: Rate(read << 30),
        checksum: Rate(checksum << 30),
        copy: Rate(copy << 30),
        cipher: Some(Rate(cipher << 20)),
        call: Nanos(call),
        switch: Nanos(switch),
        step: Nanos(step),
    };
    (name, processor)
}

/// Returns the profile called `name`.
#[must_use]
pub fn processor(name: &str) -> Option<Processor> {
    PROFILES.into_iter().find(|(known, _)| *known == name).map(|(_, processor)| processor)
}

/// Returns the names of all profiles.
#[must_use]
pub fn processor_names() -> [&'static str; 4] {
    PROFILES.map(|(name, _)| name)
}
