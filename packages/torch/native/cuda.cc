// GPUs: devices, memory, streams, events, captured graphs. Built if libtorch has CUDA; otherwise cudaNone.cc replaces it.
#include "door.h"

#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>

#include <memory>

namespace door {
namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

struct Cuda {
  std::vector<c10::cuda::CUDAStream> streams;
  std::vector<std::unique_ptr<at::cuda::CUDAEvent>> events;
  std::vector<std::unique_ptr<at::cuda::CUDAGraph>> graphs;
};

Cuda& cuda(Call& call) {
  if (!call.engine.cuda) call.engine.cuda = std::make_shared<Cuda>();
  return *static_cast<Cuda*>(call.engine.cuda.get());
}

template <typename T>
bool isGone(const T&) { return false; }
template <typename T>
bool isGone(const std::unique_ptr<T>& pointer) { return !pointer; }

template <typename T>
T& item(std::vector<T>& list, double index) {
  const bool inside = index >= 0 && index < static_cast<double>(list.size());
  if (!inside || isGone(list[static_cast<size_t>(index)])) throw TypeError("no such stream, event or graph, or it was disposed of");
  return list[static_cast<size_t>(index)];
}

napi_value cudaDevices(Call& call) { return call.make(static_cast<double>(c10::cuda::device_count())); }
napi_value cudaUnavailable(Call& call) { return call.make(whyNoCuda()); }

napi_value cudaDeviceName(Call& call) { return call.make(std::string(at::cuda::getDeviceProperties(call.place(0))->name)); }

// cudaDeviceUuid(device) → 32 hexadecimal digits, the same for a device in every process
napi_value cudaDeviceUuid(Call& call) {
  std::string digits;
  for (const char byte : at::cuda::getDeviceProperties(call.place(0))->uuid.bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    digits += kDigits[value >> 4];
    digits += kDigits[value & 15];
  }
  return call.make(digits);
}

napi_value cudaSynchronize(Call& call) {
  c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(call.place(0)));
  c10::cuda::device_synchronize();
  return nullptr;
}

// cudaMemory(device) → [allocated, its peak, reserved, its peak] in bytes
napi_value cudaMemory(Call& call) {
  c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(call.place(0)));
  allocator::init(c10::cuda::device_count());
  const auto stats = allocator::getDeviceStats(static_cast<c10::DeviceIndex>(call.place(0)));
  const auto& allocated = stats.allocated_bytes[0];  // over all pools
  const auto& reserved = stats.reserved_bytes[0];
  const std::vector<int64_t> bytes = {allocated.current, allocated.peak, reserved.current, reserved.peak};
  return call.make(bytes);
}

napi_value cudaResetPeak(Call& call) {
  allocator::resetPeakStats(static_cast<c10::DeviceIndex>(call.place(0)));
  return nullptr;
}

napi_value cudaEmptyCache(Call&) {
  allocator::emptyCache();
  return nullptr;
}

// setCudnnBenchmark(on): times each convolution's algorithms once per shape and keeps the fastest
napi_value setCudnnBenchmark(Call& call) {
  at::globalContext().setBenchmarkCuDNN(call.flag(0));
  return nullptr;
}

// setTf32(on): float32 products and convolutions on the tensor cores, with 10 bits of mantissa
napi_value setTf32(Call& call) {
  at::globalContext().setAllowTF32CuBLAS(call.flag(0));
  at::globalContext().setAllowTF32CuDNN(call.flag(0));
  return nullptr;
}

napi_value streamCreate(Call& call) {
  auto& streams = cuda(call).streams;
  streams.push_back(c10::cuda::getStreamFromPool(false));
  return call.make(static_cast<double>(streams.size() - 1));
}

// streamEnter(stream) → the previous stream, as an entry in the table
napi_value streamEnter(Call& call) {
  auto& streams = cuda(call).streams;
  const auto before = c10::cuda::getCurrentCUDAStream();
  const auto next = item(streams, call.number(0));
  size_t place = 0;
  while (place < streams.size() && streams[place] != before) place++;
  if (place == streams.size()) streams.push_back(before);
  c10::cuda::setCurrentCUDAStream(next);
  return call.make(static_cast<double>(place));
}

napi_value streamSynchronize(Call& call) {
  item(cuda(call).streams, call.number(0)).synchronize();
  return nullptr;
}

// streamWait(stream, event): later work on the stream waits for the event
napi_value streamWait(Call& call) {
  item(cuda(call).events, call.number(1))->block(item(cuda(call).streams, call.number(0)));
  return nullptr;
}

// streamWaitCurrent(event): the same for the current stream
napi_value streamWaitCurrent(Call& call) {
  item(cuda(call).events, call.number(0))->block(c10::cuda::getCurrentCUDAStream());
  return nullptr;
}

napi_value eventCreate(Call& call) {
  auto& events = cuda(call).events;
  events.push_back(std::make_unique<at::cuda::CUDAEvent>(cudaEventDefault));
  return call.make(static_cast<double>(events.size() - 1));
}

napi_value eventDispose(Call& call) {
  item(cuda(call).events, call.number(0)).reset();
  return nullptr;
}

// eventRecord(event): on the current stream
napi_value eventRecord(Call& call) {
  item(cuda(call).events, call.number(0))->record();
  return nullptr;
}

napi_value eventSynchronize(Call& call) {
  item(cuda(call).events, call.number(0))->synchronize();
  return nullptr;
}

// eventPassed(event) → whether the GPU has passed it
napi_value eventPassed(Call& call) {
  return call.make(item(cuda(call).events, call.number(0))->query());
}

// eventElapsed(from, to) → milliseconds
napi_value eventElapsed(Call& call) {
  auto& events = cuda(call).events;
  return call.make(static_cast<double>(item(events, call.number(0))->elapsed_time(*item(events, call.number(1)))));
}

// graphBegin() → a new graph that records the current stream, which must not be the default one
napi_value graphBegin(Call& call) {
  auto& graphs = cuda(call).graphs;
  auto graph = std::make_unique<at::cuda::CUDAGraph>();
  graph->capture_begin();
  graphs.push_back(std::move(graph));
  return call.make(static_cast<double>(graphs.size() - 1));
}

napi_value graphEnd(Call& call) {
  item(cuda(call).graphs, call.number(0))->capture_end();
  return nullptr;
}

napi_value graphReplay(Call& call) {
  item(cuda(call).graphs, call.number(0))->replay();
  return nullptr;
}

napi_value graphDispose(Call& call) {
  item(cuda(call).graphs, call.number(0)).reset();
  return nullptr;
}

}  // namespace

std::string whyNoCuda() {
  if (c10::cuda::device_count() > 0) return "";
  int count = 0;
  const auto status = cudaGetDeviceCount(&count);
  return status == cudaSuccess ? "no CUDA device is visible" : cudaGetErrorString(status);
}

const std::vector<Export> cudaExports = {
    {"cudaDevices", cudaDevices}, {"cudaUnavailable", cudaUnavailable}, {"cudaDeviceName", cudaDeviceName}, {"cudaDeviceUuid", cudaDeviceUuid},
    {"cudaSynchronize", cudaSynchronize}, {"cudaMemory", cudaMemory}, {"cudaResetPeak", cudaResetPeak}, {"cudaEmptyCache", cudaEmptyCache},
    {"setCudnnBenchmark", setCudnnBenchmark}, {"setTf32", setTf32}, {"streamCreate", streamCreate}, {"streamEnter", streamEnter},
    {"streamSynchronize", streamSynchronize}, {"streamWait", streamWait}, {"streamWaitCurrent", streamWaitCurrent}, {"eventCreate", eventCreate}, {"eventDispose", eventDispose},
    {"eventRecord", eventRecord}, {"eventSynchronize", eventSynchronize}, {"eventPassed", eventPassed}, {"eventElapsed", eventElapsed}, {"graphBegin", graphBegin},
    {"graphEnd", graphEnd}, {"graphReplay", graphReplay}, {"graphDispose", graphDispose},
};

}  // namespace door
