//! Results as fio 2 and 3, dd, pv and rsync print them.

use arcwright_units::Bytes;
use proptest::prelude::*;

use super::{Machine, TEXT, Timing, collect, kind_of};
use crate::sources::{Source, Sources};

fn timings(text: &str) -> Vec<Timing> {
    let mut sources = Sources::default();
    sources.texts.insert(TEXT.to_owned(), Source::Text(text.to_owned()));
    let mut machine = Machine::default();
    collect(&sources, &mut machine);
    machine.timings
}

const FIO_2: &str = "\
mixed: (g=0): rw=randrw, bs=4K-4K/8K-8K/4K-4K, ioengine=posixaio, iodepth=1
fio-2.14
Starting 1 thread
mixed: Laying out IO file(s) (1 file(s) / 1024MB)
Jobs: 1 (f=1): [m(1)] [100.0% done] [9806KB/9580KB/0KB /s] [2451/2395/0 iops] [eta 00m:00s]
mixed: (groupid=0, jobs=1): err= 0: pid=4711: Fri Nov 13 12:21:47 2026
  read : io=512000KB, bw=10240KB/s, iops=2560, runt= 50000msec
    slat (usec): min=2, max=2559, avg= 9.31, stdev=21.63
    clat (usec): min=2, max=69702, avg=34.66, stdev=563.31
     lat (usec): min=12, max=69760, avg=44.00, stdev=567.97
    clat percentiles (usec):
     |  1.00th=[    2],  5.00th=[    2], 10.00th=[    3], 20.00th=[    3],
     | 99.00th=[   27], 99.50th=[   59], 99.90th=[ 9536], 99.95th=[10304],
     | 99.99th=[15040]
    bw (KB  /s): min= 9024, max=11008, per=100.00%, avg=10243.12, stdev=415.11
  write: io=512000KB, bw=10240KB/s, iops=1280, runt= 50000msec
    clat (msec): min=2, max=132, avg=3.05, stdev=19.41
    clat percentiles (msec):
     | 99.00th=[   10], 99.50th=[   11]
    lat (usec) : 4=49.44%, 10=4.09%, 20=21.92%, 50=22.63%, 100=0.23%
    lat (msec) : 2=0.01%, 4=0.01%
  cpu          : usr=3.08%, sys=2.92%, ctx=265022, majf=0, minf=0
  IO depths    : 1=100.0%, 2=0.0%, 4=0.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%
     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%
     issued    : total=r=128000/w=64000/d=0, short=r=0/w=0/d=0, drop=r=0/w=0/d=0
     latency   : target=0, window=0, percentile=100.00%, depth=1

Run status group 0 (all jobs):
   READ: io=512000KB, aggrb=10240KB/s, minb=10240KB/s, maxb=10240KB/s, mint=50000msec, maxt=50000msec
  WRITE: io=512000KB, aggrb=10240KB/s, minb=10240KB/s, maxb=10240KB/s, mint=50000msec, maxt=50000msec
";

const FIO_3: &str = "\
seq: (g=0): rw=write, bs=(R) 1024KiB-1024KiB, (W) 1024KiB-1024KiB, (T) 1024KiB-1024KiB, ioengine=libaio, iodepth=8
...
fio-3.28
Starting 4 processes
seq: (groupid=0, jobs=4): err= 0: pid=1: Sat Nov 14 10:00:00 2026
  write: IOPS=12.5k, BW=10.0MiB/s (10.5MB/s)(500MiB/50000msec); 0 zone resets
    slat (nsec): min=900, max=10000, avg=1200.00, stdev=10.00
    clat (nsec): min=100, max=9000, avg=1500.50, stdev=1.00
    clat percentiles (nsec):
     | 99.00th=[ 3000]
   bw (  KiB/s): min= 9024, max=11008, per=100.00%, avg=10243.12, stdev=415.11, samples=99
   iops        : min= 2256, max= 2752, avg=2560.78, stdev=103.78, samples=99
  lat (usec)   : 2=49.44%
  cpu          : usr=3.08%, sys=2.92%, ctx=265022, majf=0, minf=0
     issued rwts: total=0,500,0,0 short=0,0,0,0 dropped=0,0,0,0

Run status group 0 (all jobs):
  WRITE: bw=10.0MiB/s (10.5MB/s), 10.0MiB/s-10.0MiB/s (10.5MB/s-10.5MB/s), io=500MiB (524MB), run=50000-50000msec

Disk stats (read/write):
  sda: ios=0/500, merge=0/0, ticks=0/100, in_queue=100, util=9.00%
";

#[test]
fn both_directions_of_fio_2_are_read_once() {
    let found = timings(FIO_2);
    let [read, write] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((read.is_write, write.is_write), (Some(false), Some(true)));
    assert_eq!((read.bytes.unwrap().0, read.bytes_per_s), (512_000 << 10, Some(10_240.0 * 1024.0)));
    assert_eq!((read.ops_per_s, read.request.unwrap().0), (Some(2560.0), 4096));
    assert_eq!((read.latency_mean_ns, read.latency_p99_ns), (Some(44_000), Some(27_000)));
    assert_eq!(read.latency_max_ns, Some(69_760_000));
    assert_eq!((write.latency_mean_ns, write.latency_p99_ns), (Some(3_050_000), Some(10_000_000)));
    assert_eq!((write.request.unwrap().0, write.what.as_str()), (8192, "mixed"));
}

#[test]
fn fio_3_counts_by_1024_outside_brackets() {
    let found = timings(FIO_3);
    let [write] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!((write.ops_per_s, write.bytes.unwrap().0), (Some(12_500.0), 500 << 20));
    assert_eq!((write.bytes_per_s, write.request.unwrap().0), (Some(10.0 * 1_048_576.0), 1 << 20));
    assert_eq!((write.latency_mean_ns, write.latency_p99_ns), (Some(1501), Some(3000)));
}

#[test]
fn the_sum_of_all_jobs_counts_where_they_are_not_told() {
    let sum = FIO_2.split_once("Run status").map(|(_, rest)| format!("Run status{rest}")).unwrap();
    let found = timings(&sum);
    assert_eq!((found.len(), found[0].bytes_per_s), (2, Some(10_240.0 * 1024.0)));
    assert_eq!(timings(&(FIO_2.to_owned() + FIO_2)).len(), 4);
}

#[test]
fn every_line_of_a_result_is_known() {
    for line in FIO_2.lines().chain(FIO_3.lines()).filter(|line| !line.is_empty() && *line != "...")
    {
        assert!(kind_of(line).is_some(), "{line}");
    }
    for line in [
        "Starting with this, all went well.",
        "read: the manual",
        "bw is the rate",
        "cpu time: low",
    ] {
        assert_eq!(kind_of(line), None, "{line}");
    }
}

#[test]
fn dd_tells_what_it_did_by_its_command() {
    let freebsd = "$ dd if=/tank/film of=/dev/null bs=1M\n8000+0 records in\n8000+0 records out\n\
                   8388608000 bytes transferred in 64.000000 secs (131072000 bytes/sec)\n";
    let found = timings(freebsd);
    assert_eq!((found[0].is_write, found[0].what.as_str()), (Some(false), "/tank/film"));
    assert_eq!((found[0].bytes_per_s, found[0].request.unwrap().0), (Some(131_072_000.0), 1 << 20));
    let linux = "$ dd if=/dev/zero of=/tank/x bs=128k\n1048576000 bytes (1.0 GB, 1000 MiB) copied, 5 s, 210 MB/s\n";
    assert_eq!(
        (timings(linux)[0].is_write, timings(linux)[0].bytes_per_s),
        (Some(true), Some(209_715_200.0))
    );
    assert_eq!(timings("1048576000 bytes (1.0 GB) copied, 0 s, 210 MB/s\n"), []);
}

#[test]
fn pv_and_rsync_tell_the_whole() {
    let pv =
        "10.0GiB 0:00:50 [ 424MiB/s] [==>      ] 50%\n20.0GiB 0:01:40 [ 324MiB/s] [====>] 100%\n";
    let found = timings(pv);
    assert_eq!((found.len(), found[0].bytes_per_s), (1, Some(20.0 * 1_073_741_824.0 / 100.0)));
    let rsync = "sent 1,000,000 bytes  received 24 bytes  80,001.92 bytes/sec\ntotal size is 999,000  speedup is 1.00\n";
    assert_eq!(
        (timings(rsync)[0].bytes.unwrap().0, timings(rsync)[0].bytes_per_s),
        (1_000_024, Some(80_001.92))
    );
    let progress = "  1,048,576 100%    2.00MB/s    0:00:00 (xfr#1, to-chk=0/1)\n";
    assert_eq!(timings(progress)[0].bytes_per_s, Some(2_097_152.0));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(
        text in "((read|write|READ) ?: |io=|IOPS=|BW=|[0-9.]{0,6}|[KMG]i?B/s|[(),=:\\[\\] ]|lat \\(usec\\): avg=|99.00th=\\[|bs=|x: \\(g=0\\)|\n){0,60}",
        at in 0..FIO_2.len(),
    ) {
        let _ignored = (timings(&text), timings(FIO_2.get(at..).unwrap_or_default()));
        prop_assert!(timings(FIO_2.get(..at).unwrap_or_default()).len() <= 2);
    }
}

#[test]
fn diskinfo_tells_writes_of_each_size_with_their_flush() {
    let found =
        timings("Synchronous random writes:\n   4 kbytes:    158.5 usec/IO =     24.5 Mbytes/s\n");
    let expected = Timing {
        is_write: Some(true),
        request: Some(Bytes(4096)),
        latency_mean_ns: Some(158_500),
        bytes_per_s: Some(24.5 * 1_048_576.0),
        ..super::blank("diskinfo")
    };
    assert_eq!(found, [expected]);
    for other in
        ["4 kbytes: fast", "4 kbytes: -1 usec/IO = 2 Mbytes/s", "4 kbytes: 1 usec/IO = x Mbytes/s"]
    {
        assert_eq!(kind_of(other), None, "{other}");
    }
}
