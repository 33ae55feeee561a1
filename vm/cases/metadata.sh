# layout: seeks
# modprobe: options zfs zfs_arc_max=67108864
# Field report 003: so many small files that what is known about them does not fit the ARC; whoever
# goes through them (names, sizes, contents) waits for the disks' heads.
. ./lib.sh
zpool create -f zdata "$(disk hdd0)" "$(disk hdd1)" "$(disk hdd2)" || fail "no pool"
# Large dnodes make 40000 files as much metadata as 320000 would be; compressed, a file's few bytes
# stand in its block pointer, so that all that is read is metadata.
zfs set atime=off compression=lz4 dnodesize=4k zdata
for folder in $(seq 200); do
    mkdir "/zdata/$folder"
    for file in $(seq 200); do
        echo "picture $folder $file" >"/zdata/$folder/$file"
    done
done
# In another order than they were made in, as clients do; the same one every time.
awk 'BEGIN { srand(1); for (i = 0; i < 40000; i++) {
    print "/zdata/" int(rand() * 200) + 1 "/" int(rand() * 200) + 1 } }' >/tmp/list
again() {
    while :; do
        while read -r path; do
            [ -f "$path" ] && read -r words <"$path"
        done </tmp/list
    done
}
again &
other=$!
# Until the ARC is full again.
sleep 75
window 20 again
kill $other
