#!/bin/sh
# In a fresh Debian system, as root: installs the packages below /srv, uses them as people do, removes them, and
# compares the file system with what it was before. rpm.sh says how for another kind of package.
set -eu
export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8

apt="apt-get -qq -o Dpkg::Use-Pty=0"
install=${install-$apt install $(echo /srv/arcwright_*.deb)}
remove=${remove-$apt purge arcwright}
export zsh_functions=${zsh_functions-/usr/share/zsh/vendor-completions}

says() { # COMMAND… -- TEXT: what the command prints holds TEXT
    out=$("$@" 2>&1) || { echo "FAILED: $*"; echo "$out"; exit 1; }
    case "$out" in *"$expected"*) echo "ok: $*" ;; *) echo "FAILED: $* does not say “$expected”:"; echo "$out"; exit 1 ;; esac
}

# What is on the disk, apart from what the package programs keep for themselves.
list() {
    find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /run -o -path /srv \
        -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /var/lib/rpm \) \
        -prune -o -print | sort
}

list > /tmp/before
$install > /tmp/install.log 2>&1 || { cat /tmp/install.log; exit 1; }

expected="arcwright " says arcwright --version
expected='"target": "x86_64-unknown-linux-musl"' says arcwright --version -j
expected="l2arc" says arcwright doctor --from /srv/capture.txt
expected="Why is the second read no faster" says arcwright scenarios
cd /tmp
expected="second read" says arcwright run steam-library
expected="arcwright-lab" says sh -c 'arcwright run steam-library --engine lab; true'
expected="Wrote" says arcwright init /tmp/mine.toml
expected="valid" says arcwright run /tmp/mine.toml --check

for page in /usr/share/man/man?/arcwright*.gz; do
    warnings=$(man --warnings --local-file "$page" 2>&1 > /dev/null)
    [ -z "$warnings" ] || { echo "FAILED: $page: $warnings"; exit 1; }
done
expected="ARC" says man arcwright
expected="recordsize" says man 5 arcwright-scenario
echo "ok: every man page"

complete() { # WORD…: what bash offers for the last word
    bash -c '
        . /usr/share/bash-completion/bash_completion
        . /usr/share/bash-completion/completions/arcwright
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE} COMP_TYPE=9
        _arcwright arcwright "${!#}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}
expected="steam-library" says complete arcwright run steam
expected="l2arc_noprefetch" says complete arcwright tune show l2arc_nop
expected="--engine" says complete arcwright run --eng
expected="nas-quad" says complete arcwright run steam-library --set system.cpu = nas
if command -v fish > /dev/null; then
    expected="steam-library" says env HOME=/tmp fish --private -c 'complete -C "arcwright run steam"'
    expected="l2arc_noprefetch" says env HOME=/tmp fish --private -c 'complete -C "arcwright tune show l2arc_nop"'
    expected="--engine" says env HOME=/tmp fish --private -c 'complete -C "arcwright run --eng"'
fi

complete_zsh() { # WORDS: what a zsh at a terminal shows after the tab key, struck twice
    zsh -f -c '
        zmodload zsh/zpty
        zpty shell zsh -f -i
        zpty -w shell "fpath=($zsh_functions \$fpath); autoload -Uz compinit; compinit -u -D"
        sleep 3
        zpty -w -n shell "$1"$'"'\t\t'"'
        sleep 5
        while zpty -r -t shell more; do shown+=$more; done
        print -r -- "$shown"
        zpty -d shell' zsh "$1" | tr -d '\007'
}
if command -v zsh > /dev/null; then
    expected="steam-library" says complete_zsh "arcwright run steam"
    expected="l2arc_noprefetch" says complete_zsh "arcwright tune show l2arc_nop"
    expected="--engine" says complete_zsh "arcwright run --eng"
fi

for systemd_unit in arcwright-doctor.timer arcwright-textfile.timer arcwright-metrics.service arcwright-record.service \
    arcwright-serve.service; do
    [ -e /lib/systemd/system/$systemd_unit ] || { echo "FAILED: no $systemd_unit"; exit 1; }
    on=$(find /etc/systemd/system -name $systemd_unit)
    [ -z "$on" ] || { echo "FAILED: $systemd_unit is on"; exit 1; }
done

expected="arcwright_arc_size_bytes" says arcwright metrics --from /srv/capture.txt
for file in prometheus/arcwright.rules.yml grafana/arcwright.json; do
    [ -s /usr/share/arcwright/$file ] || { echo "FAILED: no $file"; exit 1; }
done

$remove > /tmp/install.log 2>&1 || { cat /tmp/install.log; exit 1; }
list > /tmp/after
diff /tmp/before /tmp/after || { echo "FAILED: this was left behind"; exit 1; }
echo "ok: nothing is left behind"
