// CRC-32 as zlib, gzip and PNG have it: what a cache knows of each image.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

uint32_t crc32(const uint8_t* bytes, size_t size);

}  // namespace images
