// Promises for waits on other processes. Such waits may take minutes, so they get their own threads and do not occupy
// libuv's few threads, which read the images.
#include "distributed.h"

#include <thread>

namespace door {
namespace {

struct Task {
  std::function<double()> function;
  napi_deferred deferred;
  napi_threadsafe_function settle;
  double result = 0;
  std::string error;
};

void run(Task* task) {
  try {
    task->result = task->function();
  } catch (const c10::Error& error) {
    task->error = error.what_without_backtrace();
  } catch (const std::exception& error) {
    task->error = error.what();
  }
  const auto settle = task->settle;
  napi_call_threadsafe_function(settle, task, napi_tsfn_blocking);
  napi_release_threadsafe_function(settle, napi_tsfn_release);
}

void settled(napi_env env, napi_value, void*, void* data) {
  const std::unique_ptr<Task> task(static_cast<Task*>(data));
  if (!env) return;  // the environment has shut down
  napi_value value;
  if (task->error.empty()) {
    napi_create_double(env, task->result, &value);
    napi_resolve_deferred(env, task->deferred, value);
  } else {
    napi_value message;
    napi_create_string_utf8(env, task->error.data(), task->error.size(), &message);
    napi_create_error(env, nullptr, message, &value);
    napi_reject_deferred(env, task->deferred, value);
  }
}

}  // namespace

napi_value inBackground(Call& call, std::function<double()> function) {
  auto task = std::make_unique<Task>();
  task->function = std::move(function);
  napi_value promise;
  checked(call.env, napi_create_promise(call.env, &task->deferred, &promise));
  checked(call.env, napi_create_threadsafe_function(call.env, nullptr, nullptr, call.make(std::string("distributed")), 0, 1, nullptr, nullptr, nullptr,
                                                    settled, &task->settle));
  std::thread(run, task.release()).detach();
  return promise;
}

}  // namespace door
