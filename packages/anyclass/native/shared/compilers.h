// Compiler features beyond the language.
#pragma once

// A function shared by CPU and CUDA, always inlined into the loop or kernel that calls it.
#ifdef __CUDACC__
#define ANYCLASS_INLINE __host__ __device__ __forceinline__
#else
#define ANYCLASS_INLINE inline __attribute__((always_inline))
#endif

// Compiled for three generations of x86-64 (AVX-512, AVX2, SSE2); the one for the processor is chosen when the library loads.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ANYCLASS_VECTORIZED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ANYCLASS_VECTORIZED
#endif
