#!/usr/bin/env bash
# Several processes on a machine with one GPU: bash bench/gpu/run.sh bash bench/gpu/distributed.sh
#   1. a captured step without a process group, and with one NCCL rank inside the graph, which should reach at least 99% of its images/s
#   2. two ranks on one GPU over Gloo, whose gradients should equal those of one rank
#   3. the synchronized norm against the unsynchronized one: a captured step, the norm's tests, and runs of TResNet-S
set -uo pipefail
cd "$(dirname "$0")/../.."
export MASTER_ADDR=127.0.0.1
one() { env -u RANK -u WORLD_SIZE "$@"; }
two() { # the same command as two ranks; the first one's output
  MASTER_PORT=$((20000 + RANDOM % 10000))
  RANK=1 WORLD_SIZE=2 MASTER_PORT=$MASTER_PORT "$@" > /dev/null &
  RANK=0 WORLD_SIZE=2 MASTER_PORT=$MASTER_PORT "$@"
  local code=$?
  wait $! || code=$?
  return $code
}
echo '=== the captured step alone, then with one NCCL rank in it'
for network in tresnet-l vit-b-16; do
  for round in 1 2 3; do
    one node bench/dist/distributed/ours.js $network 224 128 60
    RANK=0 WORLD_SIZE=1 MASTER_PORT=$((20000 + RANDOM % 10000)) ANYCLASS_BACKEND=nccl \
      node bench/dist/distributed/ours.js $network 224 128 60
  done
done
echo '=== the same with norms whose statistics NCCL sums in the graph'
for round in 1 2 3; do
  RANK=0 WORLD_SIZE=1 MASTER_PORT=$((20000 + RANDOM % 10000)) ANYCLASS_BACKEND=nccl \
    node bench/dist/distributed/ours.js tresnet-l 224 128 60 synchronized
done
echo '=== two ranks on one GPU over Gloo: relative distance of their gradient from that of one rank'
for network in tresnet-s vit-b-16; do
  for type in float64 float32; do
    one node packages/anyclass/test/rankGradients.mjs /tmp/gradient-one $network 1 $type cuda
    ANYCLASS_BACKEND=gloo two node packages/anyclass/test/rankGradients.mjs /tmp/gradient-two $network 1 $type cuda
    node -e "
      const { readFileSync } = require('node:fs');
      const floats = (file) => new Float32Array(new Uint8Array(readFileSync(file)).buffer);
      const [a, b] = ['one', 'two'].map((name) => floats('/tmp/gradient-' + name + '.gradient'));
      const length = (values) => Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
      console.log('$network $type', length(a.map((value, i) => value - b[i])) / length(a));"
  done
done
echo '=== norms: the fused kernels still equal the composition; then a run of two ranks on the GPU, and of one'
node node_modules/vitest/vitest.mjs run packages/anyclass/src/networks/layers --reporter=dot
settings=(--set epochs=2 --set evaluation.replicates=0)
rm -rf /tmp/ranks-one /tmp/ranks-two
node packages/anyclass/bin/anyclass.js train quick --run /tmp/ranks-one "${settings[@]}" > /dev/null
node packages/anyclass/bin/anyclass.js launch --processes 2 train quick --run /tmp/ranks-two "${settings[@]}" > /dev/null
for run in one two; do
  node -e "
    for (const line of require('node:fs').readFileSync('/tmp/ranks-$run/metrics.jsonl', 'utf8').trim().split('\n')) {
      const { epoch, trainingLoss, imagesPerSecond } = JSON.parse(line);
      console.log('$run', 'epoch', epoch, 'loss', trainingLoss, 'images/s', Math.round(imagesPerSecond));
    }"
done
