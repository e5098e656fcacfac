// Replaces the other files in this folder if libtorch was built without c10d and Gloo. TypeScript asks before it uses them.
#include "../door.h"

namespace door {
namespace {

napi_value distributedUnavailable(Call& call) { return call.make(std::string("libtorch ") + TORCH_VERSION + " was built without c10d and Gloo"); }
napi_value distributedHasNccl(Call& call) { return call.make(false); }

}  // namespace

const std::vector<Export> groupExports = {{"distributedUnavailable", distributedUnavailable}, {"distributedHasNccl", distributedHasNccl}};
const std::vector<Export> workExports = {};
const std::vector<Export> gradientBucketExports = {};

}  // namespace door
