// The fused loss on a GPU: passes tensors to the kernels as pointers, on libtorch's current stream.
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "../shared/cudaTensors.h"
#include "cudaKernels.h"
#include "tensors.h"

namespace anyclass {
namespace {

ForwardResult forwardOperator(const at::Tensor& logits, const at::Tensor& targets, const c10::optional<at::Tensor>& classWeights, double negativeWeight,
                              double alpha, double lambda, double gammaPositive, double gammaNegative, double clip, double smoothing, int64_t reduction) {
  const c10::DeviceGuard guard(logits.device());
  const ForwardTensors output(logits, static_cast<Reduction>(reduction));
  const auto batch = batchOf(logits, targets);
  const auto term = termOf(gammaPositive, gammaNegative, clip, smoothing);
  const auto scratch = at::empty({static_cast<int64_t>(forwardScratch(batch))}, logits.options().dtype(at::kDouble));
  checkLaunch(launchForward(batch, classWeights ? classWeights->data_ptr<float>() : nullptr,
                            parametersOf(term, alpha, lambda, negativeWeight, classWeights.has_value()), static_cast<Reduction>(reduction),
                            output.pointers(), scratch.data_ptr<double>(), c10::cuda::getCurrentCUDAStream()));
  return {output.loss, output.counts, output.slopes};
}

at::Tensor backwardOperator(const at::Tensor& gradient, const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& counts,
                            const at::Tensor& slopes, double gammaPositive, double gammaNegative, double clip, double smoothing, int64_t reduction) {
  const c10::DeviceGuard guard(logits.device());
  auto result = at::empty_like(logits);
  checkLaunch(launchBackward(batchOf(logits, targets), termOf(gammaPositive, gammaNegative, clip, smoothing), static_cast<Reduction>(reduction),
                             backwardInput(gradient, counts, slopes), result.data_ptr(), c10::cuda::getCurrentCUDAStream()));
  return result;
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_IMPL(anyclass, CUDA, m) {
  m.impl("any_class_loss_forward", anyclass::forwardOperator);
  m.impl("any_class_loss_backward", anyclass::backwardOperator);
}
