# layout: none
# The module is loaded, and there is no pool.
. ./lib.sh
sample 0
sleep 3
sample 1
facts
