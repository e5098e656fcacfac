// Reads records of one size from any places of a file into consecutive memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace images {

// Returns false if the file ends before a record does, cannot be read, or holds a record whose checksum (crc32) differs.
bool readRows(int file, const std::vector<int32_t>& rows, const std::vector<uint32_t>& checksums, size_t bytes, uint8_t* out);

}  // namespace images
