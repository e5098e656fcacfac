#include "axisWeights.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <tuple>
#include <utility>

namespace images {
namespace {

using Key = std::tuple<int, double, int, int, int>;

// The weights of the samples from `first` on, each summed over the pixels that depend on the sample.
class SampleWeights {
 public:
  int first = 0;
  std::vector<double> weights;

  explicit SampleWeights(const PlaneAxis& axis) : axis(axis), isInterpolated(axis.pixelsPerSample == 2) {}

  // Starts anew for the pixels from `firstPixel` up to but not including `endPixel`.
  void begin(int firstPixel, int endPixel) {
    const int reach = isInterpolated ? 1 : 0;
    first = std::max(sampleOf(firstPixel) - reach, 0);
    weights.assign(std::min(sampleOf(endPixel - 1) + reach, axis.samples - 1) - first + 1, 0);
  }

  // With two pixels per sample, the pixels lie a quarter to the left and right of it. libjpeg interpolates between samples
  // (its 'fancy upsampling'): a pixel is three quarters its own sample and one quarter the nearest other one.
  void add(int pixel, double weight) {
    const int sample = sampleOf(pixel);
    if (!isInterpolated) {
      weights[sample - first] += weight;
      return;
    }
    const int other = std::clamp(pixel % 2 == 0 ? sample - 1 : sample + 1, 0, axis.samples - 1);
    weights[sample - first] += 0.75 * weight;
    weights[other - first] += 0.25 * weight;
  }

 private:
  int sampleOf(int pixel) const { return std::min(pixel / axis.pixelsPerSample, axis.samples - 1); }

  const PlaneAxis& axis;
  bool isInterpolated;
};

}  // namespace

AxisWeights::AxisWeights(const PlaneAxis& axis, int wanted) {
  const double scale = axis.extent / wanted;
  const double support = std::max(scale, 1.0);
  const double steepness = 1 / support;
  SampleWeights samples(axis);
  spans.reserve(wanted);
  weights.reserve(wanted * (static_cast<size_t>(2 * support) + 3));
  for (int i = 0; i < wanted; i++) {
    const double center = (i + 0.5) * scale;
    const int firstPixel = std::clamp(static_cast<int>(center - support + 0.5), 0, axis.pixels - 1);
    const int endPixel = std::clamp(static_cast<int>(center + support + 0.5), firstPixel + 1, axis.pixels);
    samples.begin(firstPixel, endPixel);
    double sum = 0;
    for (int j = firstPixel; j < endPixel; j++) {
      const double weight = std::max(0.0, 1 - std::abs(j + 0.5 - center) * steepness);
      samples.add(j, weight);
      sum += weight;
    }
    const int count = static_cast<int>(samples.weights.size());
    spans.push_back({samples.first, count, weights.size()});
    longest = std::max(longest, count);
    // The running sums are rounded, not the weights themselves: errors do not accumulate, and the weights sum to one.
    const double unit = 65536 / sum;
    double total = 0;
    int before = 0;
    for (const double weight : samples.weights) {
      total += weight * unit;
      const int after = static_cast<int>(total + 0.5);
      weights.push_back(static_cast<uint16_t>(std::min(65535, after - before)));
      before = after;
    }
  }
}

std::shared_ptr<const AxisWeights> weightsFor(const PlaneAxis& axis, int wanted) {
  constexpr size_t mostKept = 8;  // enough for two picture sizes
  thread_local std::deque<std::pair<Key, std::shared_ptr<const AxisWeights>>> kept;
  const Key key{axis.pixels, axis.extent, axis.samples, axis.pixelsPerSample, wanted};
  for (const auto& [keptKey, weights] : kept) {
    if (keptKey == key) return weights;
  }
  if (kept.size() == mostKept) kept.pop_front();
  return kept.emplace_back(key, std::make_shared<const AxisWeights>(axis, wanted)).second;
}

}  // namespace images
