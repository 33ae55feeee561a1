# layout: slow
# Programs that wait for every write (fsync), slow disks, no log device.
. ./lib.sh
zpool create -f tank mirror "$(disk hdd0)" "$(disk hdd1)" || fail "no pool"
zfs set atime=off tank
zfs create -o recordsize=16K tank/database
writer() {
    number=0
    while :; do
        dd if=/dev/urandom of="/tank/database/$1" bs=8k count=1 seek=$((number % 2000)) \
            conv=notrunc,fsync 2>/dev/null
        number=$((number + 1))
    done
}
writers() {
    trap 'kill $(jobs -p)' TERM
    for number in 1 2 3 4; do writer $number & done
    wait
}
window 20 writers
