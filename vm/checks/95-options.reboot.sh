# After the reboot the module has the options that were persisted, and /var and the drives are kept.
. ./lib.sh
[ "$(parameter zfs_txg_timeout)" = 7 ] || fail "zfs_txg_timeout is $(parameter zfs_txg_timeout)"
[ "$(cat /var/lib/arcwright/words)" = journal ] || fail "/var was lost"
zpool import -d /dev/disk/by-id kept || fail "no import"
[ "$(cat /kept/words)" = "from the first boot" ] || fail "the drive was lost"
zpool destroy kept
