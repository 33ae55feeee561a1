# Accesses to files, recorded while it is known what is done: as many calls and bytes, of the same files and places.
# on: no version
# needs: bpftrace
# limit: 900
. ./lib.sh
mount -t tracefs tracefs /sys/kernel/tracing 2>/dev/null
mount -t debugfs debugfs /sys/kernel/debug 2>/dev/null
bpftrace --version || fail "no bpftrace"
zpool create -f -O atime=off -O compression=off tank "$(disk disk0)" || fail "no pool"
zfs create tank/a
zfs create tank/b
zfs create -V 64M -b 16k tank/vol || fail "no volume"
wait_until 20 'test -b /dev/zd0' || fail "no block device: $(ls /dev)"
# As udev would.
mkdir -p /dev/zvol/tank && ln -s /dev/zd0 /dev/zvol/tank/vol
random_file /tank/a/one 2
random_file /tank/a/two 1
zpool sync tank
number() { stat -c %i "$1"; }
one=tank/a/$(number /tank/a/one)
two=tank/a/$(number /tank/a/two)
# Waits until the recorder's tracer has its probes: it prints a line each second then.
begin() {
    rm -f /tmp/said
    "$@" >/tmp/summary 2>/tmp/said &
    recorder=$!
    wait_until 150 'pidof bpftrace >/dev/null && grep -q zpl_iter_write /sys/kernel/debug/kprobes/list' || fail "no probes: $(cat /tmp/said)"
    sleep 5
}
begin arcwright record files --pool tank --for 40s -o /tmp/files.csv --json
# 16 reads of 64 KiB, 5 of 4 KiB from the middle on, one that ends with the file, and one at its end.
dd if=/tank/a/one of=/dev/null bs=64k count=16 2>/dev/null
dd if=/tank/a/two of=/dev/null bs=4k skip=100 count=5 2>/dev/null
dd if=/tank/a/two of=/dev/null bs=1000000 skip=1 count=2 2>/dev/null
# 7 writes of 5000 bytes with an fsync, and one appended.
dd if=/dev/zero of=/tank/b/new bs=5000 count=7 conv=fsync 2>/dev/null
echo hello >>/tank/b/new
new=tank/b/$(number /tank/b/new)
# To a volume past the page cache: 8 writes of 16 KiB that are flushed once, then 4 reads in its middle.
dd if=/dev/zero of=/dev/zd0 bs=16k count=8 oflag=direct conv=fsync 2>/tmp/dd || fail "no write to the volume: $(cat /tmp/dd)"
dd if=/dev/zd0 of=/dev/null bs=16k skip=1000 count=4 iflag=direct 2>/tmp/dd || fail "no read of the volume: $(cat /tmp/dd)"
wait "$recorder" || fail "it failed: $(cat /tmp/said)"
cat /tmp/said /tmp/summary
sums() { awk -F, -v file="$1" -v op="$2" '$2 == file && $3 == op { n++; bytes += $5 } END { printf "%d %d", n, bytes }' /tmp/files.csv; }
expect() {
    local found
    found=$(sums "$1" "$2")
    echo "$1 $2: recorded $found, done $3"
    [ "$found" = "$3" ] || fail "$(cat /tmp/files.csv)"
}
expect "$one" read "16 1048576"
expect "$two" read "6 69056"
expect "$new" write "8 35006"
expect "$new" flush "1 0"
expect tank/vol read "4 65536"
expect tank/vol write "8 131072"
flushes=$(sums tank/vol flush)
[ "${flushes% *}" -ge 1 ] || fail "the volume was flushed $flushes times"
[ "$(grep -cv tank/vol /tmp/files.csv)" = 32 ] || fail "other lines: $(cat /tmp/files.csv)"
grep -q ",tank/vol,read,16384000,16384" /tmp/files.csv || fail "the place of a read of the volume"
grep -q '"volume_count": 1,' /tmp/summary || fail "the number of volumes"
grep -q ",$two,read,409600,4096" /tmp/files.csv || fail "the place of a read"
grep -q ",$new,write,35000,6" /tmp/files.csv || fail "the place of what was appended"
grep -q '"empty_reads": 1,' /tmp/summary || fail "the read at the end"
grep -q '"lost": 0,' /tmp/summary && grep -q '"garbled": 0,' /tmp/summary || fail "lost or not understood"
[ "$(stat -c %a /tmp/files.csv)" = 600 ] || fail "others may read it"
arcwright trace info /tmp/files.csv || fail "it is not read"
arcwright trace curve /tmp/files.csv >/dev/null || fail "no curve"
arcwright record files -o /tmp/files.csv 2>/dev/null && fail "it was written over"
# A recorder that is killed leaves no tracer behind.
begin arcwright record files --for 600s --names paths
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
wait_until 30 '! pidof bpftrace >/dev/null' || fail "the tracer outlives its recorder"
# An early end keeps what was recorded, with paths.
begin arcwright record files --dataset tank/a --for 600s --names paths -o /tmp/paths.csv
dd if=/tank/a/one of=/dev/null bs=64k count=3 2>/dev/null
dd if=/tank/b/new of=/dev/null bs=64k count=1 2>/dev/null
sleep 3
dd if=/dev/zd0 of=/dev/null bs=16k count=2 iflag=direct 2>/dev/null
kill -INT "$recorder"
wait "$recorder" || fail "it failed: $(cat /tmp/said)"
cat /tmp/said /tmp/summary /tmp/paths.csv
[ "$(grep -c ",tank/a:/one,read," /tmp/paths.csv)" = 3 ] && [ "$(wc -l </tmp/paths.csv)" = 4 ] || fail "it has other lines"
zpool destroy tank
