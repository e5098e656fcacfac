// anyclass::augment_images: moves, recolors, normalizes and partly erases images [N, H, W, C], bytes or float32 from 0 to 1, in one
// pass to [N, 3, height, width] in channels-last memory.
#include "augmentImages.h"

#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "cpuLoops.h"
#include "keptTensor.h"

namespace anyclass {

using at::Tensor;

InputBatch imageBatchOf(const Tensor& images, const c10::optional<Tensor>& parameters, int64_t resultHeight, int64_t resultWidth, at::ArrayRef<double> mean,
                        at::ArrayRef<double> std) {
  const auto type = images.scalar_type();
  TORCH_CHECK((type == at::kByte || type == at::kFloat) && images.dim() == 4 && images.is_contiguous(), "images are ", type, " of shape ", images.sizes(),
              "; expected contiguous uint8 or float32 [N, H, W, C]");
  const int64_t count = images.size(0), height = images.size(1), width = images.size(2), channels = images.size(3);
  TORCH_CHECK(channels == 1 || channels == 3, "images have ", channels, " channels; expected 1 or 3");
  // Positions are float32, which holds every whole number up to 2^24.
  for (const int64_t side : {height, width, resultHeight, resultWidth}) TORCH_CHECK(side >= 0 && side <= (1 << 24), "a side of ", side, " pixels; expected 0 to 2^24");
  for (const int64_t pixels : {height * width, resultHeight * resultWidth}) TORCH_CHECK(pixels <= (1 << 28), pixels, " pixels per image; expected 2^28 at most");
  TORCH_CHECK(parameters || (resultHeight == height && resultWidth == width), "images of ", width, " x ", height, " without parameters; they cannot become ",
              resultWidth, " x ", resultHeight);
  TORCH_CHECK(height * width > 0 || resultHeight * resultWidth == 0, "images without pixels cannot become ", resultWidth, " x ", resultHeight);
  const auto known = static_cast<int64_t>(mean.size());
  TORCH_CHECK(known == channels && mean.size() == std.size(), "mean and std have ", known, " and ", std.size(), " channels; the images have ", channels);
  if (parameters) {
    const int64_t shape[] = {count, kParameters};
    TORCH_CHECK(parameters->scalar_type() == at::kFloat && parameters->sizes() == at::IntArrayRef(shape) && parameters->is_contiguous() &&
                    parameters->device() == images.device(),
                "parameters are ", parameters->scalar_type(), " of shape ", parameters->sizes(), " on ", parameters->device(),
                "; expected contiguous float32 of shape ", at::IntArrayRef(shape), " on ", images.device());
  }
  InputBatch batch{images.data_ptr(), type == at::kByte, count, static_cast<int>(height), static_cast<int>(width), static_cast<int>(channels),
                   static_cast<int>(resultHeight), static_cast<int>(resultWidth), parameters ? parameters->data_ptr<float>() : nullptr, {}, {}};
  for (int64_t channel = 0; channel < 3; channel++) {
    const double deviation = std[channel % channels];
    batch.scale[channel] = static_cast<float>(1 / deviation);
    batch.offset[channel] = static_cast<float>(mean[channel % channels] / deviation);
  }
  return batch;
}

namespace {

void augmentOnCpu(const InputBatch& batch, float* result) {
  std::vector<float> means(batch.count);
  if (batch.parameters) {
    at::parallel_for(0, batch.count, 1, [&](int64_t start, int64_t end) {
      for (int64_t image = start; image < end; image++) means[image] = meanGray(batch, image, result);
    });
  }
  const int64_t rowsAtLeast = std::max(1, 32768 / std::max(1, batch.resultWidth * batch.channels));
  at::parallel_for(0, batch.count * batch.resultHeight, rowsAtLeast, [&](int64_t start, int64_t end) {
    for (int64_t row = start; row < end; row++) augmentRow(batch, row, means[row / batch.resultHeight], result + row * batch.resultWidth * 3);
  });
}

// For images on a GPU without our kernels (setup found no nvcc), the CPU does the work.
Tensor augmentImages(const Tensor& images, const c10::optional<Tensor>& parameters, int64_t height, int64_t width, at::ArrayRef<double> mean,
                     at::ArrayRef<double> std) {
  if (!images.is_cpu()) {
    const auto local = parameters ? c10::optional<Tensor>(parameters->cpu()) : parameters;
    return augmentImages(images.cpu(), local, height, width, mean, std).to(images.device());
  }
  const auto batch = imageBatchOf(images, parameters, height, width, mean, std);
  const auto result = keptTensor({batch.count, 3, height, width}, {int64_t{3} * batch.resultPixels(), 1, int64_t{3} * width, 3});
  augmentOnCpu(batch, result.data_ptr<float>());
  return result;
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("augment_images(Tensor images, Tensor? parameters, int height, int width, float[] mean, float[] std) -> Tensor",
        torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(anyclass::augmentImages)));
}
