// Changes the color of one pixel, with values from 0 to 1; shared by CPU and CUDA. The formulas are those of torchvision's
// functional_tensor: blends with black, with the image's mean gray, or with the pixel's own gray; hue changes go through
// HSV.
#pragma once

#include <cmath>

#include "../shared/compilers.h"

namespace anyclass {

struct Color {
  float red, green, blue;
};

// Numbered as in augmentation/parameters.ts.
enum class ColorChange { none, brightness, contrast, saturation, hue };

// ITU-R 601 luma with torchvision's rounding of its weights.
ANYCLASS_INLINE float grayOf(const Color& color) { return 0.2989f * color.red + 0.587f * color.green + 0.114f * color.blue; }

ANYCLASS_INLINE float blended(float value, float factor, float other) {
  const float mixture = factor * value + (1 - factor) * other;
  return mixture < 0 ? 0.0f : mixture > 1 ? 1.0f : mixture;
}

ANYCLASS_INLINE Color blended(const Color& color, float factor, float other) {
  return {blended(color.red, factor, other), blended(color.green, factor, other), blended(color.blue, factor, other)};
}

// One channel of an HSV color: v - v·s·clamp(min(k, 4 - k), 0, 1) with k = (n + 6h) mod 6, and n = 5, 3, 1 for red, green
// and blue. Equivalent to torchvision's table of six cases; v·s is the chroma.
ANYCLASS_INLINE float hueChannel(float n, float sixths, float value, float chroma) {
  const float sum = sixths + n;
  const float k = sum >= 6 ? sum - 6 : sum;
  const float rise = k < 4 - k ? k : 4 - k;
  return value - chroma * (rise < 0 ? 0.0f : rise > 1 ? 1.0f : rise);
}

ANYCLASS_INLINE Color withShiftedHue(const Color& color, float turns) {
  const float red = color.red, green = color.green, blue = color.blue;
  const float warm = red > green ? red : green, value = warm > blue ? warm : blue;
  const float cold = red < green ? red : green, chroma = value - (cold < blue ? cold : blue);
  const float divisor = chroma == 0 ? 1.0f : 6 * chroma;
  // Measured from the largest channel's place on the circle: red 0, green 1/3, blue 2/3. Among equals, the first counts.
  const bool isRed = value == red, isGreen = value == green;
  const float difference = isRed ? green - blue : isGreen ? blue - red : red - green;
  const float place = isRed ? 0.0f : isGreen ? 2.0f / 6 : 4.0f / 6;
  const float hue = place + difference / divisor + turns;
  const float sixths = (hue - floorf(hue)) * 6;
  return {hueChannel(5, sixths, value, chroma), hueChannel(3, sixths, value, chroma), hueChannel(1, sixths, value, chroma)};
}

// For hue, `factor` is the shift; `meanGray` is that of the image before the contrast change.
template <ColorChange change>
ANYCLASS_INLINE Color changed(const Color& color, float factor, float meanGray) {
  if constexpr (change == ColorChange::brightness) return blended(color, factor, 0);
  else if constexpr (change == ColorChange::contrast) return blended(color, factor, meanGray);
  else if constexpr (change == ColorChange::saturation) return blended(color, factor, grayOf(color));
  else if constexpr (change == ColorChange::hue) return withShiftedHue(color, factor);
  else return color;
}

// The same for a gray image: torchvision changes its brightness and contrast; saturation and hue leave it unchanged.
ANYCLASS_INLINE float changedGray(ColorChange change, float gray, float factor, float meanGray) {
  if (change == ColorChange::brightness) return blended(gray, factor, 0);
  if (change == ColorChange::contrast) return blended(gray, factor, meanGray);
  return gray;
}

}  // namespace anyclass
