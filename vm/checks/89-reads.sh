# Every read of a pool for a while: as many as were made, whose they were, a trace of them; off again, also after a kill.
. ./lib.sh
state() { cat /sys/module/zfs/parameters/zfs_read_history /sys/module/zfs/parameters/zfs_read_history_hits | tr '\n' ' '; grep -c . /proc/spl/kstat/zfs/tank/reads; }
zpool create -f -O atime=off -O compression=off -O recordsize=128k tank "$(disk disk0)" || fail "no pool"
zfs create tank/media
random_file /tank/media/film 32
zpool export tank && zpool import -d /dev tank || fail "no cold pool"
before=$(state)
arcwright record reads --pool tank --for 20s --yes -o /tmp/reads.csv --json >/tmp/reads.json 2>/tmp/said &
recorder=$!
sleep 4
# Cold once, warm once: 256 blocks of 128 KiB each time.
cat /tank/media/film >/dev/null
cat /tank/media/film >/dev/null
wait "$recorder" || fail "it failed: $(cat /tmp/said)"
[ "$(state)" = "$before" ] || fail "it is still on: $(state), before $before"
cat /tmp/reads.json
count() { sed -n "/\"$1\": \[/,/^  \]/p" /tmp/reads.json | awk -v name="\"name\": \"$2\"" -v row="\"$3\":" 'index($0, name) { on = 1 } on && index($0, row) { sub(/.*: /, ""); sub(/,/, ""); print; exit }'; }
reads=$(count datasets tank/media reads)
echo "tank/media: ${reads:-none} reads, $(count datasets tank/media misses) missed; cat: $(count processes cat reads)"
# Data is read twice, 512 blocks, and metadata with it; the dbuf cache may answer some of the second time.
[ "${reads:-0}" -ge 400 ] && [ "$reads" -le 800 ] || fail "$reads reads of the dataset"
[ "$(count processes cat reads)" -ge 400 ] || fail "the process did not read"
awk -F, '$1 ~ /^[0-9]/ && $3 == 131072 { n++ } END { print n " reads of 128 KiB"; exit !(n >= 300) }' /tmp/reads.csv || fail "sizes: $(head -3 /tmp/reads.csv)"
arcwright trace curve /tmp/reads.csv || fail "no curve"
# A recorder that is killed leaves nothing behind.
arcwright record reads --pool tank --for 600s --yes >/dev/null 2>&1 &
recorder=$!
sleep 4
state | grep -q "^16384 1" || fail "it is not on: $(state)"
arcwright record reads --pool tank --for 5s --yes 2>/tmp/said && fail "two at once"
grep -q "already" /tmp/said || fail "it says otherwise: $(cat /tmp/said)"
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
sleep 2
[ "$(state)" = "$before" ] || fail "after a kill it is $(state), before $before"
zpool destroy tank
