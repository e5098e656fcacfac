// Records of one size from a file of them, wherever they lie, one after another into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace images {

// False where the file ends before a record does, cannot be read, or holds a record whose checksum (crc32) is not the given one.
bool readRows(int file, const std::vector<int32_t>& rows, const std::vector<uint32_t>& checksums, size_t bytes, uint8_t* out);

}  // namespace images
