// Whole files.
#pragma once

#include <cstdint>
#include <vector>

namespace images {

// Reads a file of at most 64 MiB; false where it is larger, no plain file, or cannot be read.
bool readFile(const char* path, std::vector<uint8_t>& bytes);

}  // namespace images
