# The program is static and runs without a library of the host: an experiment on the model.
. ./lib.sh
arcwright --version >/tmp/version || fail "the program does not start"
cat /tmp/version
grep -q "^module *$(cat /sys/module/zfs/version)" /tmp/version || fail "it does not know the module that is loaded"
arcwright run steam-library.toml --engine model --scale 64 --arm "as installed" -H >/tmp/result || fail "the model does not run"
[ -s /tmp/result ] || fail "the model says nothing"
head -n 3 /tmp/result
# Without the program for the lab it says what to install.
arcwright run steam-library.toml --engine lab 2>/tmp/words
code=$?
[ "$code" = 1 ] || fail "asked for the lab it ended with $code"
grep -q "install the package arcwright-lab" /tmp/words || fail "it does not say why: $(cat /tmp/words)"
