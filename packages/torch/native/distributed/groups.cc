// Process groups and their collectives. A group belongs to the process, not to a thread: operators with gradients use it
// from libtorch's own threads.
#define USE_C10D_GLOO
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/library.h>

#include <cstdlib>
#include <future>
#include <mutex>
#include <thread>

#include "distributed.h"

namespace door {
namespace {

// Never destroyed: a process that exits while others are still communicating must not wait for them.
std::mutex& groupsMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}
std::vector<std::shared_ptr<Group>>& groups() {
  static auto* list = new std::vector<std::shared_ptr<Group>>;
  return *list;
}

constexpr Milliseconds kStorePatience(5000);

std::string firstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

[[noreturn]] void raise(int rank, int size, const std::string& operation, const std::string& reason) {
  throw std::runtime_error("rank " + std::to_string(rank) + " of " + std::to_string(size) + ": " + operation + " failed: " + firstLine(reason));
}

c10::intrusive_ptr<Backend> openGloo(const Store& store, int rank, int size, Milliseconds timeout, const std::string& address) {
  using c10d::ProcessGroupGloo;
  auto options = ProcessGroupGloo::Options::create(timeout);
  const char* interface = std::getenv("GLOO_SOCKET_IFNAME");
  options->devices.push_back(interface          ? ProcessGroupGloo::createDeviceForInterface(interface)
                             : address.empty() ? ProcessGroupGloo::createDefaultDevice()
                                                : ProcessGroupGloo::createDeviceForHostname(address));
  return c10::make_intrusive<ProcessGroupGloo>(store, rank, size, options);
}

// groupCreate(path, host, port, isServer, prefix, rank, size, timeout in ms) → a promise of the group's number
napi_value groupCreate(Call& call) {
  const Meeting meeting{call.text(0), call.text(1), call.place(2), call.flag(3), call.text(4)};
  const int rank = call.place(5), size = call.place(6);
  const Milliseconds timeout(static_cast<int64_t>(call.number(7)));
  return inBackground(call, [=] {
    auto group = std::make_shared<Group>(Group{rank, size, timeout, openStore(meeting, rank, size, timeout), {}, {}});
    joinAll(*group->store, rank, size, timeout);
    const auto address = meeting.path.empty() ? addressTowards(meeting.host) : "";
    try {
      group->gloo = openGloo(group->store, rank, size, timeout, address);
    } catch (...) {
      rethrowAs(rank, size, "connecting to the other ranks" + (address.empty() ? "" : " from " + address));
    }
    const std::lock_guard<std::mutex> lock(groupsMutex());
    groups().push_back(group);
    return static_cast<double>(groups().size() - 1);
  });
}

// groupAddNccl(group): GPU tensors go through NCCL from now on
napi_value groupAddNccl(Call& call) {
  const auto group = groupOf(call.place(0));
  group->nccl = openNccl(group->store, group->rank, group->size, group->timeout);
  return nullptr;
}

// groupDispose(group)
napi_value groupDispose(Call& call) {
  std::shared_ptr<Group> gone;  // its destructor waits for threads, so it runs outside the lock
  const std::lock_guard<std::mutex> lock(groupsMutex());
  auto& list = groups();
  const auto number = static_cast<size_t>(call.number(0));
  if (number < list.size()) gone.swap(list[number]);
  return nullptr;
}

// groupHangUp(group): closes the connections, so that the other ranks notice; notes in the store stay readable
napi_value groupHangUp(Call& call) {
  const auto group = groupOf(call.place(0));
  // Their destructors wait for work in progress, perhaps until it times out.
  std::thread([gloo = std::exchange(group->gloo, {}), nccl = std::exchange(group->nccl, {})]() mutable {
    gloo.reset();
    nccl.reset();
  }).detach();
  return nullptr;
}

napi_value distributedUnavailable(Call& call) { return call.make(std::string()); }
napi_value distributedHasNccl(Call& call) { return call.make(hasNccl()); }

// The backends read a tensor's memory contiguously from its first element, whatever its strides.
void checkDense(const at::Tensor& tensor, const char* name) {
  if (!tensor.is_non_overlapping_and_dense()) throw std::runtime_error(std::string(name) + ": the tensor " + describe(tensor) + " has gaps; use contiguous()");
}
void checkContiguous(const at::Tensor& tensor, const char* name) {
  if (!tensor.is_contiguous()) throw std::runtime_error(std::string(name) + ": the tensor " + describe(tensor) + " is not contiguous; use contiguous()");
}

template <typename Begin>
napi_value started(Call& call, const std::string& operation, std::vector<at::Tensor> used, Begin begin) {
  auto group = groupOf(call.place(0));
  try {
    auto& backend = used.empty() ? group->connected(group->gloo) : group->backendFor(used[0]);
    return startedWork(call, group, begin(backend), operation, std::move(used));
  } catch (...) {
    rethrowAs(*group, operation);
  }
}

// allReduce(group, tensor, operation) → work; the operation is c10d's number for it
napi_value allReduce(Call& call) {
  const auto& tensor = call.tensor(1);
  checkDense(tensor, "allReduce");
  std::vector<at::Tensor> list = {tensor.detach()};
  return started(call, "allReduce of " + describe(tensor), list, [&](Backend& backend) {
    c10d::AllreduceOptions options;
    options.reduceOp = static_cast<c10d::ReduceOp::RedOpType>(call.place(2));
    return backend.allreduce(list, options);
  });
}

// broadcast(group, tensor, source) → work
napi_value broadcast(Call& call) {
  const auto& tensor = call.tensor(1);
  checkContiguous(tensor, "broadcast");
  std::vector<at::Tensor> list = {tensor.detach()};
  return started(call, "broadcast of " + describe(tensor), list, [&](Backend& backend) {
    c10d::BroadcastOptions options;
    options.rootRank = call.place(2);
    return backend.broadcast(list, options);
  });
}

// allGather(group, outputs, input) → work
napi_value allGather(Call& call) {
  const auto& input = call.tensor(2);
  checkContiguous(input, "allGather");
  std::vector<std::vector<at::Tensor>> outputs = {call.tensors(1)};
  std::vector<at::Tensor> inputs = {input.detach()};
  auto used = outputs[0];
  used.push_back(input);
  return started(call, "allGather of " + describe(input), used, [&](Backend& backend) { return backend.allgather(outputs, inputs); });
}

// barrier(group) → work
napi_value barrier(Call& call) {
  return started(call, "barrier", {}, [](Backend& backend) { return backend.barrier(); });
}

// storeSet(group, key, text)
napi_value storeSet(Call& call) {
  const auto text = call.text(2);
  groupOf(call.place(0))->store->set(call.text(1), std::vector<uint8_t>(text.begin(), text.end()));
  return nullptr;
}

// storeGet(group, key) → its text, or null if no rank has set it
napi_value storeGet(Call& call) {
  std::packaged_task<c10::optional<std::string>()> ask([store = groupOf(call.place(0))->store, key = call.text(1)]() -> c10::optional<std::string> {
    if (!store->check({key})) return c10::nullopt;
    const auto value = store->get(key);
    return std::string(value.begin(), value.end());
  });
  // A store whose process is frozen never answers, and libtorch would wait for it forever.
  auto answer = ask.get_future();
  std::thread(std::move(ask)).detach();
  if (answer.wait_for(kStorePatience) != std::future_status::ready) throw std::runtime_error("the store that the ranks met at does not answer");
  const auto value = answer.get();
  return value ? call.make(*value) : call.null();
}

// For operators in other libraries, which reduce gradients during backward.
at::Tensor& allReduceNow(at::Tensor& tensor, int64_t number) {
  const auto group = groupOf(number);
  std::vector<at::Tensor> list = {tensor};
  try {
    group->backendFor(tensor).allreduce(list)->wait();
  } catch (...) {
    rethrowAs(*group, "allReduce of " + describe(tensor));
  }
  return tensor;
}

}  // namespace

std::shared_ptr<Group> groupOf(int64_t number) {
  const std::lock_guard<std::mutex> lock(groupsMutex());
  const auto& list = groups();
  if (number < 0 || number >= static_cast<int64_t>(list.size()) || !list[number]) throw std::runtime_error("the process group has been disposed of");
  return list[number];
}

void rethrowAs(int rank, int size, const std::string& operation) {
  try {
    throw;
  } catch (const c10::Error& error) {
    raise(rank, size, operation, error.what_without_backtrace());
  } catch (const std::exception& error) {
    const std::string message = error.what();
    if (message.rfind("rank ", 0) == 0) throw;  // already names rank and operation
    raise(rank, size, operation, message);
  }
}

void rethrowAs(const Group& group, const std::string& operation) { rethrowAs(group.rank, group.size, operation); }

const std::vector<Export> groupExports = {
    {"distributedUnavailable", distributedUnavailable}, {"distributedHasNccl", distributedHasNccl}, {"groupCreate", groupCreate}, {"groupAddNccl", groupAddNccl}, {"groupDispose", groupDispose}, {"groupHangUp", groupHangUp},
    {"allReduce", allReduce}, {"broadcast", broadcast}, {"allGather", allGather}, {"barrier", barrier}, {"storeSet", storeSet}, {"storeGet", storeGet},
};

}  // namespace door

TORCH_LIBRARY(anyclass_distributed, m) {
  m.def("all_reduce_(Tensor(a!) self, int group) -> Tensor(a!)", door::allReduceNow);
}
