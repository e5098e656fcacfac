// The addon: decodeJpeg(bytes, out, offset, width, height, channels) → Promise<boolean>.
//
// It needs no libtorch, so that what only looks at images does not load it. All state is in N-API's instance data, one
// for each worker thread that loads the addon.
#include <node_api.h>

#include <memory>
#include <new>

#include "decodeThreads.h"
#include "jpeg.h"

namespace images {
namespace {

struct Addon {
  napi_threadsafe_function finished = nullptr;
  DecodeThreads threads;
  size_t pending = 0;
};

// An image on its way. The references keep both arrays, whose memory a thread reads and writes, until it is done.
struct Task {
  Addon* addon;
  napi_deferred deferred;
  napi_ref bytesReference, outReference;
  const uint8_t* bytes;
  size_t size;
  PixelFormat format;
  uint8_t* out;
  bool decoded = false;
};

bool decode(const Task& task) {
  try {
    return decodeJpeg(task.bytes, task.size, task.format, task.out);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// On the JavaScript thread. Without an environment the process or worker is ending, and its references went with it.
void settle(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<Task> task(static_cast<Task*>(data));
  if (env == nullptr) return;
  napi_value decoded;
  napi_get_boolean(env, task->decoded, &decoded);
  napi_delete_reference(env, task->bytesReference);
  napi_delete_reference(env, task->outReference);
  if (--task->addon->pending == 0) napi_unref_threadsafe_function(env, task->addon->finished);
  napi_resolve_deferred(env, task->deferred, decoded);
}

struct Bytes {
  uint8_t* data = nullptr;
  size_t size = 0;
};

bool bytesOf(napi_env env, napi_value value, Bytes& bytes) {
  napi_typedarray_type type;
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &bytes.size, &data, nullptr, nullptr) != napi_ok) return false;
  bytes.data = static_cast<uint8_t*>(data);
  return type == napi_uint8_array;
}

napi_value decodeJpegAsync(napi_env env, napi_callback_info info) {
  size_t count = 6;
  napi_value values[6];
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  Bytes bytes, out;
  int64_t offset = -1, width = 0, height = 0, channels = 0;
  const bool isCall = count == 6 && bytesOf(env, values[0], bytes) && bytesOf(env, values[1], out) &&
      napi_get_value_int64(env, values[2], &offset) == napi_ok && napi_get_value_int64(env, values[3], &width) == napi_ok &&
      napi_get_value_int64(env, values[4], &height) == napi_ok && napi_get_value_int64(env, values[5], &channels) == napi_ok;
  const int64_t most = 1 << 15;
  const bool isFormat = width > 0 && height > 0 && width <= most && height <= most && (channels == 1 || channels == 3);
  const int64_t room = static_cast<int64_t>(out.size);
  if (!isCall || !isFormat || offset < 0 || offset > room || width * height * channels > room - offset) {
    napi_throw_range_error(env, nullptr, "decodeJpeg(bytes, out, offset, width, height, channels): the image does not fit into out");
    return nullptr;
  }
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  auto* const addon = static_cast<Addon*>(data);
  auto* const task = new Task{addon, nullptr, nullptr, nullptr, bytes.data, bytes.size,
                              {static_cast<int>(width), static_cast<int>(height), static_cast<int>(channels)}, out.data + offset};
  napi_value promise;
  napi_create_promise(env, &task->deferred, &promise);
  napi_create_reference(env, values[0], 1, &task->bytesReference);
  napi_create_reference(env, values[1], 1, &task->outReference);
  if (addon->pending++ == 0) napi_ref_threadsafe_function(env, addon->finished);
  addon->threads.run([task] {
    task->decoded = decode(*task);
    napi_call_threadsafe_function(task->addon->finished, task, napi_tsfn_nonblocking);
  });
  return promise;
}

napi_value initialise(napi_env env, napi_value exports) {
  auto* const addon = new Addon;
  napi_set_instance_data(env, addon, [](napi_env, void* data, void*) { delete static_cast<Addon*>(data); }, nullptr);
  napi_value name, function;
  napi_create_string_utf8(env, "decodeJpeg", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, nullptr, settle, &addon->finished);
  napi_unref_threadsafe_function(env, addon->finished);
  // Hooks run last in, first out: the threads have ended when Node takes down the function that they call.
  napi_add_env_cleanup_hook(env, [](void* data) { static_cast<Addon*>(data)->threads.stop(); }, addon);
  napi_create_function(env, "decodeJpeg", NAPI_AUTO_LENGTH, decodeJpegAsync, nullptr, &function);
  napi_set_named_property(env, exports, "decodeJpeg", function);
  return exports;
}

}  // namespace
}  // namespace images

NAPI_MODULE_INIT() { return images::initialise(env, exports); }
