// Feeds the JPEG decoder whatever libFuzzer thinks of: test/attacks/sanitizers.mjs builds and runs it. The first bytes choose the size
// that is asked for, so that every way to shrink and to turn is taken.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../images/checksum.h"
#include "../images/jpeg.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 3) return 0;
  const images::PixelFormat format{1 + data[0] % 64, 1 + data[1] % 64, data[2] % 2 == 0 ? 1 : 3};
  // Exactly as much as is needed: a byte too far is found.
  std::vector<uint8_t> out(static_cast<size_t>(format.width) * format.height * format.channels);
  const std::vector<uint8_t> bytes(data + 3, data + size);
  images::decodeJpeg(bytes.data(), bytes.size(), format, out.data());
  images::crc32(bytes.data(), bytes.size());
  return 0;
}
