// An operator library such as a package with its own kernels would build; loaded by the tests of `loadLibrary`.
#include <ATen/ATen.h>
#include <torch/library.h>

namespace {

at::Tensor scaledSum(const at::Tensor& self, double scale, at::IntArrayRef sizes, bool twice) {
  TORCH_CHECK(self.dim() == 1, "expected one dimension");
  return self.sum().mul(twice ? 2 * scale : scale).add(static_cast<int64_t>(sizes.size()));
}

std::tuple<at::Tensor, at::Tensor> split(const at::Tensor& self, const c10::optional<at::Tensor>& other) {
  return {self.add(1), other ? *other : self};
}

std::vector<at::Tensor> copies(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> result;
  for (const auto& tensor : tensors) result.push_back(tensor.clone());
  return result;
}

void increment(at::Tensor self) { self.add_(1); }

int64_t count(const at::Tensor& self) { return self.numel(); }

}  // namespace

TORCH_LIBRARY_FRAGMENT(anyclass_test, library) {
  library.def("scaled_sum(Tensor self, float scale=1, int[] sizes=[], *, bool twice=False) -> Tensor", scaledSum);
  library.def("split(Tensor self, Tensor? other=None) -> (Tensor, Tensor)", split);
  library.def("copies(Tensor[] tensors) -> Tensor[]", copies);
  library.def("increment_(Tensor(a!) self) -> ()", increment);
  library.def("count(Tensor self) -> int", count);
}
