// The fused loss on the CPU: tiles of whole rows that stay in the L1 cache, spread over threads. The results of a row depend
// only on the row and are summed in order, so that the loss does not depend on the threads.
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/library.h>

#include <algorithm>
#include <vector>

#include "cpuLoops.h"
#include "tensors.h"

namespace anyclass {
namespace {

constexpr int64_t kTileLabels = 2048;
constexpr int64_t kLabelsPerThread = 16384;  // fewer are not worth waking a thread

// Rows as float32: the tensors' own memory if they are float32 already, otherwise a copy.
class Tiles {
 public:
  Tiles(const LossBatch& batch) : batch_(batch), rows_(rowsPerTile(batch)), terms_(rows_ * batch.classes) {
    if (batch.logitType != ElementType::float32) logits_.resize(terms_.size());
    if (batch.targetType != TargetType::float32) targets_.resize(terms_.size());
  }

  static int64_t rowsPerTile(const LossBatch& batch) { return std::max<int64_t>(1, kTileLabels / batch.classes); }

  struct Tile {
    int64_t firstRow, rows, labels;
    const float* logits;
    const float* targets;
    float* terms;  // room for one number per label
  };

  template <typename Work>
  void forEach(int64_t begin, int64_t end, Work work) {
    for (int64_t row = begin; row < end; row += rows_) {
      const int64_t rows = std::min(rows_, end - row), start = row * batch_.classes, labels = rows * batch_.classes;
      work(Tile{row, rows, labels, readLogits(start, labels), readTargets(start, labels), terms_.data()});
    }
  }

 private:
  const float* readLogits(int64_t start, int64_t labels) {
    if (batch_.logitType == ElementType::float32) return static_cast<const float*>(batch_.logits) + start;
    if (batch_.logitType == ElementType::float16) return widen(static_cast<const at::Half*>(batch_.logits) + start, labels, logits_);
    return widen(static_cast<const at::BFloat16*>(batch_.logits) + start, labels, logits_);
  }

  const float* readTargets(int64_t start, int64_t labels) {
    if (batch_.targetType == TargetType::float32) return static_cast<const float*>(batch_.targets) + start;
    return widen(static_cast<const uint8_t*>(batch_.targets) + start, labels, targets_);
  }

  template <typename T>
  static const float* widen(const T* from, int64_t count, std::vector<float>& to) {
    for (int64_t i = 0; i < count; i++) to[i] = static_cast<float>(from[i]);
    return to.data();
  }

  const LossBatch& batch_;
  const int64_t rows_;
  std::vector<float> terms_, logits_, targets_;
};

int64_t rowsPerThread(const LossBatch& batch) { return std::max<int64_t>(1, kLabelsPerThread / batch.classes); }

template <TermKind kind>
void finishRows(const Tiles::Tile& tile, int64_t classes, const float* classWeights, const LossParameters& parameters, RowSlopes* slopes, float* losses,
                float* presences) {
  for (int64_t i = 0; i < tile.rows; i++) {
    const int64_t at = i * classes, row = tile.firstRow + i;
    const auto result = finishRow<kind>(sumRow(tile.logits + at, tile.targets + at, tile.terms + at, classWeights, classes), classes, parameters);
    slopes[row] = result.slopes;
    losses[row] = result.loss;
    // At least 1 for a labeled row, 0 for an unlabeled one.
    presences[row] = result.presences;
  }
}

void forward(const LossBatch& batch, const float* classWeights, const LossParameters& parameters, Reduction reduction, const ForwardOutput& output) {
  std::vector<float> losses(batch.rows), presences(batch.rows);
  at::parallel_for(0, batch.rows, rowsPerThread(batch), [&](int64_t begin, int64_t end) {
    Tiles(batch).forEach(begin, end, [&](const Tiles::Tile& tile) {
      labelLosses(tile.logits, tile.targets, tile.labels, parameters.term, tile.terms);
      withKind(parameters.term, [&](auto kind) {
        finishRows<decltype(kind)::value>(tile, batch.classes, classWeights, parameters, output.slopes, losses.data(), presences.data());
      });
    });
  });
  double numerator = 0, presenceSum = 0, labeled = 0;
  for (int64_t row = 0; row < batch.rows; row++) {
    numerator += losses[row];
    presenceSum += presences[row];
    labeled += presences[row] > 0;
  }
  output.counts[0] = static_cast<float>(presenceSum);
  output.counts[1] = static_cast<float>(labeled);
  if (reduction == Reduction::none) {
    std::copy(losses.begin(), losses.end(), output.loss);
  } else {
    *output.loss = static_cast<float>(numerator * scaleOf(reduction, presenceSum, labeled));
  }
}

template <typename T>
void backward(const LossBatch& batch, const TermParameters& term, Reduction reduction, const BackwardInput& input, T* gradient) {
  const float scale = scaleOf(reduction, input.counts[0], input.counts[1]);
  at::parallel_for(0, batch.rows, rowsPerThread(batch), [&](int64_t begin, int64_t end) {
    Tiles(batch).forEach(begin, end, [&](const Tiles::Tile& tile) {
      labelSlopes(tile.logits, tile.targets, tile.labels, term, tile.terms);
      for (int64_t i = 0; i < tile.rows; i++) {
        const int64_t row = tile.firstRow + i;
        rowGradient(tile.targets + i * batch.classes, input.slopes[row], scale * input.gradient[row * input.gradientStride], batch.classes,
                    tile.terms + i * batch.classes);
      }
      std::copy(tile.terms, tile.terms + tile.labels, gradient + tile.firstRow * batch.classes);
    });
  });
}

ForwardResult forwardOperator(const at::Tensor& logits, const at::Tensor& targets, const c10::optional<at::Tensor>& classWeights,
                              double negativeWeight, double alpha, double lambda, double gammaPositive, double gammaNegative, double clip,
                              double smoothing, int64_t reduction) {
  const ForwardTensors output(logits, static_cast<Reduction>(reduction));
  const auto term = termOf(gammaPositive, gammaNegative, clip, smoothing);
  forward(batchOf(logits, targets), classWeights ? classWeights->data_ptr<float>() : nullptr,
          parametersOf(term, alpha, lambda, negativeWeight, classWeights.has_value()), static_cast<Reduction>(reduction), output.pointers());
  return {output.loss, output.counts, output.slopes};
}

at::Tensor backwardOperator(const at::Tensor& gradient, const at::Tensor& logits, const at::Tensor& targets, const at::Tensor& counts,
                            const at::Tensor& slopes, double gammaPositive, double gammaNegative, double clip, double smoothing, int64_t reduction) {
  auto result = at::empty_like(logits);
  const auto term = termOf(gammaPositive, gammaNegative, clip, smoothing);
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, logits.scalar_type(), "any_class_loss_backward", [&] {
    backward(batchOf(logits, targets), term, static_cast<Reduction>(reduction), backwardInput(gradient, counts, slopes), result.data_ptr<scalar_t>());
  });
  return result;
}

}  // namespace
}  // namespace anyclass

TORCH_LIBRARY_IMPL(anyclass, CPU, m) {
  m.impl("any_class_loss_forward", anyclass::forwardOperator);
  m.impl("any_class_loss_backward", anyclass::backwardOperator);
}
