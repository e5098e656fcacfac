// Process groups: c10d's stores and backends, named by a number that every thread and every operator library of this process
// can ask for. Collectives on CPU tensors go through Gloo, those on GPU tensors through NCCL where the group has it.
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

// libtorch 2.0 gave this name to what ProcessGroup was before.
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
  c10::intrusive_ptr<Backend> nccl;  // null where the group has none

  Backend& backendFor(const at::Tensor& tensor) const { return connected(tensor.is_cuda() && nccl ? nccl : gloo); }
  // Null after this rank hung up.
  Backend& connected(const c10::intrusive_ptr<Backend>& backend) const {
    if (!backend) throw std::runtime_error("this rank has closed its connections");
    return *backend;
  }
};

std::shared_ptr<Group> groupOf(int64_t number);

// Where ranks meet, and how (stores.cc)
struct Meeting {
  std::string path;  // of a file store; '' for one over TCP
  std::string host;
  int port;
  bool isServer;
  std::string prefix;  // for the keys, where a store serves others too; '' for none
};
Store openStore(const Meeting& meeting, int rank, int size, Milliseconds timeout);
// Waits for all ranks; where some are missing, the error names them.
void joinAll(c10d::Store& store, int rank, int size, Milliseconds timeout);
// The address by which this machine is reached from another, '' where it cannot be told.
std::string addressTowards(const std::string& host);

// The backend for GPU tensors (nccl.cc, ncclNone.cc)
bool hasNccl();
c10::intrusive_ptr<Backend> openNccl(const Store& store, int rank, int size, Milliseconds timeout);

// In a catch block: the exception again, as 'rank 1 of 4: allReduce of float32[3] failed: …'.
[[noreturn]] void rethrowAs(const Group& group, const std::string& operation);
[[noreturn]] void rethrowAs(int rank, int size, const std::string& operation);

// Work under way (works.cc). What it uses is kept until it is done.
napi_value startedWork(Call& call, std::shared_ptr<Group> group, Work work, std::string operation, std::vector<at::Tensor> used);

// A promise of what a function gives that runs on a thread of its own (background.cc).
napi_value inBackground(Call& call, std::function<double()> function);

}  // namespace door
