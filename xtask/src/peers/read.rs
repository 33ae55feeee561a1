//! The public traces: which there are, how they are packed, and as what they are read.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use arcwright_units::Bytes;
use arcwright_workload::traces::{self, BlockOptions, Trace, TraceFormat};

/// A public trace and the cache sizes, in pages, that it is replayed with.
pub(super) struct Public {
    pub(super) name: &'static str,
    pub(super) file: &'static str,
    pub(super) capacities: &'static [u32],
}

pub(super) const ALL: [Public; 5] = [
    Public {
        name: "OLTP",
        file: "arc_OLTP.lis.zst",
        capacities: &[1000, 2000, 5000, 10000, 15000],
    },
    Public { name: "P3", file: "arc_P3.lis.zst", capacities: &[4096, 32_768, 262_144] },
    Public { name: "P12", file: "arc_P12.lis.zst", capacities: &[32_768, 524_288] },
    Public { name: "w106", file: "caffeine_w106.trace.xz", capacities: &[1024, 65_536, 400_000] },
    Public { name: "2_pools", file: "lirs_2_pools.trace.gz", capacities: &[50, 100, 450] },
];

/// Reads a trace from `folder`; none when it is not there.
pub(super) fn read(public: &Public, folder: &Path) -> anyhow::Result<Option<Trace>> {
    let folders = [super::in_repository(), folder.to_path_buf()];
    let mut paths = folders.iter().map(|folder| folder.join(public.file));
    let Some(path) = paths.find(|path| path.exists()) else { return Ok(None) };
    let packed =
        std::fs::read(&path).with_context(|| format!("failed to read {}", path.display()))?;
    let bytes =
        unpack(&path, &packed).with_context(|| format!("failed to unpack {}", path.display()))?;
    let failed = || format!("failed to understand {}", path.display());
    let (format, options) = match public.file {
        lis if lis.contains(".lis") => (TraceFormat::Lis, BlockOptions::of(Bytes(512))),
        numbers if numbers.contains("caffeine") => (TraceFormat::Numbers, BlockOptions::OBJECTS),
        _ => (TraceFormat::Pages, BlockOptions::OBJECTS),
    };
    traces::read(&bytes, format, options).map(Some).with_context(failed)
}

fn unpack(path: &Path, packed: &[u8]) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match path.extension().and_then(|end| end.to_str()) {
        Some("zst") => {
            ruzstd::decoding::StreamingDecoder::new(packed)?.read_to_end(&mut bytes)?;
        }
        Some("gz") => {
            flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes)?;
        }
        Some("xz") => {
            lzma_rust2::XzReader::new(packed, true).read_to_end(&mut bytes)?;
        }
        _ => bail!("it is neither .zst nor .gz nor .xz"),
    }
    Ok(bytes)
}
