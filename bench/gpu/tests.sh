#!/usr/bin/env bash
# The tests on a GPU machine, those of code that computes with tensors first: bash bench/gpu/run.sh bash bench/gpu/tests.sh [tensors|rest]
# Tests of the exported page fail there and say why: the web's ONNX Runtime is not in the bundle.
set -uo pipefail
tensors=(packages/torch packages/anyclass/src/{networks,losses,kernels,training,inference,explain,verify,evaluation} packages/anyclass/src/data/{augmentation,batches})
rest=(packages/anyclass/src/{commands,experiments,tuning,recommendation,serving,export,workflows,children,field,studio})
case "${1:-all}" in
  tensors) chosen=("${tensors[@]}") ;;
  rest) chosen=("${rest[@]}") ;;
  *) chosen=("${tensors[@]}" "${rest[@]}") ;;
esac
TEST_WORKERS=${TEST_WORKERS:-$(($(nproc) / 2))} exec node node_modules/vitest/vitest.mjs run "${chosen[@]}" --reporter=verbose
