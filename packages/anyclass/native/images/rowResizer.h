// Resizes an image whose rows come one after another, with a triangle filter: bilinear between pixel centres where it is
// enlarged, stretched over as many pixels as become one where it is shrunk. These are the weights of Pillow's
// antialiased bilinear.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace images {

// Which pixels along one axis make up each pixel of the result, and with what weights; those of one pixel sum to one.
struct AxisWeights {
  struct Span {
    int first;
    int count;
    size_t weights;  // where its weights begin
  };
  std::vector<Span> spans;
  std::vector<float> weights;
  int longest = 0;

  // `extent`: how many of the `available` pixels the image covers; a fraction where a decoder scaled it before.
  AxisWeights(int available, double extent, int wanted);
};

struct SourceSize {
  int width, height;
  double widthExtent, heightExtent;
};

class RowResizer {
 public:
  // How far ahead rows may be written before they are taken.
  static constexpr int rowsAhead = 8;

  RowResizer(const SourceSize& source, int width, int height, int channels);

  // Where to write row `y` of the source, width x channels bytes.
  uint8_t* row(int y) { return rows.data() + static_cast<size_t>(y % rowsHeld) * rowBytes; }

  // Called with the number of rows written so far: makes all rows of the result that need no others.
  void take(int rowsWritten, uint8_t* out);

 private:
  AxisWeights across, down;
  int width, height, channels;
  int rowsHeld;
  int finished = 0;  // rows of the result
  size_t rowBytes;
  std::vector<float> acrossWeights;   // of colours, in the order of vector registers
  std::vector<uint16_t> downWeights;  // in 1/65536
  std::vector<uint8_t> rows;          // the last rows of the source, in turn
  std::vector<uint16_t> combined;     // some of them in one, in 1/256 of a gray level
  std::vector<float> line;            // the same as floats
  std::vector<float> resized;         // a row of the result
};

}  // namespace images
