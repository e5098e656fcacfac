// anyclass::synchronized_batch_norm, batch norm in training with the statistics of all ranks, composed of libtorch's operators:
// for the CPU, and for inputs that the GPU kernels do not support. It sums over the ranks twice, once in forward and once in
// backward. The gradients of weight and bias are this rank's own; like all gradients, they are summed over the ranks later.
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "synchronizedStatistics.h"

namespace anyclass {
namespace {

using at::Tensor;

// Reshapes one value per channel to broadcast over maps [images, channels, …].
Tensor ofChannels(const Tensor& values, const Tensor& maps) {
  std::vector<int64_t> shape(maps.dim(), 1);
  shape[1] = values.numel();
  return values.view(shape);
}

int64_t rowsOf(const Tensor& maps) { return maps.numel() / maps.size(1); }

struct SynchronizedNorm : torch::autograd::Function<SynchronizedNorm> {
  using Context = torch::autograd::AutogradContext;

  static Tensor forward(Context* context, const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar,
                        int64_t group, double momentum, double eps) {
    at::AutoDispatchBelowADInplaceOrView below;
    const auto rows = rowsOf(input);
    auto ownMean = at::zeros_like(runningMean), ownVariance = at::zeros_like(runningVar);
    if (rows > 0) std::tie(ownMean, ownVariance) = at::batch_norm_update_stats(input, {}, {}, 0);
    const auto statistics = synchronizedStatistics(ownMean, ownVariance, rows, group);
    updateRunning(statistics, momentum, runningMean, runningVar);
    const auto inverseDeviation = (statistics.variance + eps).rsqrt();
    const auto output = rows == 0 ? at::empty_like(input)
                                  : std::get<0>(at::native_batch_norm(input, weight, bias, statistics.mean, statistics.variance, false, 0, eps));
    context->save_for_backward({input, weight, statistics.mean, inverseDeviation, statistics.rows});
    context->saved_data["group"] = group;
    context->saved_data["eps"] = eps;
    return output;
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the synchronized batch norm has no second derivatives");
    const auto saved = context->get_saved_variables();
    const auto &input = saved[0], &weight = saved[1], &mean = saved[2], &inverseDeviation = saved[3], &rows = saved[4];
    at::AutoDispatchBelowADInplaceOrView below;
    const auto ofOutput = gradients[0].contiguous(input.suggest_memory_format());
    auto ofWeight = at::zeros_like(weight), ofBias = at::zeros_like(weight);
    if (rowsOf(input) > 0) {
      std::tie(std::ignore, ofWeight, ofBias) = at::native_batch_norm_backward(ofOutput, input, weight, {}, {}, mean, inverseDeviation, true,
                                                                               context->saved_data["eps"].toDouble(), {false, true, true});
    }
    const auto sums = at::stack({ofWeight, ofBias}).to(at::kDouble);
    sumOverRanks(sums, context->saved_data["group"].toInt());
    const auto means = (sums / rows).to(weight.scalar_type());
    // dx = w / deviation · (g - mean of g - x̂ · mean of g x̂), a linear function of g and x in each channel.
    const auto factor = weight * inverseDeviation;
    const auto linear = -(factor * inverseDeviation * means.select(0, 0));
    const auto constant = -(factor * means.select(0, 1)) - linear * mean;
    auto ofInput = ofOutput * ofChannels(factor, input);
    ofInput.addcmul_(input, ofChannels(linear, input)).add_(ofChannels(constant, input));
    torch::autograd::variable_list all(8);
    all[0] = ofInput;
    all[1] = ofWeight;
    all[2] = ofBias;
    return all;
  }
};

Tensor synchronizedBatchNorm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& runningMean, const Tensor& runningVar, int64_t group,
                             double momentum, double eps) {
  const auto type = input.scalar_type();
  TORCH_CHECK(input.dim() > 1 && (type == at::kFloat || type == at::kDouble), "input is ", type, " of shape ", input.sizes(),
              "; expected float32 or float64 of [images, channels, …]");
  for (const auto& values : {weight, bias, runningMean, runningVar}) {
    TORCH_CHECK(values.scalar_type() == type && values.dim() == 1 && values.numel() == input.size(1), "expected one ", type, " for each of ", input.size(1),
                " channels, got ", values.scalar_type(), " of shape ", values.sizes());
  }
  return SynchronizedNorm::apply(input, weight, bias, runningMean, runningVar, group, momentum, eps);
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def(
      "synchronized_batch_norm(Tensor input, Tensor weight, Tensor bias, Tensor(a!) running_mean, Tensor(b!) running_var, int group, float momentum, "
      "float eps) -> Tensor",
      anyclass::synchronizedBatchNorm);
}
