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
#include <thread>

namespace door {

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
