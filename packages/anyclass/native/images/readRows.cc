#include "readRows.h"

#include <unistd.h>

#include <cerrno>

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

bool readRows(int file, const std::vector<int32_t>& rows, size_t bytes, uint8_t* out) {
  for (const int32_t row : rows) {
    if (!readAt(file, out, bytes, static_cast<off_t>(row) * static_cast<off_t>(bytes))) return false;
    out += bytes;
  }
  return true;
}

}  // namespace images
