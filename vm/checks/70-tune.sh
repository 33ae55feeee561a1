# Settings are applied and taken back on the running module; one is persisted for the next boot, whose half of the
# check is 70-tune.reboot.sh.
. ./lib.sh
arcwright tune list -H >/tmp/list || fail "no list"
[ "$(wc -l </tmp/list)" -gt 100 ] || fail "only $(wc -l </tmp/list) parameters"
# What is at its default is not set anew.
old=$(parameter l2arc_write_max)
arcwright tune apply l2arc_write_max=12MiB --yes || fail "not applied"
[ "$(parameter l2arc_write_max)" = 12582912 ] || fail "the module has $(parameter l2arc_write_max)"
arcwright tune verify || fail "verify does not see it"
arcwright tune undo last || fail "not taken back"
[ "$(parameter l2arc_write_max)" = "$old" ] || fail "the module has $(parameter l2arc_write_max), it was $old"
# A profile leaves out what this version does not have.
arcwright tune diff dumb-lru || fail "no profile"
arcwright tune diff metadata-first || fail "no profile"
# Harm must be asked for by name.
arcwright tune apply zil_nocacheflush=1 --yes 2>/tmp/words && fail "it did harm unasked"
[ "$(parameter zil_nocacheflush)" = 0 ] || fail "it did harm"
grep -q "zil_nocacheflush" /tmp/words || fail "it does not say why"
# The size of the ARC: the module takes it, and its default comes back.
most=$(kstat arcstats c_max)
arcwright tune apply zfs_arc_max=200MiB --yes || fail "no ARC of 200 MiB"
[ "$(kstat arcstats c_max)" = 209715200 ] || fail "c_max is $(kstat arcstats c_max)"
arcwright tune undo last || fail "not taken back"
[ "$(kstat arcstats c_max)" = "$most" ] || fail "c_max is $(kstat arcstats c_max), it was $most"
# What the module would ignore is wrong use.
arcwright tune apply zfs_arc_max=33MiB --yes
[ $? = 2 ] || fail "an ARC below the smallest was not refused"
# Anybody may look; changing needs root, and says so.
su nobody -c "arcwright tune list -H" >/tmp/list || fail "nobody sees nothing"
su nobody -c "arcwright tune apply l2arc_norw=1 --yes" 2>/tmp/words
[ $? = 1 ] || fail "nobody applied"
grep -q "root" /tmp/words || fail "it does not say what is missing: $(cat /tmp/words)"
[ "$(parameter l2arc_norw)" = 0 ] || fail "nobody changed the module"
# A dry run writes nothing; a real one writes a file of its own and leaves the others alone.
echo "# somebody's own" >/etc/modprobe.d/somebody.conf
cp -r /etc/modprobe.d /tmp/before
arcwright tune persist zfs_arc_meta_prune=20000 2>/dev/null
arcwright tune persist l2arc_headroom=4 || fail "no plan"
diff -r /tmp/before /etc/modprobe.d || fail "a dry run wrote"
arcwright tune persist l2arc_headroom=4 --write || fail "not written"
for file in /tmp/before/*; do
    cmp "$file" "/etc/modprobe.d/${file##*/}" || fail "it touched a file that is not its own"
done
grep -rq "l2arc_headroom=4" /etc/modprobe.d || fail "it is in no file"
