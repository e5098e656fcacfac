#!/usr/bin/env bash
# Packs the Python parts of timm and torchvision, and what timm imports, from the Python that PEER_PYTHON names into .gpu/peers.tar.xz, for a
# GPU machine without network whose Python lacks them; run.sh unpacks there what is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=$("${PEER_PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
folder=$(mktemp -d)
mkdir -p .gpu
for name in timm torchvision PIL pillow.libs safetensors huggingface_hub tqdm yaml requests urllib3 idna charset_normalizer certifi httpx httpcore httpx2 httpcore2 truststore h11 filelock fsspec packaging anyio sniffio shellingham click typer; do
  [ ! -d "$packages/$name" ] || cp -r "$packages/$name" "$folder/"
done
# torchvision's compiled operators belong to another torch; its Python part declares them (bench/torchvision_anywhere.py).
rm -f "$folder"/torchvision/*.so
find "$folder" -name __pycache__ -prune -exec rm -rf {} +
tar -cJf .gpu/peers.tar.xz -C "$folder" .
rm -rf "$folder"
ls -lh .gpu/peers.tar.xz
