#!/usr/bin/env bash
# Several programs on a GPU machine that is reached by short calls only: builds, then runs the tests beside the commands, which run one after another.
# Start it from a copy of the tree, in a session of its own, and look at what there is with bench/gpu/results.sh in later calls:
#
#   cp -a . /tmp/tree; cd /tmp/tree; setsid bash bench/gpu/sitting.sh COMMAND… > /dev/null 2>&1 < /dev/null &
#
# Results lie in /tmp/results: tests.log, and 1.log, 2.log… of the commands, which find that folder in $RESULTS. A command that begins with 'data ' starts once
# /tmp/anyclass-data/.complete is there, 'quiet ' once the tests have ended too. TESTS=no leaves the tests out.
set -uo pipefail
shopt -s extglob
export RESULTS=/tmp/results PATH="/tmp/anyclass-node:$PATH" PYTHONUNBUFFERED=1
mkdir -p "$RESULTS"
exec > "$RESULTS/sitting.log" 2>&1
say() { echo "$(date +%T) $*"; }
await() { while [ ! -e "$1" ]; do sleep 1; done; }

bash bench/gpu/run.sh node packages/anyclass/bin/anyclass.js doctor
say built
if [ "${TESTS:-yes}" = yes ]; then
  # Outside of MPS, where one process that fails on the GPU ends those of all others.
  (CUDA_MPS_PIPE_DIRECTORY=/tmp/no-mps TEST_WORKERS=${TEST_WORKERS:-7} bash bench/gpu/run.sh bash bench/gpu/tests.sh > "$RESULTS/tests.log" 2>&1
    echo "exit code $?" >> "$RESULTS/tests.log"; touch "$RESULTS/tests.done") &
else touch "$RESULTS/tests.done"; fi
number=0
for command in "$@"; do
  number=$((number + 1))
  case $command in
    'data '*) await /tmp/anyclass-data/.complete ;;
    'quiet '*) await "$RESULTS/tests.done" ;;
  esac
  say "$command"
  bash bench/gpu/run.sh bash -c "${command#@(data|quiet) }" > "$RESULTS/$number.log" 2>&1
  say "exit code $?"
  touch "$RESULTS/$number.done"
done
await "$RESULTS/tests.done"
touch "$RESULTS/all.done"
