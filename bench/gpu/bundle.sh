#!/usr/bin/env bash
# Packs what an offline GPU machine lacks into .gpu/ (ignored by git): Node itself, the npm packages and ONNX Runtime. The repository
# travels beside it, and `bench/gpu/run.sh` builds and runs everything there with one command.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .gpu

if [ ! -e .gpu/node.xz ]; then
  cp "$(readlink -f "$(command -v node)")" .gpu/node
  strip .gpu/node
  xz -T0 -6 -f .gpu/node
fi

# The linter, rolldown, the browser's driver and the reference's highlighter are not needed there.
fingerprint=$(sha256sum package-lock.json | cut -c1-16)
if [ "$(cat .gpu/packages.fingerprint 2>/dev/null)" != "$fingerprint" ]; then
  tar -c --exclude=node_modules/@biomejs --exclude=node_modules/playwright-core/lib/vite --exclude=node_modules/playwright-core/lib/tools \
    --exclude=node_modules/onnxruntime-node/bin --exclude=node_modules/onnxruntime-web/dist --exclude=node_modules/onnxruntime-web/lib --exclude=node_modules/onnxruntime-web/docs --exclude=node_modules/@shikijs --exclude=node_modules/typedoc --exclude="node_modules/lightningcss-*" \
    --exclude=node_modules/.vite --exclude="*.map" --exclude="*.md" node_modules \
    | xz -T0 -9 > .gpu/packages.tar.xz
  tar -cJf .gpu/onnxruntime.tar.xz node_modules/onnxruntime-node/bin/napi-*/linux/x64
  echo "$fingerprint" > .gpu/packages.fingerprint
fi
du -h .gpu/*.xz

# Transfers to the machine may be limited in size, so data travels in pieces: bash bench/gpu/bundle.sh FOLDER… writes .gpu/data/piece-*, one per
# transfer; `cat piece-* | tar -x -C /tmp/anyclass-data` reassembles them there.
if [ $# -gt 0 ]; then
  rm -rf .gpu/data && mkdir .gpu/data
  for folder in "$@"; do echo "-C $(dirname "$(realpath "$folder")") $(basename "$folder")"; done \
    | xargs tar -c | split -b 56000000 - .gpu/data/piece-
  du -h .gpu/data/*
fi
