// Threads for decoding and reading pixels, one per core. libuv's four threads read the files other than caches.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace images {

class WorkThreads {
 public:
  // Runs the work on a thread. Work starts in the order given. A thread is started only if the others are busy. If the system
  // allows no thread at all, the work is done before this returns.
  void run(std::function<void()> work);

  // Drops work that has not started, and waits for the rest.
  void stop();

 private:
  void start();
  void serve();

  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> waiting;
  std::vector<std::thread> threads;
  size_t idle = 0;
  bool stopping = false;
};

}  // namespace images
