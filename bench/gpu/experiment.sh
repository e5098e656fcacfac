#!/usr/bin/env bash
# The experiment on coco64 on an offline GPU machine: bash bench/gpu/run.sh bash bench/gpu/experiment.sh OUT
#
# The four Parquet files must lie in .gpu/coco64 there. They are about 35 MB each: copied to .gpu/coco64 here, they travel
# one a call, and what arrived stays for the next. Runs and cache stay on that machine; what is small comes back in OUT.
set -euo pipefail
out=${1:-.gpu/out}
work=/tmp/anyclass-experiment
rm -rf "$work"/coco-*
node bench/dist/gpu/experiment.js '.gpu/coco64/part-*.parquet' "$work"
mkdir -p "$out"
cp "$work/experiment.json" "$out"
for run in "$work"/coco-*; do
  mkdir -p "$out/$(basename "$run")"
  cp "$run"/{config.json,metrics.jsonl,summary.json,report.html} "$out/$(basename "$run")"
done
python3 bench/gpu/networks.py eager,channels-last tresnet-m:64:256 | tee "$out/peer.txt"
