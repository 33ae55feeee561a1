# A load is recorded, whatif says between which the hits of a larger ARC lie, tune enlarges it, and they lie there; then advise
# recommends a size, and what it predicts of that is counted. The model runs minutes in the emulated machine, so only with --every.
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
now() { cut -d. -f1 /proc/uptime; }
# Between which the hits of a row lie, in per cent.
range() {
    awk -v row="\"name\": \"$2\"" -v number="$3" '
        index($0, row) { here = 1 }
        here && /"arc_hit_range": \[/ { inside = 1; next }
        inside { count++; if (count == number) { gsub(/[^0-9.eE-]/, ""); printf "%.1f", 100 * $0; exit } }
    ' "$1"
}
size() { awk '$1 == "size" || $1 == "c" { print $3 }' /proc/spl/kstat/zfs/arcstats; }
full() { set -- $(size); [ "$2" -ge "$(($1 / 100 * 95))" ]; }
# Fails unless the hits that were counted lie where they were predicted: hits, their chance, from, to.
within() {
    [ $# = 4 ] || fail "a figure is missing: $*"
    echo "$*" | awk '{ exit !($1 + $2 + 0.5 >= $3 && $1 - $2 - 0.5 <= $4) }' || fail "outside of the range"
}

# One setting, tried by the model, carried out, and counted.
setting=zfs_arc_max=192MiB
asked=$(now)
arcwright whatif --from /tmp/recording --try "$setting" --json >/tmp/answer.json 2>/tmp/said || fail "no answer: $(cat /tmp/said)"
cat /tmp/said
echo "predicted in $(($(now) - asked)) s"
low=$(range /tmp/answer.json "$setting" 1) high=$(range /tmp/answer.json "$setting" 2)
arcwright tune apply "$setting" --yes || fail "not applied"
sleep 20
wait_until 120 full || echo "the ARC is not full"
echo "ARC: $(size | tr '\n' ' ')"
after=$(ratio 25)
arcwright tune undo last || fail "not taken back"
[ "$(parameter zfs_arc_max)" = 83886080 ] || fail "zfs_arc_max is $(parameter zfs_arc_max)"
echo "hits and chance in %: $before before, $after with $setting; predicted $low to $high"
within $after $low $high
echo "$after $before" | awk '{ exit !($1 > $3 + 5) }' || fail "it brought nothing: the load is none for this check"

# What advise recommends of the same recording, carried out by its own command.
asked=$(now)
arcwright advise --from /tmp/recording --json >/tmp/advice.json 2>/tmp/said || fail "no advice: $(cat /tmp/said)"
echo "advised in $(($(now) - asked)) s"
advised=$(sed -n 's/.*"arcwright tune apply \(zfs_arc_max=[0-9A-Za-z]*\)".*/\1/p' /tmp/advice.json | head -n 1)
[ -n "$advised" ] || fail "a larger ARC is not advised: $(grep -A3 '"steps"' /tmp/advice.json)"
low=$(range /tmp/advice.json "$advised" 1) high=$(range /tmp/advice.json "$advised" 2)
arcwright tune apply "$advised" --yes || fail "not applied"
# All of the file fits: what is read again and again is there once it was read.
dd if=/tank/file of=/dev/null bs=1M 2>/dev/null
after=$(ratio 20)
echo "hits and chance in %: $before before, $after with $advised, as advised; predicted $low to $high"
within $after $low $high
end_load
arcwright tune undo last || fail "not taken back"
[ "$(parameter zfs_arc_max)" = 83886080 ] || fail "zfs_arc_max is $(parameter zfs_arc_max)"
set_arc "$old"
echo "$old_min" >/sys/module/zfs/parameters/zfs_arc_min
zpool destroy tank
