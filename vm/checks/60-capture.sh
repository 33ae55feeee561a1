# A capture of this machine holds what doctor needs, tells nothing when redacted, and an unprivileged one says what
# it could not read and goes on with the rest.
. ./lib.sh
zpool create -f secretpool mirror "$(disk disk0)" "$(disk disk1)" || fail "no pool"
zfs create secretpool/private
random_file /secretpool/private/file 16
arcwright capture --window 2s /tmp/whole.tar.gz >/tmp/words || fail "no capture: $(cat /tmp/words)"
cat /tmp/words
[ "$(wc -c </tmp/whole.tar.gz)" -lt 1048576 ] || fail "$(wc -c </tmp/whole.tar.gz) bytes is not small"
arcwright doctor --from /tmp/whole.tar.gz --json >/tmp/findings || fail "doctor does not read it"
grep -q secretpool /tmp/findings || fail "the pool is not in it"
# An archive that is there is not replaced.
arcwright capture --window 0s /tmp/whole.tar.gz 2>/tmp/words && fail "it replaced an archive"
arcwright capture --window 0s --redact /tmp/redacted.tar.gz || fail "no redacted capture"
gunzip -c /tmp/redacted.tar.gz | grep -a -q -e secretpool -e private && fail "the redacted one names the pool"
arcwright doctor --from /tmp/redacted.tar.gz >/dev/null || fail "doctor does not read the redacted one"
# Without privilege.
cd /tmp || fail "no /tmp"
chmod 1777 /tmp
# As where the packages' rule for the device is missing.
chmod 600 /dev/zfs
su nobody -c "arcwright capture --window 0s /tmp/nobody.tar.gz" >/tmp/words || fail "nobody captures nothing: $(cat /tmp/words)"
chmod 666 /dev/zfs
grep -q "zpool status: needs more rights" /tmp/words || fail "it does not say what it could not read: $(cat /tmp/words)"
su nobody -c "arcwright doctor --window 0s" >/tmp/words || fail "nobody sees nothing: $(cat /tmp/words)"
zpool destroy secretpool
