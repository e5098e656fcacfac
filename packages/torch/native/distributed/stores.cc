// Where ranks meet before they connect to each other: a store that rank 0 (or torchrun) serves over TCP, or a shared file.
#include "distributed.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>

namespace door {

namespace {

bool isLoopback(const sockaddr& address) {
  if (address.sa_family == AF_INET6) return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
  return (ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24) == 127;
}

// A socket bound to an address of the host, so that nobody reaches the store by another one; -1 if this machine has no such address.
// A name that stands for a loopback address here, as Debian's /etc/hosts has it, may stand for another one elsewhere: only an address
// that is written as one is taken at its word.
int boundSocket(const std::string& host, int port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  const bool isWritten = host == "localhost" || getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) == 0;
  hints.ai_flags = 0;
  if (!found && getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  int bound = -1;
  for (auto* candidate = found; candidate && bound < 0; candidate = candidate->ai_next) {
    if (isLoopback(*candidate->ai_addr) && !isWritten) continue;
    const int handle = socket(candidate->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) continue;
    const int on = 1;
    setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(handle, candidate->ai_addr, candidate->ai_addrlen) == 0) {
      bound = handle;
      continue;
    }
    const int reason = errno;
    close(handle);
    if (reason == EADDRNOTAVAIL) continue;
    freeaddrinfo(found);
    throw std::runtime_error(std::strerror(reason));
  }
  freeaddrinfo(found);
  return bound;
}

// libtorch takes a bound socket from 2.1 on; before, its store listens on all addresses.
template <typename Options>
auto listenOnlyAt(const Meeting& meeting, Options* options) -> decltype(options->masterListenFd = 0, void()) {
  const int bound = boundSocket(meeting.host, meeting.port);
  if (bound >= 0) options->masterListenFd = bound;
}

void listenOnlyAt(const Meeting&, void*) {}

}  // namespace

Store openStore(const Meeting& meeting, int rank, int size, Milliseconds timeout) {
  const auto place = meeting.path.empty() ? "tcp://" + meeting.host + ":" + std::to_string(meeting.port) : "file://" + meeting.path;
  try {
    Store store;
    if (!meeting.path.empty()) {
      store = c10::make_intrusive<c10d::FileStore>(meeting.path, size);
    } else {
      c10d::TCPStoreOptions options;
      options.port = static_cast<std::uint16_t>(meeting.port);
      options.isServer = meeting.isServer;
      options.waitWorkers = false;  // joinAll waits, and can say who is missing
      options.timeout = timeout;
      if (meeting.isServer) listenOnlyAt(meeting, &options);
      store = c10::make_intrusive<c10d::TCPStore>(meeting.host, options);
    }
    store->setTimeout(timeout);
    return meeting.prefix.empty() ? store : Store(c10::make_intrusive<c10d::PrefixStore>(meeting.prefix, store));
  } catch (...) {
    rethrowAs(rank, size, (meeting.isServer ? "serving the store at " : "reaching the store at ") + place);
  }
}

void joinAll(c10d::Store& store, int rank, int size, Milliseconds timeout) {
  const auto keyOf = [](int of) { return "joined/" + std::to_string(of); };
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  try {
    store.set(keyOf(rank), std::vector<uint8_t>{1});
    // Polls: in libtorch 1.13, a wait that times out leaves the connection unusable.
    auto pause = Milliseconds(1);
    for (int next = 0; next < size;) {
      if (store.check({keyOf(next)})) {
        next++;
        continue;
      }
      if (std::chrono::steady_clock::now() > deadline) {
        std::string missing;
        for (int other = next; other < size; other++) {
          if (!store.check({keyOf(other)})) missing += (missing.empty() ? "" : ", ") + std::to_string(other);
        }
        throw std::runtime_error("no sign within " + std::to_string(timeout.count() / 1000) + " s of rank " + missing);
      }
      std::this_thread::sleep_for(pause);
      pause = std::min(pause * 2, Milliseconds(200));
    }
  } catch (...) {
    rethrowAs(rank, size, "joining");
  }
}

std::string addressTowards(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) return "";
  std::string address;
  for (auto* candidate = found; candidate && address.empty(); candidate = candidate->ai_next) {
    const int handle = socket(candidate->ai_family, SOCK_DGRAM, 0);
    if (handle < 0) continue;
    // Connecting a datagram socket sends nothing: the kernel only chooses the route, and with it our own address.
    sockaddr_storage own{};
    socklen_t length = sizeof(own);
    char text[NI_MAXHOST];
    if (connect(handle, candidate->ai_addr, candidate->ai_addrlen) == 0 && getsockname(handle, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text, sizeof(text), nullptr, 0, NI_NUMERICHOST) == 0) {
      address = text;
    }
    close(handle);
  }
  freeaddrinfo(found);
  return address;
}

}  // namespace door
