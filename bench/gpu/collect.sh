#!/usr/bin/env bash
# On a GPU machine: packs the results of bench/gpu/experiment.sh, also while it trains, into OUT/experiments.part-*, pieces that a transfer can carry:
#
#   bash bench/gpu/collect.sh OUT
#
# They hold everything but weights and checkpoints, so a finished run can be compared, reported and judged at another budget, but not resumed. Unpack them
# with `cat experiments.part-* | tar -xJ -C FOLDER`. Copied into .gpu/experiments, they come back on the next machine, where finished runs are not trained again.
set -euo pipefail
out=${1:?OUT, a folder for the results} work=${2:-/tmp/anyclass-experiments}
mkdir -p "$out"
rm -f "$out"/experiments.part-*
# A file of a running training may change or go while it is read: tar's exit code 1.
find "$work" -type f -not -path '*/cache/*' -not -path '*/checkpoints/*' -not -name '*.safetensors' -not -name '*.lock' -printf '%P\n' \
  | { tar -C "$work" --ignore-failed-read -c -T - || [ $? -eq 1 ]; } \
  | xz -T0 -6 | split -b 15000000 - "$out/experiments.part-"
