#include "cpuLoops.h"

#include <algorithm>

namespace anyclass {
namespace {

// The number of pixels processed together, stored channel by channel: a tile stays in the processor's cache across the
// changes, and each change is one loop without branches.
constexpr int kTile = 512;

struct ColorTile {
  static constexpr int channels = 3;
  int count;
  float red[kTile], green[kTile], blue[kTile];
};

struct GrayTile {
  static constexpr int channels = 1;
  int count;
  float gray[kTile];
};

template <typename T>
ANYCLASS_INLINE void load(const T* pixels, ColorTile& tile) {
  for (int i = 0; i < tile.count; i++) {
    tile.red[i] = unitValue(pixels[3 * i]);
    tile.green[i] = unitValue(pixels[3 * i + 1]);
    tile.blue[i] = unitValue(pixels[3 * i + 2]);
  }
}

template <typename T>
ANYCLASS_INLINE void load(const T* pixels, GrayTile& tile) {
  for (int i = 0; i < tile.count; i++) tile.gray[i] = unitValue(pixels[i]);
}

// The pixels of the result from (x, y) on, before their colors change.
template <typename T>
ANYCLASS_INLINE void loadMoved(const InputBatch& batch, const T* image, const Geometry& geometry, int x, int y, ColorTile& tile) {
  float* const channels[] = {tile.red, tile.green, tile.blue};
  for (int i = 0; i < tile.count; i++) {
    sample<3>(image, batch.width, geometry, x + i, y, [&](int channel, float value) { channels[channel][i] = value; });
  }
}

template <typename T>
ANYCLASS_INLINE void loadMoved(const InputBatch& batch, const T* image, const Geometry& geometry, int x, int y, GrayTile& tile) {
  for (int i = 0; i < tile.count; i++) {
    sample<1>(image, batch.width, geometry, x + i, y, [&](int, float value) { tile.gray[i] = value; });
  }
}

// Where a row of moved pixels waits for its colors: at the end of the row's own memory, so that storing the first pixels of a gray row does not reach the last.
template <typename Tile>
ANYCLASS_INLINE float* waitingRow(const InputBatch& batch, float* resultRow) {
  return resultRow + (3 - Tile::channels) * batch.resultWidth;
}

ANYCLASS_INLINE void keep(const ColorTile& tile, float* pixels) {
  for (int i = 0; i < tile.count; i++) {
    pixels[3 * i] = tile.red[i];
    pixels[3 * i + 1] = tile.green[i];
    pixels[3 * i + 2] = tile.blue[i];
  }
}

ANYCLASS_INLINE void keep(const GrayTile& tile, float* pixels) { std::copy_n(tile.gray, tile.count, pixels); }

// The most frequent geometries need no interpolation: the image as it is, and its mirror image.
enum class Movement { none, mirror, other };

ANYCLASS_INLINE Movement movementOf(const InputBatch& batch, const Geometry& geometry) {
  const bool showsAll = batch.resultWidth == batch.width && batch.resultHeight == batch.height && geometry.left == 0 && geometry.top == 0 &&
                        geometry.right == batch.width - 1 && geometry.bottom == batch.height - 1;
  if (!showsAll || geometry.xy != 0 || geometry.yx != 0 || geometry.yy != 1 || geometry.y0 != 0) return Movement::other;
  if (geometry.xx == 1 && geometry.x0 == 0) return Movement::none;
  return geometry.xx == -1 && geometry.x0 == batch.width - 1 ? Movement::mirror : Movement::other;
}

ANYCLASS_INLINE Color colorAt(const ColorTile& tile, int i) { return {tile.red[i], tile.green[i], tile.blue[i]}; }
ANYCLASS_INLINE Color colorAt(const GrayTile& tile, int i) { return {tile.gray[i], tile.gray[i], tile.gray[i]}; }

ANYCLASS_INLINE float grayAt(const ColorTile& tile, int i) { return grayOf(colorAt(tile, i)); }
ANYCLASS_INLINE float grayAt(const GrayTile& tile, int i) { return tile.gray[i]; }

template <ColorChange change>
ANYCLASS_INLINE void changeAll(ColorTile& tile, float factor, float meanGray) {
  for (int i = 0; i < tile.count; i++) {
    const Color color = changed<change>(colorAt(tile, i), factor, meanGray);
    tile.red[i] = color.red;
    tile.green[i] = color.green;
    tile.blue[i] = color.blue;
  }
}

ANYCLASS_INLINE void changeColors(ColorTile& tile, const ImageParameters& parameters, int changes, float meanGray) {
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

ANYCLASS_INLINE void changeColors(GrayTile& tile, const ImageParameters& parameters, int changes, float meanGray) {
  for (int i = 0; i < changes; i++) {
    const ColorChange change = parameters.change(i);
    if (change == ColorChange::none) continue;  // it has no factor
    const float factor = parameters.factor(i);
    for (int k = 0; k < tile.count; k++) tile.gray[k] = changedGray(change, tile.gray[k], factor, meanGray);
  }
}

template <typename Tile>
ANYCLASS_INLINE void store(const Tile& tile, const InputBatch& batch, bool isFlipped, float* __restrict result) {
  const int last = tile.count - 1;
  const float *scale = batch.scale, *offset = batch.offset;
  for (int i = 0; i < tile.count; i++) {
    const Color color = colorAt(tile, isFlipped ? last - i : i);
    result[3 * i] = color.red * scale[0] - offset[0];
    result[3 * i + 1] = color.green * scale[1] - offset[1];
    result[3 * i + 2] = color.blue * scale[2] - offset[2];
  }
}

template <typename Tile>
ANYCLASS_INLINE void addGrays(Tile& tile, const ImageParameters& parameters, int changes, float* sums) {
  changeColors(tile, parameters, changes, 0);
  for (int i = 0; i < tile.count; i++) sums[i] += grayAt(tile, i);
}

template <typename T, typename Tile>
ANYCLASS_INLINE float meanGrayOf(const InputBatch& batch, int64_t image, float* result) {
  const auto parameters = batch.parametersOf(image);
  const int changes = parameters.beforeContrast();
  if (changes == kChanges) return 0;
  const T* const pixels = batch.image<T>(image);
  const Geometry geometry = batch.geometryOf(image);
  Tile tile;
  float sums[kTile] = {};  // one sum per position in a tile, so that the loop vectorizes without reordering a sum
  if (movementOf(batch, geometry) != Movement::other) {
    for (int start = 0; start < batch.pixels(); start += kTile) {
      tile.count = std::min(kTile, batch.pixels() - start);
      load(pixels + Tile::channels * start, tile);
      addGrays(tile, parameters, changes, sums);
    }
  } else {
    for (int y = 0; y < batch.resultHeight; y++) {
      float* const waiting = waitingRow<Tile>(batch, result + (image * batch.resultHeight + y) * batch.resultWidth * 3);
      for (int x = 0; x < batch.resultWidth; x += kTile) {
        tile.count = std::min(kTile, batch.resultWidth - x);
        loadMoved(batch, pixels, geometry, x, y, tile);
        keep(tile, waiting + Tile::channels * x);
        addGrays(tile, parameters, changes, sums);
      }
    }
  }
  double total = 0;
  for (const float sum : sums) total += sum;
  return static_cast<float>(total / batch.resultPixels());
}

template <typename T, typename Tile>
ANYCLASS_INLINE void augmentRowOf(const InputBatch& batch, int64_t row, float meanGray, float* result) {
  const int64_t image = row / batch.resultHeight;
  const int y = static_cast<int>(row % batch.resultHeight);
  const auto parameters = batch.parametersOf(image);
  const Geometry geometry = batch.geometryOf(image);
  const Movement movement = movementOf(batch, geometry);
  const bool isMirror = movement == Movement::mirror;
  const bool waits = movement == Movement::other && parameters.beforeContrast() != kChanges;
  const float* const waiting = waitingRow<Tile>(batch, result);
  Tile tile;
  for (int x = 0; x < batch.resultWidth; x += kTile) {
    tile.count = std::min(kTile, batch.resultWidth - x);
    if (waits) load(waiting + Tile::channels * x, tile);
    else if (movement == Movement::other) loadMoved(batch, batch.image<T>(image), geometry, x, y, tile);
    else load(batch.image<T>(image) + Tile::channels * (y * batch.width + x), tile);
    changeColors(tile, parameters, kChanges, meanGray);
    store(tile, batch, isMirror, result + 3 * (isMirror ? batch.resultWidth - x - tile.count : x));
  }
  if (parameters.isFiltered()) return;
  for (int x = 0; x < batch.resultWidth; x++) {
    if (parameters.erases(x, y)) std::fill_n(result + 3 * x, 3, 0.0f);
  }
}

}  // namespace

ANYCLASS_VECTORIZED float meanGray(const InputBatch& batch, int64_t image, float* result) {
  if (batch.channels == 3) return batch.isBytes ? meanGrayOf<uint8_t, ColorTile>(batch, image, result) : meanGrayOf<float, ColorTile>(batch, image, result);
  return batch.isBytes ? meanGrayOf<uint8_t, GrayTile>(batch, image, result) : meanGrayOf<float, GrayTile>(batch, image, result);
}

ANYCLASS_VECTORIZED void augmentRow(const InputBatch& batch, int64_t row, float meanGray, float* result) {
  if (batch.channels == 3) {
    if (batch.isBytes) augmentRowOf<uint8_t, ColorTile>(batch, row, meanGray, result);
    else augmentRowOf<float, ColorTile>(batch, row, meanGray, result);
  } else {
    if (batch.isBytes) augmentRowOf<uint8_t, GrayTile>(batch, row, meanGray, result);
    else augmentRowOf<float, GrayTile>(batch, row, meanGray, result);
  }
}

}  // namespace anyclass
