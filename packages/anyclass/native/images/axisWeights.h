// The triangle filter along one axis: bilinear between pixel centers where a picture is enlarged, stretched over as many
// pixels as become one where it is shrunk. These are the weights of Pillow's antialiased bilinear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace images {

// One axis of a picture, and of a plane of it that may hold fewer samples than the picture has pixels.
struct PlaneAxis {
  int pixels;
  double extent;  // how many of the pixels the picture covers; a fraction where a decoder scaled it before
  int samples;
  int pixelsPerSample;
};

// Which samples make up each pixel of the result, and with what weights.
struct AxisWeights {
  struct Span {
    int first;
    int count;
    size_t weights;  // where its weights begin
  };
  std::vector<Span> spans;
  std::vector<uint16_t> weights;  // in 1/65536; those of one pixel sum to one, as near as 16 bits can hold it
  int longest = 0;

  AxisWeights(const PlaneAxis& axis, int wanted);
};

// The same, kept by the thread for the other planes of the picture and for further pictures of its size.
std::shared_ptr<const AxisWeights> weightsFor(const PlaneAxis& axis, int wanted);

}  // namespace images
