// Reads whole files.
#pragma once

#include <cstdint>
#include <vector>

namespace images {

// Reads a file of at most 64 MiB; false if it is larger, is not a regular file, or cannot be read.
bool readFile(const char* path, std::vector<uint8_t>& bytes);

}  // namespace images
