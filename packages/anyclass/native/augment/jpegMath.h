// What baseline JPEG does to an image, without its lossless part: ITU-T T.81 as libjpeg does it by default, with half the columns and rows of the
// colors, the tables of its annex K scaled by a quality from 1 to 100, and smooth enlargement of the colors. Shared by CPU and CUDA.
#pragma once

#include <cmath>
#include <cstdint>

#include "../shared/compilers.h"

namespace anyclass {

constexpr int kBlock = 8, kBlockSize = kBlock * kBlock, kMacroBlock = 2 * kBlock;

// Annex K.1: for luma, then for both colors.
#define ANYCLASS_JPEG_TABLES                                                                                                                   \
  {{16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,  14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,  \
    18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,  49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99}, \
   {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,            \
    99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99}}

// The step of a coefficient at a quality, by libjpeg's rule.
ANYCLASS_INLINE float quantizationStep(int base, int quality) {
  const int percent = quality < 50 ? 5000 / quality : 200 - 2 * quality;
  const int step = (base * percent + 50) / 100;
  return static_cast<float>(step < 1 ? 1 : step > 255 ? 255 : step);
}

// Row `frequency`, column `place` of the orthonormal cosine transform of eight values.
ANYCLASS_INLINE float cosineBasis(int frequency, int place) {
  return frequency == 0 ? 0.35355339059327f : 0.5f * cosf((2 * place + 1) * frequency * 0.19634954084936f);
}

// A coefficient as a decoder reads it. Like libjpeg, in whole eighths first, and halves of a step away from zero.
ANYCLASS_INLINE float quantized(float coefficient, float step) {
  const float steps = floorf((rintf(8 * fabsf(coefficient)) + 4 * step) / (8 * step));
  return coefficient < 0 ? -steps * step : steps * step;
}

ANYCLASS_INLINE float wholeByte(float value) {
  const float whole = rintf(value);
  return !(whole > 0) ? 0.0f : whole > 255 ? 255.0f : whole;
}

struct LumaColors {
  int luma, blue, red;
};

// ITU-R 601 in bytes, the colors around 128, with libjpeg's whole numbers: 65536 times the weights.
ANYCLASS_INLINE LumaColors lumaColorsOf(int red, int green, int blue) {
  constexpr int middle = 128 * 65536 + 32767;
  return {(19595 * red + 38470 * green + 7471 * blue + 32768) >> 16, (-11059 * red - 21709 * green + 32768 * blue + middle) >> 16,
          (32768 * red - 27439 * green - 5329 * blue + middle) >> 16};
}

// The mean of four neighbors; libjpeg rounds up in every other column, so that nothing grows brighter.
ANYCLASS_INLINE uint8_t meanOfFour(int sum, int column) { return static_cast<uint8_t>((sum + 1 + column % 2) / 4); }

// The planes of one image, padded to whole macro blocks: luma, then blue, then red, both of half the size.
struct JpegPlanes {
  uint8_t *luma, *blue, *red;
  int stride, rows;  // of luma

  static ANYCLASS_INLINE int padded(int side) { return (side + kMacroBlock - 1) / kMacroBlock * kMacroBlock; }
  static ANYCLASS_INLINE int64_t bytes(int height, int width) { return int64_t{3} * padded(height) * padded(width) / 2; }

  static ANYCLASS_INLINE JpegPlanes at(uint8_t* memory, int height, int width) {
    const int stride = padded(width), rows = padded(height);
    uint8_t* const blue = memory + int64_t{stride} * rows;
    return {memory, blue, blue + int64_t{stride} * rows / 4, stride, rows};
  }
};

// Colors are enlarged with three parts of the nearest value and one of the next: first down a column, then along a row, where `x` is the place in the image.
ANYCLASS_INLINE int enlargedDown(int nearest, int next) { return 3 * nearest + next; }
ANYCLASS_INLINE int enlargedAcross(int nearest, int next, int x) { return (3 * nearest + next + 8 - x % 2) >> 4; }

// The row or column beside that of `place` that is nearest to it, of a plane of half the size.
ANYCLASS_INLINE int besideOf(int place, int size) {
  const int own = place / 2, beside = place % 2 ? own + 1 : own - 1;
  return beside < 0 ? 0 : beside < size ? beside : size - 1;
}

// Calls take(channel, byte) for red, green and blue.
template <typename Take>
ANYCLASS_INLINE void decodedPixel(int luma, int blue, int red, Take take) {
  const auto byte = [](int value) { return static_cast<float>(value < 0 ? 0 : value > 255 ? 255 : value); };
  take(0, byte(luma + ((91881 * (red - 128) + 32768) >> 16)));
  take(1, byte(luma + ((-22554 * (blue - 128) - 46802 * (red - 128) + 32768) >> 16)));
  take(2, byte(luma + ((116130 * (blue - 128) + 32768) >> 16)));
}

}  // namespace anyclass
