// The GPU's kernels as functions of plain pointers, for whoever holds tensors. They run on the current device.
#pragma once

#include <cuda_runtime_api.h>

#include "batch.h"

namespace anyclass {

// How many doubles of scratch memory `launchForward` wants.
size_t forwardScratch(const LossBatch& batch);

cudaError_t launchForward(const LossBatch& batch, const float* classWeights, const LossParameters& parameters, Reduction reduction,
                          const ForwardOutput& output, double* scratch, cudaStream_t stream);

// Writes a gradient of the logits' type and shape.
cudaError_t launchBackward(const LossBatch& batch, const TermParameters& term, Reduction reduction, const BackwardInput& input, void* gradient,
                           cudaStream_t stream);

}  // namespace anyclass
