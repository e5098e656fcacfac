#include "workThreads.h"

#include <algorithm>

namespace images {

void WorkThreads::run(std::function<void()> work) {
  const size_t most = std::max(1u, std::thread::hardware_concurrency());
  {
    const std::lock_guard<std::mutex> lock(mutex);
    waiting.push_back(std::move(work));
    if (idle < waiting.size() && threads.size() < most) threads.emplace_back([this] { serve(); });
  }
  // Without the lock, for which the thread would wait at once.
  wake.notify_one();
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
