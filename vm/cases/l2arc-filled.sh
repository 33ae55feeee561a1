# layout: slow
# modprobe: options zfs zfs_arc_max=100663296
# A read cache that holds all of a file that is read in order again and again, all settings at their
# defaults. Since 2.2 it serves the reads; before, prefetched reads pass it by (l2arc_noprefetch).
. ./lib.sh
zpool create -f tank raidz1 "$(disk hdd0)" "$(disk hdd1)" "$(disk hdd2)" || fail "no pool"
zpool add -f tank cache "$(disk ssd0)" || fail "no cache device"
zfs set atime=off tank
random_file /tank/game 256
sync
for pass in 1 2 3; do cat /tank/game >/dev/null; done
again() { while :; do cat /tank/game >/dev/null; done; }
window 20 again
