// NCCL, for GPU tensors. Built if libtorch has it and nccl.h was found; otherwise ncclNone.cc replaces it.
#define USE_C10D_NCCL
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "distributed.h"

namespace door {

bool hasNccl() { return true; }

c10::intrusive_ptr<Backend> openNccl(const Store& store, int rank, int size, Milliseconds timeout) {
  auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = timeout;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(store, rank, size, options);
}

}  // namespace door
