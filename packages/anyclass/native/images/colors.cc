#include "colors.h"

#include <algorithm>

#include "../shared/compilers.h"

namespace images {
namespace {

inline uint8_t toByte(int value) { return static_cast<uint8_t>(std::clamp((value + 128) >> 8, 0, 255)); }

}  // namespace

ANYCLASS_VECTORIZED void grayPixels(const uint16_t* __restrict values, size_t count, uint8_t* __restrict out) {
  for (size_t i = 0; i < count; i++) out[i] = toByte(values[i]);
}

ANYCLASS_VECTORIZED void pixelsOfRgb(const uint16_t* __restrict red, const uint16_t* __restrict green,
                                     const uint16_t* __restrict blue, size_t count, uint8_t* __restrict out) {
  for (size_t i = 0; i < count; i++) {
    out[3 * i] = toByte(red[i]);
    out[3 * i + 1] = toByte(green[i]);
    out[3 * i + 2] = toByte(blue[i]);
  }
}

// JFIF (ITU-T T.871): R = Y + 1.402 Cr, G = Y - 0.344136 Cb - 0.714136 Cr, B = Y + 1.772 Cb, with Cb and Cr around 128.
// The factors are in 1/16384: with values of 16 bits, no product leaves 31.
ANYCLASS_VECTORIZED void pixelsOfYCbCr(const uint16_t* __restrict luma, const uint16_t* __restrict cb,
                                       const uint16_t* __restrict cr, size_t count, uint8_t* __restrict out) {
  for (size_t i = 0; i < count; i++) {
    const int y = luma[i];
    const int blueness = cb[i] - 128 * 256;
    const int redness = cr[i] - 128 * 256;
    out[3 * i] = toByte(y + (22970 * redness >> 14));
    out[3 * i + 1] = toByte(y - ((5638 * blueness + 11700 * redness) >> 14));
    out[3 * i + 2] = toByte(y + (29032 * blueness >> 14));
  }
}

}  // namespace images
