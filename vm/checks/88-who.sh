# Who reads: the process and the dataset that do, as much as they do; the file, by its blocks, for root.
. ./lib.sh
zpool create -f -O atime=off -O compression=off tank "$(disk disk0)" || fail "no pool"
zfs create tank/media
random_file /tank/media/film 16
zpool sync tank
# One process that reads the file over and over.
cat $(for n in $(seq 3000); do echo /tank/media/film; done) >/dev/null &
reader=$!
arcwright who --window 6s --json >/tmp/who.json || fail "no answer"
arcwright who --window 2s --files || fail "no table"
arcwright who --window 2s --files --json >/tmp/files.json || fail "no files"
kill "$reader" || fail "the reader had ended"
wait "$reader" 2>/dev/null
# Figures of the row whose name is $1, in the table $2.
figure() { sed -n "/\"$2\": {/,/^  }/p" /tmp/who.json | awk -v name="\"name\": \"$1\"" -v row="\"$3\":" 'index($0, name) { on = 1 } on && index($0, row) { sub(/.*: /, ""); sub(/,/, ""); print; exit }'; }
dataset=$(figure tank/media datasets read)
process=$(figure cat processes read)
echo "tank/media reads $dataset bytes per second, cat $process"
[ -n "$dataset" ] && [ -n "$process" ] || fail "a figure is missing: $(cat /tmp/who.json)"
# The kernel counts a process's calls as OpenZFS counts the dataset's reads.
awk -v d="$dataset" -v p="$process" 'BEGIN { exit !(d > 1e6 && p > 0.8 * d && p < 1.2 * d) }' || fail "they differ"
grep -q '"kind": "file"' /tmp/files.json || fail "no file is listed: $(cat /tmp/files.json)"
grep -q '"path": "/film"' /tmp/files.json || fail "the file has no name: $(cat /tmp/files.json)"
zpool destroy tank
