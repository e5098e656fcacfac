// A batch of images and the changes to each, as plain pointers; shared by CPU and CUDA.
#pragma once

#include <cstdint>

#include "colorMath.h"

namespace anyclass {

constexpr int kChanges = 4;
constexpr int kParameters = 1 + 2 * kChanges;

// The changes to one image. Its row of parameters holds whether to flip it (0 or 1), then its color changes in order, each
// as a ColorChange and its factor. Contrast occurs at most once.
struct ImageParameters {
  const float* row;  // null: the image is not changed

  ANYCLASS_INLINE bool isFlipped() const { return row && row[0] != 0; }
  ANYCLASS_INLINE ColorChange change(int i) const { return row ? static_cast<ColorChange>(static_cast<int>(row[1 + 2 * i])) : ColorChange::none; }
  ANYCLASS_INLINE float factor(int i) const { return row[2 + 2 * i]; }

  // The number of changes before the contrast; kChanges if there is none.
  ANYCLASS_INLINE int beforeContrast() const {
    int i = 0;
    while (i < kChanges && change(i) != ColorChange::contrast) i++;
    return i;
  }
};

struct ImageBatch {
  const void* images;  // [count, height, width, channels]: bytes, or float32 from 0 to 1
  bool isBytes;
  int64_t count;
  int height, width, channels;  // 1 or 3 channels
  const float* parameters;  // [count, kParameters]; null: images are only normalized
  float scale[3], offset[3];  // a normalized value is value · scale - offset

  ANYCLASS_INLINE int pixels() const { return height * width; }
  ANYCLASS_INLINE ImageParameters parametersOf(int64_t image) const { return {parameters ? parameters + image * kParameters : nullptr}; }

  template <typename T>
  ANYCLASS_INLINE const T* image(int64_t index) const {
    return static_cast<const T*>(images) + index * pixels() * channels;
  }
};

ANYCLASS_INLINE float unitValue(uint8_t byte) { return static_cast<float>(byte) * (1.0f / 255); }
ANYCLASS_INLINE float unitValue(float value) { return value; }

}  // namespace anyclass
