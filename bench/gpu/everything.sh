#!/usr/bin/env bash
# Everything that is checked and measured on a GPU machine, in one call: bash bench/gpu/run.sh bash bench/gpu/everything.sh
# If a part fails, the next one still runs.
set -uo pipefail
part() {
  echo "=== $1"
  shift
  "$@" 2>&1 || echo "--- failed with exit code $?"
}
part 'doctor' node packages/anyclass/bin/anyclass.js doctor
part 'operators' node packages/torch/generate/dist/generate.js --check
part 'tests' bash bench/gpu/tests.sh
part 'engine, ours' node bench/dist/gpu/engine.js
part 'engine, PyTorch' python3 bench/gpu/engine.py
part 'MNIST in three precisions' node bench/dist/gpu/mnist.js
part 'loss, checked' node bench/dist/gpu/lossCheck.js
part 'loss, against PyTorch' node bench/dist/gpu/loss.js
part 'layers' node bench/dist/gpu/layers.js
part 'convolutions' python3 bench/gpu/convolutions.py
part 'networks, ours' node bench/dist/gpu/networks.js
part 'networks, PyTorch' python3 bench/gpu/networks.py eager,channels-last
part 'losses of the first steps' sh -c 'node bench/dist/networks/losses.js /tmp/losses cuda && python3 bench/networks/losses.py /tmp/losses cuda'
part 'training from the cache' node bench/dist/gpu/trainingRate.js
part 'several processes' bash bench/gpu/distributed.sh
part 'feeding' node bench/dist/data/feeding.js cuda
part 'prediction from JPEG files' node bench/dist/gpu/prediction.js
part 'serving' bash bench/gpu/serving.sh
