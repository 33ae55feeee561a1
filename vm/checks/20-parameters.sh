# What fixtures/parameters-VERSION.txt says of this version is what its module says: name, value, mode.
# The catalogue of tunables is held against that file by a test of its own.
. ./lib.sh
list_parameters >/out/parameters.txt
# What the module takes from the machine: its memory, its processor, its identity.
from_machine='_impl |zfs_arc_max |zfs_arc_min |zfs_dirty_data_max |zfs_dirty_data_max_max |zfs_wrlog_data_max |zfs_dedup_log_mem_max |spl_hostid '
constant() { grep -v -E "$from_machine" "$1"; }
constant parameters.txt >/tmp/expected
constant /out/parameters.txt >/tmp/found
diff /tmp/expected /tmp/found || fail "fixtures/parameters-$ZFS_VERSION.txt is not what the module says"
[ "$(wc -l </tmp/found)" -gt 200 ] || fail "only $(wc -l </tmp/found) parameters"
