// The logistic function and its logarithms in float32, as polynomials that compilers turn into vector instructions; shared by
// CPU and CUDA.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#include "../shared/compilers.h"

namespace anyclass {

// exp(-x) for x >= 0 to two units in the last place; 0 where it would be subnormal.
ANYCLASS_INLINE float expOfMinus(float x) {
#ifdef __CUDA_ARCH__
  // 2^(-x log2 e) by the special function unit. The product is split, because its rounding error grows with x.
  const float log2e = 1.44269502f, log2eRest = 1.92596303e-8f;
  const float bounded = x > 128 ? 128.0f : x;  // lets a NaN pass
  const float exponent = -bounded * log2e;
  const float lost = fmaf(-bounded, log2eRest, fmaf(-bounded, log2e, -exponent));
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(exponent));
  return fmaf(power, lost * 0.693147182f, power);
#else
  // exp(-x) = 2^n exp(r) with |r| <= log(2) / 2. Adding 1.5 · 2^23 rounds to an integer and leaves it in the low bits.
  const float largest = 87.33f;
  const float bounded = x > largest ? largest : x;  // lets a NaN pass
  const float shifted = bounded * -1.44269502f + 12582912.0f;
  const float n = shifted - 12582912.0f;
  const float r = n * -1.42860677e-6f + (n * -0.693145752f - bounded);
  // Minimax of (exp(r) - 1 - r) / r², relative to exp(r): 3e-9.
  const float p = (((1.381446490995586e-3f * r + 8.368780836462975e-3f) * r + 4.166839271783829e-2f) * r + 0.1666651964187622f) * r + 0.4999999403953552f;
  int32_t bits;
  std::memcpy(&bits, &shifted, sizeof(bits));
  const uint32_t scaleBits = (static_cast<uint32_t>(bits) << 23) + 0x3f800000u;
  float scale;
  std::memcpy(&scale, &scaleBits, sizeof(scale));
  const float result = (p * r * r + r) * scale + scale;
  return x > largest ? 0.0f : result;
#endif
}

// log(1 + x) for x in [0, 1]: x times the minimax polynomial of log(1 + x) / x, to 5e-9 relative.
ANYCLASS_INLINE float log1pOfSmall(float x) {
  const float high = (((-3.243968589231372e-3f * x + 1.9851204007864e-2f) * x - 5.695904418826103e-2f) * x + 0.10603604465723038f) * x - 0.15305562317371368f;
  return x * (((((high * x + 0.19675928354263306f) * x - 0.24954131245613098f) * x + 0.3332996070384979f) * x - 0.4999990165233612f) * x + 1.0f);
}

ANYCLASS_INLINE float reciprocal(float x) {
#ifdef __CUDA_ARCH__
  return __fdividef(1.0f, x);
#else
  return 1.0f / x;
#endif
}

// -log(x) for x in [0, 1], given 1 - x too, to float32's relative accuracy; 88 at 0.
ANYCLASS_INLINE float minusLog(float x, float complement) {
  // From 1/2 on: log(1 + (1 - x) / x), which keeps the digits of a small 1 - x. Below: x = 2^-k (1 + f) with f in [0, 1).
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  const float k = static_cast<float>(127 - static_cast<int32_t>(bits >> 23));
  const uint32_t unitBits = (bits & 0x7fffffu) | 0x3f800000u;
  float unit;
  std::memcpy(&unit, &unitBits, sizeof(unit));
  const bool isLarge = x >= 0.5f;
  const float logarithm = log1pOfSmall(isLarge ? complement * reciprocal(x) : unit - 1.0f);
  return isLarge ? logarithm : k * 0.693147182f - logarithm;
}

// p = sigmoid(z), q = 1 - p and both logarithms from one exponential, each to float32's relative accuracy.
struct Logistic {
  float p, q, minusLogP, minusLogQ;
};

ANYCLASS_INLINE Logistic logistic(float z) {
  const float small = expOfMinus(fabsf(z));
  const float larger = reciprocal(1.0f + small);
  const float smaller = small * larger;
  const float logOfSum = log1pOfSmall(small);
  const bool positive = z >= 0;
  return {positive ? larger : smaller, positive ? smaller : larger, positive ? logOfSum : logOfSum - z, positive ? logOfSum + z : logOfSum};
}

}  // namespace anyclass
