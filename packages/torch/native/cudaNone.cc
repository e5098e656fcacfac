// Replaces cuda.cc if libtorch was built without CUDA. TypeScript asks for devices before anything else.
#include "door.h"

namespace door {
namespace {

napi_value cudaDevices(Call& call) { return call.make(0.0); }
napi_value cudaUnavailable(Call& call) { return call.make(whyNoCuda()); }

}  // namespace

std::string whyNoCuda() { return std::string("libtorch ") + TORCH_VERSION + " was built without CUDA"; }

const std::vector<Export> cudaExports = {{"cudaDevices", cudaDevices}, {"cudaUnavailable", cudaUnavailable}};

}  // namespace door
