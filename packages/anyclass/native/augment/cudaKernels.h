// The GPU's kernels of augment_images as functions of plain pointers. They run on the current device. Nothing of ATen here,
// so that nvcc need not read it.
#pragma once

#include <cuda_runtime_api.h>

#include "imageBatch.h"

namespace anyclass {

// The mean gray of each image before its contrast changes, into `means`; then the normalized pixels, three values each.
cudaError_t launchAugmentImages(const ImageBatch& batch, float* means, float* result, cudaStream_t stream);

}  // namespace anyclass
