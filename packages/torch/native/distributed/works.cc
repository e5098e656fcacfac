// Collectives in progress. JavaScript holds each by a number until it has waited for it.
#include "distributed.h"

#include <thread>
#include <unordered_map>

namespace door {
namespace {

struct Started {
  std::shared_ptr<Group> group;
  Work work;
  std::string operation;
  std::vector<at::Tensor> used;
};

struct Works {
  std::unordered_map<int32_t, Started> started;
  int32_t next = 0;
};

Works& works(Call& call) {
  if (!call.engine.works) call.engine.works = std::make_shared<Works>();
  return *static_cast<Works*>(call.engine.works.get());
}

Started taken(Call& call) {
  auto& started = works(call).started;
  const auto found = started.find(call.place(0));
  if (found == started.end()) throw TypeError("the work has been waited for already");
  auto result = std::move(found->second);
  started.erase(found);
  return result;
}

// On a GPU, this makes the current stream wait and returns; on the CPU, the work is done when this returns.
void waitFor(const Started& started) {
  try {
    started.work->wait();
  } catch (...) {
    rethrowAs(*started.group, started.operation);
  }
}

// workWait(work)
napi_value workWait(Call& call) {
  waitFor(taken(call));
  return nullptr;
}

// workFinished(work) → a promise
napi_value workFinished(Call& call) {
  auto started = std::make_shared<Started>(taken(call));
  return inBackground(call, [started] {
    // NCCL's wait would only order the streams of this thread.
    const bool isOnGpu = started->group->nccl && !started->used.empty() && started->used[0].is_cuda();
    while (isOnGpu && !started->work->isCompleted()) std::this_thread::sleep_for(Milliseconds(1));
    if (!isOnGpu) waitFor(*started);
    return 0.0;
  });
}

// workIsDone(work) → whether waiting would return at once
napi_value workIsDone(Call& call) {
  const auto& started = works(call).started;
  const auto found = started.find(call.place(0));
  return call.make(found == started.end() || found->second.work->isCompleted());
}

}  // namespace

napi_value startedWork(Call& call, std::shared_ptr<Group> group, Work work, std::string operation, std::vector<at::Tensor> used) {
  auto& all = works(call);
  const int32_t number = all.next++;
  all.started.emplace(number, Started{std::move(group), std::move(work), std::move(operation), std::move(used)});
  return call.make(static_cast<double>(number));
}

const std::vector<Export> workExports = {{"workWait", workWait}, {"workFinished", workFinished}, {"workIsDone", workIsDone}};

}  // namespace door
