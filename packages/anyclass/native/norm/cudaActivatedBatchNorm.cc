// anyclass::activated_batch_norm, activation(batchNorm(x)) in training for channels-last maps on a GPU: the checks, and the
// kernels with their gradient. For backward it keeps the input and two numbers per channel, but not the output. The
// activation is GELU if no negative slope is given. With a process group, the statistics are those of all its ranks.
#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "../shared/cudaTensors.h"
#include "cudaBatchNormKernels.h"
#include "synchronizedStatistics.h"

namespace anyclass {
namespace {

using at::Tensor;

struct Settings {
  double eps;
  c10::optional<double> slope;
  bool absoluteWeight;
};

NormShape shapeOf(const Tensor& input) {
  const int64_t channels = input.size(1);
  return {elementTypeOf(input.scalar_type()), input.numel() / channels, channels};
}

NormParameters parametersOf(const Tensor& weight, const Tensor& bias, const Settings& settings) {
  return {weight.data_ptr<float>(),
          bias.data_ptr<float>(),
          static_cast<float>(settings.eps),
          settings.slope ? NormActivation::leaky : NormActivation::gelu,
          static_cast<float>(settings.slope.value_or(1)),
          settings.absoluteWeight};
}

NormStatistics statisticsOf(const Tensor& statistics) {
  float* first = statistics.data_ptr<float>();
  return {first, first + statistics.size(1)};
}

// Forward and backward of one norm may run at the same time: each has its own row of the counters.
NormScratch scratchOf(const Tensor& partials, const Tensor& finished, int row) {
  return {partials.data_ptr<float>(), reinterpret_cast<unsigned*>(finished.data_ptr<int>()) + row * finished.size(1)};
}

struct FusedNorm : torch::autograd::Function<FusedNorm> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                        const Tensor& finished, double momentum, double eps, c10::optional<double> slope, bool absoluteWeight, c10::optional<int64_t> group) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = shapeOf(input);
    const auto output = at::empty_like(input);
    const auto statistics = at::empty({2, shape.channels}, weight.options());
    const auto partials = at::empty({static_cast<int64_t>(normScratch(shape))}, weight.options());
    const auto scratch = scratchOf(partials, finished, 0);
    // With momentum 1, running statistics of zeros become this rank's mean and variance.
    const auto own = group ? at::zeros({2, shape.channels}, weight.options()) : Tensor();
    const RunningStatistics running = group ? RunningStatistics{statisticsOf(own).mean, statisticsOf(own).inverseDeviation, 1}
                                            : RunningStatistics{runningMean.data_ptr<float>(), runningVar.data_ptr<float>(), static_cast<float>(momentum)};
    checkLaunch(launchNormStatistics(shape, static_cast<float>(eps), input.data_ptr(), statisticsOf(statistics), running, scratch, c10::cuda::getCurrentCUDAStream()));
    auto share = Tensor();
    if (group) {
      const auto variance = own.select(0, 1) * (static_cast<double>(shape.rows - 1) / shape.rows);
      const auto ofAll = synchronizedStatistics(own.select(0, 0), variance, shape.rows, *group);
      updateRunning(ofAll, momentum, runningMean, runningVar);
      statistics.select(0, 0).copy_(ofAll.mean);
      statistics.select(0, 1).copy_((ofAll.variance + eps).rsqrt());
      share = shape.rows / ofAll.rows;
      context->saved_data["group"] = *group;
    }
    checkLaunch(launchNormOutput(shape, parametersOf(weight, bias, {eps, slope, absoluteWeight}), input.data_ptr(), statisticsOf(statistics), output.data_ptr(),
                                 c10::cuda::getCurrentCUDAStream()));
    context->save_for_backward({input, weight, bias, statistics, finished, share});
    context->saved_data["eps"] = eps;
    context->saved_data["slope"] = slope;
    context->saved_data["absoluteWeight"] = absoluteWeight;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the fused batch norm has no second derivatives: use float64 maps, whose norm is composed of operators that do");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight = saved[1], &bias = saved[2], &statistics = saved[3], &finished = saved[4], &share = saved[5];
    const Settings settings{context->saved_data["eps"].toDouble(), context->saved_data["slope"].toOptional<double>(), context->saved_data["absoluteWeight"].toBool()};
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = shapeOf(input);
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto inputGradient = at::empty_like(input), weightGradient = at::empty_like(weight), biasGradient = at::empty_like(bias);
    const auto partials = at::empty({static_cast<int64_t>(normScratch(shape))}, weight.options());
    const NormGradients results{inputGradient.data_ptr(), weightGradient.data_ptr<float>(), biasGradient.data_ptr<float>()};
    const auto parameters = parametersOf(weight, bias, settings);
    checkLaunch(launchParameterGradients(shape, parameters, input.data_ptr(), statisticsOf(statistics), outputGradient.data_ptr(), scratchOf(partials, finished, 1),
                                         results, c10::cuda::getCurrentCUDAStream()));
    // The kernel divides by this rank's number of rows, so the sums over all ranks are scaled accordingly.
    auto sums = Tensor();
    if (share.defined()) {
      const auto inDoubles = at::stack({weightGradient, biasGradient}).to(at::kDouble);  // like the composed norm, which other ranks may use
      sumOverRanks(inDoubles, context->saved_data["group"].toInt());
      sums = inDoubles.mul_(share).to(at::kFloat);
    }
    const auto ofAll = share.defined() ? NormGradients{results.input, sums.select(0, 0).data_ptr<float>(), sums.select(0, 1).data_ptr<float>()} : results;
    checkLaunch(launchInputGradient(shape, parameters, input.data_ptr(), statisticsOf(statistics), outputGradient.data_ptr(), ofAll,
                                    c10::cuda::getCurrentCUDAStream()));
    torch::autograd::variable_list all(11);
    all[0] = inputGradient;
    all[1] = weightGradient;
    all[2] = biasGradient;
    return all;
  }
};

void checkInput(const Tensor& input) {
  TORCH_CHECK(input.is_cuda() && isFloatOrHalf(input.scalar_type()), "input is ", input.scalar_type(), " on ", input.device(),
              "; expected float32, float16 or bfloat16 on a GPU");
  TORCH_CHECK(input.dim() == 4 && input.is_contiguous(at::MemoryFormat::ChannelsLast), "input of shape ", input.sizes(), " and strides ", input.strides(),
              " is not in channels-last memory");
  TORCH_CHECK(input.numel() > input.size(1), "input of shape ", input.sizes(), " has fewer than two values a channel");
}

Tensor activatedBatchNorm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                          const Tensor& finished, double momentum, double eps, c10::optional<double> slope, bool absoluteWeight, c10::optional<int64_t> group) {
  checkInput(input);
  const auto channels = input.sizes().slice(1, 1);
  checkTensor(input, weight, at::kFloat, channels, "weight");
  checkTensor(input, bias, at::kFloat, channels, "bias");
  checkTensor(input, runningMean, at::kFloat, channels, "running_mean");
  checkTensor(input, runningVar, at::kFloat, channels, "running_var");
  checkTensor(input, finished, at::kInt, {2, input.size(1)}, "finished");
  return FusedNorm::apply(input, weight, bias, runningMean, runningVar, finished, momentum, eps, slope, absoluteWeight, group);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def(
      "activated_batch_norm(Tensor input, Tensor weight, Tensor bias, Tensor(a!) running_mean, Tensor(b!) running_var, Tensor(c!) finished, "
      "float momentum, float eps, float? negative_slope, bool absolute_weight, int? group=None) -> Tensor",
      anyclass::activatedBatchNorm);
}
