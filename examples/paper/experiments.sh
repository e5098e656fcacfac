#!/usr/bin/env bash
# The paper's experiments at small scale, on real images of 64 and 128 px: docs/results.md has what they gave. At full size:
# anyclass paper, see docs/paper.md.
#
#   bash examples/paper/experiments.sh DATA OUT [EXPERIMENT…] [-- OPTIONS]
#
# DATA holds coco64/part-*.parquet and nih128/nih128.parquet (image, file_name, labels; nih128: patient). EXPERIMENT is any of
# coco-41, coco-41-tresnet-l, coco-animals, lambda, chest, vit, light-jitter, or of the screens below: strong-coco-41,
# strong-coco-animals, strong-chest, sgd-coco-41, sgd-coco-animals, sgd-chest; without one, all but the screens. OPTIONS go to every
# command, such as '--jobs 4' or '--set epochs=1'. Stopped or killed, the same command goes on; what is finished is not trained again.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?DATA, a folder with coco64 and nih128} out=${2:?OUT, a folder for all runs}
shift 2
experiments=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do experiments+=("$1"); shift; done
[ $# -eq 0 ] || shift
[ ${#experiments[@]} -gt 0 ] || experiments=(coco-41 lambda coco-animals chest vit coco-41-tresnet-l light-jitter)

anyclass() { node "$here/../../packages/anyclass/bin/anyclass.js" "$@"; }
coco() { # COMMAND LABELS OUT OPTIONS…
  [ -e "$out/splits/test.txt" ] || node "$here/../dist/paper/splits.js" "$data/coco64/part-*.parquet" "$out/splits"
  anyclass "$1" "$here/coco64.json" --set "data.dataset=$data/coco64/part-*.parquet" --set "data.keep=[\"$2\"]" \
    --set "data.splitFolder=$out/splits" --set "data.cache=$out/cache" --out "$out/$3" "${@:4}"
}

# Screens: losses with and without class balancing, one seed, under a strong recipe (AdamW, cosine) and under the paper's (SGD).
free=@beta=null@reduction=mean
screened="bce$free,bce,any-bce@lambda=0.02,asl$free"
for lambda in 0.01 0.02 0.05 0.1 0.2; do screened+=",any-bce$free@lambda=$lambda"; done
light='augmentation={"flip":0.5,"jitter":{"brightness":0.1,"contrast":0.1,"saturation":0,"hue":0}}'
strong=(--set optimizer.name=adamw --set optimizer.rate=0.001 --set optimizer.weightDecay=0.05 --set schedule.name=cosine)
chest() { # OUT OPTIONS…
  anyclass compare "$here/nih128.json" --set "data.dataset=$data/nih128/nih128.parquet" --set "data.cache=$out/cache" \
    --out "$out/$1" "${@:2}"
}

for experiment in "${experiments[@]}"; do
  echo "=== $experiment"
  case $experiment in
    coco-41) coco compare coco-41 coco-41 --losses bce,any-bce,focal,any-focal --seeds 1,2,3 "$@" ;;
    # In the same folder: bce and λ = 0.02 are there already.
    lambda) coco sweep coco-41 coco-41 --over lambda=0,0.01,0.02,0.05,0.1,0.2,0.5,1 --seeds 1,2 "$@" ;;
    coco-animals)
      coco compare coco-animals coco-animals --losses bce,any-bce@lambda=0.02,any-bce@lambda=0.2 --seeds 1,2 "$@" ;;
    coco-41-tresnet-l)
      coco compare coco-41 coco-41-tresnet-l --networks tresnet-l --losses bce,any-bce --seeds 1,2 "$@" ;;
    vit)
      coco compare coco-41 coco-41-vit --networks vit-b-16@patchSize=8 --losses bce,any-bce --seeds 1,2 \
        --set optimizer.name=adamw --set optimizer.rate=0.0003 --set optimizer.weightDecay=0.05 \
        --set schedule.name=cosine --set schedule.warmUpEpochs=2 "$@" ;;
    # The paper's jitter changes hue and saturation too.
    light-jitter)
      coco compare coco-41 coco-41-light-jitter --losses bce,any-bce --seeds 1,2,3 --set "$light" "$@"
      coco compare coco-animals coco-animals-light-jitter --losses bce,any-bce@lambda=0.2 --seeds 1,2,3 \
        --set "$light" "$@" ;;
    chest) chest chest --losses bce,any-bce --seeds 1,2,3 "$@" ;;
    strong-coco-*)
      coco compare "${experiment#strong-}" "$experiment" --losses "$screened" --seeds 1 --set "$light" "${strong[@]}" "$@" ;;
    sgd-coco-*) coco compare "${experiment#sgd-}" "$experiment" --losses "$screened" --seeds 1 --set "$light" "$@" ;;
    strong-chest) chest "$experiment" --losses "$screened" --seeds 1 "${strong[@]}" "$@" ;;
    sgd-chest) chest "$experiment" --losses "$screened" --seeds 1 "$@" ;;
    *) echo "there is no experiment '$experiment'" >&2; exit 2 ;;
  esac
done
for folder in "$out"/*/; do
  [ -d "$folder/logs" ] || continue
  case $folder in */chest/) paper=chestxray14 ;; */coco-animals*) paper=coco-animals ;; *) paper=coco-41 ;; esac
  anyclass report "$folder" --out "${folder%/}.html" --paper "$paper"
done
