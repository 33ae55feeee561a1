# Options for the module, persisted for the next boot: its second half is 95-options.reboot.sh. The last
# check of all, since other pools would take its drive.
. ./lib.sh
[ ! -e /etc/modprobe.d/guest.conf ] || fail "there are options already"
[ "$(parameter zfs_txg_timeout)" = 5 ] || fail "zfs_txg_timeout is $(parameter zfs_txg_timeout)"
echo "options zfs zfs_txg_timeout=7" >/etc/modprobe.d/guest.conf
zpool create -f kept "$(disk disk0)" || fail "no pool"
echo "from the first boot" >/kept/words
zpool export kept
mkdir -p /var/lib/arcwright
echo "journal" >/var/lib/arcwright/words
