# Field report 001: a read cache that gives next to nothing is found, with why.
# on: 2.1.11
. ./lib.sh
zpool create -f tank "$(disk disk0)" cache "$(disk disk1)" || fail "no pool"
old=$(parameter zfs_arc_max)
old_min=$(parameter zfs_arc_min)
echo 33554432 >/sys/module/zfs/parameters/zfs_arc_min
echo 67108864 >/sys/module/zfs/parameters/zfs_arc_max
# The report's disks read forty times what its feed wrote; these are slower, so the feed is, too.
echo 262144 >/sys/module/zfs/parameters/l2arc_write_max
echo 262144 >/sys/module/zfs/parameters/l2arc_write_boost
zfs set atime=off tank
random_file /tank/game 320
sync
(while :; do cat /tank/game >/dev/null; done) &
sleep 10
arcwright doctor --window 10s -H >/tmp/findings || fail "doctor failed"
arcwright doctor --window 3s -v | head -n 40
end_load
cat /tmp/findings
grep -q "l2arc-" /tmp/findings || fail "it does not see that the cache device gives nothing"
echo "$old" >/sys/module/zfs/parameters/zfs_arc_max
echo "$old_min" >/sys/module/zfs/parameters/zfs_arc_min
zpool destroy tank
