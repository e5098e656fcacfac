// Threads for pixels, as many as there are cores: libuv has four, which files other than caches are read by.
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
  // Runs the work on a thread, begun in the order given. A thread is started only where the others are busy. Where the system has
  // no thread at all for us, the work is done when this returns.
  void run(std::function<void()> work);

  // Drops what has not begun, waits for the rest.
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
