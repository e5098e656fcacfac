// anyclass::any_class_loss, the operator that TypeScript calls: the checks, then the fused kernels with their closed-form
// gradient, or the composition if there are no kernels for the device or the element type.
//
// The fused version is one kernel forward and one backward. Forward keeps three numbers per row. Backward reads logits and
// targets again, instead of a gradient that forward would have to write and backward to read and scale: the same number of
// bytes for float32 targets, fewer for uint8, and no memory held between the two.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "composition.h"
#include "tensors.h"

namespace anyclass {
namespace {

using at::Tensor;
using MaybeTensor = c10::optional<Tensor>;

ForwardResult callForward(const Tensor& logits, const Tensor& targets, const MaybeTensor& classWeights, double negativeWeight, double alpha,
                          double lambda, const TermNumbers& term, int64_t reduction) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("anyclass::any_class_loss_forward", "")
                             .typed<ForwardResult(const Tensor&, const Tensor&, const MaybeTensor&, double, double, double, double, double, double,
                                                  double, int64_t)>();
  return op.call(logits, targets, classWeights, negativeWeight, alpha, lambda, term.gammaPositive, term.gammaNegative, term.clip, term.smoothing,
                 reduction);
}

Tensor callBackward(const Tensor& gradient, const Tensor& logits, const Tensor& targets, const Tensor& counts, const Tensor& slopes,
                    const TermNumbers& term, int64_t reduction) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("anyclass::any_class_loss_backward", "")
                             .typed<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, double, double, double, double,
                                           int64_t)>();
  return op.call(gradient, logits, targets, counts, slopes, term.gammaPositive, term.gammaNegative, term.clip, term.smoothing, reduction);
}

struct FusedLoss : torch::autograd::Function<FusedLoss> {
  using Context = torch::autograd::AutogradContext;

  static torch::autograd::variable_list forward(Context* context, const Tensor& logits, const Tensor& targets,
                                                const MaybeTensor& classWeights, double negativeWeight, double alpha, double lambda,
                                                const TermNumbers& term, int64_t reduction) {
    at::AutoDispatchBelowADInplaceOrView below;
    const auto [loss, counts, slopes] = callForward(logits, targets, classWeights, negativeWeight, alpha, lambda, term, reduction);
    context->save_for_backward({logits, targets, counts, slopes});
    context->saved_data["gammaPositive"] = term.gammaPositive;
    context->saved_data["gammaNegative"] = term.gammaNegative;
    context->saved_data["clip"] = term.clip;
    context->saved_data["smoothing"] = term.smoothing;
    context->saved_data["reduction"] = reduction;
    context->mark_non_differentiable({counts});
    return {loss, counts};
  }

  static torch::autograd::variable_list backward(Context* context, torch::autograd::variable_list gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "the fused loss has no second derivatives: use float64 logits, whose loss is composed of operators that do");
    const auto saved = context->get_saved_variables();
    const auto number = [context](const char* name) { return context->saved_data[name].toDouble(); };
    const TermNumbers term{number("gammaPositive"), number("gammaNegative"), number("clip"), number("smoothing")};
    at::AutoDispatchBelowADInplaceOrView below;
    const auto gradient =
        callBackward(gradients[0], saved[0], saved[1], saved[2], saved[3], term, context->saved_data["reduction"].toInt());
    torch::autograd::variable_list result(8);
    result[0] = gradient;
    return result;
  }
};

bool isFused(const Tensor& logits) {
  if (!isFloatOrHalf(logits.scalar_type())) return false;
  const auto key = logits.is_cuda() ? c10::DispatchKey::CUDA : logits.is_cpu() ? c10::DispatchKey::CPU : c10::DispatchKey::Undefined;
  return key != c10::DispatchKey::Undefined &&
      c10::Dispatcher::singleton().findSchemaOrThrow("anyclass::any_class_loss_forward", "").hasKernelForDispatchKey(key);
}

void check(const Tensor& logits, const Tensor& other, at::IntArrayRef shape, const char* name) {
  TORCH_CHECK(other.sizes() == shape, name, " has shape ", other.sizes(), "; expected ", shape);
  TORCH_CHECK(other.device() == logits.device(), name, " is on ", other.device(), " and the logits on ", logits.device());
}

// Returns the targets in a type that the kernels read: uint8 (for bool too, which has the same bytes), otherwise float32.
Tensor plainTargets(const Tensor& targets) {
  if (targets.scalar_type() == at::kBool) return targets.contiguous().view(at::kByte);
  return targets.to(targets.scalar_type() == at::kByte ? at::kByte : at::kFloat).contiguous();
}

// Returns the targets with NaN where the mask is 0.
Tensor withoutMasked(const Tensor& targets, const Tensor& mask, at::ScalarType type) {
  return at::where(mask.to(at::kBool), targets.to(type), at::full({}, NAN, targets.options().dtype(type)));
}

std::tuple<Tensor, Tensor> anyClassLoss(const Tensor& logits, const Tensor& targets, const MaybeTensor& mask, const MaybeTensor& classWeights,
                                        double negativeWeight, double alpha, double lambda, double gammaPositive, double gammaNegative, double clip,
                                        double smoothing, int64_t reduction) {
  const TermNumbers term{gammaPositive, gammaNegative, clip, smoothing};
  TORCH_CHECK(logits.dim() == 2 && logits.size(1) > 0 && logits.is_floating_point(), "logits is ", logits.scalar_type(), " of shape ", logits.sizes(),
              "; expected [rows, classes] of a floating-point type, with one class or more");
  TORCH_CHECK(reduction >= 0 && reduction <= static_cast<int64_t>(Reduction::none), "unknown reduction ", reduction);
  check(logits, targets, logits.sizes(), "targets");
  if (mask) check(logits, *mask, logits.sizes(), "mask");
  if (classWeights) check(logits, *classWeights, logits.sizes().slice(1), "class_weights");
  auto known = targets.detach();
  if (mask) known = withoutMasked(known, *mask, logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat);
  if (!isFused(logits)) {
    return composedLoss(logits, known, classWeights, negativeWeight, alpha, lambda, term, static_cast<Reduction>(reduction));
  }
  const auto plainWeights = classWeights ? MaybeTensor(classWeights->detach().to(at::kFloat).contiguous()) : MaybeTensor();
  const auto result = FusedLoss::apply(logits.contiguous(), plainTargets(known), plainWeights, negativeWeight, alpha, lambda, term, reduction);
  return {result[0], result[1]};
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY(anyclass, m) {
  m.def(
      "any_class_loss(Tensor logits, Tensor targets, Tensor? mask, Tensor? class_weights, float negative_weight, float alpha, float absent_weight, "
      "float gamma_positive, float gamma_negative, float clip, float smoothing, int reduction) -> (Tensor loss, Tensor counts)",
      anyclass::anyClassLoss);
  m.def(
      "any_class_loss_forward(Tensor logits, Tensor targets, Tensor? class_weights, float negative_weight, float alpha, float absent_weight, "
      "float gamma_positive, float gamma_negative, float clip, float smoothing, int reduction) -> (Tensor loss, Tensor counts, Tensor slopes)");
  m.def(
      "any_class_loss_backward(Tensor gradient, Tensor logits, Tensor targets, Tensor counts, Tensor slopes, float gamma_positive, "
      "float gamma_negative, float clip, float smoothing, int reduction) -> Tensor");
}
