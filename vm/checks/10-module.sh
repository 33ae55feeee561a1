# The module that was built is the one that runs, and init could load it.
. ./lib.sh
have=$(cat /sys/module/zfs/version)
case $have in
    "$ZFS_VERSION"-*) echo "module $have" ;;
    *) fail "the module is $have, $ZFS_VERSION was wanted" ;;
esac
zfs version | grep -q "^zfs-kmod-$have\$" || fail "zfs version does not name the module: $(zfs version)"
zfs version | grep -q "^zfs-$have\$" || fail "programs and module differ: $(zfs version)"
