// libjpeg-turbo returns the planes of a JPEG as stored, in most files with the color planes at half the size. Each plane is
// resized by itself, and only the result is converted to RGB. Upsampling, resizing and color conversion are linear, so their
// order does not matter except for rounding and for colors clipped at 0 and 255.
//
// To save work, libjpeg-turbo decodes at an eighth, a quarter or half the size if that is still large enough: each block of
// 8 x 8 pixels becomes the means of its parts without being decoded in full. The triangle filter does the rest.
#include "jpeg.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <utility>
#include <vector>

#include <jpeglib.h>

#include "jpegMarkers.h"
#include "pictureResizer.h"

namespace images {
namespace {

constexpr double mostPixels = 100e6;  // larger images are left to sharp, which limits memory and time
constexpr int mostScans = 100;        // a progressive JPEG has about ten; libvips has the same limit

struct Failure {
  jpeg_error_mgr manager;  // must be first: libjpeg passes pointers to it
  jmp_buf place;
};

[[noreturn]] void fail(j_common_ptr info) { std::longjmp(reinterpret_cast<Failure*>(info->err)->place, 1); }

void failOnWarning(j_common_ptr info, int level) {
  if (level < 0) fail(info);
}

boolean failAtEnd(j_decompress_ptr info) {
  fail(reinterpret_cast<j_common_ptr>(info));
}

void skip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  if (static_cast<size_t>(count) > info->src->bytes_in_buffer) fail(reinterpret_cast<j_common_ptr>(info));
  info->src->next_input_byte += count;
  info->src->bytes_in_buffer -= count;
}

void limitScans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > mostScans) fail(info);
}

// Everything that must be released, owned outside the functions that longjmp leaves.
struct Decompression {
  jpeg_decompress_struct info{};
  Failure failure{};
  jpeg_source_mgr source{};
  jpeg_progress_mgr progress{};
  int orientation = 1;
  bool hasForeignProfile = false;

  Decompression(const uint8_t* bytes, size_t size) {
    info.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = fail;
    failure.manager.emit_message = failOnWarning;
    source.next_input_byte = bytes;
    source.bytes_in_buffer = size;
    source.init_source = [](j_decompress_ptr) {};
    source.fill_input_buffer = failAtEnd;
    source.skip_input_data = skip;
    source.resync_to_restart = jpeg_resync_to_restart;
    source.term_source = [](j_decompress_ptr) {};
    progress.progress_monitor = limitScans;
  }
  ~Decompression() { jpeg_destroy_decompress(&info); }
  Decompression(const Decompression&) = delete;
};

// Reads an APP1 or APP2 segment. libjpeg would keep them all in a list, which it walks for each new one: millions of empty
// segments would take hours.
boolean readSegment(j_decompress_ptr info) {
  auto& jpeg = *static_cast<Decompression*>(info->client_data);
  auto& source = *info->src;
  const uint8_t* bytes = source.next_input_byte;
  const size_t length = source.bytes_in_buffer < 2 ? 0 : bytes[0] << 8 | bytes[1];
  if (length < 2 || length > source.bytes_in_buffer) fail(reinterpret_cast<j_common_ptr>(info));
  const uint8_t* data = bytes + 2;
  if (info->unread_marker == JPEG_APP0 + 2) {
    jpeg.hasForeignProfile = jpeg.hasForeignProfile || isForeignProfile(data, length - 2);
  } else if (jpeg.orientation == 1) {
    jpeg.orientation = exifOrientation(data, length - 2);
  }
  source.next_input_byte += length;
  source.bytes_in_buffer -= length;
  return TRUE;
}

// Reads the header and requests planes; false if this decoder does not support the image.
bool readHeader(Decompression& jpeg) {
  auto& info = jpeg.info;
  if (setjmp(jpeg.failure.place)) return false;
  jpeg_create_decompress(&info);
  info.src = &jpeg.source;
  info.progress = &jpeg.progress;
  info.client_data = &jpeg;
  jpeg_set_marker_processor(&info, JPEG_APP0 + 1, readSegment);
  jpeg_set_marker_processor(&info, JPEG_APP0 + 2, readSegment);
  jpeg_read_header(&info, TRUE);
  const bool isGray = info.jpeg_color_space == JCS_GRAYSCALE;
  const bool isColor = info.jpeg_color_space == JCS_YCbCr || info.jpeg_color_space == JCS_RGB;
  if (!isGray && !isColor) return false;
  if (static_cast<double>(info.image_width) * info.image_height > mostPixels) return false;
  if (jpeg.hasForeignProfile) return false;
  info.raw_data_out = TRUE;
  return true;
}

// Returns the smallest of 1, 2, 4 and 8 eighths that leaves both sides at least twice as large as requested: with less, the
// plain means that libjpeg computes of 2 x 2 or more pixels would show (an error of 2.3 gray levels from 448 to 224 pixels,
// instead of 0.25).
int eighths(const jpeg_decompress_struct& info, int width, int height) {
  int scale = 1;
  while (scale < 8 && (info.image_width * scale < 16u * width || info.image_height * scale < 16u * height)) scale *= 2;
  return scale;
}

// Returns whether so many pixels become one that 16-bit weights and sums would be too coarse.
bool isTooLong(const jpeg_decompress_struct& info, int width, int height) {
  return info.output_width > 64u * width || info.output_height > 64u * height;
}

bool start(Decompression& jpeg) {
  if (setjmp(jpeg.failure.place)) return false;
  return jpeg_start_decompress(&jpeg.info) == TRUE;
}

// The number of samples along each side of a component's block, after scaling.
int blockSide(const jpeg_component_info& component) {
#if JPEG_LIB_VERSION >= 70
  return component.DCT_v_scaled_size;
#else
  return component.DCT_scaled_size;
#endif
}

// The number of rows of a component that are decoded at a time.
int rowsAtOnce(const jpeg_component_info& component) { return component.v_samp_factor * blockSide(component); }

// The number of pixels of the picture per sample of a component. A fraction is not supported, here or by libjpeg, which
// would refuse it when upsampling.
struct PixelsPerSample {
  int across, down;
  bool isWhole;

  PixelsPerSample(const jpeg_decompress_struct& info, const jpeg_component_info& component) {
    const int pixelsAcross = info.max_h_samp_factor * static_cast<int>(info.scale_num);
    const int pixelsDown = info.max_v_samp_factor * static_cast<int>(info.scale_num);
    const int samplesAcross = component.h_samp_factor * blockSide(component);
    const int samplesDown = rowsAtOnce(component);
    across = pixelsAcross / samplesAcross;
    down = pixelsDown / samplesDown;
    isWhole = pixelsAcross % samplesAcross == 0 && pixelsDown % samplesDown == 0;
  }
};

PlaneResizer resizerFor(const jpeg_decompress_struct& info, const jpeg_component_info& component, int width, int height) {
  const double scale = info.scale_num / 8.0;
  const PixelsPerSample perSample(info, component);
  const PlaneAxis across{static_cast<int>(info.output_width), info.image_width * scale,
                         static_cast<int>(component.downsampled_width), perSample.across};
  const PlaneAxis down{static_cast<int>(info.output_height), info.image_height * scale,
                       static_cast<int>(component.downsampled_height), perSample.down};
  const size_t rowBytes = static_cast<size_t>(component.width_in_blocks) * blockSide(component);
  return PlaneResizer(weightsFor(across, width), weightsFor(down, height), rowBytes, rowsAtOnce(component));
}

bool readPlanes(Decompression& jpeg, PictureResizer& resizer, uint8_t* out) {
  auto& info = jpeg.info;
  if (setjmp(jpeg.failure.place)) return false;
  const JDIMENSION lines = info.max_v_samp_factor * info.scale_num;
  int rowsWritten[3] = {0, 0, 0};
  while (info.output_scanline < info.output_height) {
    JSAMPROW rows[3][MAX_SAMP_FACTOR * DCTSIZE];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    for (int c = 0; c < info.num_components; c++) {
      const int count = rowsAtOnce(info.comp_info[c]);
      for (int i = 0; i < count; i++) rows[c][i] = resizer.planes[c].row(rowsWritten[c] + i);
      rowsWritten[c] += count;
    }
    jpeg_read_raw_data(&info, planes, lines);
    resizer.take(rowsWritten, out);
  }
  return true;
}

// Decodes all rows into pixels; for a gray JPEG, `wanted` must have one channel.
bool readPixels(Decompression& jpeg, const PixelFormat& wanted, uint8_t* out) {
  const auto& info = jpeg.info;
  std::vector<PlaneResizer> planes;
  for (int c = 0; c < info.num_components; c++) {
    const auto& component = info.comp_info[c];
    if (!PixelsPerSample(info, component).isWhole) return false;
    planes.push_back(resizerFor(info, component, wanted.width, wanted.height));
  }
  PictureResizer resizer(std::move(planes), info.jpeg_color_space == JCS_YCbCr, wanted);
  return readPlanes(jpeg, resizer, out);
}

// Applies orientations 1 to 8 of the EXIF standard (CIPA DC-008): 2, 4, 5 and 7 are mirrored, and 5 to 8 exchange the axes.
// Gray pixels are repeated in all channels.
void turn(const uint8_t* stored, int storedChannels, int orientation, const PixelFormat& format, uint8_t* out) {
  const bool exchanged = orientation >= 5;
  const int width = exchanged ? format.height : format.width;
  const int height = exchanged ? format.width : format.height;
  const bool fromRight = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool fromBottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  for (int y = 0; y < format.height; y++) {
    for (int x = 0; x < format.width; x++) {
      const int column = exchanged ? y : x;
      const int row = exchanged ? x : y;
      const int from = (fromBottom ? height - 1 - row : row) * width + (fromRight ? width - 1 - column : column);
      const uint8_t* pixel = stored + static_cast<size_t>(from) * storedChannels;
      for (int c = 0; c < format.channels; c++) *out++ = pixel[storedChannels == 1 ? 0 : c];
    }
  }
}

}  // namespace

bool decodeJpeg(const uint8_t* bytes, size_t size, const PixelFormat& format, uint8_t* out) {
  Decompression jpeg(bytes, size);
  if (!readHeader(jpeg)) return false;
  const int orientation = jpeg.orientation;
  const int width = orientation >= 5 ? format.height : format.width;
  const int height = orientation >= 5 ? format.width : format.height;
  jpeg.info.scale_num = eighths(jpeg.info, width, height);
  jpeg.info.scale_denom = 8;
  if (!start(jpeg) || isTooLong(jpeg.info, width, height)) return false;
  const PixelFormat decoded{width, height, std::min(jpeg.info.num_components, format.channels)};
  if (orientation == 1 && decoded.channels == format.channels) return readPixels(jpeg, decoded, out);
  std::vector<uint8_t> stored(static_cast<size_t>(width) * height * decoded.channels);
  if (!readPixels(jpeg, decoded, stored.data())) return false;
  turn(stored.data(), decoded.channels, orientation, format, out);
  return true;
}

}  // namespace images
