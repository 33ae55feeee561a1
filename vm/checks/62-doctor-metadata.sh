# Field report 003: metadata that does not fit the ARC is found, with what cures it on this version.
# on: 2.3.2
. ./lib.sh
zpool create -f zdata "$(disk disk0)" || fail "no pool"
old=$(parameter zfs_arc_max)
old_min=$(parameter zfs_arc_min)
echo 33554432 >/sys/module/zfs/parameters/zfs_arc_min
echo 67108864 >/sys/module/zfs/parameters/zfs_arc_max
# Large dnodes make 8000 files as much metadata as 256000 would be.
zfs set atime=off dnodesize=16k zdata
for folder in $(seq 40); do
    mkdir "/zdata/$folder"
    for file in $(seq 200); do
        echo "picture" >"/zdata/$folder/$file"
    done
done
sync
awk 'BEGIN { srand(1); for (i = 0; i < 20000; i++) {
    print "/zdata/" int(rand() * 40) + 1 "/" int(rand() * 200) + 1 } }' >/tmp/list
(while :; do xargs stat </tmp/list >/dev/null; done) &
# Until the ARC was full once, metadata is read for the first time.
before=$(evicted)
wait_until 120 '[ $(($(evicted) - before)) -gt 8388608 ]' || fail "the ARC evicts nothing"
# Up to 2.1 the ARC is emptied and grows again, on a slow machine for longer than a window: it may be seen
# growing, but then doctor may not say that this is the first time.
for _ in 1 2 3 4 5; do
    arcwright doctor --window 10s -H >/tmp/findings || fail "doctor failed"
    grep -q "metadata-misses" /tmp/findings && break
    cat /tmp/findings
    grep -q "metadata-cold.*was not seen" /tmp/findings || fail "it does not say what it did not see"
done
arcwright doctor --window 3s -v | head -n 40
end_load
cat /tmp/findings
grep -q "metadata-misses" /tmp/findings || fail "it does not see that metadata misses dominate"
head -n 1 /tmp/findings | grep -q "metadata-misses" || fail "something else comes first"
echo "$old" >/sys/module/zfs/parameters/zfs_arc_max
echo "$old_min" >/sys/module/zfs/parameters/zfs_arc_min
zpool destroy zdata
