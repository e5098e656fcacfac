// The GPU kernels of filter_images_ as functions on plain pointers, without ATen, like cudaKernels.h.
#pragma once

#include <cuda_runtime_api.h>

#include "filters.h"

namespace anyclass {

// The bytes of memory that the kernels need for themselves, besides the images.
int64_t filterScratchBytes(const FilteredBatch& batch);

cudaError_t launchFilterImages(const FilteredBatch& batch, void* scratch, cudaStream_t stream);

}  // namespace anyclass
