// augment_images and filter_images_ on a GPU: pass tensors to the kernels as pointers, on libtorch's current stream.
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include "../shared/cudaTensors.h"
#include "augmentImages.h"
#include "cudaFilterKernels.h"
#include "cudaKernels.h"
#include "filterImages.h"

namespace anyclass {
namespace {

at::Tensor augmentImagesOnGpu(const at::Tensor& images, const c10::optional<at::Tensor>& parameters, int64_t height, int64_t width,
                              at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  const auto batch = imageBatchOf(images, parameters, height, width, mean, std);
  const c10::DeviceGuard guard(images.device());
  const auto options = images.options().dtype(at::kFloat);
  const auto means = at::empty({batch.count}, options);
  const auto result = at::empty({batch.count, 3, height, width}, options, at::MemoryFormat::ChannelsLast);
  checkLaunch(launchAugmentImages(batch, means.data_ptr<float>(), result.data_ptr<float>(), c10::cuda::getCurrentCUDAStream()));
  return result;
}

void filterImagesOnGpu(const at::Tensor& images, const at::Tensor& parameters, at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  const auto batch = filteredBatchOf(images, parameters, mean, std);
  const c10::DeviceGuard guard(images.device());
  const auto scratch = at::empty({filterScratchBytes(batch)}, images.options().dtype(at::kByte));
  checkLaunch(launchFilterImages(batch, scratch.data_ptr(), c10::cuda::getCurrentCUDAStream()));
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_IMPL(anyclass, CUDA, m) {
  m.impl("augment_images", anyclass::augmentImagesOnGpu);
  m.impl("filter_images_", anyclass::filterImagesOnGpu);
}
