#!/bin/sh
# As on TrueNAS: the system is read-only, and a dataset is where one may write. The program is copied there.
set -eu
tar -xzf /srv/arcwright-*-x86_64-unknown-linux-musl.tar.gz -C /srv
mkdir -p /mnt/tank
mount -t tmpfs tank /mnt/tank
mount -o remount,bind,ro /
! touch /etc/anything 2>/dev/null || { echo "FAILED: the system is not read-only"; exit 1; }

mkdir /mnt/tank/bin
cp /srv/arcwright-*/bin/arcwright /mnt/tank/bin/
export PATH=/mnt/tank/bin:$PATH HOME=/mnt/tank XDG_CONFIG_HOME=/mnt/tank/.config
cd /mnt/tank
arcwright doctor --from /srv/capture.txt > doctor.txt
arcwright init
arcwright run experiment.toml --check > /dev/null
arcwright run steam-library --save result.json > run.txt
arcwright show result.json > /dev/null
ls /mnt/tank
echo "ok: doctor, init, run, show from a dataset on a read-only system"
