// What a JPEG's markers say about how to display it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

// Returns the EXIF orientation (1 to 8; 1 if there is none) in the data of an APP1 marker.
int exifOrientation(const uint8_t* data, size_t size);

// Returns whether the data of an APP2 marker holds a color profile other than sRGB, according to the name in it.
bool isForeignProfile(const uint8_t* data, size_t size);

}  // namespace images
