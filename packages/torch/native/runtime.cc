// The library as a whole: version, threads, random numbers, operator libraries, and a guard against running out of memory.
#include "door.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/CPUAllocator.h>
#include <c10/util/Logging.h>
#include <dlfcn.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <algorithm>
#include <fstream>
#include <mutex>

namespace door {
namespace {

constexpr size_t kWorthChecking = size_t{64} << 20;

// The number after a name in one of the kernel's tables; 0 if missing.
size_t readEntry(const char* path, const std::string& name) {
  std::ifstream file(path);
  std::string entry, line;
  size_t value = 0;
  while (file >> entry >> value && std::getline(file, line)) {
    if (entry == name) return value;
  }
  return 0;
}

struct ControlGroup {
  const char* limit;
  const char* statistics;
  const char* inUse;  // what cannot be dropped to make room
};
constexpr ControlGroup controlGroups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat", "anon"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.stat", "total_rss"},
};

// The memory that is available without swapping, within a container's limit; 0 if unknown.
size_t availableMemory() {
  size_t available = readEntry("/proc/meminfo", "MemAvailable:") * 1024;
  for (const auto& group : controlGroups) {
    size_t limit = 0;
    if (!(std::ifstream(group.limit) >> limit)) continue;
    const size_t used = readEntry(group.statistics, group.inUse);
    available = std::min(available, limit > used ? limit - used : 1);
  }
  return available;
}

// Linux grants more memory than it has and then kills the process that uses it. Large requests are therefore
// checked against the available memory, and refused with an error that the caller can handle.
struct GuardedAllocator final : at::Allocator {
  at::Allocator* base = c10::GetCPUAllocator();

  void check(size_t bytes) const {
    if (bytes < kWorthChecking) return;
    const size_t available = availableMemory();
    TORCH_CHECK(available == 0 || bytes <= available, "not enough memory: ", bytes >> 20, " MiB asked for, ", available >> 20, " MiB available");
  }

#if TORCH_AT_LEAST(2, 2)
  at::DataPtr allocate(size_t bytes) override {
    check(bytes);
    return base->allocate(bytes);
  }
  void copy_data(void* target, const void* source, size_t bytes) const override { base->copy_data(target, source, bytes); }
#else
  at::DataPtr allocate(size_t bytes) const override {
    check(bytes);
    return base->allocate(bytes);
  }
#endif
  at::DeleterFnPtr raw_deleter() const override { return base->raw_deleter(); }
};

napi_value version(Call& call) { return call.make(std::string(TORCH_VERSION)); }

// buildConfiguration() → libtorch's own description of its build
napi_value buildConfiguration(Call& call) { return call.make(at::show_config() + "\n" + at::get_parallel_info()); }

napi_value threads(Call& call) { return call.make(static_cast<double>(at::get_num_threads())); }

napi_value setThreads(Call& call) {
  at::set_num_threads(call.place(0));
  return nullptr;
}

// keepFreedMemory(): glibc returns free memory at the end of its heap to the kernel, which zeroes every page again when the
// next step needs it. What is kept is bounded by the peak use and by the limit set here.
napi_value keepFreedMemory(Call&) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);  // larger blocks are mapped individually; glibc accepts no higher threshold
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
  return nullptr;
}

// setSeed(seed): for the CPU and every CUDA device
napi_value setSeed(Call& call) {
  at::manual_seed(static_cast<uint64_t>(call.number(0)));
  return nullptr;
}

at::Generator generatorOf(const std::string& device) {
  try {
    const c10::Device parsed(device);
    if (parsed.is_cpu()) return at::detail::getDefaultCPUGenerator();
    if (!whyNoCuda().empty()) throw std::runtime_error("no CUDA device: " + whyNoCuda());
    if (!parsed.is_cuda() || !at::hasCUDA()) throw TypeError("no random numbers on a device that is not here");
    return at::globalContext().defaultGenerator(parsed);
  } catch (...) {
    rethrowWith("generatorState", "device: '" + device + "'");
  }
}

// generatorState(device) → a uint8 tensor
napi_value generatorState(Call& call) {
  auto generator = generatorOf(call.text(0));
  std::lock_guard<std::mutex> lock(generator.mutex());
  return call.make(generator.get_state());
}

// setGeneratorState(device, state)
napi_value setGeneratorState(Call& call) {
  auto generator = generatorOf(call.text(0));
  std::lock_guard<std::mutex> lock(generator.mutex());
  const auto& state = call.tensor(1);
  try {
    generator.set_state(state);
  } catch (...) {
    rethrowWith("setGeneratorState", "state: " + describe(state));
  }
  return nullptr;
}

// loadLibrary(path): a shared library that registers operators with libtorch
napi_value loadLibrary(Call& call) {
  // Local, so that other addons do not bind to libtorch's own dependencies, such as GLib.
  if (!dlopen(call.text(0).c_str(), RTLD_NOW | RTLD_LOCAL)) throw std::runtime_error(std::string("loadLibrary: ") + dlerror());
  return nullptr;
}

// A function of libtorch or of the libraries that it depends on; null if none has it.
void* symbolBelowTorch(const char* name) {
  Dl_info torch{};
  dladdr(reinterpret_cast<void*>(&at::globalContext), &torch);
  void* library = torch.dli_fname ? dlopen(torch.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : nullptr;
  return library ? dlsym(library, name) : nullptr;
}

// blasLibrary() → the shared library that multiplies matrices, '' if it is built in
napi_value blasLibrary(Call& call) {
  Dl_info info{};
  void* symbol = symbolBelowTorch("sgemm_");
  if (!symbol || !dladdr(symbol, &info) || !info.dli_fname) return call.make(std::string());
  return call.make(std::string(info.dli_fname));
}

// blasKernels() → the processor whose kernels OpenBLAS uses, such as SkylakeX; '' for other libraries
napi_value blasKernels(Call& call) {
  auto name = reinterpret_cast<const char* (*)()>(symbolBelowTorch("openblas_get_corename"));
  return call.make(std::string(name ? name() : ""));
}

// setDeterministic(on): allows only algorithms that give the same bits every time; others throw
napi_value setDeterministic(Call& call) {
  at::globalContext().setDeterministicAlgorithms(call.flag(0), false);
  at::globalContext().setDeterministicCuDNN(call.flag(0));
  return nullptr;
}

// deterministic() → whether that mode is on
napi_value deterministic(Call& call) { return call.make(at::globalContext().deterministicAlgorithms()); }

}  // namespace

void guardCpuAllocator() {
  // Once per process, like libtorch's allocator: the guard outlives every environment (the addon is never unloaded).
  static std::once_flag once;
  std::call_once(once, [] {
    c10::SetCPUAllocator(new GuardedAllocator);
#if !TORCH_AT_LEAST(2, 3)
    // A C++ backtrace that nobody reads costs 2 ms per error; newer versions create it only on request.
    c10::SetStackTraceFetcher([] { return std::string(); });
#endif
  });
}

const std::vector<Export> runtimeExports = {
    {"version", version}, {"buildConfiguration", buildConfiguration}, {"threads", threads}, {"setThreads", setThreads}, {"keepFreedMemory", keepFreedMemory},
    {"setSeed", setSeed},
    {"generatorState", generatorState}, {"setGeneratorState", setGeneratorState}, {"loadLibrary", loadLibrary}, {"blasLibrary", blasLibrary}, {"blasKernels", blasKernels},
    {"setDeterministic", setDeterministic}, {"deterministic", deterministic},
};

}  // namespace door
