#!/usr/bin/env bash
# The experiments on coco64 and nih128 on an offline GPU machine:
#
#   bash bench/gpu/run.sh bash bench/gpu/experiment.sh OUT [EXPERIMENT…] [-- OPTIONS]      (as examples/paper/experiments.sh has them)
#
# Both folders must be in /tmp/anyclass-data there; see bench/gpu/bundle.sh for how to transfer them. Runs and caches stay on that
# machine; all else is packed into OUT, also after an interruption; bench/gpu/collect.sh does that at any other time, and says how the runs of
# several machines come together. Runs are parallel, and NVIDIA's MPS lets their kernels run in parallel too: without it they take turns,
# and nothing is gained.
set -uo pipefail
out=${1:?OUT, a folder for the results}
shift
data=/tmp/anyclass-data work=/tmp/anyclass-experiments
mkdir -p "$out" "$work"
if [ -d .gpu/experiments ] && [ ! -e "$work/.restored" ]; then
  cat .gpu/experiments/experiments.part-* | tar -xJ --skip-old-files -C "$work"
  touch "$work/.restored"
fi
finish() {
  echo quit | nvidia-cuda-mps-control
  bash bench/gpu/collect.sh "$out" "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
nvidia-cuda-mps-control -d
bash examples/paper/experiments.sh "$data" "$work" "$@"
