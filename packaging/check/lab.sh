#!/bin/sh
# In a fresh Debian system, as root: installs the lab with the library that it recommends, and runs an arm on it.
set -eu
export DEBIAN_FRONTEND=noninteractive HOME=/root LC_ALL=C.UTF-8

apt-get -qq update
apt-get -qq -o Dpkg::Use-Pty=0 -o APT::Install-Recommends=true install /srv/arcwright_*.deb /srv/arcwright-lab_*.deb \
    > /tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
installed=$(arcwright --version -j | tr -d ' \n' | sed 's/.*"libzpool":\["\([0-9.]*\)".*/\1/')
echo "libzpool $installed is installed"
cd /tmp
arcwright run steam-library --engine lab --openzfs "$installed" --scale 64 --arm 'as installed' > /tmp/lab.txt 2>&1 \
    || { cat /tmp/lab.txt; exit 1; }
grep -q "second read" /tmp/lab.txt
[ ! -e /root/.cache/arcwright ] || { echo "FAILED: a library was fetched although one is installed"; exit 1; }
echo "ok: an arm on the real OpenZFS $installed"
apt-get -qq -o Dpkg::Use-Pty=0 purge arcwright arcwright-lab > /tmp/apt.log 2>&1
[ ! -e /usr/libexec/arcwright ] || { echo "FAILED: /usr/libexec/arcwright is left"; exit 1; }
echo "ok: removed"
