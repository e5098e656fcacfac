// Blur and JPEG's artifacts of one image on the CPU.
#pragma once

#include <vector>

#include "filters.h"

namespace anyclass {

// Memory that a thread keeps from one image to the next.
struct FilterScratch {
  std::vector<float> values;
  std::vector<int> colors;
  std::vector<uint8_t> planes;
};

// Changes one image in place; nothing if it is not drawn for any of it.
void filterImage(const FilteredBatch& batch, int64_t image, FilterScratch& scratch);

}  // namespace anyclass
