#include "jpegMarkers.h"

#include <algorithm>
#include <cstring>

namespace images {
namespace {

bool begins(const uint8_t* data, size_t size, const char* text, size_t length) {
  return size >= length && std::memcmp(data, text, length) == 0;
}

bool contains(const uint8_t* data, size_t size, const char* text, size_t length) {
  return std::search(data, data + size, text, text + length) != data + size;
}

// Reads numbers of a TIFF structure, whose first two letters give the byte order; 0 beyond its end.
struct Tiff {
  const uint8_t* data;
  size_t size;
  bool bigEndian;

  uint32_t number(size_t at, size_t bytes) const {
    if (at > size || size - at < bytes) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) value = value << 8 | data[at + (bigEndian ? i : bytes - 1 - i)];
    return value;
  }
};

}  // namespace

int exifOrientation(const uint8_t* data, size_t size) {
  constexpr uint32_t orientationTag = 0x0112;
  if (!begins(data, size, "Exif\0\0", 6)) return 1;
  const Tiff tiff{data + 6, size - 6, begins(data + 6, size - 6, "MM", 2)};
  const size_t directory = tiff.number(4, 4);
  const uint32_t entries = tiff.number(directory, 2);
  for (uint32_t i = 0; i < entries; i++) {
    const size_t entry = directory + 2 + 12 * static_cast<size_t>(i);
    if (tiff.number(entry, 2) != orientationTag) continue;
    const uint32_t value = tiff.number(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

bool isForeignProfile(const uint8_t* data, size_t size) {
  if (!begins(data, size, "ICC_PROFILE\0", 12)) return false;
  // In one-byte letters as in version 2 of the format, or in two-byte letters as in version 4.
  return !contains(data, size, "sRGB", 4) && !contains(data, size, "s\0R\0G\0B", 7);
}

}  // namespace images
