#!/usr/bin/env bash
# The experiments on coco64 and nih128 on an offline GPU machine: bash bench/gpu/run.sh bash bench/gpu/experiment.sh OUT [EXPERIMENT…]
#
# Both folders must lie in /tmp/anyclass-data there: bench/gpu/bundle.sh says how they travel. Runs and caches stay on that
# machine; what is small comes back in OUT. EXPERIMENT is one of examples/paper/experiments.sh; without one, the four runs
# whose figures PyTorch reached.
set -uo pipefail
out=$1
shift
data=/tmp/anyclass-data work=/tmp/anyclass-experiments
if [ $# -eq 0 ]; then
  node bench/dist/gpu/experiment.js "$data" "$work/anchor" || echo "--- failed with exit code $?"
else
  bash examples/paper/experiments.sh "$data" "$work" "$@" || echo "--- failed with exit code $?"
fi
find "$work" -not -path '*/cache/*' -type f \
  \( -name '*.json' -o -name '*.jsonl' -o -name '*.html' -o -path '*/tables/*' -o -name '*.svg' -o -path '*/logs/*' \) -printf '%P\n' \
  | tar -C "$work" -cJf "$out/experiments.tar.xz" -T -
