// anyclass::residual_batch_norm, ReLU(batchNorm(x) + residual) in training for channels-last maps on a GPU, the end of a residual block. The sum and
// the norm's result are never written: backward has the output, whose sign is the ReLU's mask, and the norm's input.
#include <torch/library.h>

#include "cudaNormTensors.h"

namespace anyclass {
namespace {

struct ResidualNorm : torch::autograd::Function<ResidualNorm> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const Tensor& residual, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                        const Tensor& runningVar, const Tensor& batches, const Tensor& finished, double momentum, double eps, bool absoluteWeight) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = normShapeOf(input, weight.size(0));
    const auto statistics = batchStatistics(input, weight, runningMean, runningVar, batches, finished, momentum, eps);
    const auto output = at::empty_like(input);
    checkLaunch(launchNormOutput(shape, parametersOf(weight, bias, {eps, 1, absoluteWeight}), input.data_ptr(), statisticsOf(statistics), residual.data_ptr(),
                                 output.data_ptr(), c10::cuda::getCurrentCUDAStream()));
    context->save_for_backward({input, weight, bias, statistics, finished, output});
    context->saved_data["eps"] = eps;
    context->saved_data["absoluteWeight"] = absoluteWeight;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    refuseSecondDerivatives("the fused end of a block");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight = saved[1], &bias = saved[2], &statistics = saved[3], &finished = saved[4], &output = saved[5];
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto shape = normShapeOf(input, weight.size(0));
    const auto parameters = parametersOf(weight, bias, {context->saved_data["eps"].toDouble(), 1, context->saved_data["absoluteWeight"].toBool()});
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto inputGradient = at::empty_like(input), sumGradient = at::empty_like(input);
    const auto weightGradient = at::empty_like(weight), biasGradient = at::empty_like(bias);
    const auto partials = partialsFor(shape, weight);
    const NormGradients results{inputGradient.data_ptr(), weightGradient.data_ptr<float>(), biasGradient.data_ptr<float>()};
    const RectifiedSum sum{output.data_ptr(), sumGradient.data_ptr()};
    checkLaunch(launchParameterGradients(shape, parameters, input.data_ptr(), statisticsOf(statistics), outputGradient.data_ptr(), &sum, scratchOf(partials, finished, 1),
                                         results, stream));
    checkLaunch(launchInputGradient(shape, parameters, input.data_ptr(), statisticsOf(statistics), sumGradient.data_ptr(), results, stream));
    torch::autograd::variable_list all(11);
    all[0] = inputGradient;
    all[1] = sumGradient;
    all[2] = weightGradient;
    all[3] = biasGradient;
    return all;
  }
};

Tensor residualBatchNorm(const Tensor& input, const Tensor& residual, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                         const Tensor& batches, const Tensor& finished, double momentum, double eps, bool absoluteWeight) {
  checkNorm(input, weight, bias, runningMean, runningVar, batches, finished);
  checkSame(input, residual, "residual");
  return ResidualNorm::apply(input, residual, weight, bias, runningMean, runningVar, batches, finished, momentum, eps, absoluteWeight);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def(
      "residual_batch_norm(Tensor input, Tensor residual, Tensor weight, Tensor bias, Tensor(a!) running_mean, Tensor(b!) running_var, Tensor(c!) batches, Tensor(d!) finished, "
      "float momentum, float eps, bool absolute_weight) -> Tensor",
      anyclass::residualBatchNorm);
}
