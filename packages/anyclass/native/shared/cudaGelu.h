// GELU(x) = x Φ(x), with Φ the normal distribution. Hendrycks & Gimpel, "Gaussian Error Linear Units", arXiv 1606.08415.
//
// Φ is approximated by Abramowitz & Stegun 7.1.26, with an error of at most 3e-7 in float32: one exponential gives both Φ and
// the density that the slope needs. erff and expf would take twice the instructions, which would limit the kernels instead of
// the memory.
#pragma once

namespace anyclass {

struct Normal {
  float distribution, density;
};

__device__ __forceinline__ Normal normalAt(float x) {
  float power;  // exp(-x² / 2)
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(x * x * -0.721347520f));
  float t;  // 1 / (1 + p |x|)
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(t) : "f"(fmaf(0.231641888f, fabsf(x), 1.0f)));
  const float series = fmaf(fmaf(fmaf(fmaf(0.530702715f, t, -0.726576014f), t, 0.710706871f), t, -0.142248368f), t, 0.127414796f);
  const float tail = series * t * power;
  return {x > 0 ? 1.0f - tail : tail, 0.398942280f * power};
}

__device__ __forceinline__ float gelu(float x) { return x * normalAt(x).distribution; }

__device__ __forceinline__ float geluSlope(float x) {
  const Normal normal = normalAt(x);
  return fmaf(x, normal.density, normal.distribution);
}

}  // namespace anyclass
