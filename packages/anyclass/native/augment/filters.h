// Blur and JPEG's artifacts on normalized images, three values per pixel; shared by CPU and CUDA. Each needs a pixel's neighbors after their
// colors have changed, so they are passes of their own, over those images alone that are drawn for them: blur, JPEG, then the erased box.
#pragma once

#include <cmath>

#include "imageBatch.h"
#include "jpegMath.h"

namespace anyclass {

constexpr int kLargestRadius = 3 * static_cast<int>(kLargestBlur);

// A normalized value as a byte; `levels` is 255 divided by the scale.
ANYCLASS_INLINE int byteOf(float value, float offset, float levels) { return static_cast<int>(rintf(within(0, (value + offset) * levels, 255))); }

struct FilteredBatch {
  float* images;  // [count, height, width, 3], normalized
  int64_t count;
  int height, width;
  const float* parameters;  // [count, kParameters]
  float scale[3], offset[3];  // a normalized value is value · scale - offset
  float levels[3];  // 255 / scale

  ANYCLASS_INLINE int pixels() const { return height * width; }
  ANYCLASS_INLINE float* image(int64_t index) const { return images + index * pixels() * 3; }
  ANYCLASS_INLINE ImageParameters parametersOf(int64_t image) const { return {parameters + image * kParameters}; }

  ANYCLASS_INLINE int byteOf(float value, int channel) const { return anyclass::byteOf(value, offset[channel], levels[channel]); }
  ANYCLASS_INLINE float normalized(float byte, int channel) const { return byte * (1.0f / 255) * scale[channel] - offset[channel]; }
};

// Beyond three deviations a Gaussian has 0.3% of its weight.
ANYCLASS_INLINE int blurRadius(float deviation) {
  const int radius = static_cast<int>(ceilf(3 * deviation));
  return radius < 1 ? 1 : radius;
}

// The weight of a neighbor, before all are divided by their sum.
ANYCLASS_INLINE float blurWeight(int distance, float deviation) { return expf(-0.5f * distance * distance / (deviation * deviation)); }

// The position that a border shows as a mirror, as torchvision pads: the edge itself is not repeated.
ANYCLASS_INLINE int reflected(int at, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1), place = (at % period + period) % period;
  return place < size ? place : period - place;
}

}  // namespace anyclass
