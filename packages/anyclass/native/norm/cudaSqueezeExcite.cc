// anyclass::squeeze_excite, s · x with s = gate(fc2(activation(fc1(the means of x)))) for channels-last maps on a GPU: two passes over the maps forward and two
// backward, where libtorch's operators take seven and eleven.
#include <torch/library.h>

#include "cudaNormTensors.h"

namespace anyclass {
namespace {

constexpr NormParameters kNoNorm{nullptr, nullptr, 0, NormActivation::leaky, 1, false};
struct SqueezeExcite : torch::autograd::Function<SqueezeExcite> {
  using Context = torch::autograd::AutogradContext;

  // Weights are float32 matrices here.
  static Tensor forward(Context* context, const Tensor& input, const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2, bool isSilu, bool isHard) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::impl::ExcludeDispatchKeyGuard inFloat32(c10::DispatchKey::AutocastCUDA);
    const c10::DeviceGuard guard(input.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto shape = exciteShapeOf(input, input.size(1));
    const auto parts = at::empty({exciteParts(shape), shape.images, shape.known}, weight1.options());
    checkLaunch(launchSqueeze(shape, kNoNorm, input.data_ptr(), kNoStatistics, parts.data_ptr<float>(), stream));
    const auto means = withoutParts(parts);
    const auto first = at::addmm(bias1, means, weight1.t());
    const auto hidden = isSilu ? at::silu(first) : at::relu(first);
    const auto second = at::addmm(bias2, hidden, weight2.t());
    const auto scales = isHard ? at::hardsigmoid(second) : at::sigmoid(second);
    const auto output = at::empty_like(input);
    checkLaunch(launchExcite(shape, kNoNorm, input.data_ptr(), kNoStatistics, scales.data_ptr<float>(), nullptr, output.data_ptr(), stream));
    context->save_for_backward({input, weight1, weight2, means, first, hidden, second, scales});
    context->saved_data["isSilu"] = isSilu;
    context->saved_data["isHard"] = isHard;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    refuseSecondDerivatives("the fused squeeze-and-excitation");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight1 = saved[1], &weight2 = saved[2], &means = saved[3], &first = saved[4], &hidden = saved[5], &second = saved[6], &scales = saved[7];
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto shape = exciteShapeOf(input, input.size(1));
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto parts = at::empty({exciteParts(shape), 4, shape.images, shape.known}, weight1.options());
    checkLaunch(launchExciteSums(shape, kNoNorm, input.data_ptr(), kNoStatistics, outputGradient.data_ptr(), nullptr, parts.data_ptr<float>(), stream));
    const auto ofScales = withoutParts(parts).select(0, 1);  // Σ g x
    const auto ofSecond = context->saved_data["isHard"].toBool() ? at::hardsigmoid_backward(ofScales, second) : at::sigmoid_backward(ofScales, scales);
    const auto ofHidden = ofSecond.mm(weight2);
    const auto ofFirst = context->saved_data["isSilu"].toBool() ? at::silu_backward(ofHidden, first) : at::threshold_backward(ofHidden, hidden, 0);
    const auto ofMeans = ofFirst.mm(weight1);
    const auto inputGradient = at::empty_like(input);
    checkLaunch(launchExcitedInputGradient(shape, kNoNorm, input.data_ptr(), kNoStatistics, outputGradient.data_ptr(), scales.data_ptr<float>(), ofMeans.data_ptr<float>(),
                                           {inputGradient.data_ptr(), nullptr, nullptr}, stream));
    return {inputGradient, ofFirst.t().mm(means), columnSums(ofFirst), ofSecond.t().mm(hidden), columnSums(ofSecond), Tensor(), Tensor()};
  }
};

Tensor squeezeExcite(const Tensor& input, const Tensor& weight1, const Tensor& bias1, const Tensor& weight2, const Tensor& bias2, bool isSilu, bool isHard) {
  checkMaps(input);
  const int64_t channels = input.size(1);
  TORCH_CHECK(channels % 8 == 0, channels, " channels; expected a multiple of 8");
  const auto matrix = [](const Tensor& weight) { return weight.flatten(1).to(at::kFloat).contiguous(); };
  const auto first = matrix(weight1), second = matrix(weight2), ofFirst = bias1.to(at::kFloat), ofSecond = bias2.to(at::kFloat);
  const int64_t hidden = first.size(0);
  checkTensor(input, first, at::kFloat, {hidden, channels}, "fc1_weight");
  checkTensor(input, ofFirst, at::kFloat, {hidden}, "fc1_bias");
  checkTensor(input, second, at::kFloat, {channels, hidden}, "fc2_weight");
  checkTensor(input, ofSecond, at::kFloat, {channels}, "fc2_bias");
  return SqueezeExcite::apply(input, first, ofFirst, second, ofSecond, isSilu, isHard);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("squeeze_excite(Tensor input, Tensor fc1_weight, Tensor fc1_bias, Tensor fc2_weight, Tensor fc2_bias, bool silu, bool hard_gate) -> Tensor", anyclass::squeezeExcite);
}
