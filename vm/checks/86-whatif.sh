# A load is recorded, whatif says between which the hits of a larger ARC lie, tune enlarges it, and they lie there. The model runs
# some minutes in the emulated machine, so only with --every.
# on: no version
# limit: 1100
. ./lib.sh
set_arc() { echo "$1" >/sys/module/zfs/parameters/zfs_arc_max; }
old=$(parameter zfs_arc_max)
old_min=$(parameter zfs_arc_min)
echo 33554432 >/sys/module/zfs/parameters/zfs_arc_min
set_arc 83886080
zpool create -f -O atime=off -O compression=off tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
random_file /tank/file 256
zpool sync tank
# Records of a file, each with the same chance.
(while :; do
    number=$(((RANDOM * 32768 + RANDOM) % 2048))
    dd if=/tank/file of=/dev/null bs=128k count=1 skip=$number 2>/dev/null
done) &
hits() { awk '$1 == "hits" || $1 == "misses" { print $3 }' /proc/spl/kstat/zfs/arcstats; }
# Hits of all accesses over so many seconds, in per cent, and how far so few accesses are off by chance.
ratio() {
    set -- "$1" $(hits)
    sleep "$1"
    set -- "$2" "$3" $(hits)
    # Two standard errors; the root by halving, as this awk has none.
    echo "$1 $2 $3 $4" | awk '{ h = $3 - $1; n = h + $4 - $2; p = h / n; v = p * (1 - p) / n; s = 1
        for (i = 0; i < 40; i++) s = (s + v / s) / 2
        printf "%.1f %.1f", 100 * p, 200 * s }'
}
# Until places were read more than twice in the mean, however slow the machine is: before that misses are the first reads.
data() { awk '$1 == "demand_data_hits" || $1 == "demand_data_misses" { n += $3 } END { print n }' /proc/spl/kstat/zfs/arcstats; }
begun=$(data)
wait_until 180 '[ $(($(data) - begun)) -ge 5000 ]' || echo "places were read less than twice in the mean"
before=$(ratio 10)
arcwright record --to /tmp/recording --interval 1s --for 15s --no-smart >/tmp/said 2>&1 || fail "no recording: $(cat /tmp/said)"
setting=zfs_arc_max=192MiB
arcwright whatif --from /tmp/recording --try "$setting" --json >/tmp/answer.json 2>/tmp/said || fail "no answer: $(cat /tmp/said)"
cat /tmp/said
cp /tmp/answer.json /out/
# Between which its hits are to lie, in per cent.
range() {
    awk -v row="\"name\": \"$setting\"" -v number="$1" '
        index($0, row) { here = 1 }
        here && /"arc_hit_range": \[/ { inside = 1; next }
        inside { count++; if (count == number) { gsub(/[^0-9.eE-]/, ""); printf "%.1f", 100 * $0; exit } }
    ' /tmp/answer.json
}
low=$(range 1) high=$(range 2)
arcwright tune apply "$setting" --yes || fail "not applied"
size() { awk '$1 == "size" || $1 == "c" { print $3 }' /proc/spl/kstat/zfs/arcstats; }
full() { set -- $(size); [ "$2" -ge "$(($1 / 100 * 95))" ]; }
sleep 20
wait_until 120 full || echo "the ARC is not full"
echo "ARC: $(size | tr '\n' ' ')"
after=$(ratio 25)
end_load
arcwright tune undo last || fail "not taken back"
[ "$(parameter zfs_arc_max)" = 83886080 ] || fail "zfs_arc_max is $(parameter zfs_arc_max)"
set -- $before $after
echo "hits: $1 % before, $3 % with $setting (chance: $4); predicted $low to $high %"
[ $# = 4 ] && [ -n "$low" ] && [ -n "$high" ] || fail "a figure is missing"
echo "$3 $4 $low $high" | awk '{ exit !($1 + $2 >= $3 && $1 - $2 <= $4) }' || fail "outside of the range"
echo "$3 $1" | awk '{ exit !($1 > $2 + 5) }' || fail "it brought nothing: the load is none for this check"
set_arc "$old"
echo "$old_min" >/sys/module/zfs/parameters/zfs_arc_min
zpool destroy tank
