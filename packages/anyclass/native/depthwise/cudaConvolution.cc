// anyclass::depthwise_convolution, a 3x3 kernel per channel with padding 1, on channels-last maps on a GPU: the checks, and
// the kernels with their gradient. With biases it computes GELU(convolution + bias), for inference only.
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "../shared/cudaTensors.h"
#include "cudaKernels.h"

namespace anyclass {
namespace {

using at::Tensor;
using MaybeTensor = c10::optional<Tensor>;

DepthwiseShape shapeOf(const Tensor& input, int64_t stride) {
  return {elementTypeOf(input.scalar_type()), static_cast<int>(input.size(0)), static_cast<int>(input.size(2)), static_cast<int>(input.size(3)),
          static_cast<int>(input.size(1)), static_cast<int>(stride)};
}

Tensor convolve(const Tensor& input, const Tensor& weight, const float* bias, int64_t stride) {
  const c10::DeviceGuard guard(input.device());
  const auto shape = shapeOf(input, stride);
  const auto output = at::empty({shape.images, shape.channels, shape.outputHeight(), shape.outputWidth()}, input.options(), at::MemoryFormat::ChannelsLast);
  checkLaunch(launchDepthwise(shape, input.data_ptr(), weight.data_ptr<float>(), bias, output.data_ptr(), c10::cuda::getCurrentCUDAStream()));
  return output;
}

// Weights are float32 [9, channels] here, the layout that the kernels read.
struct Depthwise : torch::autograd::Function<Depthwise> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const Tensor& weight, int64_t stride) {
    at::AutoDispatchBelowADInplaceOrView below;
    context->save_for_backward({input, weight});
    context->saved_data["stride"] = stride;
    return convolve(input, weight, nullptr, stride);
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the depthwise convolution has no second derivatives: use float64 maps, whose convolution is libtorch's");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight = saved[1];
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto stream = c10::cuda::getCurrentCUDAStream();
    const auto shape = shapeOf(input, context->saved_data["stride"].toInt());
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto inputGradient = at::empty_like(input), weightGradient = at::empty_like(weight);
    const auto partials = at::empty({static_cast<int64_t>(depthwiseScratch(shape))}, weight.options());
    checkLaunch(launchDepthwiseInputGradient(shape, outputGradient.data_ptr(), weight.data_ptr<float>(), inputGradient.data_ptr(), stream));
    checkLaunch(launchDepthwiseWeightGradient(shape, input.data_ptr(), outputGradient.data_ptr(), partials.data_ptr<float>(), weightGradient.data_ptr<float>(),
                                              stream));
    return {inputGradient, weightGradient, Tensor()};
  }
};

Tensor depthwiseConvolution(const Tensor& given, const Tensor& weight, const MaybeTensor& bias, int64_t stride) {
  const auto input = given.to(autocastType(given.scalar_type()));
  TORCH_CHECK(input.is_cuda() && isFloatOrHalf(input.scalar_type()) && input.dim() == 4 && input.numel() > 0, "input is ", input.scalar_type(), " of shape ",
              input.sizes(), " on ", input.device(), "; expected maps of float32, float16 or bfloat16 on a GPU");
  TORCH_CHECK(input.is_contiguous(at::MemoryFormat::ChannelsLast), "input of shape ", input.sizes(), " and strides ", input.strides(),
              " is not in channels-last memory");
  const int64_t channels = input.size(1);
  TORCH_CHECK(channels % 4 == 0, channels, " channels; expected a multiple of 4");
  TORCH_CHECK(stride == 1 || stride == 2, "stride ", stride, "; expected 1 or 2");
  const int64_t shape[] = {channels, 1, 3, 3};
  TORCH_CHECK(weight.sizes() == at::IntArrayRef(shape) && weight.device() == input.device(), "weight has shape ", weight.sizes(), " on ", weight.device(),
              "; expected ", at::IntArrayRef(shape), " on ", input.device());
  const auto taps = weight.to(at::kFloat).reshape({channels, 9}).t().contiguous();
  if (!bias) return Depthwise::apply(input, taps, stride);
  TORCH_CHECK(!at::GradMode::is_enabled() || !(input.requires_grad() || taps.requires_grad() || bias->requires_grad()),
              "the depthwise convolution with biases is for inference: it has no gradient");
  const auto plainBias = bias->to(at::kFloat).contiguous();
  checkTensor(input, plainBias, at::kFloat, input.sizes().slice(1, 1), "bias");
  return convolve(input, taps, plainBias.data_ptr<float>(), stride);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("depthwise_convolution(Tensor input, Tensor weight, Tensor? bias, int stride) -> Tensor", anyclass::depthwiseConvolution);
}
