// Compiles a function for three generations of x86-64; the processor's own is chosen when the addon loads. All give the
// same bytes: they compute in whole numbers.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define IMAGES_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define IMAGES_VECTORISED
#endif
