# A healthy pool gets "nothing to change".
. ./lib.sh
zpool create -f -o ashift=12 tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
zfs set atime=off tank
random_file /tank/file 32
sync
(while :; do cat /tank/file >/dev/null; done) &
arcwright doctor --window 5s -H >/tmp/findings || fail "doctor failed"
end_load
cat /tmp/findings
grep -q "nothing-to-change" /tmp/findings || fail "it wants a change"
grep -q -E "^(hurts-now|worth-a-look)" /tmp/findings && fail "it wants a change"
zpool destroy tank
