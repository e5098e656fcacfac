// Pools of channels-last maps on a GPU that halve height and width, with their gradients: anyclass::blur_pool, a 3x3 filter per channel with stride 2 and
// reflected edges, whose filters are not trained, and anyclass::mean_pool, the mean of 2x2 or 3x3 pixels.
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "../shared/cudaTensors.h"
#include "cudaKernels.h"

namespace anyclass {
namespace {

using at::Tensor;

PoolShape shapeOf(at::IntArrayRef sizes, at::ScalarType type, int64_t known) {
  return {elementTypeOf(type), static_cast<int>(sizes[0]), static_cast<int>(sizes[2]), static_cast<int>(sizes[3]), static_cast<int>(sizes[1]), static_cast<int>(known)};
}

Tensor emptyOutput(const Tensor& input, const PoolShape& shape) {
  return at::empty({shape.images, shape.channels, shape.outputHeight(), shape.outputWidth()}, input.options(), at::MemoryFormat::ChannelsLast);
}

void refuseSecondDerivatives() {
  TORCH_CHECK(!at::GradMode::is_enabled(), "the fused pools have no second derivatives: use float64 maps, whose pools are composed of operators that do");
}

struct Blur : torch::autograd::Function<Blur> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const Tensor& filters) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = shapeOf(input.sizes(), input.scalar_type(), filters.size(1));
    const auto output = emptyOutput(input, shape);
    checkLaunch(launchBlur(shape, input.data_ptr(), filters.data_ptr<float>(), output.data_ptr(), c10::cuda::getCurrentCUDAStream()));
    context->save_for_backward({filters});
    context->saved_data["sizes"] = input.sizes().vec();
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    refuseSecondDerivatives();
    at::AutoDispatchBelowADInplaceOrView below;
    const auto filters = context->get_saved_variables()[0];
    const auto sizes = context->saved_data["sizes"].toIntVector();
    const c10::DeviceGuard guard(filters.device());
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const auto inputGradient = at::empty(sizes, outputGradient.options(), at::MemoryFormat::ChannelsLast);
    checkLaunch(launchBlurGradient(shapeOf(sizes, outputGradient.scalar_type(), filters.size(1)), outputGradient.data_ptr(), filters.data_ptr<float>(),
                                   inputGradient.data_ptr(), c10::cuda::getCurrentCUDAStream()));
    return {inputGradient, Tensor()};
  }
};

struct Mean : torch::autograd::Function<Mean> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, int64_t side) {
    at::AutoDispatchBelowADInplaceOrView below;
    const c10::DeviceGuard guard(input.device());
    const auto shape = shapeOf(input.sizes(), input.scalar_type(), input.size(1));
    const auto output = emptyOutput(input, shape);
    checkLaunch(launchMeanPool(shape, static_cast<int>(side), input.data_ptr(), output.data_ptr(), c10::cuda::getCurrentCUDAStream()));
    context->saved_data["sizes"] = input.sizes().vec();
    context->saved_data["side"] = side;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    refuseSecondDerivatives();
    at::AutoDispatchBelowADInplaceOrView below;
    const auto sizes = context->saved_data["sizes"].toIntVector();
    const int side = static_cast<int>(context->saved_data["side"].toInt());
    const auto outputGradient = gradients[0].contiguous(at::MemoryFormat::ChannelsLast);
    const c10::DeviceGuard guard(outputGradient.device());
    const auto inputGradient = at::empty(sizes, outputGradient.options(), at::MemoryFormat::ChannelsLast);
    checkLaunch(launchMeanPoolGradient(shapeOf(sizes, outputGradient.scalar_type(), sizes[1]), side, outputGradient.data_ptr(), inputGradient.data_ptr(),
                                       c10::cuda::getCurrentCUDAStream()));
    return {inputGradient, Tensor()};
  }
};

void checkMaps(const Tensor& input, int64_t least) {
  TORCH_CHECK(input.is_cuda() && isFloatOrHalf(input.scalar_type()) && input.dim() == 4 && input.numel() > 0, "input is ", input.scalar_type(), " of shape ",
              input.sizes(), " on ", input.device(), "; expected maps of float32, float16 or bfloat16 on a GPU");
  TORCH_CHECK(input.is_contiguous(at::MemoryFormat::ChannelsLast), "input of shape ", input.sizes(), " and strides ", input.strides(),
              " is not in channels-last memory");
  TORCH_CHECK(input.size(1) % 8 == 0 && input.size(2) >= least && input.size(3) >= least, "input has shape ", input.sizes(), "; expected a multiple of 8 channels, and ",
              least, " or more rows and columns");
}

Tensor blurPool(const Tensor& input, const Tensor& filter) {
  checkMaps(input, 2);
  TORCH_CHECK(filter.dim() == 4 && filter.size(0) <= input.size(1) && filter.numel() == 9 * filter.size(0) && filter.device() == input.device(), "filter has shape ",
              filter.sizes(), " on ", filter.device(), "; expected [channels, 1, 3, 3] on ", input.device());
  return Blur::apply(input, filter.detach().to(at::kFloat).reshape({filter.size(0), 9}).t().contiguous());
}

Tensor meanPool(const Tensor& input, int64_t side) {
  checkMaps(input, 1);
  TORCH_CHECK(side == 2 || side == 3, "side ", side, "; expected 2 or 3");
  return Mean::apply(input, side);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("blur_pool(Tensor input, Tensor filter) -> Tensor", anyclass::blurPool);
  m.def("mean_pool(Tensor input, int side) -> Tensor", anyclass::meanPool);
}
