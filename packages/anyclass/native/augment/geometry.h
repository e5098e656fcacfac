// Where a pixel of the result comes from: an affine map of its position into the image, as any chain of crops, flips, rotations, zooms and shears gives
// one, so that an image is interpolated once, however many of them it goes through. Shared by CPU and CUDA.
#pragma once

#include <cmath>
#include <cstdint>

#include "../shared/compilers.h"

namespace anyclass {

ANYCLASS_INLINE float unitValue(uint8_t byte) { return static_cast<float>(byte) * (1.0f / 255); }
ANYCLASS_INLINE float unitValue(float value) { return value; }

// Positions count from the center of the first pixel: pixel (x, y) of the result shows (xx·x + xy·y + x0, yx·x + yy·y + y0) of the image.
struct Geometry {
  float xx, xy, x0, yx, yy, y0;
  // The part of the image that is shown, by its first and last columns and rows. Beyond it the result is black; within half a pixel of its edge, the edge's pixels count.
  float left, top, right, bottom;
  bool isNearest;  // otherwise bilinear

  ANYCLASS_INLINE float column(int x, int y) const { return xx * x + (xy * y + x0); }
  ANYCLASS_INLINE float row(int x, int y) const { return yx * x + (yy * y + y0); }
};

constexpr int kGeometryParameters = 11;

ANYCLASS_INLINE float within(float low, float value, float high) { return !(value > low) ? low : value > high ? high : value; }

// Whatever the row holds, the part lies within the image, so nothing beyond it is read.
ANYCLASS_INLINE Geometry readGeometry(const float* row, int width, int height) {
  const float right = width - 1, bottom = height - 1;
  const float left = within(0, row[6], right), top = within(0, row[7], bottom);
  return {row[0], row[1], row[2], row[3], row[4], row[5], left, top, within(left, row[8], right), within(top, row[9], bottom), row[10] != 0};
}

ANYCLASS_INLINE Geometry unmoved(int width, int height) {
  return {1, 0, 0, 0, 1, 0, 0, 0, static_cast<float>(width - 1), static_cast<float>(height - 1), true};
}

// Two neighbors along one axis and the weight of the second.
struct Neighbors {
  int first, second;
  float weight;
};

ANYCLASS_INLINE Neighbors neighbors(float position, float low, float high, bool isNearest) {
  const float inside = within(low, position, high);
  const float first = isNearest ? rintf(inside) : floorf(inside);
  return {static_cast<int>(first), static_cast<int>(within(low, first + 1, high)), isNearest ? 0.0f : inside - first};
}

// Calls take(channel, value from 0 to 1) for each channel of the pixel that the result shows at (x, y).
template <int channels, typename T, typename Take>
ANYCLASS_INLINE void sample(const T* image, int width, const Geometry& geometry, int x, int y, Take take) {
  const float column = geometry.column(x, y), row = geometry.row(x, y);
  // Negated, so that a position that is no number is outside.
  if (!(column >= geometry.left - 0.5f && column <= geometry.right + 0.5f && row >= geometry.top - 0.5f && row <= geometry.bottom + 0.5f)) {
    for (int channel = 0; channel < channels; channel++) take(channel, 0.0f);
    return;
  }
  const Neighbors across = neighbors(column, geometry.left, geometry.right, geometry.isNearest);
  const Neighbors down = neighbors(row, geometry.top, geometry.bottom, geometry.isNearest);
  const T* const upper = image + int64_t{down.first} * width * channels;
  const T* const lower = image + int64_t{down.second} * width * channels;
  for (int channel = 0; channel < channels; channel++) {
    const int first = across.first * channels + channel, second = across.second * channels + channel;
    const float above = unitValue(upper[first]) + across.weight * (unitValue(upper[second]) - unitValue(upper[first]));
    const float below = unitValue(lower[first]) + across.weight * (unitValue(lower[second]) - unitValue(lower[first]));
    take(channel, above + down.weight * (below - above));
  }
}

}  // namespace anyclass
