// Process groups: c10d's stores and backends. Each group has a number, by which every thread and operator library in this
// process can find it. Collectives on CPU tensors go through Gloo; those on GPU tensors go through NCCL if the group has it.
#pragma once

#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "../door.h"
#if TORCH_AT_LEAST(2, 0)
#include <torch/csrc/distributed/c10d/Backend.hpp>
#else
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#endif

namespace door {

// What libtorch 2.0 calls Backend was called ProcessGroup before.
#if TORCH_AT_LEAST(2, 0)
using Backend = c10d::Backend;
#else
using Backend = c10d::ProcessGroup;
#endif
using Store = c10::intrusive_ptr<c10d::Store>;
using Work = c10::intrusive_ptr<c10d::Work>;
using Milliseconds = std::chrono::milliseconds;

struct Group {
  int rank;
  int size;
  Milliseconds timeout;
  Store store;
  c10::intrusive_ptr<Backend> gloo;
  c10::intrusive_ptr<Backend> nccl;  // null if the group has none

  Backend& backendFor(const at::Tensor& tensor) const { return connected(tensor.is_cuda() && nccl ? nccl : gloo); }
  // The backend is null after this rank hung up.
  Backend& connected(const c10::intrusive_ptr<Backend>& backend) const {
    if (!backend) throw std::runtime_error("this rank has closed its connections");
    return *backend;
  }
};

std::shared_ptr<Group> groupOf(int64_t number);

// Where ranks meet, and how (stores.cc)
struct Meeting {
  std::string path;  // path of a file store; '' for a TCP store
  std::string host;
  int port;
  bool isServer;
  std::string prefix;  // prefix of the keys, if the store serves others too; '' for none
};
Store openStore(const Meeting& meeting, int rank, int size, Milliseconds timeout);
// Waits for all ranks; if some are missing, the error names them.
void joinAll(c10d::Store& store, int rank, int size, Milliseconds timeout);
// The address at which the given host can reach this machine; '' if unknown.
std::string addressTowards(const std::string& host);

// The backend for GPU tensors (nccl.cc, ncclNone.cc)
bool hasNccl();
c10::intrusive_ptr<Backend> openNccl(const Store& store, int rank, int size, Milliseconds timeout);

// Call it in a catch block: rethrows the exception as 'rank 1 of 4: allReduce of float32[3] failed: …'.
[[noreturn]] void rethrowAs(const Group& group, const std::string& operation);
[[noreturn]] void rethrowAs(int rank, int size, const std::string& operation);

// Work in progress (works.cc). The tensors it uses are kept until it is done.
napi_value startedWork(Call& call, std::shared_ptr<Group> group, Work work, std::string operation, std::vector<at::Tensor> used);

// Runs a function on its own thread and returns a promise of its result (background.cc).
napi_value inBackground(Call& call, std::function<double()> function);

}  // namespace door
