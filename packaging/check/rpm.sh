#!/bin/sh
# As install.sh, with the RPM package. Debian's rpm stands for the systems that use it: what it unpacks, where, and
# what it leaves behind are its own doing.
set -eu
package=$(ls /srv/arcwright-*.x86_64.rpm)
rpm --checksig "$package" | grep -q "digests OK" || { echo "FAILED: digests of $package"; exit 1; }
[ -z "$(rpm --query --requires --package "$package" | grep -v '^rpmlib(')" ] || { echo "FAILED: it needs something"; exit 1; }
rpm --initdb
# There these are of the package "filesystem".
mkdir -p /usr/share/licenses /usr/share/zsh/site-functions
install="rpm --install $package"
remove="rpm --erase arcwright"
zsh_functions=/usr/share/zsh/site-functions
. /srv/install.sh
