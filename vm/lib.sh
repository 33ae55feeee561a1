# Helpers for scripts in the guest; a script begins with ". ./lib.sh".

# Ends the script as failed, with a reason.
fail() { echo "FAILED: $*"; exit 1; }
# Ends the script as skipped, with a reason.
skip() { echo "$*"; exit 77; }

# Path of the partition on a drive of the layout.
disk() { echo "/dev/disk/by-id/virtio-$1-part1"; }
# Value of a module parameter.
parameter() { cat "/sys/module/zfs/parameters/$1"; }
# Value of a named counter: kstat FILE NAME
kstat() { awk -v name="$2" '$1 == name { print $3 }' "/proc/spl/kstat/zfs/$1"; }
# Bytes that the ARC evicted since the module was loaded.
evicted() { awk '/^evict_l2_(cached|eligible|ineligible) / { sum += $3 } END { printf "%d", sum }' /proc/spl/kstat/zfs/arcstats; }
# Waits until a condition holds, for so many seconds at most: wait_until SECONDS CONDITION
wait_until() {
    local tries=$1
    until eval "$2"; do
        [ "$tries" -gt 0 ] || return 1
        tries=$((tries - 1))
        sleep 1
    done
}
# Every parameter of the modules: MODULE.NAME MODE VALUE
list_parameters() {
    local module mode name value
    for module in spl zfs; do
        (cd "/sys/module/$module/parameters" && stat -c "%a %n" -- *) | while read -r mode name; do
            value=
            # A parameter that can only be written has no value.
            [ "$mode" = 200 ] || IFS= read -r value <"/sys/module/$module/parameters/$name"
            echo "$module.$name $mode $value"
        done
    done
}
# Ends the processes of a session, but for those named, and waits until they are gone:
# end_session SESSION [PROCESS…]
end_session() {
    local session=$1 keep pid tries running
    shift
    keep=" $* "
    for tries in 1 2 3 4 5 6 7 8 9 10; do
        running=
        # After the name in parentheses: state, parent, group, session. A zombie has ended.
        for pid in $(cat /proc/[0-9]*/stat 2>/dev/null | awk -v session="$session" '
            { pid = $1; sub(/.*\) /, ""); if ($4 == session && $1 != "Z") print pid }'); do
            # What made this list is on it, too, and gone by now.
            case $keep in
                *" $pid "*) ;;
                *) kill -KILL "$pid" 2>/dev/null && running=yes ;;
            esac
        done
        [ -n "$running" ] || return 0
        sleep 1
    done
}
# Ends all that this script started, so that a pool is not busy any more.
end_load() {
    local stat
    stat=$(cat "/proc/$$/stat")
    # shellcheck disable=SC2086 # its fields are words
    set -- ${stat##*) }
    end_session "$4" $$ "$2"
    wait
}
# Whether the module is of this version or a later one: since 2.2
since() {
    local have
    have=$(sed 's/[^0-9.].*//' /sys/module/zfs/version)
    [ "$(printf '%s\n%s\n' "$1" "$have" | sort -V | head -n 1)" = "$1" ]
}
# A file of so many MiB that does not compress: random_file PATH MIB
random_file() { dd if=/dev/urandom of="$1" bs=1M count="$2" 2>/dev/null; }

# ---- A machine's texts, as crates/machine names them, below /out/machine -------------------------

machine=/out/machine

# Copies files as they are read; kernel files do not know their size: texts TARGET_FOLDER PATH…
texts() {
    local target=$1 path
    shift
    for path in "$@"; do
        [ -r "$path" ] && [ -f "$path" ] || continue
        mkdir -p "$target${path%/*}"
        cat "$path" >"$target$path" 2>/dev/null || rm "$target$path"
    done
}

# Keeps a command's answer; one that fails leaves nothing: answer TARGET_FOLDER NAME COMMAND…
answer() {
    local place=$1/commands/$2
    mkdir -p "$1/commands"
    shift 2
    "$@" >"$place" 2>"$place.stderr" || rm "$place"
    rm -f "$place.stderr"
}

# Reads all that counts: sample NUMBER
sample() {
    local folder=$machine/sample-$1 kstats
    mkdir -p "$folder"
    # One line per cached buffer, and the module's own diary: megabytes that no rule asks for.
    kstats=$(find /proc/spl/kstat/zfs -type f ! -name dbufs ! -name dbgmsg | sort)
    # The module's clock, as it stands in every kstat's first line.
    awk 'NR == 1 { print $7 }' /proc/spl/kstat/zfs/arcstats >"$folder/at"
    # shellcheck disable=SC2086 # kernel files have no blanks in their names
    texts "$folder" $kstats /proc/meminfo
}

# zpool's own counts into a sample, since the import: iostat NUMBER
# or over the next seconds: iostat NUMBER -y SECONDS
iostat() {
    local folder=$machine/sample-$1 only=${2:-} seconds=${3:-} first second
    [ -n "$(zpool list -H -o name)" ] || return 0
    # All three see the same seconds; the load behind them is not waited for.
    # shellcheck disable=SC2086 # no option where it is empty
    {
        answer "$folder" zpool-iostat-lq zpool iostat $only -lqHpvP $seconds ${seconds:+1} &
        first=$!
        answer "$folder" zpool-iostat-r zpool iostat $only -rHpvP $seconds ${seconds:+1} &
        second=$!
        answer "$folder" zpool-iostat-w zpool iostat $only -wHpvP $seconds ${seconds:+1}
        wait $first $second
    }
}

# Two samples with a load between them: window SECONDS COMMAND…
window() {
    local seconds=$1 load
    shift
    iostat 0
    "$@" &
    load=$!
    sample 0
    iostat 1 -y "$seconds"
    sample 1
    kill "$load" 2>/dev/null
    wait "$load" 2>/dev/null
    facts
}

# All that stays as it is during a window.
facts() {
    local block link module
    texts "$machine" /proc/meminfo /proc/mounts /proc/swaps /proc/cmdline /proc/sys/kernel/osrelease
    texts "$machine" /etc/os-release /etc/modprobe.d/* /sys/module/zfs/version
    texts "$machine" /sys/module/zfs/parameters/* /sys/module/spl/parameters/*
    for module in zfs spl; do
        mkdir -p "$machine/modes/sys/module/$module"
        (cd "/sys/module/$module/parameters" && stat -c "0%a %n" -- *) \
            >"$machine/modes/sys/module/$module/parameters"
    done
    for block in /sys/block/vd*; do
        case $(cat "$block/serial") in job | out | state) continue ;; esac
        texts "$machine" "$block/size" "$block/serial" "$block/queue/rotational" \
            "$block/queue/write_cache" "$block/queue/logical_block_size" \
            "$block/queue/physical_block_size"
    done
    # One processor of several that are alike, without its hundreds of flags.
    mkdir -p "$machine/proc"
    sed '/^flags/d; /^vmx flags/d; /^bugs/d' /proc/cpuinfo >"$machine/proc/cpuinfo"
    for link in /dev/disk/by-id/*; do
        case $link in */virtio-job | */virtio-out | */virtio-state) continue ;; esac
        echo "$link -> $(readlink "$link")"
    done >"$machine/links"
    answer "$machine" zfs-version zfs version
    answer "$machine" zpool-status zpool status -P
    answer "$machine" zpool-list zpool list -Hpv -P
    answer "$machine" zpool-get zpool get -Hp all
    answer "$machine" zfs-get zfs get -Hp -t filesystem,volume all
    if since 2.3; then
        answer "$machine" zpool-status-json zpool status -P -j
        answer "$machine" zpool-list-json zpool list -p -v -j
        answer "$machine" zpool-get-json zpool get -j -p all
        answer "$machine" zfs-get-json zfs get -j -p -t filesystem,volume all
    fi
}
