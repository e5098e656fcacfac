// What the kernels of batch norm get from tensors.
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>

#include "../shared/cudaTensors.h"
#include "cudaExciteKernels.h"

namespace anyclass {

using at::Tensor;
using MaybeTensor = c10::optional<Tensor>;

struct NormSettings {
  double eps;
  c10::optional<double> slope;  // none is GELU
  bool absoluteWeight;
};

inline NormShape normShapeOf(const Tensor& input, int64_t known) {
  const int64_t channels = input.size(1);
  return {elementTypeOf(input.scalar_type()), input.numel() / channels, channels, known};
}

inline ExciteShape exciteShapeOf(const Tensor& input, int64_t known) {
  return {elementTypeOf(input.scalar_type()), input.size(0), input.size(2) * input.size(3), input.size(1), known};
}

inline NormParameters parametersOf(const Tensor& weight, const Tensor& bias, const NormSettings& settings) {
  return {weight.data_ptr<float>(),
          bias.data_ptr<float>(),
          static_cast<float>(settings.eps),
          settings.slope ? NormActivation::leaky : NormActivation::gelu,
          static_cast<float>(settings.slope.value_or(1)),
          settings.absoluteWeight};
}

inline NormStatistics statisticsOf(const Tensor& statistics) {
  float* first = statistics.data_ptr<float>();
  return {first, first + statistics.size(1)};
}

// Forward and backward of one norm may run at the same time: each has its own row of the counters.
inline NormScratch scratchOf(const Tensor& partials, const Tensor& finished, int row) {
  return {partials.data_ptr<float>(), reinterpret_cast<unsigned*>(finished.data_ptr<int>()) + row * finished.size(1)};
}

inline Tensor partialsFor(const NormShape& shape, const Tensor& weight) { return at::empty({static_cast<int64_t>(normScratch(shape))}, weight.options()); }

// Returns the statistics of a batch, [2, known], updates the running ones and counts the batch.
inline Tensor batchStatistics(const Tensor& input, const Tensor& weight, const Tensor& runningMean, const Tensor& runningVar, const Tensor& batches, const Tensor& finished,
                              double momentum, double eps) {
  const auto shape = normShapeOf(input, weight.size(0));
  const auto statistics = at::empty({2, shape.known}, weight.options());
  const auto partials = partialsFor(shape, weight);
  const RunningStatistics running{runningMean.data_ptr<float>(), runningVar.data_ptr<float>(), batches.data_ptr<int64_t>(), static_cast<float>(momentum)};
  checkLaunch(launchNormStatistics(shape, static_cast<float>(eps), input.data_ptr(), statisticsOf(statistics), running, scratchOf(partials, finished, 0),
                                   c10::cuda::getCurrentCUDAStream()));
  return statistics;
}

constexpr NormStatistics kNoStatistics{nullptr, nullptr};

// Sums the results of the parts into which a reduction over positions was cut.
inline Tensor withoutParts(const Tensor& results) { return results.size(0) == 1 ? results.select(0, 0) : results.sum(0); }

// The sums of a float32 matrix's columns; libtorch's take several times as long for few rows.
inline Tensor columnSums(const Tensor& matrix) {
  const auto table = matrix.contiguous(), sums = at::empty({matrix.size(1)}, matrix.options());
  checkLaunch(launchSums(table.data_ptr<float>(), table.size(0), table.size(1), sums.data_ptr<float>(), c10::cuda::getCurrentCUDAStream()));
  return sums;
}

inline void checkMaps(const Tensor& input, const char* name = "input") {
  TORCH_CHECK(input.is_cuda() && isFloatOrHalf(input.scalar_type()), name, " is ", input.scalar_type(), " on ", input.device(),
              "; expected float32, float16 or bfloat16 on a GPU");
  TORCH_CHECK(input.dim() == 4 && input.is_contiguous(at::MemoryFormat::ChannelsLast), name, " of shape ", input.sizes(), " and strides ", input.strides(),
              " is not in channels-last memory");
}

inline void checkSame(const Tensor& input, const Tensor& other, const char* name) {
  checkMaps(other, name);
  TORCH_CHECK(other.sizes() == input.sizes() && other.scalar_type() == input.scalar_type() && other.device() == input.device(), name, " is ", other.scalar_type(), " of shape ",
              other.sizes(), " on ", other.device(), "; expected ", input.scalar_type(), " of shape ", input.sizes(), " on ", input.device());
}

// Maps may have more channels than the norm, for padding.
inline void checkNorm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar, const Tensor& batches,
                      const Tensor& finished) {
  checkMaps(input);
  TORCH_CHECK(input.numel() > input.size(1), "input of shape ", input.sizes(), " has fewer than two values a channel");
  TORCH_CHECK(weight.dim() == 1 && weight.size(0) <= input.size(1), "weight has shape ", weight.sizes(), "; expected at most the ", input.size(1), " channels of the input");
  const auto known = weight.sizes();
  checkTensor(input, weight, at::kFloat, known, "weight");
  checkTensor(input, bias, at::kFloat, known, "bias");
  checkTensor(input, runningMean, at::kFloat, known, "running_mean");
  checkTensor(input, runningVar, at::kFloat, known, "running_var");
  checkTensor(input, batches, at::kLong, {}, "batches");
  checkTensor(input, finished, at::kInt, {2, input.size(1)}, "finished");
}

inline void refuseSecondDerivatives(const char* what) {
  TORCH_CHECK(!at::GradMode::is_enabled(), what, " has no second derivatives: use float64 maps, whose norm is composed of operators that do");
}

}  // namespace anyclass
