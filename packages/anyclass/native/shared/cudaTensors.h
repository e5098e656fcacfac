// Checks and properties of tensors for the GPU operators.
#pragma once

#include <ATen/autocast_mode.h>
#include <cuda_runtime_api.h>
#include <torch/version.h>

#include "tensors.h"

namespace anyclass {

// Returns the type to which autocast converts the input of a product or a convolution.
inline at::ScalarType autocastType(at::ScalarType input) {
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  return at::autocast::is_autocast_enabled(at::kCUDA) ? at::autocast::get_autocast_dtype(at::kCUDA) : input;
#else
  return at::autocast::is_enabled() ? at::autocast::get_autocast_gpu_dtype() : input;
#endif
}

inline void checkLaunch(cudaError_t status) { TORCH_CHECK(status == cudaSuccess, "CUDA: ", cudaGetErrorString(status)); }

inline void checkTensor(const at::Tensor& input, const at::Tensor& other, at::ScalarType type, at::IntArrayRef shape, const char* name) {
  TORCH_CHECK(other.device() == input.device() && other.scalar_type() == type && other.sizes() == shape && other.is_contiguous(), name, " is ",
              other.scalar_type(), " of shape ", other.sizes(), " on ", other.device(), "; expected ", type, " of shape ", shape, " on ", input.device());
}

}  // namespace anyclass
