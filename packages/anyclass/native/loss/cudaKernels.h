// The GPU kernels of the loss as functions on plain pointers. They run on the current device.
#pragma once

#include <cuda_runtime_api.h>

#include "batch.h"

namespace anyclass {

// The number of doubles of scratch memory that `launchForward` needs.
size_t forwardScratch(const LossBatch& batch);

cudaError_t launchForward(const LossBatch& batch, const float* classWeights, const LossParameters& parameters, Reduction reduction,
                          const ForwardOutput& output, double* scratch, cudaStream_t stream);

// Writes a gradient with the type and shape of the logits.
cudaError_t launchBackward(const LossBatch& batch, const TermParameters& term, Reduction reduction, const BackwardInput& input, void* gradient,
                           cudaStream_t stream);

}  // namespace anyclass
