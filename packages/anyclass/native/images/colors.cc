#include "colors.h"

#include <algorithm>
#include <cmath>

#include "../shared/compilers.h"

namespace images {
namespace {

inline uint8_t toByte(int value) { return static_cast<uint8_t>(std::clamp((value + 128) >> 8, 0, 255)); }

// JFIF (ITU-T T.871): R = Y + 1.402 Cr, G = Y - 0.344136 Cb - 0.714136 Cr, B = Y + 1.772 Cb, with Cb and Cr around 128.
// The factors are in 1/16384: with 16-bit values, every product fits in 31 bits.
struct Color {
  int red, green, blue;
};

inline Color colorOf(int luma, int cb, int cr) {
  const int blueness = cb - 128 * 256;
  const int redness = cr - 128 * 256;
  return {luma + (22970 * redness >> 14), luma - ((5638 * blueness + 11700 * redness) >> 14), luma + (29032 * blueness >> 14)};
}

// sRGB to linear light and back (IEC 61966-2-1). Light is in 1/65536 of a step, and white is 255 steps: libvips has a table
// of rounded gray levels for these steps and interpolates linearly between them.
struct LightTables {
  uint32_t light[257];
  int gray[257];

  LightTables() {
    for (int i = 0; i <= 256; i++) {
      const double value = std::min(i, 255) / 255.0;
      const double linear = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
      light[i] = static_cast<uint32_t>(std::lround(255 * 65536 * linear));
      gray[i] = static_cast<int>(std::lround(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * std::pow(value, 1 / 2.4) - 0.055)));
    }
  }
};

const LightTables tables;

inline uint64_t lightOf(int value) {
  const uint32_t within = std::clamp(value, 0, 255 * 256);
  const uint32_t* const at = &tables.light[within >> 8];
  return at[0] + ((at[1] - at[0]) * (within & 255) >> 8);
}

inline uint8_t grayOf(Color color) {
  const uint32_t light = (13933 * lightOf(color.red) + 46871 * lightOf(color.green) + 4732 * lightOf(color.blue)) >> 16;
  const int* const at = &tables.gray[light >> 16];
  return static_cast<uint8_t>(at[0] + (((at[1] - at[0]) * static_cast<int>(light & 65535) + 32768) >> 16));
}

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

ANYCLASS_VECTORIZED void pixelsOfYCbCr(const uint16_t* __restrict luma, const uint16_t* __restrict cb,
                                       const uint16_t* __restrict cr, size_t count, uint8_t* __restrict out) {
  for (size_t i = 0; i < count; i++) {
    const Color color = colorOf(luma[i], cb[i], cr[i]);
    out[3 * i] = toByte(color.red);
    out[3 * i + 1] = toByte(color.green);
    out[3 * i + 2] = toByte(color.blue);
  }
}

void grayOfRgb(const uint16_t* red, const uint16_t* green, const uint16_t* blue, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; i++) out[i] = grayOf({red[i], green[i], blue[i]});
}

void grayOfYCbCr(const uint16_t* luma, const uint16_t* cb, const uint16_t* cr, size_t count, uint8_t* out) {
  for (size_t i = 0; i < count; i++) out[i] = grayOf(colorOf(luma[i], cb[i], cr[i]));
}

}  // namespace images
