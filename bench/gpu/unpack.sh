#!/usr/bin/env bash
# On an offline GPU machine: unpacks those archives of .gpu/ (made by bundle.sh and peers.sh) that are there and were not yet unpacked. run.sh
# calls it; call it alone where a transfer is too small for all archives at once:
#
#   bash bench/gpu/unpack.sh    with node.xz, onnxruntime.tar.xz and peers.tar.xz
#   bash bench/gpu/run.sh …     with packages.tar.xz
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="/tmp/anyclass-node:$PATH"

if [ -e .gpu/node.xz ] && [ ! -x /tmp/anyclass-node/node ]; then
  mkdir -p /tmp/anyclass-node
  xz -dc .gpu/node.xz > /tmp/anyclass-node/node
  chmod +x /tmp/anyclass-node/node
fi
if [ -e .gpu/onnxruntime.tar.xz ] && [ ! -d node_modules/onnxruntime-node/bin ]; then
  tar -xJf .gpu/onnxruntime.tar.xz
fi
if [ -e .gpu/packages.tar.xz ] && [ ! -e node_modules/.anyclass-setup ]; then
  tar -xJf .gpu/packages.tar.xz
  node -e "import('./setup/javascript.mjs').then((m) => m.acceptPackages())"
fi
if [ -e .gpu/peers.tar.xz ] && [ ! -d /tmp/anyclass-peers ]; then
  rm -rf /tmp/anyclass-peers.part && mkdir /tmp/anyclass-peers.part
  tar -xJf .gpu/peers.tar.xz -C /tmp/anyclass-peers.part
  # What python3 has itself is compiled for its version; PYTHONPATH would come before it.
  python3 bench/gpu/drop_installed.py /tmp/anyclass-peers.part
  mv /tmp/anyclass-peers.part /tmp/anyclass-peers
fi
