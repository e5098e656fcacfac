#!/usr/bin/env bash
# The paper's experiments at small scale, on real images of 64 and 128 px. The results are in docs/results-paper.md and
# docs/results.md. For full size, use anyclass paper; see docs/paper.md.
#
#   bash examples/paper/experiments.sh DATA OUT [EXPERIMENT…] [-- OPTIONS]
#
# DATA contains coco64/part-*.parquet and nih128/nih128.parquet (image, file_name, labels; nih128 also patient).
# EXPERIMENT is one of
#   the paper's: coco-41, coco-41-tresnet-l, coco-animals, lambda, chest, vit, light-jitter;
#   to choose a recipe and a loss on the validation split, one seed: recipe-DATA, screen-strong-DATA, screen-sgd-DATA;
#   the chosen ones, three seeds: strong-DATA, sgd-DATA;
#   the recipe `strong` of today, which fits the input to the images: fit-DATA, and in half the epochs half-DATA;
#   what is worth adding to it, on the validation split, one seed, 20 epochs at 128 px: add-DATA; optimizers and epochs at 64 px: epochs-DATA.
# In these names, DATA is coco-41, coco-animals or chest. Without EXPERIMENT, all of the paper's are run.
# OPTIONS are passed to every command, for example '--jobs 4' or '--set epochs=1'. After an interruption, the
# same command resumes; finished runs are not trained again. After a failure, the other experiments still run, and the exit code is 1.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
data=${1:?DATA, a folder with coco64 and nih128} out=${2:?OUT, a folder for all runs}
shift 2
experiments=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do experiments+=("$1"); shift; done
[ $# -eq 0 ] || shift
[ ${#experiments[@]} -gt 0 ] || experiments=(coco-41 lambda coco-animals chest vit coco-41-tresnet-l light-jitter)

known='^(coco-41|coco-41-tresnet-l|coco-animals|lambda|chest|vit|light-jitter|(recipe|screen-strong|screen-sgd|strong|sgd|fit|half|add|epochs)-(coco-41|coco-animals|chest))$'
for experiment in "${experiments[@]}"; do
  [[ $experiment =~ $known ]] || { echo "no such experiment '$experiment'" >&2; exit 2; }
done

failed=0
anyclass() {
  local code=0
  node "$here/../../packages/anyclass/bin/anyclass.js" "$@" || code=$?
  [ $code -lt 128 ] || exit $code # interrupted
  [ $code -eq 0 ] || failed=1
}
splits() { [ -e "$out/splits/test.txt" ] || node "$here/../dist/paper/splits.js" "$data/coco64/part-*.parquet" "$out/splits"; }
coco() { # COMMAND LABELS OUT OPTIONS…
  splits
  anyclass "$1" "$here/coco64.json" --set "data.dataset=$data/coco64/part-*.parquet" --set "data.keep=[\"$2\"]" \
    --set "data.splitFolder=$out/splits" --set "data.cache=$out/cache" --out "$out/$3" "${@:4}"
}

# The strong recipe (AdamW, cosine) and its variations, and the losses with and without class balancing.
free=@beta=null@reduction=mean
screened="bce$free,bce,any-bce@lambda=0.02,asl$free"
for lambda in 0.01 0.02 0.05 0.1 0.2; do screened+=",any-bce$free@lambda=$lambda"; done
chosen="bce,any-bce@lambda=0.02,bce$free"
for lambda in 0.01 0.02 0.05; do chosen+=",any-bce$free@lambda=$lambda"; done
light='augmentation={"flip":0.5,"jitter":{"brightness":0.1,"contrast":0.1,"saturation":0,"hue":0}}'
strong=(--set optimizer.name=adamw --set optimizer.rate=0.001 --set optimizer.weightDecay=0.05 --set schedule.name=cosine)
recipes=tresnet-m,tresnet-m@optimizer.rate=0.002,tresnet-m@optimizer.rate=0.002@schedule.warmUpEpochs=1
recipes+=,tresnet-m@averageDecay=0.998
recipes+=',tresnet-m@augmentation.resizedCrop={"scale":[0.5,1],"ratio":[0.75,1.333]}'
recipes+=',tresnet-m@augmentation.erasing={"probability":0.25,"scale":[0.02,0.2],"ratio":[0.3,3.3]}'
on() { # DATA OUT OPTIONS…
  case $1 in
    chest) chest "$2" --set 'augmentation={"rotation":5,"flip":0.5}' "${@:3}" ;;
    *) coco compare "$1" "$2" --set "$light" "${@:3}" ;;
  esac
}
judged_twice() { # DATA OUT OPTIONS…: evaluates at 2% false alarms, then at 5%, which remains
  on "$1" "$2" "${@:3}" --false-alarms 0.02
  cp "$out/$2/comparison.json" "$out/$2/comparison-at-2-percent.json"
  on "$1" "$2" "${@:3}"
}
fit() { # DATA OUT OPTIONS…: the recipe as users run it, with the splits of the others
  case $1 in
    chest)
      anyclass compare strong --data "$data/nih128/nih128.parquet" --set data.columns.group=patient --set data.channels=1 \
        --set 'data.mean=[0.506]' --set 'data.std=[0.23]' --set data.cache="$out/cache" --out "$out/$2" "${@:3}" ;;
    *)
      splits
      anyclass compare strong --data "$data/coco64/part-*.parquet" --set "data.keep=[\"$1\"]" --set "data.splitFolder=$out/splits" \
        --set "data.cache=$out/cache" --out "$out/$2" "${@:3}" ;;
  esac
}
# Variations of `strong` in half its epochs, at 128 px; its crops are written out where something is added to them.
crops='"resizedCrop":{"scale":[0.35,1],"ratio":[0.75,1.3333333333333333]},"flip":0.5'
jitter='"rotation":10,"jitter":{"brightness":0.3,"contrast":0.3,"saturation":0.3,"hue":0}'
additions=tresnet-m
for mixing in mixup cutMix union; do additions+=,tresnet-m@mixing.$mixing=0.5; done
additions+=,tresnet-m@mixing.cutMix=0.5@plainEpochs=5
additions+=",tresnet-m@augmentation={$crops,\"trivial\":0.5}"
additions+=",tresnet-m@augmentation={$crops,$jitter,\"blur\":{\"probability\":0.2,\"sigma\":[0.5,1.5]},\"jpeg\":{\"probability\":0.2,\"quality\":[40,90]}}"
for setting in sampling.negatives=0.5 sampling.repeat=0.05 averageDecay=0.998 optimizer.decayNorms=false sizes=[] head=csra; do
  additions+=,tresnet-m@$setting
done
# At 64 px, AdamW and SGD for longer.
lengths=
for epochs in 10 20 40; do
  lengths+=,tresnet-m@epochs=$epochs
  lengths+=,tresnet-m@epochs=$epochs@optimizer.name=sgd@optimizer.rate=0.1@optimizer.weightDecay=0.0001
done
chest() { # OUT OPTIONS…
  anyclass compare "$here/nih128.json" --set "data.dataset=$data/nih128/nih128.parquet" --set "data.cache=$out/cache" \
    --out "$out/$1" "${@:2}"
}

for experiment in "${experiments[@]}"; do
  echo "=== $experiment"
  case $experiment in
    coco-41) coco compare coco-41 coco-41 --losses bce,any-bce,focal,any-focal --seeds 1,2,3 "$@" ;;
    # In the same folder, which already has the runs of bce and λ = 0.02.
    lambda) coco sweep coco-41 coco-41 --over lambda=0,0.01,0.02,0.05,0.1,0.2,0.5,1 --seeds 1,2 "$@" ;;
    coco-animals)
      coco compare coco-animals coco-animals --losses bce,any-bce@lambda=0.02,any-bce@lambda=0.2 --seeds 1,2 "$@" ;;
    coco-41-tresnet-l)
      coco compare coco-41 coco-41-tresnet-l --networks tresnet-l --losses bce,any-bce --seeds 1,2 "$@" ;;
    vit)
      coco compare coco-41 coco-41-vit --networks vit-b-16@patchSize=8 --losses bce,any-bce --seeds 1,2 \
        --set optimizer.name=adamw --set optimizer.rate=0.0003 --set optimizer.weightDecay=0.05 \
        --set schedule.name=cosine --set schedule.warmUpEpochs=2 "$@" ;;
    # The paper's jitter also changes hue and saturation.
    light-jitter)
      coco compare coco-41 coco-41-light-jitter --losses bce,any-bce --seeds 1,2,3 --set "$light" "$@"
      coco compare coco-animals coco-animals-light-jitter --losses bce,any-bce@lambda=0.2 --seeds 1,2,3 \
        --set "$light" "$@" ;;
    chest) chest chest --losses bce,any-bce --seeds 1,2,3 "$@" ;;
    recipe-*) on "${experiment#recipe-}" "$experiment" --networks "$recipes" --losses "any-bce$free" --seeds 1 "${strong[@]}" "$@" ;;
    screen-strong-*) on "${experiment#screen-strong-}" "$experiment" --losses "$screened" --seeds 1 "${strong[@]}" "$@" ;;
    screen-sgd-*) on "${experiment#screen-sgd-}" "$experiment" --losses "$screened" --seeds 1 "$@" ;;
    strong-*) judged_twice "${experiment#strong-}" "$experiment" --losses "$chosen" --seeds 1,2,3 "${strong[@]}" "$@" ;;
    sgd-*) judged_twice "${experiment#sgd-}" "$experiment" --losses "$chosen" --seeds 1,2,3 "$@" ;;
    fit-*) fit "${experiment#fit-}" "$experiment" --losses bce,any-bce@lambda=0.02 --seeds 1,2,3 "$@" ;;
    add-*)
      half=(--seeds 1 --set epochs=20 --set network.inputSize=128 --set evaluation.test=false)
      fit "${experiment#add-}" "$experiment" --networks "$additions" --losses any-bce@lambda=0.02 "${half[@]}" "$@"
      fit "${experiment#add-}" "$experiment-losses" --losses focal,any-focal@lambda=0.02 "${half[@]}" "$@"
      fit "${experiment#add-}" "$experiment-maxvit" --networks maxvit-t@partitionSize=4 --losses any-bce@lambda=0.02 "${half[@]}" "$@" ;;
    epochs-*) on "${experiment#epochs-}" "$experiment" --networks "${lengths#,}" --losses "any-bce$free@lambda=0.02" --seeds 1 "${strong[@]}" \
      --set schedule.every=step --set finalWeights=last --set evaluation.test=false "$@" ;;
    half-*) fit "${experiment#half-}" "$experiment" --losses any-bce@lambda=0.02 --seeds 1,2,3 --set epochs=20 "$@" ;;
  esac
done
# Reports with the paper's published results next to those of its experiments.
for folder in "$out"/*/; do
  [ -d "$folder/logs" ] || continue
  case $folder in
    */recipe-* | */screen-* | */strong-* | */sgd-* | */fit-* | */half-* | */add-* | */epochs-*) continue ;;
    */chest/) paper=chestxray14 ;;
    */coco-animals*) paper=coco-animals ;;
    *) paper=coco-41 ;;
  esac
  anyclass report "$folder" --out "${folder%/}.html" --paper "$paper"
done
exit $failed
