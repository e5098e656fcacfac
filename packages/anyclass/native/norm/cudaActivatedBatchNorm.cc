// anyclass::activated_batch_norm, activation(batchNorm(x)) in training for channels-last maps on a GPU: the checks, and the
// kernels with their gradient. For backward it keeps the input and two numbers per channel, but not the output. The
// activation is GELU if no negative slope is given. With a process group, the statistics are those of all its ranks.
#include <torch/library.h>

#include "cudaNormTensors.h"
#include "synchronizedStatistics.h"

namespace anyclass {
namespace {

struct FusedNorm : torch::autograd::Function<FusedNorm> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                        const Tensor& batches, const Tensor& finished, double momentum, double eps, c10::optional<double> slope, bool absoluteWeight, c10::optional<int64_t> group) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = normShapeOf(input, weight.size(0));
    const auto output = at::empty_like(input);
    // With momentum 1, running statistics of zeros become this rank's mean and variance.
    const auto own = group ? at::zeros({2, shape.known}, weight.options()) : Tensor();
    const auto statistics = group ? batchStatistics(input, weight, own.select(0, 0), own.select(0, 1), batches, finished, 1, eps)
                                  : batchStatistics(input, weight, runningMean, runningVar, batches, finished, momentum, eps);
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
    checkLaunch(launchNormOutput(shape, parametersOf(weight, bias, {eps, slope, absoluteWeight}), input.data_ptr(), statisticsOf(statistics), nullptr, output.data_ptr(),
                                 c10::cuda::getCurrentCUDAStream()));
    context->save_for_backward({input, weight, bias, statistics, finished, share});
    context->saved_data["eps"] = eps;
    context->saved_data["slope"] = slope;
    context->saved_data["absoluteWeight"] = absoluteWeight;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    refuseSecondDerivatives("the fused batch norm");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight = saved[1], &bias = saved[2], &statistics = saved[3], &finished = saved[4], &share = saved[5];
    const NormSettings settings{context->saved_data["eps"].toDouble(), context->saved_data["slope"].toOptional<double>(), context->saved_data["absoluteWeight"].toBool()};
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = normShapeOf(input, weight.size(0));
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto inputGradient = at::empty_like(input), weightGradient = at::empty_like(weight), biasGradient = at::empty_like(bias);
    const auto partials = partialsFor(shape, weight);
    const NormGradients results{inputGradient.data_ptr(), weightGradient.data_ptr<float>(), biasGradient.data_ptr<float>()};
    const auto parameters = parametersOf(weight, bias, settings);
    checkLaunch(launchParameterGradients(shape, parameters, input.data_ptr(), statisticsOf(statistics), outputGradient.data_ptr(), nullptr, scratchOf(partials, finished, 1),
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
    torch::autograd::variable_list all(12);
    all[0] = inputGradient;
    all[1] = weightGradient;
    all[2] = biasGradient;
    return all;
  }
};

Tensor activatedBatchNorm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                          const Tensor& batches, const Tensor& finished, double momentum, double eps, c10::optional<double> slope, bool absoluteWeight, c10::optional<int64_t> group) {
  checkNorm(input, weight, bias, runningMean, runningVar, batches, finished);
  return FusedNorm::apply(input, weight, bias, runningMean, runningVar, batches, finished, momentum, eps, slope, absoluteWeight, group);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def(
      "activated_batch_norm(Tensor input, Tensor weight, Tensor bias, Tensor(a!) running_mean, Tensor(b!) running_var, Tensor(c!) batches, Tensor(d!) finished, "
      "float momentum, float eps, float? negative_slope, bool absolute_weight, int? group=None) -> Tensor",
      anyclass::activatedBatchNorm);
}
