// The tensors themselves: data in and out, properties, and disposal.
#include "door.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace door {
namespace {

struct Bytes {
  void* data;
  size_t size;
};

Bytes bytesOf(Call& call, size_t i) {
  napi_typedarray_type type;
  size_t length = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(call.env, call.at(i), &type, &length, &data, nullptr, nullptr) != napi_ok || type != napi_uint8_array) {
    throw TypeError("expected the data's bytes as a Uint8Array");
  }
  return {data, length};
}

at::Tensor emptyOf(at::IntArrayRef shape, at::ScalarType dtype, bool pinned) {
  try {
    return at::empty(shape, at::TensorOptions().dtype(dtype).pinned_memory(pinned));
  } catch (...) {
    rethrowWith("tensor", "shape: " + c10::str(shape));
  }
}

// fromBytes(bytes, shape, dtype, pinned) → a CPU tensor with a copy of the data
napi_value fromBytes(Call& call) {
  const auto bytes = bytesOf(call, 0);
  auto tensor = emptyOf(call.integers(1), toScalarType(call.place(2)), call.flag(3));
  if (tensor.nbytes() != bytes.size) {
    throw std::runtime_error("tensor: " + describe(tensor) + " holds " + std::to_string(tensor.nbytes()) + " bytes, the data " + std::to_string(bytes.size));
  }
  if (bytes.size > 0) std::memcpy(tensor.data_ptr(), bytes.data, bytes.size);
  return call.make(tensor);
}

// borrowBytes(bytes, shape) → a uint8 tensor that shares the caller's memory until returnBytes
napi_value borrowBytes(Call& call) {
  const auto bytes = bytesOf(call, 0);
  auto tensor = at::from_blob(bytes.data, call.integers(1), at::kByte);
  if (tensor.nbytes() != bytes.size) throw std::runtime_error("withBytes: " + describe(tensor) + " does not hold " + std::to_string(bytes.size) + " bytes");
  return call.make(tensor);
}

// returnBytes(tensor, bytes) → whether only this tensor uses them; otherwise they are kept forever
napi_value returnBytes(Call& call) {
  const bool alone = call.tensor(0).storage().use_count() == 1;
  napi_ref reference = nullptr;
  if (!alone) checked(call.env, napi_create_reference(call.env, call.at(1), 1, &reference));
  return call.make(alone);
}

at::Tensor onCpu(const at::Tensor& tensor) {
  try {
    const auto values = tensor.detach().to(at::kCPU);
    // The gradient of an embedding can be sparse.
    return values.layout() == at::kStrided ? values.contiguous() : values.to_dense();
  } catch (...) {
    rethrowWith("toTypedArray", describe(tensor));
  }
}

// toBytes(tensor, bytes): copies a tensor's elements, in row-major order, into the caller's buffer
napi_value toBytes(Call& call) {
  at::NoGradGuard guard;
  const auto bytes = bytesOf(call, 1);
  const auto tensor = onCpu(call.tensor(0));
  if (tensor.nbytes() != bytes.size) throw std::runtime_error("toTypedArray: the buffer has the wrong size for " + describe(tensor));
  if (bytes.size > 0) std::memcpy(bytes.data, tensor.data_ptr(), bytes.size);
  return nullptr;
}

// item(tensor) → the only element: number, boolean, or bigint if a number would lose digits
napi_value item(Call& call) {
  const auto& tensor = call.tensor(0);
  if (tensor.numel() != 1) throw std::runtime_error("item: needs a tensor of one element, not " + describe(tensor));
  const auto scalar = tensor.item();
  if (scalar.isBoolean()) return call.make(scalar.toBool());
  if (scalar.isFloatingPoint()) return call.make(scalar.toDouble());
  if (!scalar.isIntegral(false)) throw std::runtime_error("item: no JavaScript number for " + describe(tensor));
  const int64_t integer = scalar.toLong();
  if (integer <= 9007199254740991 && integer >= -9007199254740991) return call.make(static_cast<double>(integer));
  napi_value value;
  checked(call.env, napi_create_bigint_int64(call.env, integer, &value));
  return value;
}

// A private mapping of a whole file, unmapped with the last tensor that uses it.
struct Mapping {
  void* data;
  size_t size;
  ~Mapping() { munmap(data, size); }
};

std::shared_ptr<Mapping> mapFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw std::runtime_error(path + ": " + std::strerror(errno));
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size == 0) {
    close(file);
    throw std::runtime_error(path + ": nothing to map");
  }
  void* data = mmap(nullptr, status.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  close(file);
  if (data == MAP_FAILED) throw std::runtime_error(path + ": " + std::strerror(errno));
  return std::shared_ptr<Mapping>(new Mapping{data, static_cast<size_t>(status.st_size)});
}

// Whether a tensor that starts at `offset` ends within the file, without a product that could overflow.
bool fits(at::IntArrayRef sizes, size_t itemSize, int64_t offset, size_t fileSize) {
  if (offset < 0 || static_cast<size_t>(offset) > fileSize) return false;
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  size_t room = (fileSize - static_cast<size_t>(offset)) / itemSize;
  for (const int64_t size : sizes) {
    if (size < 0) return false;
    if (!empty && (room /= size) == 0) return false;
  }
  return true;
}

// mapTensors(path, offsets, shapes, dtypes) → tensors that map the file; pages written to become private to the process
napi_value mapTensors(Call& call) {
  const auto path = call.text(0);
  const auto offsets = call.integers(1);
  const auto dtypes = call.integers(3);
  const auto mapping = mapFile(path);
  std::vector<at::Tensor> tensors;
  for (size_t i = 0; i < offsets.size(); i++) {
    napi_value element;
    checked(call.env, napi_get_element(call.env, call.at(2), i, &element));
    Call shape{call.env, call.engine, 1, {element}};
    const auto options = at::TensorOptions().dtype(toScalarType(dtypes[i]));
    const auto sizes = shape.integers(0);
    if (!fits(sizes, options.dtype().itemsize(), offsets[i], mapping->size)) {
      throw std::runtime_error(path + ": a tensor of shape " + c10::str(at::IntArrayRef(sizes)) + " at byte " + std::to_string(offsets[i]) + " lies outside the file");
    }
    auto* data = static_cast<char*>(mapping->data) + offsets[i];
    auto tensor = at::from_blob(data, sizes, [mapping](void*) {}, options);
    const bool aligned = reinterpret_cast<uintptr_t>(data) % options.dtype().itemsize() == 0;
    tensors.push_back(aligned ? tensor : tensor.clone());
  }
  return call.places(tensors);
}

napi_value shape(Call& call) { return call.make(call.tensor(0).sizes()); }
napi_value strides(Call& call) { return call.make(call.tensor(0).strides()); }
napi_value dtype(Call& call) { return call.make(static_cast<double>(call.tensor(0).scalar_type())); }
napi_value device(Call& call) { return call.make(call.tensor(0).device().str()); }

// storage(tensor) → the address of its memory, which its views share; 0 if it has none
napi_value storage(Call& call) {
  const auto& tensor = call.tensor(0);
  if (!tensor.has_storage()) return call.make(0.0);
  return call.make(static_cast<double>(reinterpret_cast<uintptr_t>(tensor.storage().unsafeGetStorageImpl())));
}

// isContiguous(tensor, memoryFormat)
napi_value isContiguous(Call& call) {
  return call.make(call.tensor(0).is_contiguous(static_cast<at::MemoryFormat>(call.place(1))));
}

// isPinned(tensor): whether it is in page-locked memory, from which copies to a GPU overlap with other work
napi_value isPinned(Call& call) { return call.make(call.tensor(0).is_pinned()); }

napi_value dispose(Call& call) {
  call.engine.dispose(call.place(0));
  return nullptr;
}

// disposeMany(places, count): the first `count` of an Int32Array
napi_value disposeMany(Call& call) {
  size_t length = 0;
  void* data = nullptr;
  checked(call.env, napi_get_typedarray_info(call.env, call.at(0), nullptr, &length, &data, nullptr, nullptr));
  const auto count = std::min(length, static_cast<size_t>(call.number(1)));
  for (size_t i = 0; i < count; i++) call.engine.dispose(static_cast<int32_t*>(data)[i]);
  return nullptr;
}

napi_value liveTensors(Call& call) {
  return call.make(static_cast<double>(call.engine.tensors.size() - call.engine.freePlaces.size()));
}

}  // namespace

const std::vector<Export> tensorExports = {
    {"fromBytes", fromBytes}, {"borrowBytes", borrowBytes}, {"returnBytes", returnBytes}, {"toBytes", toBytes}, {"item", item}, {"mapTensors", mapTensors}, {"shape", shape}, {"strides", strides},
    {"dtype", dtype}, {"device", device}, {"storage", storage}, {"isContiguous", isContiguous}, {"isPinned", isPinned},
    {"dispose", dispose}, {"disposeMany", disposeMany}, {"liveTensors", liveTensors},
};

}  // namespace door
