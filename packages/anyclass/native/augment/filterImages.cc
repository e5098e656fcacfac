// anyclass::filter_images_: blurs and compresses the images of augment_images, [N, 3, H, W] in channels-last memory, in place, those alone whose
// parameters ask for it, and then erases their boxes.
#include "filterImages.h"

#include <ATen/Parallel.h>
#include <torch/library.h>

#include "cpuFilters.h"

namespace anyclass {

using at::Tensor;

FilteredBatch filteredBatchOf(const Tensor& images, const Tensor& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  TORCH_CHECK(images.scalar_type() == at::kFloat && images.dim() == 4 && images.size(1) == 3 && images.is_contiguous(at::MemoryFormat::ChannelsLast), "images are ",
              images.scalar_type(), " of shape ", images.sizes(), "; expected float32 [N, 3, H, W] in channels-last memory");
  const int64_t shape[] = {images.size(0), kParameters};
  TORCH_CHECK(parameters.scalar_type() == at::kFloat && parameters.sizes() == at::IntArrayRef(shape) && parameters.is_contiguous() &&
                  parameters.device() == images.device(),
              "parameters are ", parameters.scalar_type(), " of shape ", parameters.sizes(), " on ", parameters.device(), "; expected contiguous float32 of shape ",
              at::IntArrayRef(shape), " on ", images.device());
  TORCH_CHECK((mean.size() == 1 || mean.size() == 3) && mean.size() == std.size(), "mean and std have ", mean.size(), " and ", std.size(), " channels; expected 1 or 3");
  for (const int64_t side : {images.size(2), images.size(3)}) TORCH_CHECK(side <= (1 << 24), "a side of ", side, " pixels; expected 2^24 at most");
  TORCH_CHECK(images.size(2) * images.size(3) <= (1 << 28), images.size(2) * images.size(3), " pixels per image; expected 2^28 at most");
  FilteredBatch batch{images.data_ptr<float>(), images.size(0), static_cast<int>(images.size(2)), static_cast<int>(images.size(3)), parameters.data_ptr<float>(), {}, {}, {}};
  for (size_t channel = 0; channel < 3; channel++) {
    const double deviation = std[channel % std.size()];
    batch.scale[channel] = static_cast<float>(1 / deviation);
    batch.offset[channel] = static_cast<float>(mean[channel % mean.size()] / deviation);
    batch.levels[channel] = static_cast<float>(255 * deviation);
  }
  return batch;
}

namespace {

// For images on a GPU without our kernels (setup found no nvcc), the CPU does the work.
void filterImages(const Tensor& images, const Tensor& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  if (!images.is_cpu()) {
    const auto local = images.cpu();
    filterImages(local, parameters.cpu(), mean, std);
    images.copy_(local);
    return;
  }
  const auto batch = filteredBatchOf(images, parameters, mean, std);
  if (batch.pixels() == 0) return;
  at::parallel_for(0, batch.count, 1, [&](int64_t start, int64_t end) {
    FilterScratch scratch;
    for (int64_t image = start; image < end; image++) filterImage(batch, image, scratch);
  });
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("filter_images_(Tensor(a!) images, Tensor parameters, float[] mean, float[] std) -> ()",
        torch::dispatch(c10::DispatchKey::CompositeExplicitAutograd, TORCH_FN(anyclass::filterImages)));
}
