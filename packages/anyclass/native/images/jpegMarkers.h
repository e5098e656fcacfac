// What a JPEG's markers say about how to look at it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

// The EXIF orientation (1 to 8; 1 where none is given) in the data of an APP1 marker.
int exifOrientation(const uint8_t* data, size_t size);

// Whether the data of an APP2 marker holds a color profile other than sRGB, by the name in it.
bool isForeignProfile(const uint8_t* data, size_t size);

}  // namespace images
