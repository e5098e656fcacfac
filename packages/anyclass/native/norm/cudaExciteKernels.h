// The GPU kernels of squeeze-and-excitation around a norm, on plain pointers: the mean of each channel of each image, the maps scaled
// per image, and their gradients. They run on the current device. This header includes nothing of ATen, so that nvcc does not have to
// parse it.
#pragma once

#include "cudaBatchNormKernels.h"

namespace anyclass {

// Maps in channels-last memory; channels are a multiple of 8, and only the first `known` have parameters.
struct ExciteShape {
  ElementType type;
  int64_t images, positions, channels, known;
};

// Into how many parts the reductions cut an image; each part has its own row of results, which are then summed.
int exciteParts(const ExciteShape& shape);

// means: [parts, images, known], the means of activation(norm(input)) in sum over the parts.
cudaError_t launchSqueeze(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, float* means,
                          cudaStream_t stream);

// scale · activation(norm(input)), and with a residual ReLU of its sum with that. Scales are [images, known]; 1 without them. The output may be the
// input.
cudaError_t launchExcite(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics, const float* scales,
                         const void* residual, void* output, cudaStream_t stream);

// sums: [parts, 4, images, known], of g a, g a d, a, and a d: g is the gradient of the scaled map, a the activation's slope, d the input's
// difference from its mean. With a rectified sum, its gradient is computed first, and is g.
cudaError_t launchExciteSums(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                             const void* outputGradient, const RectifiedSum* sum, float* sums, cudaStream_t stream);

// From sums without parts: the gradient of each scale's logit, [images, known].
cudaError_t launchScaleGradient(const ExciteShape& shape, const NormParameters& parameters, const NormStatistics& statistics, const float* sums,
                                const float* scales, float* logitGradients, cudaStream_t stream);

// From sums without parts and the gradients of the means: the gradients of weight and bias.
cudaError_t launchExcitedParameterGradients(const ExciteShape& shape, const NormParameters& parameters, const NormStatistics& statistics, const float* sums,
                                            const float* scales, const float* meanGradients, const NormGradients& gradients, cudaStream_t stream);

// The input gradient, from all of these.
cudaError_t launchExcitedInputGradient(const ExciteShape& shape, const NormParameters& parameters, const void* input, const NormStatistics& statistics,
                                       const void* scaledGradient, const float* scales, const float* meanGradients, const NormGradients& gradients,
                                       cudaStream_t stream);

// The sums of a matrix's columns.
cudaError_t launchSums(const float* table, int64_t rows, int64_t columns, float* sums, cudaStream_t stream);

}  // namespace anyclass
