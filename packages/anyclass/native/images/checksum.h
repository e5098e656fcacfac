// The CRC-32 of zlib, gzip and PNG, which a cache stores for each image.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

uint32_t crc32(const uint8_t* bytes, size_t size);

}  // namespace images
