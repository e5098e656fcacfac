// Elements in GPU memory: several are loaded at once, and computed with as float32.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace anyclass {

template <typename T, int width>
struct alignas(sizeof(T) * width > 16 ? 16 : sizeof(T) * width) Pack {
  T values[width];
};

template <typename T, int width>
bool isAligned(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % alignof(Pack<T, width>) == 0;
}

template <typename T, int width>
__device__ __forceinline__ Pack<T, width> load(const void* from, int64_t at) {
  return *reinterpret_cast<const Pack<T, width>*>(static_cast<const T*>(from) + at);
}

template <typename T, int width>
__device__ __forceinline__ void store(void* to, int64_t at, const Pack<T, width>& pack) {
  *reinterpret_cast<Pack<T, width>*>(static_cast<T*>(to) + at) = pack;
}

__device__ __forceinline__ float toFloat(float value) { return value; }
__device__ __forceinline__ float toFloat(uint8_t value) { return value; }
__device__ __forceinline__ float toFloat(__half value) { return __half2float(value); }
__device__ __forceinline__ float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }

template <typename T>
__device__ __forceinline__ T fromFloat(float value);
template <>
__device__ __forceinline__ float fromFloat(float value) { return value; }
template <>
__device__ __forceinline__ __half fromFloat(float value) { return __float2half_rn(value); }
template <>
__device__ __forceinline__ __nv_bfloat16 fromFloat(float value) { return __float2bfloat16_rn(value); }

}  // namespace anyclass
