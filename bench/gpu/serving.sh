#!/usr/bin/env bash
# Serving rate of TResNet-L at 224 px from JPEG bytes on the GPU, against the bare captured step at the same batch size:
#   bash bench/gpu/run.sh bash bench/gpu/serving.sh [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/../.."
node bench/dist/serving/gpu.js "${1:-20}"
