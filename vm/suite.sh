#!/bin/sh
# Runs every check of checks/, each in a session of its own, and writes /out/results:
# name, exit code, seconds, last line; by tabs. A check's own words go to /out/NAME.log.
#
# What a check leaves behind, as a failed one does, is cleared away: processes, pools, parameters.
. ./lib.sh
# Seconds that one check may take, unless it says otherwise in a line `# limit: SECONDS`.
usual_limit=360
export ZFS_VERSION
ZFS_VERSION=$(cat version)

# Sets parameters back to what they were at the start.
reset_parameters() {
    local module name mode value
    list_parameters >/tmp/parameters.now
    diff /tmp/parameters.start /tmp/parameters.now | sed -n 's/^-\([a-z]*\)\./\1 /p' |
        while read -r module name mode value; do
            [ "$mode" != 644 ] || echo "$value" >"/sys/module/$module/parameters/$name"
        done 2>/dev/null
}

list_parameters >/tmp/parameters.start
for path in checks/*.sh; do
    name=${path##*/}
    name=${name%.sh}
    begun=$(cut -d. -f1 /proc/uptime)
    limit=$(sed -n 's/^# limit: //p' "$path")
    limit=${limit:-$usual_limit}
    setsid timeout -s KILL "$limit" sh "$path" >"/out/$name.log" 2>&1 &
    session=$!
    wait "$session"
    code=$?
    seconds=$(($(cut -d. -f1 /proc/uptime) - begun))
    [ "$seconds" -lt "$limit" ] || echo "stopped after $limit s" >>"/out/$name.log"
    last=$(tail -n 1 "/out/$name.log" | tr '\t' ' ')
    printf '%s\t%s\t%s\t%s\n' "$name" "$code" "$seconds" "$last" | tee -a /out/results
    end_session "$session"
    zpool list -H -o name | xargs -r -n 1 zpool destroy -f
    reset_parameters
done
exit 0
