#include "cpuFilters.h"

#include <algorithm>
#include <cstring>

namespace anyclass {
namespace {

// Eight floats that the compiler keeps in one register, or in two.
typedef float Row __attribute__((vector_size(32)));

ANYCLASS_INLINE void loadRow(const float* values, Row& row) { std::memcpy(&row, values, sizeof row); }

ANYCLASS_INLINE void storeRow(const Row& row, float* values) { std::memcpy(values, &row, sizeof row); }

// Sums `count` weighted values; those of neighbor k begin at sources[k].
ANYCLASS_INLINE void weightedSums(const float* const* sources, const float* weights, int neighbors, int count, float* __restrict result) {
  constexpr int kRows = 8;  // sums that stay in registers across the neighbors
  int start = 0;
  for (; start + 8 * kRows <= count; start += 8 * kRows) {
    Row sums[kRows] = {};
    for (int k = 0; k < neighbors; k++) {
      for (int i = 0; i < kRows; i++) {
        Row values;
        loadRow(sources[k] + start + 8 * i, values);
        sums[i] += weights[k] * values;
      }
    }
    for (int i = 0; i < kRows; i++) storeRow(sums[i], result + start + 8 * i);
  }
  for (; start < count; start++) {
    float sum = 0;
    for (int k = 0; k < neighbors; k++) sum += weights[k] * sources[k][start];
    result[start] = sum;
  }
}

ANYCLASS_VECTORIZED void blur(float* values, int height, int width, float deviation, std::vector<float>& scratch) {
  const int radius = blurRadius(deviation), neighbors = 2 * radius + 1, row = 3 * width;
  float weights[2 * kLargestRadius + 1];
  const float* sources[2 * kLargestRadius + 1];
  float total = 0;
  for (int k = 0; k < neighbors; k++) total += weights[k] = blurWeight(k - radius, deviation);
  for (int k = 0; k < neighbors; k++) weights[k] /= total;
  scratch.resize(int64_t{height} * row + row + 6 * radius);
  float* const across = scratch.data();
  float* const bordered = across + int64_t{height} * row;
  for (int y = 0; y < height; y++) {
    const float* const own = values + int64_t{y} * row;
    for (int x = -radius; x < 0; x++) std::copy_n(own + 3 * reflected(x, width), 3, bordered + 3 * (x + radius));
    std::copy_n(own, row, bordered + 3 * radius);
    for (int x = width; x < width + radius; x++) std::copy_n(own + 3 * reflected(x, width), 3, bordered + 3 * (x + radius));
    for (int k = 0; k < neighbors; k++) sources[k] = bordered + 3 * k;
    weightedSums(sources, weights, neighbors, row, across + int64_t{y} * row);
  }
  for (int y = 0; y < height; y++) {
    for (int k = 0; k < neighbors; k++) sources[k] = across + int64_t{reflected(y + k - radius, height)} * row;
    weightedSums(sources, weights, neighbors, row, values + int64_t{y} * row);
  }
}

// The cosine transform of eight values and its transpose, by rows.
struct Transform {
  float basis[kBlockSize], transposed[kBlockSize];

  Transform() {
    for (int frequency = 0; frequency < kBlock; frequency++) {
      for (int place = 0; place < kBlock; place++) {
        basis[frequency * kBlock + place] = transposed[place * kBlock + frequency] = cosineBasis(frequency, place);
      }
    }
  }
};

// result = left · right of eight by eight numbers, by products of a number and a row.
ANYCLASS_INLINE void product(const float* left, const float* right, float* result) {
  Row rows[kBlock];
  for (int k = 0; k < kBlock; k++) loadRow(right + k * kBlock, rows[k]);
  for (int i = 0; i < kBlock; i++) {
    Row sum = {};
    for (int k = 0; k < kBlock; k++) sum += left[i * kBlock + k] * rows[k];
    storeRow(sum, result + i * kBlock);
  }
}

// Quantizes the coefficients of every block of a plane.
ANYCLASS_VECTORIZED void quantizePlane(uint8_t* plane, int stride, int rows, const float* steps, const Transform& transform) {
  float values[kBlockSize], half[kBlockSize];
  for (int top = 0; top < rows; top += kBlock) {
    for (int left = 0; left < stride; left += kBlock) {
      uint8_t* const block = plane + int64_t{top} * stride + left;
      for (int y = 0; y < kBlock; y++) {
        for (int x = 0; x < kBlock; x++) values[y * kBlock + x] = static_cast<float>(block[y * stride + x]) - 128;
      }
      product(transform.basis, values, half);
      product(half, transform.transposed, values);
      for (int i = 0; i < kBlockSize; i++) values[i] = quantized(values[i], steps[i]);
      product(transform.transposed, values, half);
      product(half, transform.basis, values);
      for (int y = 0; y < kBlock; y++) {
        for (int x = 0; x < kBlock; x++) block[y * stride + x] = static_cast<uint8_t>(wholeByte(values[y * kBlock + x] + 128));
      }
    }
  }
}

// One row of an image as luma and colors. Columns beyond the image repeat its last pixel.
ANYCLASS_INLINE void splitRow(const FilteredBatch& batch, const float* row, int stride, int* bytes, uint8_t* luma, int* blue, int* red) {
  // As many values as both three channels and the vectors of all processors divide.
  constexpr int kGroup = 48;
  float offsets[kGroup], levels[kGroup];
  for (int i = 0; i < kGroup; i++) {
    offsets[i] = batch.offset[i % 3];
    levels[i] = batch.levels[i % 3];
  }
  int start = 0;
  for (; start + kGroup <= 3 * batch.width; start += kGroup) {
    for (int i = 0; i < kGroup; i++) bytes[start + i] = byteOf(row[start + i], offsets[i], levels[i]);
  }
  for (; start < 3 * batch.width; start++) bytes[start] = batch.byteOf(row[start], start % 3);
  for (int x = 0; x < batch.width; x++) {
    const auto colors = lumaColorsOf(bytes[3 * x], bytes[3 * x + 1], bytes[3 * x + 2]);
    luma[x] = static_cast<uint8_t>(colors.luma);
    blue[x] = colors.blue;
    red[x] = colors.red;
  }
  const int last = batch.width - 1, beyond = stride - batch.width;
  std::fill_n(luma + batch.width, beyond, luma[last]);
  std::fill_n(blue + batch.width, beyond, blue[last]);
  std::fill_n(red + batch.width, beyond, red[last]);
}

ANYCLASS_INLINE void shrinkRows(const int* upper, const int* lower, int half, uint8_t* result) {
  for (int x = 0; x < half; x++) result[x] = meanOfFour(upper[2 * x] + upper[2 * x + 1] + lower[2 * x] + lower[2 * x + 1], x);
}

// Rows beyond the image repeat its last row; a color's rows its own last row.
ANYCLASS_VECTORIZED void fillPlanes(const FilteredBatch& batch, const float* values, const JpegPlanes& planes, std::vector<int>& scratch) {
  const int stride = planes.stride, half = stride / 2;
  scratch.resize(7 * stride);
  int *const blues = scratch.data(), *const reds = blues + 2 * stride, *const bytes = reds + 2 * stride;
  for (int y = 0; y < batch.height + batch.height % 2; y++) {
    const float* const row = values + int64_t{std::min(y, batch.height - 1)} * batch.width * 3;
    splitRow(batch, row, stride, bytes, planes.luma + int64_t{y} * stride, blues + y % 2 * stride, reds + y % 2 * stride);
    if (y % 2 == 0) continue;
    shrinkRows(blues, blues + stride, half, planes.blue + int64_t{y / 2} * half);
    shrinkRows(reds, reds + stride, half, planes.red + int64_t{y / 2} * half);
  }
  const auto repeatRows = [](uint8_t* plane, int width, int known, int rows) {
    for (int y = known; y < rows; y++) std::copy_n(plane + int64_t{known - 1} * width, width, plane + int64_t{y} * width);
  };
  repeatRows(planes.luma, stride, batch.height, planes.rows);
  repeatRows(planes.blue, half, (batch.height + 1) / 2, planes.rows / 2);
  repeatRows(planes.red, half, (batch.height + 1) / 2, planes.rows / 2);
}

// One row of the image from a plane of colors; `sums` has room for a column at either end.
ANYCLASS_INLINE void enlargeRow(const uint8_t* plane, int half, int columns, int rows, int y, int* sums, int* result) {
  const uint8_t *nearest = plane + int64_t{y / 2} * half, *next = plane + int64_t{besideOf(y, rows)} * half;
  int* const inner = sums + 1;
  for (int x = 0; x < columns; x++) inner[x] = enlargedDown(nearest[x], next[x]);
  inner[-1] = inner[0];
  inner[columns] = inner[columns - 1];
  for (int x = 0; x < columns; x++) {
    result[2 * x] = enlargedAcross(inner[x], inner[x - 1], 0);
    result[2 * x + 1] = enlargedAcross(inner[x], inner[x + 1], 1);
  }
}

ANYCLASS_VECTORIZED void decode(const FilteredBatch& batch, const JpegPlanes& planes, float* values, std::vector<int>& scratch) {
  const int stride = planes.stride, half = stride / 2, columns = (batch.width + 1) / 2, rows = (batch.height + 1) / 2;
  scratch.resize(3 * stride + 2);
  int *const blue = scratch.data(), *const red = blue + stride, *const sums = red + stride;
  for (int y = 0; y < batch.height; y++) {
    enlargeRow(planes.blue, half, columns, rows, y, sums, blue);
    enlargeRow(planes.red, half, columns, rows, y, sums, red);
    const uint8_t* const luma = planes.luma + int64_t{y} * stride;
    float* const row = values + int64_t{y} * batch.width * 3;
    for (int x = 0; x < batch.width; x++) {
      decodedPixel(luma[x], blue[x], red[x], [&](int channel, float byte) { row[3 * x + channel] = batch.normalized(byte, channel); });
    }
  }
}

void compress(const FilteredBatch& batch, float* values, int quality, FilterScratch& scratch) {
  static constexpr uint8_t tables[2][kBlockSize] = ANYCLASS_JPEG_TABLES;
  static const Transform transform;
  scratch.planes.resize(JpegPlanes::bytes(batch.height, batch.width));
  const auto planes = JpegPlanes::at(scratch.planes.data(), batch.height, batch.width);
  float steps[2][kBlockSize];
  for (int table = 0; table < 2; table++) {
    for (int i = 0; i < kBlockSize; i++) steps[table][i] = quantizationStep(tables[table][i], quality);
  }
  fillPlanes(batch, values, planes, scratch.colors);
  quantizePlane(planes.luma, planes.stride, planes.rows, steps[0], transform);
  quantizePlane(planes.blue, planes.stride / 2, planes.rows / 2, steps[1], transform);
  quantizePlane(planes.red, planes.stride / 2, planes.rows / 2, steps[1], transform);
  decode(batch, planes, values, scratch.colors);
}

}  // namespace

void filterImage(const FilteredBatch& batch, int64_t image, FilterScratch& scratch) {
  const auto parameters = batch.parametersOf(image);
  if (!parameters.isFiltered()) return;
  float* const values = batch.image(image);
  if (parameters.blur() > 0) blur(values, batch.height, batch.width, parameters.blur(), scratch.values);
  if (parameters.quality() > 0) compress(batch, values, parameters.quality(), scratch);
  for (int y = 0; y < batch.height; y++) {
    for (int x = 0; x < batch.width; x++) {
      if (parameters.erases(x, y)) std::fill_n(values + (int64_t{y} * batch.width + x) * 3, 3, 0.0f);
    }
  }
}

}  // namespace anyclass
