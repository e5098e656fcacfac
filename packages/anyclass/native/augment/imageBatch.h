// A batch of images and the changes to each, as plain pointers; shared by CPU and CUDA.
#pragma once

#include <cstdint>

#include "colorMath.h"
#include "geometry.h"

namespace anyclass {

constexpr int kChanges = 4;
constexpr float kLargestBlur = 10;

// A row of parameters, as augmentation/changes.ts writes it: the geometry, the color changes, the erased box, the blur's deviation and the quality of a JPEG.
constexpr int kColors = kGeometryParameters, kErased = kColors + 2 * kChanges, kBlur = kErased + 4, kQuality = kBlur + 1, kParameters = kQuality + 1;

// The changes to one image.
struct ImageParameters {
  const float* row;  // null: the image is not changed

  // The color changes in order, each as a ColorChange and its factor. Contrast occurs at most once.
  ANYCLASS_INLINE ColorChange change(int i) const { return row ? static_cast<ColorChange>(static_cast<int>(row[kColors + 2 * i])) : ColorChange::none; }
  ANYCLASS_INLINE float factor(int i) const { return row[kColors + 2 * i + 1]; }

  // The number of changes before the contrast; kChanges if there is none.
  ANYCLASS_INLINE int beforeContrast() const {
    int i = 0;
    while (i < kChanges && change(i) != ColorChange::contrast) i++;
    return i;
  }

  // The erased box goes from left and top to before right and bottom; all are 0 if there is none.
  ANYCLASS_INLINE bool erases(int x, int y) const {
    return row && x >= row[kErased] && y >= row[kErased + 1] && x < row[kErased + 2] && y < row[kErased + 3];
  }

  // Both are 0 if there is none. Whatever the row holds, the deviation and the quality are within their limits.
  ANYCLASS_INLINE float blur() const { return row ? within(0, row[kBlur], kLargestBlur) : 0; }
  ANYCLASS_INLINE int quality() const { return row ? static_cast<int>(within(0, row[kQuality], 100)) : 0; }

  // Blurred and compressed images are erased after that, by filter_images_.
  ANYCLASS_INLINE bool isFiltered() const { return blur() > 0 || quality() > 0; }
};

struct InputBatch {
  const void* images;  // [count, height, width, channels]: bytes, or float32 from 0 to 1
  bool isBytes;
  int64_t count;
  int height, width, channels;  // of the images; 1 or 3 channels
  int resultHeight, resultWidth;
  const float* parameters;  // [count, kParameters]; null: images are only normalized
  float scale[3], offset[3];  // a normalized value is value · scale - offset

  ANYCLASS_INLINE int pixels() const { return height * width; }
  ANYCLASS_INLINE int resultPixels() const { return resultHeight * resultWidth; }
  ANYCLASS_INLINE ImageParameters parametersOf(int64_t image) const { return {parameters ? parameters + image * kParameters : nullptr}; }
  ANYCLASS_INLINE Geometry geometryOf(int64_t image) const {
    return parameters ? readGeometry(parameters + image * kParameters, width, height) : unmoved(width, height);
  }

  template <typename T>
  ANYCLASS_INLINE const T* image(int64_t index) const {
    return static_cast<const T*>(images) + index * pixels() * channels;
  }
};

}  // namespace anyclass
