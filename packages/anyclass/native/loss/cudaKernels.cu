// The fused loss on a GPU: one kernel forward and one backward, each reading every logit and target once, in 16-byte loads
// if rows are aligned. A warp takes a row; if rows are long, a block does. Sums have a fixed order (lanes, then warps, then
// blocks, summed by the last block to finish), so that the same input gives the same bits.
#include <algorithm>
#include <type_traits>

#include "../shared/cudaElements.h"
#include "cudaKernels.h"

namespace anyclass {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kLongRow = 2048;  // from this length on, a block takes a row
constexpr int kBlocksPerMultiprocessor = 32;  // enough for the hardware to balance, few enough to sum at the end
constexpr unsigned kAllLanes = 0xffffffffu;

// The rows that a thread works on, and its position in them: `lanes` threads share a row.
struct Place {
  int lane, lanes;
  int64_t firstRow, rowStep;

  __device__ __forceinline__ Place(const LossBatch& batch) {
    lanes = batch.classes >= kLongRow ? kThreads : 32;
    lane = threadIdx.x % lanes;
    const int rowsAtOnce = kThreads / lanes;
    firstRow = int64_t{blockIdx.x} * rowsAtOnce + threadIdx.x / lanes;
    rowStep = int64_t{gridDim.x} * rowsAtOnce;
  }
};

// Calls `work` with a thread's share of a row, one pack of logits and targets at a time. The next pack is loaded meanwhile.
template <typename Logit, typename Target, int width, typename Work>
__device__ __forceinline__ void forEachPack(const LossBatch& batch, const Place& place, int64_t row, Work work) {
  const int64_t step = place.lanes * width, start = row * batch.classes;
  int64_t j = int64_t{place.lane} * width;
  if (j >= batch.classes) return;
  auto logits = load<Logit, width>(batch.logits, start + j);
  auto targets = load<Target, width>(batch.targets, start + j);
  while (true) {
    const int64_t next = j + step;
    const bool more = next < batch.classes;
    Pack<Logit, width> nextLogits;
    Pack<Target, width> nextTargets;
    if (more) {
      nextLogits = load<Logit, width>(batch.logits, start + next);
      nextTargets = load<Target, width>(batch.targets, start + next);
    }
    work(j, logits, targets);
    if (!more) return;
    logits = nextLogits;
    targets = nextTargets;
    j = next;
  }
}

__device__ __forceinline__ void addLanes(RowSums& sums, int step) {
  sums.known += __shfl_xor_sync(kAllLanes, sums.known, step);
  sums.present += __shfl_xor_sync(kAllLanes, sums.present, step);
  sums.anyTarget = fmaxf(sums.anyTarget, __shfl_xor_sync(kAllLanes, sums.anyTarget, step));
  sums.logits += __shfl_xor_sync(kAllLanes, sums.logits, step);
  sums.presentLogits += __shfl_xor_sync(kAllLanes, sums.presentLogits, step);
  sums.classWeights += __shfl_xor_sync(kAllLanes, sums.classWeights, step);
  sums.loss += __shfl_xor_sync(kAllLanes, sums.loss, step);
}

// Adds up the sums of a row; every thread of its first warp gets the result.
__device__ __forceinline__ void addThreads(RowSums& sums, int lanes) {
  for (int step = 16; step > 0; step /= 2) addLanes(sums, step);
  if (lanes == 32) return;
  __shared__ RowSums ofWarps[kWarps];
  if (threadIdx.x % 32 == 0) ofWarps[threadIdx.x / 32] = sums;
  __syncthreads();
  sums = threadIdx.x % 32 < kWarps ? ofWarps[threadIdx.x % 32] : RowSums{};
  for (int step = 16; step > 0; step /= 2) addLanes(sums, step);
  __syncthreads();
}

struct BatchSums {
  double loss, presences, labeled;

  __device__ __forceinline__ void add(const BatchSums& other) {
    loss += other.loss;
    presences += other.presences;
    labeled += other.labeled;
  }
};

// Returns the sum over a block, in thread 0.
__device__ __forceinline__ BatchSums addBlock(const BatchSums& own) {
  __shared__ BatchSums ofThreads[kThreads];
  ofThreads[threadIdx.x] = own;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) ofThreads[threadIdx.x].add(ofThreads[threadIdx.x + step]);
    __syncthreads();
  }
  return ofThreads[0];
}

// Scratch memory holds a counter of finished blocks in place of the first double, then the sums of each block.
__device__ __forceinline__ void finishBatch(const BatchSums& own, double* scratch, Reduction reduction, const ForwardOutput& output) {
  auto* finished = reinterpret_cast<unsigned*>(scratch);
  auto* ofBlocks = reinterpret_cast<BatchSums*>(scratch + 1);
  __shared__ bool isLast;
  const BatchSums sums = addBlock(own);
  if (threadIdx.x == 0) {
    ofBlocks[blockIdx.x] = sums;
    __threadfence();
    isLast = atomicAdd(finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!isLast) return;
  __threadfence();
  BatchSums mine{};
  for (unsigned block = threadIdx.x; block < gridDim.x; block += kThreads) {
    const auto* other = ofBlocks + block;
    mine.add({__ldcg(&other->loss), __ldcg(&other->presences), __ldcg(&other->labeled)});
  }
  const BatchSums total = addBlock(mine);
  if (threadIdx.x != 0) return;
  output.counts[0] = static_cast<float>(total.presences);
  output.counts[1] = static_cast<float>(total.labeled);
  if (reduction != Reduction::none) *output.loss = static_cast<float>(total.loss * scaleOf(reduction, total.presences, total.labeled));
}

template <typename Logit, typename Target, TermKind kind, int width>
__global__ void __launch_bounds__(kThreads) forwardKernel(const LossBatch batch, const float* __restrict__ classWeights, const LossParameters parameters,
                                                          const Reduction reduction, const ForwardOutput output, double* scratch) {
  const Place place(batch);
  BatchSums batchSums{};
  for (int64_t row = place.firstRow; row < batch.rows; row += place.rowStep) {
    RowSums sums{};
    forEachPack<Logit, Target, width>(batch, place, row, [&](int64_t j, const auto& logits, const auto& targets) {
      Pack<float, width> weights{};
      if (parameters.balanced) weights = load<float, width>(classWeights, j);
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float target = toFloat(targets.values[k]);
        const bool known = target == target;
        const float y = known ? target : 0.0f;
        const float z = known ? toFloat(logits.values[k]) : 0.0f;
        const float loss = termLoss<kind>(logistic(z), smoothed(y, parameters.term), parameters.term);
        sums.known += known ? 1.0f : 0.0f;
        sums.present += y;
        sums.anyTarget = fmaxf(sums.anyTarget, y);
        sums.logits += z * kLogitScale;
        sums.presentLogits += y * (z * kLogitScale);
        sums.classWeights += y * weights.values[k];
        sums.loss += known ? loss : 0.0f;
      }
    });
    addThreads(sums, place.lanes);
    if (place.lane != 0) continue;
    const RowResult result = finishRow<kind>(sums, batch.classes, parameters);
    output.slopes[row] = result.slopes;
    if (reduction == Reduction::none) output.loss[row] = result.loss;
    batchSums.add({result.loss, result.presences, result.labeled});
  }
  finishBatch(batchSums, scratch, reduction, output);
}

template <typename Logit, typename Target, TermKind kind, int width>
__global__ void __launch_bounds__(kThreads) backwardKernel(const LossBatch batch, const TermParameters term, const Reduction reduction,
                                                           const BackwardInput input, Logit* __restrict__ gradient) {
  const Place place(batch);
  const float scale = scaleOf(reduction, input.counts[0], input.counts[1]);
  for (int64_t row = place.firstRow; row < batch.rows; row += place.rowStep) {
    const RowSlopes slopes = input.slopes[row];
    const float factor = scale * input.gradient[row * input.gradientStride] * slopes.weight;
    forEachPack<Logit, Target, width>(batch, place, row, [&](int64_t j, const auto& logits, const auto& targets) {
      Pack<Logit, width> result;
#pragma unroll
      for (int k = 0; k < width; k++) {
        const float y = toFloat(targets.values[k]);
        const float slope =
            termSlope<kind>(logistic(toFloat(logits.values[k])), smoothed(y, term), term) + y * slopes.present + (1 - y) * slopes.absent;
        result.values[k] = fromFloat<Logit>(y == y ? factor * slope : 0.0f);
      }
      store(gradient, row * batch.classes + j, result);
    });
  }
}

int blocksFor(const LossBatch& batch) {
  int device = 0, multiprocessors = 1;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  const int64_t rowsAtOnce = batch.classes >= kLongRow ? 1 : kThreads / 32;
  const int64_t wanted = (batch.rows + rowsAtOnce - 1) / rowsAtOnce;
  return static_cast<int>(std::clamp<int64_t>(wanted, 1, int64_t{multiprocessors} * kBlocksPerMultiprocessor));
}

// Calls `launch` with the batch's element types, its kind of term and the widest loads that all its rows allow. `other` is the
// class weights or the gradient.
template <typename Logit, typename Target, typename Launch>
void withShape(const LossBatch& batch, const TermParameters& term, const void* other, Launch launch) {
  constexpr int widest = 16 / sizeof(Logit);
  const bool wide = batch.classes % widest == 0 && isAligned<Logit, widest>(batch.logits) && isAligned<Target, widest>(batch.targets) &&
      isAligned<float, 4>(other);
  withKind(term, [&](auto kind) {
    if (wide) launch(Logit(), Target(), kind, std::integral_constant<int, widest>());
    else launch(Logit(), Target(), kind, std::integral_constant<int, 1>());
  });
}

template <typename Launch>
void withTypes(const LossBatch& batch, const TermParameters& term, const void* other, Launch launch) {
  const auto withTargets = [&](auto logit) {
    using Logit = decltype(logit);
    if (batch.targetType == TargetType::uint8) return withShape<Logit, uint8_t>(batch, term, other, launch);
    return withShape<Logit, float>(batch, term, other, launch);
  };
  switch (batch.logitType) {
    case ElementType::float32: return withTargets(float());
    case ElementType::float16: return withTargets(__half());
    case ElementType::bfloat16: return withTargets(__nv_bfloat16());
  }
}

}  // namespace

size_t forwardScratch(const LossBatch& batch) {
  return 1 + blocksFor(batch) * sizeof(BatchSums) / sizeof(double);
}

cudaError_t launchForward(const LossBatch& batch, const float* classWeights, const LossParameters& parameters, Reduction reduction,
                          const ForwardOutput& output, double* scratch, cudaStream_t stream) {
  cudaMemsetAsync(scratch, 0, sizeof(double), stream);
  withTypes(batch, parameters.term, classWeights, [&](auto logit, auto target, auto kind, auto width) {
    forwardKernel<decltype(logit), decltype(target), decltype(kind)::value, decltype(width)::value>
        <<<blocksFor(batch), kThreads, 0, stream>>>(batch, classWeights, parameters, reduction, output, scratch);
  });
  return cudaGetLastError();
}

cudaError_t launchBackward(const LossBatch& batch, const TermParameters& term, Reduction reduction, const BackwardInput& input, void* gradient,
                           cudaStream_t stream) {
  withTypes(batch, term, gradient, [&](auto logit, auto target, auto kind, auto width) {
    using Logit = decltype(logit);
    backwardKernel<Logit, decltype(target), decltype(kind)::value, decltype(width)::value>
        <<<blocksFor(batch), kThreads, 0, stream>>>(batch, term, reduction, input, static_cast<Logit*>(gradient));
  });
  return cudaGetLastError();
}

}  // namespace anyclass
