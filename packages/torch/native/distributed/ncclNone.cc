// Replaces nccl.cc if libtorch has no NCCL or nccl.h was not found; GPU tensors then go through Gloo.
#include "distributed.h"

namespace door {

bool hasNccl() { return false; }

c10::intrusive_ptr<Backend> openNccl(const Store&, int, int, Milliseconds) {
  throw std::runtime_error("this build has no NCCL: libtorch was built without it, or setup found no nccl.h");
}

}  // namespace door
