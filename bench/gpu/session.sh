#!/usr/bin/env bash
# Everything that is checked and measured on a GPU machine, in one call: bash bench/gpu/run.sh bash bench/gpu/session.sh OUT
# A part that fails does not keep the next from running.
set -uo pipefail
out=${1:-.gpu/out}
mkdir -p "$out"
part() {
  echo "=== $1"
  shift
  "$@" 2>&1 || echo "--- failed with exit code $?"
}
part 'doctor' node packages/anyclass/bin/anyclass.js doctor
part 'operators' node packages/torch/generate/dist/generate.js --check
part 'tests of the engine' node node_modules/vitest/vitest.mjs run packages/torch --reporter=dot
part 'engine, ours' node bench/dist/gpu/engine.js
part 'engine, PyTorch' python3 bench/gpu/engine.py
part 'MNIST in three precisions' node bench/dist/gpu/mnist.js
