// The GPU kernels of augment_images as functions on plain pointers. They run on the current device. This header includes
// nothing of ATen, so that nvcc does not have to parse it.
#pragma once

#include <cuda_runtime_api.h>

#include "imageBatch.h"

namespace anyclass {

// Writes the mean gray of each image before its contrast changes to `means`, then the normalized pixels, three values
// each, to `result`.
cudaError_t launchAugmentImages(const InputBatch& batch, float* means, float* result, cudaStream_t stream);

}  // namespace anyclass
