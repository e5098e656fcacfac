// anyclass::excited_batch_norm, squeeze-and-excitation of an activated batch norm in training for channels-last maps on a GPU: s · activation(batchNorm(x)),
// or with a residual ReLU(s · activation(batchNorm(x)) + residual), with s = sigmoid(fc2(ReLU(fc1(the means of the activated norm)))). The maps between x and the
// output are never written, and the two small layers and their gradients are here too, because the gradient of x needs theirs in the middle.
#include <torch/library.h>

#include "cudaNormTensors.h"

namespace anyclass {
namespace {

// A layer's weight may be that of a 1x1 convolution.
Tensor matrixOf(const Tensor& weight) { return weight.flatten(1); }

struct ExcitedNorm : torch::autograd::Function<ExcitedNorm> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const MaybeTensor& residual, const Tensor& weight, const Tensor& bias, const Tensor& runningMean,
                        const Tensor& runningVar, const Tensor& batches, const Tensor& finished, const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2,
                        double momentum, double eps, double slope, bool absoluteWeight) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::impl::ExcludeDispatchKeyGuard inFloat32(c10::DispatchKey::AutocastCUDA);
    const c10::DeviceGuard guard(input.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto shape = exciteShapeOf(input, weight.size(0));
    const auto statistics = batchStatistics(input, weight, runningMean, runningVar, batches, finished, momentum, eps);
    const auto parameters = parametersOf(weight, bias, {eps, slope, absoluteWeight});
    const auto parts = at::empty({exciteParts(shape), shape.images, shape.known}, weight.options());
    checkLaunch(launchSqueeze(shape, parameters, input.data_ptr(), statisticsOf(statistics), parts.data_ptr<float>(), stream));
    const auto means = withoutParts(parts);
    const auto hidden = at::addmm(bias1, means, matrixOf(weight1).t()).relu_();
    const auto scales = at::addmm(bias2, hidden, matrixOf(weight2).t()).sigmoid_();
    const auto output = at::empty_like(input);
    checkLaunch(launchExcite(shape, parameters, input.data_ptr(), statisticsOf(statistics), scales.data_ptr<float>(), residual ? residual->data_ptr() : nullptr,
                             output.data_ptr(), stream));
    context->save_for_backward({input, weight, bias, statistics, weight1, weight2, means, hidden, scales, residual ? output : Tensor()});
    context->saved_data["eps"] = eps;
    context->saved_data["slope"] = slope;
    context->saved_data["absoluteWeight"] = absoluteWeight;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    refuseSecondDerivatives("the fused squeeze-and-excitation");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight = saved[1], &bias = saved[2], &statistics = saved[3], &weight1 = saved[4], &weight2 = saved[5], &means = saved[6], &hidden = saved[7],
               &scales = saved[8], &output = saved[9];
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto shape = exciteShapeOf(input, weight.size(0));
    const auto ofBatch = statisticsOf(statistics);
    const auto parameters =
        parametersOf(weight, bias, {context->saved_data["eps"].toDouble(), context->saved_data["slope"].toDouble(), context->saved_data["absoluteWeight"].toBool()});
    const bool isRectified = output.defined();
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto scaledGradient = isRectified ? at::empty_like(input) : outputGradient;
    const RectifiedSum sum{isRectified ? output.data_ptr() : nullptr, scaledGradient.data_ptr()};
    const auto parts = at::empty({exciteParts(shape), 4, shape.images, shape.known}, weight.options());
    checkLaunch(launchExciteSums(shape, parameters, input.data_ptr(), ofBatch, outputGradient.data_ptr(), isRectified ? &sum : nullptr, parts.data_ptr<float>(), stream));
    const auto sums = withoutParts(parts);

    // Through the sigmoid, fc2, the ReLU and fc1, down to the means.
    const auto logitGradient = at::empty_like(scales);
    checkLaunch(launchScaleGradient(shape, parameters, ofBatch, sums.data_ptr<float>(), scales.data_ptr<float>(), logitGradient.data_ptr<float>(), stream));
    const auto hiddenGradient = at::threshold_backward(logitGradient.mm(matrixOf(weight2)), hidden, 0);
    const auto meanGradient = hiddenGradient.mm(matrixOf(weight1));

    const auto inputGradient = at::empty_like(input), weightGradient = at::empty_like(weight), biasGradient = at::empty_like(bias);
    const NormGradients results{inputGradient.data_ptr(), weightGradient.data_ptr<float>(), biasGradient.data_ptr<float>()};
    checkLaunch(launchExcitedParameterGradients(shape, parameters, ofBatch, sums.data_ptr<float>(), scales.data_ptr<float>(), meanGradient.data_ptr<float>(), results, stream));
    checkLaunch(launchExcitedInputGradient(shape, parameters, input.data_ptr(), ofBatch, scaledGradient.data_ptr(), scales.data_ptr<float>(),
                                           meanGradient.data_ptr<float>(), results, stream));
    torch::autograd::variable_list all(16);
    all[0] = inputGradient;
    if (isRectified) all[1] = scaledGradient;
    all[2] = weightGradient;
    all[3] = biasGradient;
    all[8] = hiddenGradient.t().mm(means).view_as(weight1);
    all[9] = columnSums(hiddenGradient);
    all[10] = logitGradient.t().mm(hidden).view_as(weight2);
    all[11] = columnSums(logitGradient);
    return all;
  }
};

void checkLayer(const Tensor& input, const Tensor& weight, const Tensor& bias, int64_t inputs, int64_t outputs, const char* name) {
  TORCH_CHECK(weight.dim() >= 2 && weight.size(0) == outputs && weight.numel() == inputs * outputs && weight.scalar_type() == at::kFloat && weight.device() == input.device(), name,
              " is ", weight.scalar_type(), " of shape ", weight.sizes(), " on ", weight.device(), "; expected float32 of ", outputs, " by ", inputs, " on ", input.device());
  checkTensor(input, bias, at::kFloat, {outputs}, name);
}

Tensor excitedBatchNorm(const Tensor& input, const MaybeTensor& residual, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                        const Tensor& batches, const Tensor& finished, const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2, double momentum, double eps,
                        double slope, bool absoluteWeight) {
  checkNorm(input, weight, bias, runningMean, runningVar, batches, finished);
  TORCH_CHECK(input.size(1) % 8 == 0, input.size(1), " channels; expected a multiple of 8");
  if (residual) checkSame(input, *residual, "residual");
  checkLayer(input, weight1, bias1, weight.size(0), weight1.size(0), "fc1");
  checkLayer(input, weight2, bias2, weight1.size(0), weight.size(0), "fc2");
  return ExcitedNorm::apply(input, residual, weight, bias, runningMean, runningVar, batches, finished, weight1, bias1, weight2, bias2, momentum, eps, slope, absoluteWeight);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def(
      "excited_batch_norm(Tensor input, Tensor? residual, Tensor weight, Tensor bias, Tensor(a!) running_mean, Tensor(b!) running_var, Tensor(c!) batches, Tensor(d!) finished, "
      "Tensor fc1_weight, Tensor fc1_bias, Tensor fc2_weight, Tensor fc2_bias, float momentum, float eps, float negative_slope, bool absolute_weight) -> Tensor",
      anyclass::excitedBatchNorm);
}
