// Frees tensors that no `tidy` owns. JavaScript's finalizers run between turns of the event loop, so a synchronous loop
// would keep every tensor that it ever made. A weak reference, however, is empty as soon as the garbage collector has
// run: we check after each collection, even in the middle of a loop, and free what is gone. That is safe where tensors
// are made (`watch`), since no call is in progress then.
#include "door.h"

#include <algorithm>

namespace door {
namespace {

// Bytes besides the data: the tensor, its storage and their places, and the JavaScript object. V8 must count small tensors, too.
constexpr int64_t kOverhead = 512;

bool isCollected(napi_env env, napi_ref reference) {
  napi_value value = nullptr;
  checked(env, napi_get_reference_value(env, reference, &value));
  return value == nullptr;
}

void account(napi_env env, int64_t bytes) {
  int64_t total = 0;
  checked(env, napi_adjust_external_memory(env, bytes, &total));
}

int64_t forget(napi_env env, Watch& watch) {
  napi_delete_reference(env, watch.reference);
  watch.reference = nullptr;
  return watch.bytes;
}

// An object that nothing refers to: once it is gone, the garbage collector has run.
void placeCanary(Call& call) {
  napi_value object;
  checked(call.env, napi_create_object(call.env, &object));
  if (call.engine.canary) checked(call.env, napi_delete_reference(call.env, call.engine.canary));
  checked(call.env, napi_create_reference(call.env, object, 0, &call.engine.canary));
}

void freeCollected(Call& call) {
  auto& watches = call.engine.watches;
  int64_t freed = 0;
  for (size_t begin = 0; begin < watches.size(); begin += 1024) {
    // Non-empty references create handles, which would pile up without a scope.
    napi_handle_scope scope;
    checked(call.env, napi_open_handle_scope(call.env, &scope));
    for (size_t place = begin; place < std::min(begin + 1024, watches.size()); place++) {
      if (!watches[place].reference || !isCollected(call.env, watches[place].reference)) continue;
      freed += forget(call.env, watches[place]);
      call.engine.dispose(static_cast<int32_t>(place));
    }
    checked(call.env, napi_close_handle_scope(call.env, scope));
  }
  if (freed > 0) account(call.env, -freed);
}

// watch(object, place): frees the tensor when its object is collected; V8 learns its size, so that it collects in time
napi_value watch(Call& call) {
  const auto place = static_cast<size_t>(call.place(1));
  const auto& tensor = call.tensor(1);
  // A view shares another tensor's memory, and a sparse gradient has no storage.
  const bool own = tensor.has_storage() && !tensor.is_view();
  const int64_t bytes = kOverhead + (own ? static_cast<int64_t>(tensor.storage().nbytes()) : 0);
  auto& watches = call.engine.watches;
  if (watches.size() <= place) watches.resize(std::max(place + 1, 2 * watches.size()));
  watches[place].bytes = bytes;
  checked(call.env, napi_create_reference(call.env, call.at(0), 0, &watches[place].reference));
  account(call.env, bytes);
  if (!call.engine.canary) {
    placeCanary(call);
  } else if (isCollected(call.env, call.engine.canary)) {
    freeCollected(call);
    placeCanary(call);
  }
  return nullptr;
}

// unwatch(place): the tensor is disposed of by hand
napi_value unwatch(Call& call) {
  const auto place = static_cast<size_t>(call.place(0));
  auto& watches = call.engine.watches;
  if (place < watches.size() && watches[place].reference) account(call.env, -forget(call.env, watches[place]));
  return nullptr;
}

// release(): frees collected tensors
napi_value release(Call& call) {
  freeCollected(call);
  return nullptr;
}

}  // namespace

const std::vector<Export> collectedExports = {{"watch", watch}, {"unwatch", unwatch}, {"release", release}};

}  // namespace door
