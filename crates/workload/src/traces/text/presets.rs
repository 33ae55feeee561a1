//! Published formats of columns, without a head of names.
//!
//! | name | columns | from |
//! |---|---|---|
//! | msr | Windows time in 100 ns, host, disk, `Read` or `Write`, offset, bytes, response | Microsoft Research Cambridge (Narayanan and others, FAST 2008) |
//! | alibaba | device, `R` or `W`, offset, bytes, µs | Alibaba's block traces of 2020 |
//! | tencent | seconds, sector, sectors, 0 for reads and 1 for writes, volume | Tencent's block storage |
//! | spc | unit, sector, bytes, `R` or `W`, seconds | Storage Performance Council (UMass) |

/// Columns of MSR Cambridge.
pub(in crate::traces) const MSR: &str = "time:100ns,volume,volume,op,offset,bytes";
/// Columns of Alibaba's block traces.
pub(in crate::traces) const ALIBABA: &str = "volume,op,offset,bytes,time:us";
/// Columns of Tencent's block traces.
pub(in crate::traces) const TENCENT: &str = "time:s,offset:sectors,bytes:sectors,op,volume";
/// Columns of the Storage Performance Council.
pub(in crate::traces) const SPC: &str = "volume,offset:sectors,bytes,op,time:s";
