// Decodes JPEGs to pixels of a given size.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

struct PixelFormat {
  int width, height;
  int channels;  // 1 gray, 3 RGB
};

// Decodes a JPEG into width x height x channels bytes, oriented by its EXIF orientation. False if it is not a plain JPEG
// without faults: if it is CMYK, has a color profile other than sRGB, is very large, shrinks more than 64 pixels to one, is
// damaged, or gives a libjpeg warning. The content of `out` is then undefined.
bool decodeJpeg(const uint8_t* bytes, size_t size, const PixelFormat& format, uint8_t* out);

}  // namespace images
