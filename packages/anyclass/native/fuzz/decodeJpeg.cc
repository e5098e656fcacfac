// Passes libFuzzer's inputs to the JPEG decoder; test/attacks/sanitizers.mjs builds and runs it. The first bytes choose the
// requested size, so that every path of scaling and rotation is covered.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../images/checksum.h"
#include "../images/jpeg.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const images::PixelFormat format{1 + data[0] % 64, 1 + data[1] % 64, data[2] % 2 == 0 ? 1 : 3};
  // Exactly the size needed, so that a write past the end is detected.
  std::vector<uint8_t> out(static_cast<size_t>(format.width) * format.height * format.channels);
  const std::vector<uint8_t> bytes(data + 3, data + size);
  images::decodeJpeg(bytes.data(), bytes.size(), format, out.data());
  images::crc32(bytes.data(), bytes.size());
  return 0;
}
