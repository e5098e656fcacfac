#!/usr/bin/env bash
# Trains a few steps from each file that bench/weights/files.py wrote, and prints what was loaded: bash bench/weights/files.sh FILES. A few minutes on two cores.
set -uo pipefail
cd "$(dirname "$0")/../.."
run=$(mktemp -d)
failed=0
for file in "$1"/*; do
  name=$(basename "$file")
  network=${name%%@*}
  case $network in dinov2*) size=56 ;; maxvit*) size=224 ;; *) size=64 ;; esac
  rm -rf "$run/run"
  if node packages/anyclass/bin/anyclass.js train --data digits --network "$network" --weights "$file" --run "$run/run" \
    --set data.digits.scenes.train=8 --set data.digits.scenes.validation=8 --set data.digits.scenes.test=8 --set batchSize=4 --set epochs=1 \
    --set network.frozenEpochs=0 --set evaluation.replicates=0 --set "network.inputSize=$size" >"$run/log" 2>&1; then
    grep -m1 'entries loaded' "$run/log" | sed "s#.*/##"
  else
    failed=1
    echo "FAILED $name: $(tail -n 2 "$run/log")"
  fi
done
rm -rf "$run"
exit $failed
