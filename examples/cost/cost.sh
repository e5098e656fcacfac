#!/usr/bin/env bash
# Which network is worth its time: trains each on the animals of coco64 with the recipe `strong` at the input that fits it, for fewer and for more
# epochs, measures its prediction on two CPU cores, and writes a table and two charts. Minutes per run on a GPU. Validation only.
#
#   bash examples/cost/cost.sh DATA OUT [-- OPTIONS]
#
# DATA contains coco64/part-*.parquet. OPTIONS are passed to every training, for example '--set device=cuda'. NETWORKS, EPOCHS (default '10 20')
# and IMAGES (training images, default 20000) can be set. After an interruption, the same command resumes; finished runs are not trained again. A
# network that fails is named at the end, and left out of the table.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?DATA, a folder with coco64} out=${2:?OUT, a folder for all runs}
shift 2
[ $# -eq 0 ] || shift

anyclass() { node "$here/../../packages/anyclass/bin/anyclass.js" "$@"; }
images="$data/coco64/part-*.parquet"
mkdir -p "$out"
[ -e "$out/splits/test.txt" ] || node "$here/../dist/paper/splits.js" "$images" "$out/splits"
# The inputs that fit strides of 16 and 32: the time of training should be the network's, not that of decoding.
for size in 96 160; do anyclass prepare "$images" --size $size --cache "$out/cache"; done
failed=()
for network in ${NETWORKS:-tresnet-s tresnet-m tresnet-l resnet-34 resnet-50 convnext-t vit-s-16}; do
  for epochs in ${EPOCHS:-10 20}; do
    run=$out/$network-$epochs
    [ ! -e "$run/summary.json" ] || continue
    echo "=== $network, $epochs epochs"
    code=0
    if [ -e "$run/config.json" ]; then anyclass train --resume "$run" || code=$?
    else
      anyclass train strong --data "$images" --run "$run" --set "network.name=$network" --set "epochs=$epochs" \
        --set 'data.keep=["coco-animals"]' --set "data.splitFolder=$out/splits" --set "data.cache=$out/cache" \
        --set "data.subset={\"instances\":${IMAGES:-20000},\"seed\":1}" \
        --set evaluation.replicates=0 --set evaluation.test=false "$@" || code=$?
    fi
    [ $code -lt 128 ] || exit $code # interrupted
    [ $code -eq 0 ] || failed+=("$network-$epochs")
  done
done
node "$here/../dist/cost/charts.js" "$out"
[ ${#failed[@]} -eq 0 ] || { echo "failed: ${failed[*]}" >&2; exit 1; }
