#include "readRows.h"

#include <unistd.h>

#include <cerrno>

#include "checksum.h"

namespace images {
namespace {

bool readAt(int file, uint8_t* out, size_t size, off_t position) {
  while (size > 0) {
    const ssize_t count = pread(file, out, size, position);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    out += count;
    size -= count;
    position += count;
  }
  return true;
}

}  // namespace

bool readRows(int file, const std::vector<int32_t>& rows, const std::vector<uint32_t>& checksums, size_t bytes, uint8_t* out) {
  for (size_t i = 0; i < rows.size(); i++) {
    if (!readAt(file, out, bytes, static_cast<off_t>(rows[i]) * static_cast<off_t>(bytes))) return false;
    // Checked here, while the bytes are in the processor's cache.
    if (crc32(out, bytes) != checksums[i]) return false;
    out += bytes;
  }
  return true;
}

}  // namespace images
