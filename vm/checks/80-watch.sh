# The dashboard over the live module: ratios and disks are told, by anybody.
. ./lib.sh
zpool create -f tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
random_file /tank/file 32
(while :; do cat /tank/file >/dev/null; done) &
arcwright watch --picture 100x30 --after 8 >/tmp/picture || fail "no picture"
su nobody -c "arcwright watch --picture 100x30" >/tmp/nobody || fail "nobody sees nothing"
end_load
cat /tmp/picture
grep -q "demand data .*100.0 %" /tmp/picture || fail "no hit ratio"
grep -q "vd[a-z]*1 .*data" /tmp/picture || fail "no disks"
zpool destroy tank
