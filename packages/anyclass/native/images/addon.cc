// The addon. Each function runs on the addon's own threads and returns a promise of whether it succeeded:
//   readRows(file, rows, checksums, bytes, out, offset)          records of a cache
//   decodeJpeg(bytes, out, offset, width, height, channels)      only if built with libjpeg-turbo
//   decodeJpegFile(path, out, offset, width, height, channels)   the same from a file
//
// It does not need libtorch, so that code that only reads images does not load it. All state is in N-API's instance data,
// one for each worker thread that loads the addon.
#include <node_api.h>

#include <initializer_list>
#include <memory>
#include <new>
#include <string>

#include "jpeg.h"
#include "readFile.h"
#include "readRows.h"
#include "workThreads.h"

namespace images {
namespace {

struct Addon {
  napi_threadsafe_function finished = nullptr;
  WorkThreads threads;
  size_t pending = 0;
};

// Work in progress. The references keep alive the arrays whose memory a thread reads and writes until it is done.
struct Task {
  Addon* addon;
  napi_deferred deferred;
  std::vector<napi_ref> references;
  std::function<bool()> work;
  bool succeeded = false;
};

// Runs on the JavaScript thread. Without an environment, the process or worker is ending and its references are gone.
void settle(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<Task> task(static_cast<Task*>(data));
  if (env == nullptr) return;
  napi_value succeeded;
  napi_get_boolean(env, task->succeeded, &succeeded);
  for (const napi_ref reference : task->references) napi_delete_reference(env, reference);
  if (--task->addon->pending == 0) napi_unref_threadsafe_function(env, task->addon->finished);
  napi_resolve_deferred(env, task->deferred, succeeded);
}

napi_value begin(napi_env env, std::initializer_list<napi_value> arrays, std::function<bool()> work) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  auto* const addon = static_cast<Addon*>(data);
  auto* const task = new Task{addon, nullptr, {}, std::move(work)};
  napi_value promise;
  napi_create_promise(env, &task->deferred, &promise);
  for (const napi_value array : arrays) {
    napi_ref reference = nullptr;
    napi_create_reference(env, array, 1, &reference);
    task->references.push_back(reference);
  }
  if (addon->pending++ == 0) napi_ref_threadsafe_function(env, addon->finished);
  addon->threads.run([task] {
    try {
      task->succeeded = task->work();
    } catch (const std::bad_alloc&) {
    }
    napi_call_threadsafe_function(task->addon->finished, task, napi_tsfn_nonblocking);
  });
  return promise;
}

template <typename T>
struct Array {
  T* data = nullptr;
  size_t size = 0;
};

template <typename T>
bool arrayOf(napi_env env, napi_value value, napi_typedarray_type expected, Array<T>& array) {
  napi_typedarray_type type;
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &array.size, &data, nullptr, nullptr) != napi_ok) return false;
  array.data = static_cast<T*>(data);
  return type == expected;
}

bool integerOf(napi_env env, napi_value value, int64_t& integer) { return napi_get_value_int64(env, value, &integer) == napi_ok; }

// Returns whether `size` bytes at `offset` are within an array.
bool fits(int64_t size, int64_t offset, const Array<uint8_t>& array) {
  const int64_t room = static_cast<int64_t>(array.size);
  return offset >= 0 && offset <= room && size >= 0 && size <= room - offset;
}

constexpr int64_t kMostBytes = int64_t{1} << 32;

napi_value readRowsAsync(napi_env env, napi_callback_info info) {
  size_t count = 6;
  napi_value values[6];
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  Array<int32_t> rows;
  Array<uint32_t> checksums;
  Array<uint8_t> out;
  int64_t file = -1, bytes = 0, offset = -1;
  const bool isCall = count == 6 && integerOf(env, values[0], file) && arrayOf(env, values[1], napi_int32_array, rows) &&
      arrayOf(env, values[2], napi_uint32_array, checksums) && integerOf(env, values[3], bytes) && arrayOf(env, values[4], napi_uint8_array, out) &&
      integerOf(env, values[5], offset);
  if (!isCall || checksums.size != rows.size || file < 0 || bytes <= 0 || bytes > kMostBytes || rows.size > size_t{1} << 30 || !fits(static_cast<int64_t>(rows.size) * bytes, offset, out)) {
    napi_throw_range_error(env, nullptr, "readRows(file, rows, checksums, bytes, out, offset): the rows do not fit into out");
    return nullptr;
  }
  return begin(env, {values[4]}, [file = static_cast<int>(file), rows = std::vector<int32_t>(rows.data, rows.data + rows.size),
                                  checksums = std::vector<uint32_t>(checksums.data, checksums.data + checksums.size), bytes, out = out.data + offset] {
    return readRows(file, rows, checksums, bytes, out);
  });
}

#ifdef ANYCLASS_LIBJPEG
// Where to write an image, and its size: the last five of six arguments.
struct Destination {
  uint8_t* out;
  PixelFormat format;
};

bool destinationOf(napi_env env, const napi_value* values, Destination& destination) {
  Array<uint8_t> out;
  int64_t offset = -1, width = 0, height = 0, channels = 0;
  const bool isCall = arrayOf(env, values[1], napi_uint8_array, out) && integerOf(env, values[2], offset) && integerOf(env, values[3], width) &&
      integerOf(env, values[4], height) && integerOf(env, values[5], channels);
  const int64_t most = 1 << 15;
  const bool isFormat = width > 0 && height > 0 && width <= most && height <= most && (channels == 1 || channels == 3);
  if (!isCall || !isFormat || !fits(width * height * channels, offset, out)) return false;
  destination = {out.data + offset, {static_cast<int>(width), static_cast<int>(height), static_cast<int>(channels)}};
  return true;
}

napi_value decodeJpegAsync(napi_env env, napi_callback_info info) {
  size_t count = 6;
  napi_value values[6];
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  Array<uint8_t> bytes;
  Destination destination;
  if (count != 6 || !arrayOf(env, values[0], napi_uint8_array, bytes) || !destinationOf(env, values, destination)) {
    napi_throw_range_error(env, nullptr, "decodeJpeg(bytes, out, offset, width, height, channels): the image does not fit into out");
    return nullptr;
  }
  return begin(env, {values[0], values[1]}, [bytes, destination] { return decodeJpeg(bytes.data, bytes.size, destination.format, destination.out); });
}

napi_value decodeJpegFileAsync(napi_env env, napi_callback_info info) {
  size_t count = 6;
  napi_value values[6];
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  size_t length = 0;
  Destination destination;
  if (count != 6 || napi_get_value_string_utf8(env, values[0], nullptr, 0, &length) != napi_ok || !destinationOf(env, values, destination)) {
    napi_throw_range_error(env, nullptr, "decodeJpegFile(path, out, offset, width, height, channels): the image does not fit into out");
    return nullptr;
  }
  std::string path(length + 1, '\0');
  napi_get_value_string_utf8(env, values[0], path.data(), path.size(), &length);
  return begin(env, {values[1]}, [path, destination] {
    thread_local std::vector<uint8_t> bytes;
    return readFile(path.c_str(), bytes) && decodeJpeg(bytes.data(), bytes.size(), destination.format, destination.out);
  });
}
#endif

void provide(napi_env env, napi_value exports, const char* name, napi_callback callback) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function);
  napi_set_named_property(env, exports, name, function);
}

napi_value initialize(napi_env env, napi_value exports) {
  auto* const addon = new Addon;
  napi_set_instance_data(env, addon, [](napi_env, void* data, void*) { delete static_cast<Addon*>(data); }, nullptr);
  napi_value name;
  napi_create_string_utf8(env, "images", NAPI_AUTO_LENGTH, &name);
  napi_create_threadsafe_function(env, nullptr, nullptr, name, 0, 1, nullptr, nullptr, nullptr, settle, &addon->finished);
  napi_unref_threadsafe_function(env, addon->finished);
  // Hooks run in reverse order: the threads have ended when Node destroys the function that they call.
  napi_add_env_cleanup_hook(env, [](void* data) { static_cast<Addon*>(data)->threads.stop(); }, addon);
  provide(env, exports, "readRows", readRowsAsync);
#ifdef ANYCLASS_LIBJPEG
  provide(env, exports, "decodeJpeg", decodeJpegAsync);
  provide(env, exports, "decodeJpegFile", decodeJpegFileAsync);
#endif
  return exports;
}

}  // namespace
}  // namespace images

NAPI_MODULE_INIT() { return images::initialize(env, exports); }
