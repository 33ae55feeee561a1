# What fixtures/parameters-VERSION.txt says of this version is what its module says: name, value, mode.
# The catalogue of tunables is held against that file by a test of its own.
. ./lib.sh
list_parameters >/out/parameters.txt
# Numbers that the module takes from the machine: its memory, its identity.
constant() { grep -v -E '^(zfs\.zfs_arc_(max|min)|zfs\.zfs_dirty_data_max|zfs\.zfs_dirty_data_max_max|spl\.spl_hostid) ' "$1"; }
constant parameters.txt >/tmp/expected
constant /out/parameters.txt >/tmp/found
diff /tmp/expected /tmp/found || fail "fixtures/parameters-$ZFS_VERSION.txt is not what the module says"
[ "$(wc -l </tmp/found)" -gt 200 ] || fail "only $(wc -l </tmp/found) parameters"
