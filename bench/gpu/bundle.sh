#!/usr/bin/env bash
# Packs what an offline GPU machine lacks into .gpu/ (ignored by git): Node itself and the npm packages. The repository
# travels beside it, and `bench/gpu/run.sh` builds and runs everything there with one command.
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p .gpu

if [ ! -e .gpu/node.xz ]; then
  cp "$(readlink -f "$(command -v node)")" .gpu/node
  strip .gpu/node
  xz -T0 -6 -f .gpu/node
fi

# The linter and the browser bundles of the charts are of no use there.
fingerprint=$(sha256sum package-lock.json | cut -c1-16)
if [ "$(cat .gpu/packages.fingerprint 2>/dev/null)" != "$fingerprint" ]; then
  tar -c --exclude=node_modules/@biomejs \
    --exclude=node_modules/echarts/dist --exclude=node_modules/.vite --exclude="*.map" --exclude="*.md" node_modules \
    | xz -T0 -6 > .gpu/packages.tar.xz
  echo "$fingerprint" > .gpu/packages.fingerprint
fi
du -h .gpu/*.xz
