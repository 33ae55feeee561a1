# What was persisted is in force after the boot, verify says so, and undo takes it back byte for byte.
. ./lib.sh
[ "$(parameter l2arc_headroom)" = 4 ] || fail "the module has $(parameter l2arc_headroom)"
arcwright tune verify || fail "verify does not see it"
arcwright tune undo all || fail "not taken back"
grep -rq "l2arc_headroom" /etc/modprobe.d && fail "it is still in a file"
arcwright tune log
exit 0
