// anyclass::augment_images: flips images [N, H, W, C], bytes or float32 from 0 to 1, changes their colors and normalizes
// them in one pass to [N, 3, H, W] in channels-last memory.
#include "augmentImages.h"

#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "cpuLoops.h"
#include "keptTensor.h"

namespace anyclass {

using at::Tensor;

ImageBatch imageBatchOf(const Tensor& images, const c10::optional<Tensor>& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  const auto type = images.scalar_type();
  TORCH_CHECK((type == at::kByte || type == at::kFloat) && images.dim() == 4 && images.is_contiguous(), "images are ", type, " of shape ", images.sizes(),
              "; expected contiguous uint8 or float32 [N, H, W, C]");
  const int64_t count = images.size(0), height = images.size(1), width = images.size(2), channels = images.size(3);
  TORCH_CHECK(channels == 1 || channels == 3, "images have ", channels, " channels; expected 1 or 3");
  TORCH_CHECK(height * width <= (1 << 28), "images of ", width, " x ", height, " pixels; expected 2^28 pixels at most");
  const auto known = static_cast<int64_t>(mean.size());
  TORCH_CHECK(known == channels && mean.size() == std.size(), "mean and std have ", known, " and ", std.size(), " channels; the images have ", channels);
  if (parameters) {
    const int64_t shape[] = {count, kParameters};
    TORCH_CHECK(parameters->scalar_type() == at::kFloat && parameters->sizes() == at::IntArrayRef(shape) && parameters->is_contiguous() &&
                    parameters->device() == images.device(),
                "parameters are ", parameters->scalar_type(), " of shape ", parameters->sizes(), " on ", parameters->device(),
                "; expected contiguous float32 of shape ", at::IntArrayRef(shape), " on ", images.device());
  }
  ImageBatch batch{images.data_ptr(), type == at::kByte, count, static_cast<int>(height), static_cast<int>(width), static_cast<int>(channels),
                   parameters ? parameters->data_ptr<float>() : nullptr, {}, {}};
  for (int64_t channel = 0; channel < 3; channel++) {
    const double deviation = std[channel % channels];
    batch.scale[channel] = static_cast<float>(1 / deviation);
    batch.offset[channel] = static_cast<float>(mean[channel % channels] / deviation);
  }
  return batch;
}

namespace {

void augmentOnCpu(const ImageBatch& batch, float* result) {
  std::vector<float> means(batch.count);
  if (batch.parameters) {
    at::parallel_for(0, batch.count, 1, [&](int64_t start, int64_t end) {
      for (int64_t image = start; image < end; image++) means[image] = meanGray(batch, image);
    });
  }
  const int64_t rowsAtLeast = std::max(1, 32768 / std::max(1, batch.width * batch.channels));
  at::parallel_for(0, batch.count * batch.height, rowsAtLeast, [&](int64_t start, int64_t end) {
    for (int64_t row = start; row < end; row++) augmentRow(batch, row, means[row / batch.height], result + row * batch.width * 3);
  });
}

// For images on a GPU without our kernels (setup found no nvcc), the CPU does the work.
Tensor augmentImages(const Tensor& images, const c10::optional<Tensor>& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  if (!images.is_cpu()) {
    const auto local = parameters ? c10::optional<Tensor>(parameters->cpu()) : parameters;
    return augmentImages(images.cpu(), local, mean, std).to(images.device());
  }
  const auto batch = imageBatchOf(images, parameters, mean, std);
  const auto result = keptTensor({batch.count, 3, batch.height, batch.width}, {int64_t{3} * batch.pixels(), 1, int64_t{3} * batch.width, 3});
  augmentOnCpu(batch, result.data_ptr<float>());
  return result;
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("augment_images(Tensor images, Tensor? parameters, float[] mean, float[] std) -> Tensor",
        torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(anyclass::augmentImages)));
}
