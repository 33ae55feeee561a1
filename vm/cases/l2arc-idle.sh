# layout: slow
# modprobe: options zfs zfs_arc_max=100663296
# modprobe: options zfs l2arc_write_max=262144 l2arc_write_boost=262144
# Field report 001: raidz1 with a read cache; a file larger than the ARC is read in order again and
# again, and the cache device gives next to nothing.
#
# The report's disks read 324 MiB/s and its feed wrote 8 MiB/s. These disks read a tenth of that, so
# the feed is set lower too; left at its default it would keep up, which is the case l2arc-filled.
. ./lib.sh
zpool create -f tank raidz1 "$(disk hdd0)" "$(disk hdd1)" "$(disk hdd2)" || fail "no pool"
zpool add -f tank cache "$(disk ssd0)" || fail "no cache device"
zfs set atime=off tank
random_file /tank/game 384
sync
cat /tank/game >/dev/null
again() { while :; do cat /tank/game >/dev/null; done; }
window 20 again
