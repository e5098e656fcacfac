// Functions that make a row of pixels from rows of resized planes, which are in 1/256 of a gray level.
#pragma once

#include <cstddef>
#include <cstdint>

namespace images {

void grayPixels(const uint16_t* values, size_t count, uint8_t* out);
void pixelsOfRgb(const uint16_t* red, const uint16_t* green, const uint16_t* blue, size_t count, uint8_t* out);
void pixelsOfYCbCr(const uint16_t* luma, const uint16_t* cb, const uint16_t* cr, size_t count, uint8_t* out);


// Compute the gray of colors like libvips: a weighted mean in linear light, with the weights of Rec. 709.
void grayOfRgb(const uint16_t* red, const uint16_t* green, const uint16_t* blue, size_t count, uint8_t* out);
void grayOfYCbCr(const uint16_t* luma, const uint16_t* cb, const uint16_t* cr, size_t count, uint8_t* out);

}  // namespace images
