#include "readFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace images {
namespace {

constexpr off_t kMostBytes = off_t{64} << 20;

bool readWhole(int file, std::vector<uint8_t>& bytes) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size > kMostBytes) return false;
  bytes.resize(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<size_t>(count);
  }
  return true;
}

}  // namespace

bool readFile(const char* path, std::vector<uint8_t>& bytes) {
  // Without O_NONBLOCK, a named pipe would block the thread until someone writes to it.
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool isRead = readWhole(file, bytes);
  close(file);
  return isRead;
}

}  // namespace images
