#!/usr/bin/env bash
# On an offline GPU machine: unpacks .gpu/ (made by bundle.sh), builds against python3's torch, then runs a command.
#
#   bash bench/gpu/run.sh node bench/dist/gpu/engine.js
#
# Unpacked and built files are kept for the next call. If each call brings the working tree anew, start what goes on between calls from a copy
# of it (`cp -a . /tmp/tree`): processes that start while files are replaced find half of them.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="/tmp/anyclass-node:$PATH" LIBTORCH_USE_PYTORCH=1 PYTHONUNBUFFERED=1
export ANYCLASS_HOME="${ANYCLASS_HOME:-/tmp/anyclass-home}"

bash bench/gpu/unpack.sh
[ ! -d /tmp/anyclass-peers ] || export PYTHONPATH="/tmp/anyclass-peers${PYTHONPATH:+:$PYTHONPATH}"
node setup/setup.mjs
exec "$@"
