# The program is static and runs without a library of the host: an experiment on the model.
. ./lib.sh
arcwright --version || fail "the program does not start"
arcwright run steam-library.toml --engine model -H >/tmp/result || fail "the model does not run"
[ -s /tmp/result ] || fail "the model says nothing"
head -n 3 /tmp/result
# Without the lab it says so in words, as any failure.
arcwright run steam-library.toml --engine lab 2>/tmp/words
code=$?
[ "$code" = 1 ] || fail "asked for the lab it ended with $code"
grep -q "no lab engine" /tmp/words || fail "it does not say why: $(cat /tmp/words)"
