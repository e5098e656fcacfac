#!/usr/bin/env bash
# What a trunk that was trained on other labels is worth: pretrains on the 70 labels of coco64 that are not animals, then trains on animals
# with few labeled images, from scratch and from those weights, and prints a table. A GPU takes minutes per run, two CPU cores hours.
#
#   bash examples/transfer/transfer.sh DATA OUT [-- OPTIONS]
#
# DATA contains coco64/part-*.parquet. OPTIONS are passed to every training on images, for example '--set device=cuda' or '--set epochs=2'.
# SIZES (default '500 2000 8000') are the numbers of labeled images, SEEDS (default '1 2 3') the runs of each, JOBS (default 1) how many train at once, after
# pretraining; on a GPU, start NVIDIA's MPS for more than one. After an interruption, the same
# command resumes; finished runs are not trained again. Runs that fail are named at the end. One split for all: no image of validation or test is in any training.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?DATA, a folder with coco64} out=${2:?OUT, a folder for all runs}
shift 2
[ $# -eq 0 ] || shift
options=("$@")

anyclass() { node "$here/../../packages/anyclass/bin/anyclass.js" "$@"; }
images="$data/coco64/part-*.parquet"
[ -e "$out/splits/test.txt" ] || node "$here/../dist/paper/splits.js" "$images" "$out/splits"
anyclass prepare "$images" --size 160 --cache "$out/cache" # the input that fits; every run reads all of validation and test

failed=$out/failed.txt
rm -f "$failed"
train() { # NAME RECIPE DATA OPTIONS…
  local run=$out/$1 code=0 also=("${options[@]}")
  [ "$2" != features ] || also=()
  [ ! -e "$run/summary.json" ] || return 0
  echo "=== $1"
  if [ -e "$run/config.json" ]; then anyclass train --resume "$run" || code=$?
  else anyclass train "$2" --data "$3" --run "$run" --set evaluation.replicates=0 "${@:4}" "${also[@]}" || code=$?; fi
  [ $code -lt 128 ] || exit $code # interrupted
  [ $code -eq 0 ] || echo "$1" >> "$failed"
}
coco=(--set "data.splitFolder=$out/splits" --set "data.cache=$out/cache")

train pretrained strong "$images" "${coco[@]}" --set 'data.drop=["coco-animals"]' --set evaluation.test=false

animals=("${coco[@]}" --set 'data.keep=["coco-animals"]' --set batchSize=64)
pretrained=(--set "network.weights=$out/pretrained" --set optimizer.rate=0.0005)
if [ ! -e "$out/features.parquet" ]; then
  anyclass embed "$out/pretrained" "$images" --out "$out/features.parquet" --set 'data.keep=["coco-animals"]' --set 'data.drop=[]' \
    --set "data.splitFolder=$out/splits" --set "data.cache=$out/cache"
fi
start() { # As train, beside others
  while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-1}" ]; do wait -n || interrupted $?; done
  train "$@" &
}
interrupted() { [ "$1" -lt 128 ] || { kill $(jobs -rp) 2>/dev/null || true; exit "$1"; }; }
for size in ${SIZES:-500 2000 8000}; do
  # About as many steps for all sizes, so that few images are seen more often.
  epochs=$((size <= 500 ? 80 : size <= 2000 ? 40 : 20))
  for seed in ${SEEDS:-1 2 3}; do
    few=(--set "data.subset={\"instances\":$size,\"seed\":$seed}" --set "seed=$seed" --set "epochs=$epochs")
    run() { start "$1-$size-$seed" strong "$images" "${animals[@]}" "${few[@]}" "${@:2}"; }
    run scratch
    run probe "${pretrained[@]}" --set network.freezeTrunk=true --set optimizer.rate=0.005
    run full "${pretrained[@]}"
    run layers "${pretrained[@]}" --set network.layerRate=0.1
    start "features-$size-$seed" features "$out/features.parquet" "${few[@]}"
  done
done
while [ -n "$(jobs -rp)" ]; do wait -n || interrupted $?; done
node "$here/../dist/transfer/table.js" "$out"
[ ! -e "$failed" ] || { echo "failed: $(paste -sd' ' "$failed")" >&2; exit 1; }
