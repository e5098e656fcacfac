// anyclass::normalise_images: bytes of images to normalised floats in one pass, on the CPU, into memory that is used again.
//
// A batch of 64 colour images of 224 x 224 is 38 MB as floats. malloc gives blocks of that size back to the system, and to
// get their pages anew takes longer than to fill them; so the last few are kept. A block is free again when the last tensor
// that looks into it is gone, whoever held it: that is libtorch's own count, nobody has to promise anything.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <vector>

// As in cpuLoops.cc: the processor's own instructions are chosen when the library loads.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ANYCLASS_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ANYCLASS_VECTORISED
#endif

namespace anyclass {

ANYCLASS_VECTORISED void normaliseRow(const uint8_t* bytes, const float* scale, const float* offset, int64_t count, float* __restrict values) {
  for (int64_t i = 0; i < count; i++) values[i] = static_cast<float>(bytes[i]) * scale[i] - offset[i];
}

ANYCLASS_VECTORISED void normaliseGrayRow(const uint8_t* bytes, float scale, float offset, int64_t count, float* __restrict values) {
  for (int64_t i = 0; i < count; i++) {
    const float value = static_cast<float>(bytes[i]) * scale - offset;
    values[3 * i] = value;
    values[3 * i + 1] = value;
    values[3 * i + 2] = value;
  }
}

namespace {

using at::Tensor;

struct Block {
  c10::DataPtr data;
  size_t size;
};

// Never destroyed: tensors may end after everything else at the process's end.
class KeptBlocks {
 public:
  static KeptBlocks& instance() {
    static auto* const kept = new KeptBlocks;
    return *kept;
  }

  // The smallest kept block that is large enough, else a new one.
  Block take(size_t size) {
    const std::lock_guard<std::mutex> lock(mutex);
    auto best = blocks.end();
    for (auto block = blocks.begin(); block != blocks.end(); block++) {
      if (block->size >= size && (best == blocks.end() || block->size < best->size)) best = block;
    }
    if (best == blocks.end()) return {c10::GetAllocator(c10::kCPU)->allocate(size), size};
    Block found = std::move(*best);
    blocks.erase(best);
    return found;
  }

  // Keeps the largest two: one batch is made while another is used.
  void giveBack(Block block) {
    const std::lock_guard<std::mutex> lock(mutex);
    blocks.push_back(std::move(block));
    if (blocks.size() <= 2) return;
    blocks.erase(std::min_element(blocks.begin(), blocks.end(), [](const Block& a, const Block& b) { return a.size < b.size; }));
  }

 private:
  std::mutex mutex;
  std::vector<Block> blocks;
};

Tensor keptTensor(at::IntArrayRef shape, at::IntArrayRef strides) {
  const size_t size = static_cast<size_t>(c10::multiply_integers(shape)) * sizeof(float);
  const auto block = std::make_shared<Block>(KeptBlocks::instance().take(size));
  return at::from_blob(
      block->data.get(), shape, strides, [block](void*) { KeptBlocks::instance().giveBack(std::move(*block)); }, at::kFloat);
}

// (byte / 255 - mean) / std of images [N, H, W, C] as [N, 3, H, W] in channels-last order.
Tensor normaliseImages(const Tensor& images, at::ArrayRef<double> mean, at::ArrayRef<double> std) {
  TORCH_CHECK(images.is_cpu() && images.scalar_type() == at::kByte && images.dim() == 4 && images.is_contiguous(),
              "images are ", images.scalar_type(), " of shape ", images.sizes(), "; expected contiguous uint8 [N, H, W, C] on the CPU");
  const int64_t count = images.size(0), height = images.size(1), width = images.size(2), channels = images.size(3);
  TORCH_CHECK(channels == 1 || channels == 3, "images have ", channels, " channels; expected 1 or 3");
  TORCH_CHECK(static_cast<int64_t>(mean.size()) == channels && static_cast<int64_t>(std.size()) == channels, "mean and std have ",
              mean.size(), " and ", std.size(), " channels; the images have ", channels);
  const int64_t pixels = height * width;
  const auto result = keptTensor({count, 3, height, width}, {3 * pixels, 1, 3 * width, 3});
  // The constants of all numbers of a row: three channels alone would leave the processor loops of three.
  std::vector<float> scale(width * channels), offset(width * channels);
  for (int64_t i = 0; i < width * channels; i++) {
    scale[i] = static_cast<float>(1 / (255 * std[i % channels]));
    offset[i] = static_cast<float>(mean[i % channels] / std[i % channels]);
  }
  const uint8_t* const bytes = images.data_ptr<uint8_t>();
  float* const values = result.data_ptr<float>();
  at::parallel_for(0, count * height, std::max<int64_t>(1, 32768 / std::max<int64_t>(1, width * channels)), [&](int64_t start, int64_t end) {
    for (int64_t row = start; row < end; row++) {
      const uint8_t* const from = bytes + row * width * channels;
      float* const to = values + row * width * 3;
      if (channels == 3) normaliseRow(from, scale.data(), offset.data(), 3 * width, to);
      else normaliseGrayRow(from, scale[0], offset[0], width, to);
    }
  });
  return result;
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_FRAGMENT(anyclass, m) {
  m.def("normalise_images(Tensor images, float[] mean, float[] std) -> Tensor", anyclass::normaliseImages);
}
