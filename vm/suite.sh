#!/bin/sh
# Runs every check of checks/, each in a shell of its own, and writes /out/results:
# name, exit code, seconds, last line; by tabs. A check's own words go to /out/NAME.log.
export ZFS_VERSION
ZFS_VERSION=$(cat version)
for path in checks/*.sh; do
    name=${path##*/}
    name=${name%.sh}
    begun=$(cut -d. -f1 /proc/uptime)
    sh "$path" >"/out/$name.log" 2>&1
    code=$?
    seconds=$(($(cut -d. -f1 /proc/uptime) - begun))
    last=$(tail -n 1 "/out/$name.log" | tr '\t' ' ')
    printf '%s\t%s\t%s\t%s\n' "$name" "$code" "$seconds" "$last" | tee -a /out/results
done
exit 0
