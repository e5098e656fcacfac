// Gradients, and the thread's modes: gradient recording and autocast.
#include "door.h"

#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

namespace door {
namespace {

// backward(tensors, gradients | null, retainGraph, createGraph)
napi_value backward(Call& call) {
  const auto outputs = call.tensors(0);
  const auto seeds = call.given(1) ? call.tensors(1) : std::vector<at::Tensor>{};
  try {
    torch::autograd::backward(outputs, seeds, call.flag(2), call.flag(3));
  } catch (...) {
    rethrowWith("backward", "outputs: " + describe(outputs) + (seeds.empty() ? "" : ", gradients: " + describe(seeds)));
  }
  return nullptr;
}

// grad(outputs, inputs, gradients | null, retainGraph, createGraph, allowUnused) → places, -1 if unused
napi_value grad(Call& call) {
  const auto outputs = call.tensors(0);
  const auto inputs = call.tensors(1);
  const auto seeds = call.given(2) ? call.tensors(2) : std::vector<at::Tensor>{};
  try {
    return call.places(torch::autograd::grad(outputs, inputs, seeds, call.flag(3), call.flag(4), call.flag(5)));
  } catch (...) {
    rethrowWith("grad", "outputs: " + describe(outputs) + ", inputs: " + describe(inputs) + (seeds.empty() ? "" : ", gradients: " + describe(seeds)));
  }
}

napi_value requiresGrad(Call& call) { return call.make(call.tensor(0).requires_grad()); }
napi_value isLeaf(Call& call) { return call.make(call.tensor(0).is_leaf()); }

// gradientFunction(tensor) → the name of its gradient function, '' for a leaf
napi_value gradientFunction(Call& call) {
  const auto& function = call.tensor(0).grad_fn();
  if (!function) return call.make(std::string());
  const auto name = function->name();
  return call.make(name.substr(name.rfind(':') + 1));
}

napi_value setRequiresGrad(Call& call) {
  const auto& tensor = call.tensor(0);
  if (call.flag(1) && !tensor.is_floating_point()) {
    throw std::runtime_error("requiresGrad: only floating-point tensors can require gradients, not " + describe(tensor));
  }
  if (!call.flag(1) && !tensor.is_leaf()) {
    throw std::runtime_error("requiresGrad: " + describe(tensor) + " was computed from tensors that require gradients: use detach()");
  }
  tensor.requires_grad_(call.flag(1));
  return nullptr;
}

// gradients(tensors) → places of their .grad, -1 if there is none
napi_value gradients(Call& call) {
  std::vector<at::Tensor> result;
  for (const auto& tensor : call.tensors(0)) result.push_back(tensor.grad());
  return call.places(result);
}

// setGradient(tensor, gradient | null)
napi_value setGradient(Call& call) {
  const auto& tensor = call.tensor(0);
  if (!call.given(1)) {
    tensor.mutable_grad() = at::Tensor();
    return nullptr;
  }
  const auto& gradient = call.tensor(1);
  if (gradient.is_same(tensor) || !gradient.sizes().equals(tensor.sizes()) || gradient.scalar_type() != tensor.scalar_type() ||
      gradient.device() != tensor.device()) {
    throw std::runtime_error("grad: the gradient of " + describe(tensor) + " cannot be " + (gradient.is_same(tensor) ? "the tensor itself" : describe(gradient)));
  }
  tensor.mutable_grad() = gradient;
  return nullptr;
}

// clearGradients(tensors, keepMemory): drops the gradients, or fills them with zeros in place (a captured graph
// keeps writing to the same memory)
napi_value clearGradients(Call& call) {
  at::NoGradGuard guard;
  const bool keepMemory = call.flag(1);
  for (const auto& tensor : call.tensors(0)) {
    auto& gradient = tensor.mutable_grad();
    if (!gradient.defined()) continue;
    if (keepMemory) {
      gradient.detach_();
      gradient.zero_();
    } else {
      gradient = at::Tensor();
    }
  }
  return nullptr;
}

// setData(tensor, source): takes the source's data; the tensor and its gradient keep their identity
napi_value setData(Call& call) {
  const auto& tensor = call.tensor(0);
  const auto& source = call.tensor(1);
  try {
    tensor.set_data(source);
  } catch (...) {
    rethrowWith("setData", "self: " + describe(tensor) + ", source: " + describe(source));
  }
  return nullptr;
}

// setGradMode(enabled) → the previous mode
napi_value setGradMode(Call& call) {
  const bool before = c10::GradMode::is_enabled();
  c10::GradMode::set_enabled(call.flag(0));
  return call.make(before);
}

napi_value isGradModeEnabled(Call& call) { return call.make(c10::GradMode::is_enabled()); }

#if TORCH_AT_LEAST(2, 4)
bool autocastEnabled(at::DeviceType type) { return at::autocast::is_autocast_enabled(type); }
void enableAutocast(at::DeviceType type, bool on) { at::autocast::set_autocast_enabled(type, on); }
at::ScalarType autocastType(at::DeviceType type) { return at::autocast::get_autocast_dtype(type); }
void setAutocastType(at::DeviceType type, at::ScalarType dtype) { at::autocast::set_autocast_dtype(type, dtype); }
#else
bool autocastEnabled(at::DeviceType type) {
  return type == at::kCUDA ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled();
}
void enableAutocast(at::DeviceType type, bool on) {
  type == at::kCUDA ? at::autocast::set_enabled(on) : at::autocast::set_cpu_enabled(on);
}
at::ScalarType autocastType(at::DeviceType type) {
  return type == at::kCUDA ? at::autocast::get_autocast_gpu_dtype() : at::autocast::get_autocast_cpu_dtype();
}
void setAutocastType(at::DeviceType type, at::ScalarType dtype) {
  type == at::kCUDA ? at::autocast::set_autocast_gpu_dtype(dtype) : at::autocast::set_autocast_cpu_dtype(dtype);
}
#endif

// enterAutocast(cuda, enabled, dtype, cache) → the previous [enabled, dtype, cache], for leaveAutocast
napi_value enterAutocast(Call& call) {
  const auto type = call.flag(0) ? at::kCUDA : at::kCPU;
  const std::vector<int64_t> before = {autocastEnabled(type), static_cast<int64_t>(autocastType(type)), at::autocast::is_autocast_cache_enabled()};
  enableAutocast(type, call.flag(1));
  setAutocastType(type, toScalarType(call.place(2)));
  at::autocast::set_autocast_cache_enabled(call.flag(3));
  at::autocast::increment_nesting();
  return call.make(before);
}

// leaveAutocast(cuda, [enabled, dtype, cache])
napi_value leaveAutocast(Call& call) {
  const auto type = call.flag(0) ? at::kCUDA : at::kCPU;
  const auto before = call.integers(1);
  // The cache of cast weights lives as long as the outermost autocast, as in PyTorch.
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  enableAutocast(type, before.at(0) != 0);
  setAutocastType(type, toScalarType(before.at(1)));
  at::autocast::set_autocast_cache_enabled(before.at(2) != 0);
  return nullptr;
}

}  // namespace

const std::vector<Export> autogradExports = {
    {"backward", backward}, {"grad", grad}, {"requiresGrad", requiresGrad}, {"isLeaf", isLeaf}, {"gradientFunction", gradientFunction}, {"setRequiresGrad", setRequiresGrad},
    {"gradients", gradients}, {"setGradient", setGradient}, {"clearGradients", clearGradients}, {"setData", setData},
    {"setGradMode", setGradMode}, {"isGradModeEnabled", isGradModeEnabled}, {"enterAutocast", enterAutocast}, {"leaveAutocast", leaveAutocast},
};

}  // namespace door
