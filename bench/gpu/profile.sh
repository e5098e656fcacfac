#!/usr/bin/env bash
# The time of each kernel in a training step and in a prediction, ours and torch.compile's:
#   bash bench/gpu/run.sh bash bench/gpu/profile.sh OUT tresnet-l:224:256 maxvit-s:224:256
set -uo pipefail
out=$1
shift
for task in "$@"; do
  for mode in training inference; do
    file=$out/${task//:/-}-$mode
    ncu --clock-control none --metrics gpu__time_duration.sum --csv --log-file "$file.csv" node bench/dist/gpu/profile.js "$mode" "$task" > "$file.log" 2>&1 || tail -5 "$file.log"
    python3 bench/gpu/kernel_times.py "$file.csv" | tee "$file.txt"
    [ -n "${KEEP_CSV:-}" ] || rm -f "$file.csv"
  done
done
