#include "workThreads.h"

#include <algorithm>
#include <system_error>

namespace images {

void WorkThreads::run(std::function<void()> work) {
  // Read only once: each call reads a system file.
  static const size_t most = std::max(1u, std::thread::hardware_concurrency());
  bool isHandedOn = false;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (idle <= waiting.size() && threads.size() < most) start();
    isHandedOn = !threads.empty();
    if (isHandedOn) waiting.push_back(std::move(work));
  }
  // After releasing the lock, for which the thread would have to wait.
  if (isHandedOn) wake.notify_one();
  else work();
}

// If the system allows no more threads, the existing ones do the work.
void WorkThreads::start() {
  try {
    threads.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
  }
}

void WorkThreads::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
    waiting.clear();
  }
  wake.notify_all();
  for (auto& thread : threads) thread.join();
}

void WorkThreads::serve() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    idle++;
    wake.wait(lock, [this] { return stopping || !waiting.empty(); });
    idle--;
    if (stopping) return;
    const auto work = std::move(waiting.front());
    waiting.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace images
