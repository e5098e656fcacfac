#include "cpuLoops.h"

#include <algorithm>

namespace anyclass {
namespace {

// So many pixels at a time, one channel after another: they stay in the processor's cache from change to change, and a
// change is one loop without branches.
constexpr int kTile = 512;

struct Tile {
  int count;
  float red[kTile], green[kTile], blue[kTile];
};

template <typename T>
ANYCLASS_INLINE void load(const T* pixels, Tile& tile) {
  for (int i = 0; i < tile.count; i++) {
    tile.red[i] = unitValue(pixels[3 * i]);
    tile.green[i] = unitValue(pixels[3 * i + 1]);
    tile.blue[i] = unitValue(pixels[3 * i + 2]);
  }
}

ANYCLASS_INLINE Color colorAt(const Tile& tile, int i) { return {tile.red[i], tile.green[i], tile.blue[i]}; }

template <ColorChange change>
ANYCLASS_INLINE void changeAll(Tile& tile, float factor, float meanGray) {
  for (int i = 0; i < tile.count; i++) {
    const Color color = changed<change>(colorAt(tile, i), factor, meanGray);
    tile.red[i] = color.red;
    tile.green[i] = color.green;
    tile.blue[i] = color.blue;
  }
}

ANYCLASS_INLINE void changeColors(Tile& tile, const ImageParameters& parameters, int changes, float meanGray) {
  for (int i = 0; i < changes; i++) {
    switch (parameters.change(i)) {
      case ColorChange::brightness: changeAll<ColorChange::brightness>(tile, parameters.factor(i), meanGray); break;
      case ColorChange::contrast: changeAll<ColorChange::contrast>(tile, parameters.factor(i), meanGray); break;
      case ColorChange::saturation: changeAll<ColorChange::saturation>(tile, parameters.factor(i), meanGray); break;
      case ColorChange::hue: changeAll<ColorChange::hue>(tile, parameters.factor(i), meanGray); break;
      case ColorChange::none: break;
    }
  }
}

ANYCLASS_INLINE void store(const Tile& tile, const ImageBatch& batch, bool isFlipped, float* __restrict result) {
  const int last = tile.count - 1;
  const float *scale = batch.scale, *offset = batch.offset;
  for (int i = 0; i < tile.count; i++) {
    const Color color = colorAt(tile, isFlipped ? last - i : i);
    result[3 * i] = color.red * scale[0] - offset[0];
    result[3 * i + 1] = color.green * scale[1] - offset[1];
    result[3 * i + 2] = color.blue * scale[2] - offset[2];
  }
}

template <typename T>
ANYCLASS_INLINE float meanGrayOf(const ImageBatch& batch, int64_t image) {
  const auto parameters = batch.parametersOf(image);
  const int changes = parameters.beforeContrast();
  if (changes == kChanges) return 0;
  Tile tile;
  float sums[kTile] = {};  // each in its own order, so that they are vectors without leave to reorder sums
  for (int start = 0; start < batch.pixels(); start += kTile) {
    tile.count = std::min(kTile, batch.pixels() - start);
    load(batch.image<T>(image) + 3 * start, tile);
    changeColors(tile, parameters, changes, 0);
    for (int i = 0; i < tile.count; i++) sums[i] += grayOf(colorAt(tile, i));
  }
  double total = 0;
  for (const float sum : sums) total += sum;
  return static_cast<float>(total / batch.pixels());
}

template <typename T>
ANYCLASS_INLINE void augmentColorRow(const ImageBatch& batch, int64_t row, float meanGray, float* result) {
  const auto parameters = batch.parametersOf(row / batch.height);
  const bool isFlipped = parameters.isFlipped();
  const T* const pixels = static_cast<const T*>(batch.images) + row * batch.width * 3;
  Tile tile;
  for (int start = 0; start < batch.width; start += kTile) {
    tile.count = std::min(kTile, batch.width - start);
    load(pixels + 3 * start, tile);
    changeColors(tile, parameters, kChanges, meanGray);
    store(tile, batch, isFlipped, result + 3 * (isFlipped ? batch.width - start - tile.count : start));
  }
}

// A gray image has no colors to change.
template <typename T>
ANYCLASS_INLINE void augmentGrayRow(const ImageBatch& batch, int64_t row, float* __restrict result) {
  const bool isFlipped = batch.parametersOf(row / batch.height).isFlipped();
  const T* const pixels = static_cast<const T*>(batch.images) + row * batch.width;
  const float scale = batch.scale[0], offset = batch.offset[0];
  for (int i = 0; i < batch.width; i++) {
    const float value = unitValue(pixels[isFlipped ? batch.width - 1 - i : i]) * scale - offset;
    result[3 * i] = value;
    result[3 * i + 1] = value;
    result[3 * i + 2] = value;
  }
}

}  // namespace

ANYCLASS_VECTORIZED float meanGray(const ImageBatch& batch, int64_t image) {
  return batch.isBytes ? meanGrayOf<uint8_t>(batch, image) : meanGrayOf<float>(batch, image);
}

ANYCLASS_VECTORIZED void augmentRow(const ImageBatch& batch, int64_t row, float meanGray, float* result) {
  if (batch.channels == 3) {
    if (batch.isBytes) augmentColorRow<uint8_t>(batch, row, meanGray, result);
    else augmentColorRow<float>(batch, row, meanGray, result);
  } else {
    if (batch.isBytes) augmentGrayRow<uint8_t>(batch, row, result);
    else augmentGrayRow<float>(batch, row, result);
  }
}

}  // namespace anyclass
