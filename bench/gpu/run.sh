#!/usr/bin/env bash
# On an offline GPU machine: unpacks .gpu/ (made by bundle.sh), builds against python3's torch, then runs a command.
#
#   bash bench/gpu/run.sh node bench/dist/gpu/engine.js
#
# Unpacked and built files are kept for the next call.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="/tmp/anyclass-node:$PATH" LIBTORCH_USE_PYTORCH=1 PYTHONUNBUFFERED=1
export ANYCLASS_HOME="${ANYCLASS_HOME:-/tmp/anyclass-home}"

if [ ! -x /tmp/anyclass-node/node ]; then
  mkdir -p /tmp/anyclass-node
  xz -dc .gpu/node.xz > /tmp/anyclass-node/node
  chmod +x /tmp/anyclass-node/node
fi
if [ ! -e node_modules/.anyclass-setup ]; then
  tar -xJf .gpu/packages.tar.xz
  node -e "import('./setup/javascript.mjs').then((m) => m.acceptPackages())"
fi
if [ -e .gpu/peers.tar.xz ]; then
  if [ ! -d /tmp/anyclass-peers ]; then
    rm -rf /tmp/anyclass-peers.part && mkdir /tmp/anyclass-peers.part
    tar -xJf .gpu/peers.tar.xz -C /tmp/anyclass-peers.part
    # What python3 has itself is compiled for its version; PYTHONPATH would come before it.
    python3 bench/gpu/drop_installed.py /tmp/anyclass-peers.part
    mv /tmp/anyclass-peers.part /tmp/anyclass-peers
  fi
  export PYTHONPATH="/tmp/anyclass-peers${PYTHONPATH:+:$PYTHONPATH}"
fi
node setup/setup.mjs
exec "$@"
