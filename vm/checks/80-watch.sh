# The dashboard over the live module: ratios and disks are told, by anybody.
. ./lib.sh
zpool create -f tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
random_file /tank/file 32
(while :; do cat /tank/file >/dev/null; done) &
# zpool iostat takes its time in an emulated machine: disks are told when its first report is there.
for after in 8 16 32; do
    arcwright watch --picture 100x30 --after $after >/tmp/picture || fail "no picture"
    grep -q "vd[a-z]*1 .*data" /tmp/picture && break
done
# Whoever reads is told as a process too; alone, so that there is room.
for after in 4 6 8; do
    arcwright watch --picture 160x60 --after $after >/tmp/wide || fail "no wide picture"
    grep -q "cat  *[0-9]" /tmp/wide && break
done
grep -q "cat  *[0-9]" /tmp/wide || fail "the reader is not among the processes: $(cat /tmp/wide)"
su nobody -c "arcwright watch --picture 100x30" >/tmp/nobody || fail "nobody sees nothing"
end_load
cat /tmp/picture
grep -q "demand data .*100.0 %" /tmp/picture || fail "no hit ratio"
grep -q "vd[a-z]*1 .*data" /tmp/picture || fail "no disks"
zpool destroy tank
