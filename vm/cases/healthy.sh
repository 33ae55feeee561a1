# layout: slow
# A pool that has nothing to complain of: a mirror whose clients read what the ARC holds.
. ./lib.sh
zpool create -f tank mirror "$(disk hdd0)" "$(disk hdd1)" || fail "no pool"
zfs set atime=off tank
zfs create tank/home
random_file /tank/home/film 96
sync
again() { while :; do cat /tank/home/film >/dev/null; done; }
cat /tank/home/film >/dev/null
window 12 again
