//! Why ratios miss, and why sources were left out.

/// Machines with ratios that miss, and the cause as far as it is known.
pub(super) const MISSES: [(&str, &str); 19] = [
    (
        "dd-8-to-10-disks",
        "raidz1 reads faster than a stripe of as many disks in the source, which has three rounds of \
         each within 6 %. The model's stripe is held by its disks, which are faster than the \
         source's, and the source's by something else: 57 MiB/s a disk is half of what such a disk \
         gives. What, is not known.",
    ),
    (
        "disks-1-to-12",
        "Rewriting: in the source it hardly grows with the disks, since one process waits for each \
         read and each write in turn; here reads and writes are under way side by side. Reading: the \
         source's one disk reads at twice the rate at which it writes, and its mirror at twice that \
         again, so part of its data came from memory or was compressed; one reader gets one disk's \
         rate of a mirror here. Wide layouts stop at 640 MB/s written and 1000 MB/s read there, by \
         something that is not told.",
    ),
    (
        "five-disks-raidz2",
        "Synchronous writes without a log: the source's disks answer a flush in less than half a \
         millisecond, which no disk does that has to write first; they keep safe by themselves what \
         was written. The model's disks wait for their platters at every flush. Large reads are 1.63 times \
         as fast on draid2 as on raidz2 in the source, and 1.51 times here: neighbouring records lie on the \
         same disks in a row, and no parity stands between.",
    ),
    (
        "iscsi-l2arc",
        "Seeks: the source's cache has seen a part of the disk at the rate of 8 MB/s at which it is \
         fed, and the source does not say for how long; with raised rates it reports 12 to 16 times \
         the seeks. Here it was fed through two rounds of three passes. Writing: 12 % more in the \
         source, with a cache that has no part in writing.",
    ),
    (
        "log-stripe-1M",
        "The change of 2.4 that the source is about, writing blocks of several transactions of the \
         log at once, is not in the model: 2.3.2 and 2.4.0 give the same.",
    ),
    (
        "lun-l2arc",
        "Hits in the L2ARC and the ARC are as reported; the ratio to the arms without is too small, \
         because the assumed disk answers 160 reads a second and the network volume 67.",
    ),
    (
        "mirror-disk-and-ssd",
        "With prefetch the model's two disks help the SSD with what is read ahead, at the rates of a \
         later SSD and later disks than the source had; it does not tell its devices.",
    ),
    (
        "nvme-1-and-4",
        "Four drives: the 128 processes of the database take processor time that is not in the load. \
         One drive is right within 6 %.",
    ),
    (
        "nvme-mirrors-arc",
        "The source's runs of two minutes become slower with a larger ARC, from 104,000 to 44,000 \
         reads a second, as here, and those of half an hour faster, in which the log's writes take \
         ten times as long. In the model the throttle of writes decides in all arms. The drives are \
         busy all the time with a small ARC and two thirds of it with a large one; why the model then \
         writes no more is not known.",
    ),
    (
        "nvme-mirrors-dirty",
        "Encryption below ZFS holds writes at a fraction of the drives' rate, and is not modelled: \
         figures are up to three times the reported ones, so that little dirty data costs more here \
         and much gains more.",
    ),
    (
        "nvme-mirrors-oltp",
        "As with the other questions to this machine: encryption below ZFS holds large writes at 2.4 \
         GB/s, a fraction of what the drives take. Records of 128 KiB move eight times the bytes, and \
         encryption hits them eight times as hard.",
    ),
    (
        "nvme-mirrors-primarycache",
        "An ARC of 8 GiB holds a seventh of a file of 50 GiB, and as many reads hit here. The \
         source's reads hit nothing; its cache may have been full of other files of 260 GiB.",
    ),
    (
        "nvme-mirrors-recordsize",
        "Encryption below ZFS holds writes of 128 KiB at 2.4 GB/s, as the source reports elsewhere; \
         the model writes 9 GB/s with large records.",
    ),
    (
        "nvme-mirrors-zil",
        "Between sync disabled and standard the source has 11 microseconds a write, in which no drive \
         takes a write and a flush. Several jobs at once would explain it; their number is not told, \
         and one was assumed.",
    ),
    (
        "pgbench-raidz1-recordsize",
        "A database's log, its index and its own buffers are not in the load, nor is that its reads \
         and writes are of the same page. Half to a third of the source's time for a transaction is \
         somewhere else, and hides what records cost.",
    ),
    (
        "random-overwrites-disk",
        "64 KiB writes to large records are off by 13 and 14 % at full scale, within 20 %; a quarter of \
         the size, which the chore runs to be quick, loses that. Absolute figures are about twice the \
         source's: the assumed disk writes 230 MB/s, the one there 138.",
    ),
    (
        "random-overwrites-nvme",
        "1 MiB writes: with records of 1 MiB the source reaches 2 GB/s, more than the model's drive \
         takes when its fast cache is full (1.2 GB/s); the drive is not told. 64 KiB writes: 128 KiB \
         records cost the source more and those of 16 KiB less than here, where each request of a job \
         is a thread of its own; posixaio has few.",
    ),
    (
        "random-overwrites-ssd",
        "1 MiB writes become slower with larger records in the source, from 226 to 84 MiB/s, which \
         its disk and its NVMe drive do not show; the drive's state is not told, and the machine was \
         in use. 64 KiB writes are five times faster here: the profile's cache of 22 GiB takes a \
         minute's writes, that of the source's drive does not.",
    ),
    (
        "special-13M-files",
        "Without the special vdev the source reads 44,000 files a second from four disks: it lists \
         directories in parallel, and only then asks for attributes, in the order of the disk. The \
         model's walk does one directory after the other, with a seek for many.",
    ),
];

/// Sources that were read and not used.
pub(super) const LEFT_OUT: [(&str, &str); 14] = [
    (
        "https://github.com/jp05451/fio-zfs-bench",
        "Synchronous writes with and without a log, 1 to 64 writers: without the log they end in a NAS that \
         acknowledges from its memory, which no profile does. Its reads are above.",
    ),
    (
        "https://github.com/openzfs/zfs/commit/6f5aac3ca057731d106b801bfdf060119571393c",
        "Random reads during a scrub: the scenario language has no scrub.",
    ),
    (
        "https://brendangregg.com/blog/2009-01-30/l2arc-screenshots.html",
        "An L2ARC on 140 disks: more than five times as fast, which is a bound and no figure.",
    ),
    (
        "https://ahl.dtrace.org/2014/02/10/the-openzfs-write-throttle/",
        "The write throttle, old and new: hardware, pool and load are not told.",
    ),
    (
        "https://github.com/kmova/bootstrap/tree/master/openebs-localpv/benchmark",
        "4 KiB writes on a cloud's NVMe with 4 and 16 processors: record size, version and drive are not told, and no \
         profile has four fast processors.",
    ),
    (
        "https://ibug.io/blog/2024/10/ustc-mirrors-zfs-rebuild/",
        "Public mirrors before and after a rebuild: the load is not told, and five things change at once.",
    ),
    (
        "https://pclean.readthedocs.io/en/latest/benchmark_zfs_pools.html",
        "Four pools of one host: neither memory nor the files' sizes are known, so that nobody can say which reads reach \
         a disk.",
    ),
    (
        "https://pastebin.com/isefDDQg",
        "A mirrored log of two different SSDs and one of them alone: the ratio is that of the two SSDs' flushes, of \
         which no measurement was found.",
    ),
    ("https://pastebin.com/DwWRwRdi", "Eight SAS disks in four layouts: the load is not told."),
    (
        "https://github.com/openzfs/zfs/issues/824",
        "Volumes of 8 to 128 KiB blocks in 2012: size and depth of the writes are not told, and the smallest blocks \
         show a defect of that release.",
    ),
    (
        "https://github.com/openzfs/zfs/issues/6453",
        "Prefetch distances, and with it other threads (8577, 8560, 13452, 5040): disks and memory are not told.",
    ),
    (
        "https://github.com/openzfs/zfs/pull/11583",
        "Crawls of metadata, cold and warm: hardware and number of files are not told.",
    ),
    (
        "https://github.com/MrE-Fog/devedge-2/blob/179c90b2298ba42826924bafc565448414abcd2c/_posts/2021-12-11-custom-nas-build-with-mirrored-zfs-vdevs.md",
        "NFS over 1 Gbit/s on three mirrors: the client's memory takes the writes, and there is nothing to compare.",
    ),
    (
        "https://freshbsd.org/commit/freebsd/src/321928",
        "Flush times of two SSDs: figures of devices, for profiles; no pool.",
    ),
];
