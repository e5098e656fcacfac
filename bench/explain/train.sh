#!/usr/bin/env bash
# Trains one small network of each family on scenes of digits, for the pointing game: bash bench/explain/train.sh OUT [NETWORK…], then
# npm run bench:explain -- OUT/*. EPOCHS is 8 unless set. A minute or two each on a GPU, a quarter of an hour on two CPU cores. Networks whose folder exists are left as they are.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$1
shift
mkdir -p "$out"
train() {
  local name=$1 size=$2
  shift 2
  [ -e "$out/$name/summary.json" ] && return
  node packages/anyclass/bin/anyclass.js train quick --network "$name" --run "$out/$name" --set "network.inputSize=$size" --set "epochs=${EPOCHS:-8}" \
    --set data.digits.scenes.train=6000 --set data.digits.scenes.validation=500 --set data.digits.scenes.test=500 \
    --set data.subset.negativesPerPositive=0.25 --set evaluation.replicates=0 "$@"
}
for name in "${@:-all}"; do
  case $name in
    all) bash "$0" "$out" tresnet-s resnet-18 mobilenetv3-l densenet-121 convnext-t swin-t maxvit-t vit-s-16 ;;
    maxvit-t) train maxvit-t 128 --set network.partitionSize=4 ;;
    vit-s-16) train vit-s-16 64 --set network.patchSize=8 ;;
    tresnet-s) train tresnet-s 64 ;;
    *) train "$name" 128 ;;
  esac
done
