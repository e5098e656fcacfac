// Rows are combined first, in whole numbers of 1/256 gray level, which processors multiply sixteen at a time; then
// fewer rows are left to be resized along, where neighbours are a pixel apart and vectors are short.
#include "rowResizer.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Compiled for three generations of x86-64; the processor's own is chosen when the addon loads. All give the same bytes:
// each number is computed by the same operations in the same order, and set-up forbids fused multiplications.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define IMAGES_VECTORISED __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define IMAGES_VECTORISED
#endif

namespace images {

struct WeightedRow {
  const uint8_t* bytes;
  uint16_t weight;  // in 1/65536
};

inline uint16_t product(uint8_t byte, uint16_t weight) { return static_cast<uint16_t>(static_cast<uint32_t>(byte << 8) * weight >> 16); }

// Two rows at a time, which halves how often the sums are read and written.
IMAGES_VECTORISED void setRows(WeightedRow a, WeightedRow b, size_t count, uint16_t* __restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] = product(a.bytes[i], a.weight) + product(b.bytes[i], b.weight);
}

IMAGES_VECTORISED void addRows(WeightedRow a, WeightedRow b, size_t count, uint16_t* __restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] += product(a.bytes[i], a.weight) + product(b.bytes[i], b.weight);
}

IMAGES_VECTORISED void toFloats(const uint16_t* sums, size_t count, float* __restrict floats) {
  for (size_t i = 0; i < count; i++) floats[i] = sums[i] * (1.0f / 256);
}

IMAGES_VECTORISED void toBytes(const float* values, size_t count, uint8_t* __restrict bytes) {
  for (size_t i = 0; i < count; i++) bytes[i] = static_cast<uint8_t>(static_cast<int>(values[i] + 0.5f));
}

// Two pixels of three channels and two numbers that weigh nothing: a vector register.
typedef float TwoPixels __attribute__((vector_size(32)));
typedef float OnePixel __attribute__((vector_size(16)));
constexpr int numbersInTwo = sizeof(TwoPixels) / sizeof(float);

// `weights` are those of two pixels after another, each three times, as `pairedWeights` puts them.
IMAGES_VECTORISED void resizeColours(const AxisWeights& across, const float* weights, const float* line, float* out) {
  for (const auto& span : across.spans) {
    const float* from = line + 3 * span.first;
    TwoPixels sum{};
    for (int k = 0; k < span.count; k += 2) {
      TwoPixels pixels, weight;
      std::memcpy(&pixels, from + 3 * k, sizeof pixels);
      std::memcpy(&weight, weights, sizeof weight);
      sum += weight * pixels;
      weights += numbersInTwo;
    }
    const OnePixel total = __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 3, 4, 5, 6);
    std::memcpy(out, &total, sizeof total);
    out += 3;
  }
}

std::vector<float> pairedWeights(const AxisWeights& across) {
  std::vector<float> paired;
  for (const auto& span : across.spans) {
    for (int k = 0; k < span.count; k += 2) {
      const float first = across.weights[span.weights + k];
      const float second = k + 1 < span.count ? across.weights[span.weights + k + 1] : 0;
      for (const float weight : {first, first, first, second, second, second, 0.0f, 0.0f}) paired.push_back(weight);
    }
  }
  return paired;
}

void resizeGray(const AxisWeights& across, const float* line, float* out) {
  for (const auto& span : across.spans) {
    const float* weights = &across.weights[span.weights];
    float sum = 0;
    for (int k = 0; k < span.count; k++) sum += weights[k] * line[span.first + k];
    *out++ = sum;
  }
}

AxisWeights::AxisWeights(int available, double extent, int wanted) {
  const double scale = extent / wanted;
  const double support = std::max(scale, 1.0);
  for (int i = 0; i < wanted; i++) {
    const double centre = (i + 0.5) * scale;
    const int first = std::clamp(static_cast<int>(centre - support + 0.5), 0, available - 1);
    const int last = std::clamp(static_cast<int>(centre + support + 0.5), first + 1, available);
    const auto weight = [&](int j) { return std::max(0.0, 1 - std::abs(j + 0.5 - centre) / support); };
    double sum = 0;
    for (int j = first; j < last; j++) sum += weight(j);
    spans.push_back({first, last - first, weights.size()});
    for (int j = first; j < last; j++) weights.push_back(static_cast<float>(weight(j) / sum));
    longest = std::max(longest, last - first);
  }
}

RowResizer::RowResizer(const SourceSize& source, int width, int height, int channels)
    : across(source.width, source.widthExtent, width),
      down(source.height, source.heightExtent, height),
      width(width),
      height(height),
      channels(channels),
      rowsHeld(down.longest + rowsAhead),
      rowBytes(static_cast<size_t>(source.width) * channels),
      rows(rowBytes * rowsHeld),
      combined(rowBytes),
      line(rowBytes + numbersInTwo),
      resized(static_cast<size_t>(width) * channels + 1) {
  if (channels == 3) acrossWeights = pairedWeights(across);
  for (const float weight : down.weights) {
    downWeights.push_back(static_cast<uint16_t>(std::min(65535.0f, std::round(weight * 65536))));
  }
}

void RowResizer::take(int rowsWritten, uint8_t* out) {
  for (; finished < height; finished++) {
    const auto& span = down.spans[finished];
    if (span.first + span.count > rowsWritten) return;
    const uint16_t* weights = &downWeights[span.weights];
    for (int k = 0; k < span.count; k += 2) {
      const WeightedRow a{row(span.first + k), weights[k]};
      const WeightedRow b = k + 1 < span.count ? WeightedRow{row(span.first + k + 1), weights[k + 1]} : WeightedRow{a.bytes, 0};
      (k == 0 ? setRows : addRows)(a, b, rowBytes, combined.data());
    }
    toFloats(combined.data(), rowBytes, line.data());
    if (channels == 3) resizeColours(across, acrossWeights.data(), line.data(), resized.data());
    else resizeGray(across, line.data(), resized.data());
    const size_t count = static_cast<size_t>(width) * channels;
    toBytes(resized.data(), count, out + finished * count);
  }
}

}  // namespace images
