// The triangle filter along one axis: bilinear between pixel centers if a picture is enlarged; if it is shrunk, stretched
// over as many pixels as become one. These are the weights of Pillow's antialiased bilinear resizing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace images {

// One axis of a picture and of one of its planes, which may hold fewer samples than the picture has pixels.
struct PlaneAxis {
  int pixels;
  double extent;  // how many of the pixels the picture covers; a fraction if the decoder scaled it
  int samples;
  int pixelsPerSample;
};

// The samples that make up each pixel of the result, and their weights.
struct AxisWeights {
  struct Span {
    int first;
    int count;
    size_t weights;  // where its weights begin
  };
  std::vector<Span> spans;
  std::vector<uint16_t> weights;  // in 1/65536; those of one pixel sum to one as closely as 16 bits allow
  int longest = 0;

  AxisWeights(const PlaneAxis& axis, int wanted);
};

// Returns the weights, which each thread caches for the other planes of the picture and for further pictures of its size.
std::shared_ptr<const AxisWeights> weightsFor(const PlaneAxis& axis, int wanted);

}  // namespace images
