// JPEG to pixels of a size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

struct PixelFormat {
  int width, height;
  int channels;  // 1 gray, 3 RGB
};

// Decodes a JPEG into width x height x channels bytes, turned as its EXIF orientation says. False where it is not one
// that is plain and without fault: CMYK, another color profile than sRGB, enormous, more than 64 pixels to one,
// damaged, or with anything that libjpeg warns of. What is in `out` then does not count.
bool decodeJpeg(const uint8_t* bytes, size_t size, const PixelFormat& format, uint8_t* out);

}  // namespace images
