// What every file of the addon shares: one engine per JavaScript environment, and the handling of a call.
#pragma once

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <node_api.h>
#include <torch/csrc/api/include/torch/version.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#define TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) || (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace door {

// How JavaScript represents a value of a schema type.
enum class Kind { tensor, tensorList, integer, integerList, real, realList, boolean, booleanList, scalar, scalarList, string, device, unsupported };

struct Parameter {
  std::string name;
  Kind kind;
  bool optional;  // None is a valid value
  bool optionalElements;  // Tensor?[]
  bool hasDefault;
  c10::IValue defaultValue;
  int32_t fixedLength;  // of a list such as int[2]; 0 if any length is allowed
};

struct Operator {
  c10::OperatorHandle handle;
  std::string name;  // with overload: aten::add.Tensor
  std::vector<Parameter> parameters;
};

// A tensor that is freed with its JavaScript object (collected.cc).
struct Watch {
  napi_ref reference = nullptr;
  int64_t bytes = 0;
};

// All state of the addon, kept in N-API's instance data so that each worker thread has its own.
// JavaScript refers to tensors by their place in `tensors`: a small integer crosses the border faster than
// a wrapped object, and the class Tensor on the other side is the only owner of a place.
struct Engine {
  std::vector<at::Tensor> tensors;
  std::vector<int32_t> freePlaces;
  std::vector<Operator> operators;
  std::vector<Watch> watches;  // indexed by the tensor's place
  napi_ref canary = nullptr;
  std::shared_ptr<void> cuda;  // streams, events and graphs (cuda.cc)
  std::shared_ptr<void> works;  // collectives in progress (distributed/works.cc)
  std::shared_ptr<void> gradientBuckets;  // (distributed/gradientBuckets.cc)

  int32_t put(at::Tensor tensor);
  const at::Tensor& get(int32_t place) const;
  void dispose(int32_t place);
};

// Becomes a JavaScript TypeError; every other C++ exception becomes an Error.
struct TypeError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One call from JavaScript: its arguments, and short names for N-API's long ones.
struct Call {
  static constexpr size_t kMost = 32;

  napi_env env;
  Engine& engine;
  size_t count;
  napi_value values[kMost];

  napi_value at(size_t i) const;
  int32_t place(size_t i) const { return static_cast<int32_t>(number(i)); }
  const at::Tensor& tensor(size_t i) const { return engine.get(place(i)); }
  double number(size_t i) const;
  bool flag(size_t i) const;
  std::string text(size_t i) const;
  std::vector<int64_t> integers(size_t i) const;
  std::vector<at::Tensor> tensors(size_t i) const;  // an Int32Array of places
  bool given(size_t i) const;

  napi_value undefined() const;
  napi_value null() const;
  napi_value make(double value) const;
  napi_value make(bool value) const;
  napi_value make(const std::string& value) const;
  napi_value make(at::Tensor value) const;  // null for an undefined tensor
  napi_value make(at::IntArrayRef values) const;
  napi_value places(const std::vector<at::Tensor>& values) const;  // an Int32Array, -1 for undefined
};

using Function = napi_value (*)(Call&);
struct Export {
  const char* name;
  Function function;
};

void checked(napi_env env, napi_status status);
std::string toText(napi_env env, napi_value value);
napi_valuetype typeOf(napi_env env, napi_value value);
std::string describe(const at::Tensor& tensor);  // float32[2, 3]
std::string describe(at::ArrayRef<at::Tensor> tensors);  // [float32[2, 3], int64[2]]
// Call it in a catch block: rethrows the exception's first line with the function's name and the tensors it was given.
[[noreturn]] void rethrowWith(const std::string& name, const std::string& inputs);

// Values by schema (values.cc)
Operator planOperator(const c10::OperatorHandle& handle);
c10::IValue toIValue(Call& call, napi_value value, const Parameter& parameter);
napi_value fromIValue(Call& call, const c10::IValue& value);
at::ScalarType toScalarType(int64_t code);
std::string nameOf(at::ScalarType type);

// What each file exports to JavaScript.
extern const std::vector<Export> operatorExports;
extern const std::vector<Export> tensorExports;
extern const std::vector<Export> collectedExports;
extern const std::vector<Export> autogradExports;
extern const std::vector<Export> runtimeExports;
extern const std::vector<Export> cudaExports;
extern const std::vector<Export> groupExports;
extern const std::vector<Export> workExports;
extern const std::vector<Export> gradientBucketExports;

void guardCpuAllocator();
std::string whyNoCuda();  // '' if there is a GPU

}  // namespace door
