#!/usr/bin/env bash
# What bench/gpu/sitting.sh has so far: waits until /tmp/results/NAME.done is there, at most SECONDS, and copies logs and other small results to OUT.
#
#   bash bench/gpu/results.sh NAME SECONDS OUT      NAME is tests, the number of a command, or all
set -uo pipefail
name=${1:?NAME, tests or the number of a command} seconds=${2:?SECONDS} out=${3:?OUT, a folder}
results=/tmp/results
for _ in $(seq "$seconds"); do
  [ ! -e "$results/$name.done" ] || break
  sleep 1
done
tar -czf "$out/logs.tar.gz" -C "$results" --exclude='experiments.part-*' .
# Results of experiments, in pieces: all are needed.
for part in "$results"/*/experiments.part-*; do
  [ ! -e "$part" ] || cp "$part" "$out/$(basename "$(dirname "$part")").${part##*.}"
done
tail -n 12 "$results/sitting.log"
grep -aE '^.{0,12}(Test Files|Tests)|FAIL|exit code' "$results/tests.log" | tail -n 20
for log in "$results"/[0-9]*.log; do echo "--- $log" && tail -n 3 "$log" | cut -c1-300; done
nvidia-smi --query-gpu=utilization.gpu,memory.used --format=csv,noheader
