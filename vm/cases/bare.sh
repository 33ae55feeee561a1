# layout: none
# The module is loaded, and there is no pool; with it fixtures/parameters-VERSION.txt is written.
. ./lib.sh
sample 0
sleep 3
sample 1
facts
list_parameters >/out/parameters.txt
