// The addon's entry point: registers what the other files export, and turns C++ exceptions into JavaScript ones.
#include "door.h"

#include <c10/util/Exception.h>

namespace door {

int32_t Engine::put(at::Tensor tensor) {
  if (freePlaces.empty()) {
    tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(tensors.size() - 1);
  }
  const int32_t place = freePlaces.back();
  freePlaces.pop_back();
  tensors[place] = std::move(tensor);
  return place;
}

const at::Tensor& Engine::get(int32_t place) const {
  if (place < 0 || place >= static_cast<int32_t>(tensors.size()) || !tensors[place].defined()) {
    throw TypeError("the tensor has been disposed");
  }
  return tensors[place];
}

void Engine::dispose(int32_t place) {
  if (place < 0 || place >= static_cast<int32_t>(tensors.size()) || !tensors[place].defined()) return;
  tensors[place] = at::Tensor();
  freePlaces.push_back(place);
}

void checked(napi_env env, napi_status status) {
  if (status == napi_ok) return;
  const napi_extended_error_info* info = nullptr;
  napi_get_last_error_info(env, &info);
  throw TypeError(info && info->error_message ? info->error_message : "a JavaScript value of the wrong type");
}

napi_valuetype typeOf(napi_env env, napi_value value) {
  napi_valuetype type;
  checked(env, napi_typeof(env, value, &type));
  return type;
}

std::string toText(napi_env env, napi_value value) {
  size_t length = 0;
  checked(env, napi_get_value_string_utf8(env, value, nullptr, 0, &length));
  std::string text(length, '\0');
  checked(env, napi_get_value_string_utf8(env, value, text.data(), length + 1, &length));
  return text;
}

napi_value Call::at(size_t i) const {
  if (i < count) return values[i];
  return undefined();
}

bool Call::given(size_t i) const {
  if (i >= count) return false;
  const auto type = typeOf(env, values[i]);
  return type != napi_undefined && type != napi_null;
}

double Call::number(size_t i) const {
  double value = 0;
  checked(env, napi_get_value_double(env, at(i), &value));
  return value;
}

bool Call::flag(size_t i) const {
  bool value = false;
  checked(env, napi_get_value_bool(env, at(i), &value));
  return value;
}

std::string Call::text(size_t i) const { return toText(env, at(i)); }

std::vector<int64_t> Call::integers(size_t i) const {
  uint32_t length = 0;
  checked(env, napi_get_array_length(env, at(i), &length));
  std::vector<int64_t> result(length);
  for (uint32_t k = 0; k < length; k++) {
    napi_value element;
    checked(env, napi_get_element(env, at(i), k, &element));
    checked(env, napi_get_value_int64(env, element, &result[k]));
  }
  return result;
}

std::vector<at::Tensor> Call::tensors(size_t i) const {
  napi_typedarray_type type;
  size_t length = 0;
  void* data = nullptr;
  checked(env, napi_get_typedarray_info(env, at(i), &type, &length, &data, nullptr, nullptr));
  if (type != napi_int32_array) throw TypeError("expected an Int32Array of places");
  std::vector<at::Tensor> result;
  result.reserve(length);
  for (size_t k = 0; k < length; k++) result.push_back(engine.get(static_cast<int32_t*>(data)[k]));
  return result;
}

napi_value Call::undefined() const {
  napi_value value;
  checked(env, napi_get_undefined(env, &value));
  return value;
}

napi_value Call::null() const {
  napi_value value;
  checked(env, napi_get_null(env, &value));
  return value;
}

napi_value Call::make(double number) const {
  napi_value value;
  checked(env, napi_create_double(env, number, &value));
  return value;
}

napi_value Call::make(bool flag) const {
  napi_value value;
  checked(env, napi_get_boolean(env, flag, &value));
  return value;
}

napi_value Call::make(const std::string& text) const {
  napi_value value;
  checked(env, napi_create_string_utf8(env, text.data(), text.size(), &value));
  return value;
}

napi_value Call::make(at::Tensor tensor) const {
  if (!tensor.defined()) return null();
  napi_value value;
  checked(env, napi_create_int32(env, engine.put(std::move(tensor)), &value));
  return value;
}

napi_value Call::make(at::IntArrayRef numbers) const {
  napi_value array;
  checked(env, napi_create_array_with_length(env, numbers.size(), &array));
  for (size_t k = 0; k < numbers.size(); k++) {
    checked(env, napi_set_element(env, array, k, make(static_cast<double>(numbers[k]))));
  }
  return array;
}

napi_value Call::places(const std::vector<at::Tensor>& list) const {
  napi_value buffer, array;
  void* data = nullptr;
  checked(env, napi_create_arraybuffer(env, list.size() * sizeof(int32_t), &data, &buffer));
  for (size_t k = 0; k < list.size(); k++) {
    static_cast<int32_t*>(data)[k] = list[k].defined() ? engine.put(list[k]) : -1;
  }
  checked(env, napi_create_typedarray(env, napi_int32_array, list.size(), buffer, 0, &array));
  return array;
}

namespace {

void raise(napi_env env, const std::string& message, bool typeError) {
  bool pending = false;
  napi_is_exception_pending(env, &pending);
  if (pending) return;
  if (typeError) {
    napi_throw_type_error(env, nullptr, message.c_str());
  } else {
    napi_throw_error(env, nullptr, message.c_str());
  }
}

napi_value enter(napi_env env, napi_callback_info info) {
  void* data = nullptr;
  void* instance = nullptr;
  napi_get_instance_data(env, &instance);
  Call call{env, *static_cast<Engine*>(instance), Call::kMost, {}};
  napi_get_cb_info(env, info, &call.count, call.values, nullptr, &data);
  try {
    // N-API reports how many there were, even if they did not all fit.
    if (call.count > Call::kMost) throw TypeError("more than " + std::to_string(Call::kMost) + " arguments");
    return reinterpret_cast<Function>(data)(call);
  } catch (const TypeError& error) {
    raise(env, error.what(), true);
  } catch (const c10::Error& error) {
    raise(env, error.what_without_backtrace(), false);
  } catch (const std::exception& error) {
    raise(env, error.what(), false);
  } catch (...) {
    raise(env, "an exception that is no std::exception", false);
  }
  return nullptr;
}

napi_value initialize(napi_env env, napi_value exports) {
  napi_set_instance_data(env, new Engine, [](napi_env, void* data, void*) { delete static_cast<Engine*>(data); }, nullptr);
  guardCpuAllocator();
  for (const auto* list : {&operatorExports, &tensorExports, &collectedExports, &autogradExports, &runtimeExports, &cudaExports, &groupExports, &workExports,
                           &gradientBucketExports}) {
    for (const auto& item : *list) {
      napi_value function;
      napi_create_function(env, item.name, NAPI_AUTO_LENGTH, enter, reinterpret_cast<void*>(item.function), &function);
      napi_set_named_property(env, exports, item.name, function);
    }
  }
  return exports;
}

}  // namespace
}  // namespace door

NAPI_MODULE(anyclass_torch, door::initialize)
