// Passes libFuzzer's inputs to the readers of files and of cached images; test/attacks/sanitizers.mjs builds and runs it. The
// first bytes choose the record size and the requested records, including ones before the start and past the end of the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "../images/checksum.h"
#include "../images/jpeg.h"
#include "../images/readFile.h"
#include "../images/readRows.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 6) return 0;
  const size_t bytes = 1 + data[0];
  std::vector<int32_t> rows;
  for (size_t i = 0; i < 4; i++) rows.push_back(static_cast<int8_t>(data[1 + i]) * (data[5] % 2 == 0 ? 1 : 1 << 24));
  const uint8_t* content = data + 6;
  const size_t length = size - 6;
  const int file = memfd_create("records", 0);
  if (file < 0 || write(file, content, length) != static_cast<ssize_t>(length)) abort();

  // Exactly the size needed, so that a write past the end is detected.
  std::vector<uint8_t> out(rows.size() * bytes);
  std::vector<uint32_t> checksums;
  bool isWithin = true;
  for (const int32_t row : rows) {
    const bool fits = row >= 0 && (static_cast<size_t>(row) + 1) * bytes <= length;
    checksums.push_back(fits ? images::crc32(content + row * bytes, bytes) : 0);
    isWithin = isWithin && fits;
  }
  if (images::readRows(file, rows, checksums, bytes, out.data()) != isWithin) abort();
  for (size_t i = 0; isWithin && i < rows.size(); i++)
    if (std::memcmp(out.data() + i * bytes, content + rows[i] * bytes, bytes) != 0) abort();

  std::vector<uint8_t> whole;
  if (!images::readFile(("/proc/self/fd/" + std::to_string(file)).c_str(), whole)) abort();
  if (whole.size() != length || (length > 0 && std::memcmp(whole.data(), content, length) != 0)) abort();
  std::vector<uint8_t> pixels(16 * 16 * 3);
  images::decodeJpeg(whole.data(), whole.size(), {16, 16, 3}, pixels.data());
  close(file);
  return 0;
}
