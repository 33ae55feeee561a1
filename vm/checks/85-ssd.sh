# A spare SSD becomes a log and a cache of a pool and is taken out again, without a trace; a drive that holds something,
# or that somebody uses, is refused. With what zdb counts of blocks.
# on: 2.3.2
. ./lib.sh
spare=/dev/disk/by-id/virtio-spare
device=$(readlink -f "$spare")
size=$(cat "/sys/block/${device##*/}/size")
# What udev does elsewhere: links to partitions, as long as they are there.
links() {
    while :; do
        for number in 1 2 3; do
            if [ -b "$device$number" ]; then
                [ -e "$spare-part$number" ] || ln -s "../../${device##*/}$number" "$spare-part$number"
            else
                rm -f "$spare-part$number"
            fi
        done
        sleep 0.2
    done
}
links &
is_empty() { [ -z "$(dd if="$device" bs=64k count=16 2>/dev/null | tr -d '\0' | head -c 1)" ]; }

# What a check before this one has set stays until the ARC's limit is set anew; a quarter of it has to be an ARC.
echo 536870912 >/sys/module/zfs/parameters/zfs_arc_max
mkdir -p /etc/zfs
zpool create -f -o ashift=12 -o cachefile=/etc/zfs/zpool.cache tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
zfs create -o recordsize=16k -o sync=always tank/database
random_file /tank/database/table 64
zpool sync tank
zdb -Lbbbs tank >/tmp/blocks || fail "zdb"
(while :; do dd if=/dev/urandom of=/tank/database/table bs=8k count=64 seek=$((RANDOM % 7000)) conv=notrunc 2>/dev/null; done) &

# So small an SSD would be worn out in days: the load goes on for a minute a day.
plan() { arcwright ssd plan --window 4s --scale 4 --hours-a-day 0.02 --device "$spare" "$@"; }
arcwright ssd undo 2>/tmp/words && fail "there is nothing to undo"
grep -q "no SSD was added by arcwright" /tmp/words || fail "$(cat /tmp/words)"
arcwright ssd plan --device "$(disk disk0)" --window 0s 2>/tmp/words && fail "a disk of the pool was taken"
grep -q "is in use: pool tank has it" /tmp/words || fail "$(cat /tmp/words)"
plan --apply --confirm /dev/vda 2>/tmp/words && fail "another drive was confirmed"
grep -q "only when it is named again" /tmp/words || fail "$(cat /tmp/words)"

# A drive that holds something.
echo something | dd of="$device" bs=512 seek=3 conv=notrunc 2>/dev/null
plan --apply --confirm "$spare" >/dev/null 2>/tmp/words && fail "a drive that holds something was taken"
grep -q "is not empty: its beginning holds something (byte 1536 is not zero)" /tmp/words || fail "$(cat /tmp/words)"
dd if=/dev/zero of="$device" bs=512 seek=3 count=1 conv=notrunc 2>/dev/null
# A drive that somebody uses.
mkswap "$device" >/dev/null && swapon "$device" && {
    plan --apply --confirm "$spare" >/dev/null 2>/tmp/words && fail "swap was taken"
    grep -q "is swap" /tmp/words || fail "$(cat /tmp/words)"
    swapoff "$device"
}
dd if=/dev/zero of="$device" bs=64k count=2 conv=notrunc 2>/dev/null

# What fails in the middle is taken back.
mkdir -p /tmp/bin
printf '#!/bin/sh\n[ "$1" = add ] && { echo "zpool: no" >&2; exit 1; }\nexec /sbin/zpool "$@"\n' >/tmp/bin/zpool
chmod +x /tmp/bin/zpool
if PATH=/tmp/bin:$PATH plan --blocks /tmp/blocks --apply --confirm "$spare" >/tmp/plan 2>/tmp/words; then fail "it did not fail"; fi
grep -q "zpool: no; what was done before was taken back" /tmp/words || fail "$(cat /tmp/words)"
cat /tmp/plan
grep -q "Use it as log" /tmp/plan || fail "the log of a database is not planned"
is_empty || fail "what failed left something"

plan --apply --confirm "$spare" >/tmp/done 2>/tmp/words || fail "not applied: $(cat /tmp/words)"
tail -4 /tmp/done
zpool status -P tank
zpool status -P tank | grep -q "logs" || fail "the pool has no log"
zpool status -P tank | grep -q "$spare-part1" || fail "the log is not called by its id"
arcwright ssd undo >/tmp/words || fail "$(cat /tmp/words)"
grep -q "Would take out of pool tank" /tmp/words || fail "$(cat /tmp/words)"
# What somebody adds to the drive by hand is not removed.
sgdisk --new=0:0:+16M "$device" >/dev/null || fail "no partition by hand"
if arcwright ssd undo --yes >/tmp/words 2>&1; then fail "a partition of somebody else was removed"; fi
grep -q "was not made by arcwright" /tmp/words || fail "$(cat /tmp/words)"
number=$(sgdisk --print "$device" | awk 'END { print $1 }')
sgdisk --delete="$number" "$device" >/dev/null || fail "the partition by hand stays"
arcwright ssd undo --yes >/tmp/words 2>&1 || fail "not undone: $(cat /tmp/words)"
cat /tmp/words
zpool status -P tank | grep -q "logs" && fail "the log is still there"
is_empty || fail "the drive is not empty again"
[ ! -b "${device}1" ] || fail "a partition is still there"
[ "$(cat "/sys/block/${device##*/}/size")" = "$size" ] || fail "another size"
