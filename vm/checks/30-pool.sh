# A pool is made, used, exported and found again; its kstats are there and count.
. ./lib.sh
zpool create -f tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
random_file /tank/file 32
sync
zpool export tank && zpool import -d /dev/disk/by-id tank || fail "no import"
before=$(kstat arcstats misses)
cat /tank/file >/dev/null
after=$(kstat arcstats misses)
[ "$after" -gt "$before" ] || fail "reading a cold file missed nothing: $before, $after"
for file in arcstats zfetchstats dbufstats zil abdstats dnodestats tank/state tank/txgs \
    tank/dmu_tx_assign tank/reads tank/iostats; do
    [ -r "/proc/spl/kstat/zfs/$file" ] || fail "there is no kstat $file"
done
[ "$(cat /proc/spl/kstat/zfs/tank/state)" = ONLINE ] || fail "the pool is not online"
zpool destroy tank || fail "the pool stays"
