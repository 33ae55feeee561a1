# Counters recorded while files are read: as many readings as seconds, the accesses that the kernel counted, a look at the pool.
# on: 2.3.2
. ./lib.sh
zpool create -f -O atime=off -O compression=off tank mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
random_file /tank/file 64
zpool sync tank
(while :; do cat /tank/file >/dev/null; sleep 0.2; done) &
all() { awk '$1 == "hits" || $1 == "misses" { n += $3 } END { print n }' /proc/spl/kstat/zfs/arcstats; }
before=$(all)
arcwright record --to /tmp/recording --interval 1s --for 12s --no-smart >/tmp/said 2>&1 || fail "no recording: $(cat /tmp/said)"
after=$(all)
end_load
arcwright record show /tmp/recording || fail "it is not shown"
arcwright record show /tmp/recording --json >/tmp/shown.json
readings=$(sed -n 's/.*"readings": \([0-9]*\).*/\1/p' /tmp/shown.json)
[ "$readings" -ge 8 ] && [ "$readings" -le 13 ] || fail "$readings readings of 12 s"
# Between the first and the last reading no more was counted than between these two looks, and most of it.
awk -v most=$((after - before)) '/"covered_s"/ { sub(/.*: /, ""); s = $0 + 0 } /"accesses_per_s"/ { sub(/.*: /, ""); n += s * $0 }
    END { print n " accesses in the rows, " most " by the kernel"; exit !(n <= most * 1.001 && n > most * 0.5) }' /tmp/shown.json || fail "accesses differ"
arcwright doctor --from /tmp/recording >/tmp/judged || fail "doctor does not read it"
tr "\n" " " </tmp/judged | grep -q "pool *tank" || fail "the look at the pool is missing: $(cat /tmp/said; ls /tmp/recording/machine; head -12 /tmp/judged)"
# Another recorder is refused while one runs, and killed ones lose nothing.
arcwright record --to /tmp/recording --interval 1s --no-smart >/dev/null 2>&1 &
recorder=$!
sleep 3
arcwright record --to /tmp/recording --once >/tmp/said 2>&1 && fail "two recorders"
grep -q "another recorder" /tmp/said || fail "it says otherwise: $(cat /tmp/said)"
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
arcwright record --to /tmp/recording --once --no-smart || fail "it does not go on after a kill"
zpool destroy tank
