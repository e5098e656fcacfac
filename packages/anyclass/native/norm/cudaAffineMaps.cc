// The same for inference, where a norm is a scale and a shift per channel, or only a shift if the scale is folded into the convolution before it:
// anyclass::affine_squeeze, the means of activation(scale · x + shift), and anyclass::affine_excite_, which replaces x by excitation · activation(scale · x + shift), or
// with a residual by ReLU of its sum with that.
#include <torch/library.h>

#include "cudaNormTensors.h"

namespace anyclass {
namespace {

struct Affine {
  Tensor scale, shift;
  NormParameters parameters;
};

Affine affineOf(const Tensor& input, const MaybeTensor& scale, const Tensor& shift, double slope) {
  checkMaps(input);
  TORCH_CHECK(input.size(1) % 8 == 0, input.size(1), " channels; expected a multiple of 8");
  TORCH_CHECK(shift.dim() == 1 && shift.size(0) <= input.size(1) && shift.device() == input.device(), "shift has shape ", shift.sizes(), " on ", shift.device(),
              "; expected at most the ", input.size(1), " channels of the input on ", input.device());
  TORCH_CHECK(!scale || (scale->sizes() == shift.sizes() && scale->device() == input.device()), "scale does not have the shape or device of shift");
  Affine affine{scale ? scale->to(at::kFloat).contiguous() : Tensor(), shift.to(at::kFloat).contiguous(), {}};
  affine.parameters = {scale ? affine.scale.data_ptr<float>() : nullptr, affine.shift.data_ptr<float>(), 0, NormActivation::leaky, static_cast<float>(slope), false};
  return affine;
}

Tensor squeeze(const Tensor& input, const MaybeTensor& scale, const Tensor& shift, double slope) {
  const c10::DeviceGuard guard(input.device());
  const auto affine = affineOf(input, scale, shift, slope);
  const auto shape = exciteShapeOf(input, shift.size(0));
  const auto parts = at::empty({exciteParts(shape), shape.images, shape.known}, affine.shift.options());
  checkLaunch(launchSqueeze(shape, affine.parameters, input.data_ptr(), kNoStatistics, parts.data_ptr<float>(), c10::cuda::getCurrentCUDAStream()));
  return withoutParts(parts);
}

void excite(const Tensor& input, const MaybeTensor& scale, const Tensor& shift, double slope, const MaybeTensor& excitation, const MaybeTensor& residual) {
  const c10::DeviceGuard guard(input.device());
  const auto stream = c10::cuda::getCurrentCUDAStream();
  const auto affine = affineOf(input, scale, shift, slope);
  if (residual) checkSame(input, *residual, "residual");
  const void* added = residual ? residual->data_ptr() : nullptr;
  if (!excitation) {
    const auto shape = normShapeOf(input, shift.size(0));
    checkLaunch(launchNormOutput(shape, affine.parameters, input.data_ptr(), kNoStatistics, added, input.data_ptr(), stream));
    return;
  }
  const auto shape = exciteShapeOf(input, shift.size(0));
  const auto factors = excitation->to(at::kFloat).contiguous();
  checkTensor(input, factors, at::kFloat, {shape.images, shape.known}, "excitation");
  checkLaunch(launchExcite(shape, affine.parameters, input.data_ptr(), kNoStatistics, factors.data_ptr<float>(), added, input.data_ptr(), stream));
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("affine_squeeze(Tensor input, Tensor? scale, Tensor shift, float negative_slope) -> Tensor", anyclass::squeeze);
  m.def("affine_excite_(Tensor(a!) input, Tensor? scale, Tensor shift, float negative_slope, Tensor? excitation, Tensor? residual) -> ()", anyclass::excite);
}
