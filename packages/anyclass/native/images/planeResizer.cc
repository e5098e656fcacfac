// Rows are combined first, which leaves fewer to resize horizontally. These are then transposed, sixteen at a time, so that
// a vector holds values of one column, which are multiplied by the same weight. All numbers are 16-bit integers, so every
// processor gives the same bytes.
#include "planeResizer.h"

#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "../shared/compilers.h"

namespace images {
namespace {

constexpr int groupRows = PlaneResizer::groupRows;

constexpr size_t roundedUp(size_t count, size_t multiple) { return (count + multiple - 1) / multiple * multiple; }

inline uint16_t product(uint16_t value, uint16_t weight) {
  return static_cast<uint16_t>(static_cast<uint32_t>(value) * weight >> 16);
}

struct WeightedRow {
  const uint8_t* bytes;
  uint16_t weight;
};

inline uint16_t product(WeightedRow row, size_t i) { return product(static_cast<uint16_t>(row.bytes[i] << 8), row.weight); }

// Adds two rows at a time, which halves how often the sums are read and written. Products are rounded down, by half a unit
// on average, and `start` compensates for that.
ANYCLASS_VECTORIZED void setRows(WeightedRow a, WeightedRow b, size_t count, uint16_t start, uint16_t* __restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] = start + product(a, i) + product(b, i);
}

ANYCLASS_VECTORIZED void addRows(WeightedRow a, WeightedRow b, size_t count, uint16_t* __restrict sums) {
  for (size_t i = 0; i < count; i++) sums[i] += product(a, i) + product(b, i);
}

typedef uint16_t Eight __attribute__((vector_size(16)));

inline Eight eight(const uint16_t* from) {
  Eight numbers;
  std::memcpy(&numbers, from, sizeof numbers);
  return numbers;
}

// Exchanges rows and columns of 8 x 8 numbers. Interleaving the upper half with the lower rotates the six bits of each
// number's position by one; after three times, row and column have changed places.
inline void exchange(const uint16_t* from, size_t fromStride, uint16_t* to, size_t toStride) {
  Eight rows[8], mixed[8];
  for (int i = 0; i < 8; i++) rows[i] = eight(from + i * fromStride);
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 4; i++) {
      mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    for (int i = 0; i < 8; i++) rows[i] = mixed[i];
  }
  for (int i = 0; i < 8; i++) std::memcpy(to + i * toStride, &rows[i], sizeof(Eight));
}

void rowsToColumns(const uint16_t* rows, size_t stride, uint16_t* columns) {
  for (size_t x = 0; x < stride; x += 8) {
    for (int y = 0; y < groupRows; y += 8) exchange(rows + y * stride + x, stride, columns + x * groupRows + y, groupRows);
  }
}

void columnsToRows(const uint16_t* columns, size_t stride, uint16_t* rows) {
  for (size_t x = 0; x < stride; x += 8) {
    for (int y = 0; y < groupRows; y += 8) exchange(columns + x * groupRows + y, groupRows, rows + y * stride + x, stride);
  }
}

// Returns the upper halves of the products, like `product`. Compilers find this instruction only in long loops.
inline Eight products(Eight values, Eight weights) {
#ifdef __SSE2__
  return reinterpret_cast<Eight>(_mm_mulhi_epu16(reinterpret_cast<__m128i>(values), reinterpret_cast<__m128i>(weights)));
#else
  typedef uint32_t EightWide __attribute__((vector_size(32)));
  const EightWide wide = __builtin_convertvector(values, EightWide) * __builtin_convertvector(weights, EightWide);
  return __builtin_convertvector(wide >> 16, Eight);
#endif
}

ANYCLASS_VECTORIZED void resizeColumns(const AxisWeights& across, const uint16_t* columns, uint16_t* out) {
  for (const auto& span : across.spans) {
    const uint16_t* column = columns + static_cast<size_t>(span.first) * groupRows;
    const uint16_t* weights = &across.weights[span.weights];
    Eight upper = Eight{} + static_cast<uint16_t>(span.count / 2);
    Eight lower = upper;
    for (int k = 0; k < span.count; k++) {
      const Eight weight = Eight{} + weights[k];
      upper += products(eight(column), weight);
      lower += products(eight(column + 8), weight);
      column += groupRows;
    }
    std::memcpy(out, &upper, sizeof upper);
    std::memcpy(out + 8, &lower, sizeof lower);
    out += groupRows;
  }
}

}  // namespace

PlaneResizer::PlaneResizer(std::shared_ptr<const AxisWeights> across, std::shared_ptr<const AxisWeights> down,
                           size_t rowBytes, int rowsAhead)
    : across(across),
      down(down),
      rowBytes(rowBytes),
      combinedStride(roundedUp(rowBytes, 8)),
      resizedStride(roundedUp(across->spans.size(), 8)),
      rowsHeld(down->longest + 2 * rowsAhead),
      rows(rowBytes * rowsHeld),
      combined(combinedStride * groupRows),
      columns(combinedStride * groupRows),
      resizedColumns(resizedStride * groupRows),
      resized(resizedStride * groupRows) {}

void PlaneResizer::combineRows(int y) {
  const auto& span = down->spans[y];
  const uint16_t* weights = &down->weights[span.weights];
  uint16_t* const sums = &combined[y % groupRows * combinedStride];
  for (int k = 0; k < span.count; k += 2) {
    const WeightedRow a{row(span.first + k), weights[k]};
    const WeightedRow b = k + 1 < span.count ? WeightedRow{row(span.first + k + 1), weights[k + 1]} : WeightedRow{a.bytes, 0};
    if (k == 0) setRows(a, b, rowBytes, static_cast<uint16_t>(span.count / 2), sums);
    else addRows(a, b, rowBytes, sums);
  }
}

const uint16_t* PlaneResizer::resizeGroup() {
  rowsToColumns(combined.data(), combinedStride, columns.data());
  resizeColumns(*across, columns.data(), resizedColumns.data());
  columnsToRows(resizedColumns.data(), resizedStride, resized.data());
  return resized.data();
}

}  // namespace images
