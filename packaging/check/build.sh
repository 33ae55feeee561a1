#!/bin/sh
# In a fresh Debian system with the packages that README names: builds the program from nothing, and runs README's
# first scenario. /srv/arcwright, /srv/crates and /srv/rust are of the machine around it, read-only.
set -eu
export HOME=/root LC_ALL=C.UTF-8 CARGO_HOME=/srv/crates CARGO_TARGET_DIR=/tmp/target
export PATH="/srv/rust/bin:$PATH"
cd /srv/arcwright
rust=$(rustc --version | cut -d " " -f 2)
# As README has it, but without the optimiser, which takes minutes and needs nothing more of a system.
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0
answer=$(cargo run --offline --locked --quiet -- run scenarios/steam-library.toml --scale 16)
case "$answer" in
*"the second read is no faster than the first"*) echo "ok: Rust $rust, cargo run -- run scenarios/steam-library.toml" ;;
*) echo "FAILED: cargo run says:"; echo "$answer"; exit 1 ;;
esac
