// Kernel launches of the fake driver. They are queued like its copies, and ../emulator runs their
// PTX. See docs/decisions/0035-emulated-gpu.md.
//
//   EMULATED_GPU_CHECKS=races,initialized   also look for races between blocks and for reads of
//                                           memory that nothing has written; `order`: and for
//                                           work of streams that nothing orders
//   EMULATED_GPU_ORDER=random               blocks start in this order: last_first (as without
//                                           it), first_last, or random.
//   EMULATED_GPU_SEED=7                     another random order
//   EMULATED_GPU_CAPABILITY=12.0            GPUs of another compute capability than 9.0.
//   EMULATED_GPU_THREADS=1                  one thread runs all blocks of a launch
//   EMULATED_GPU_STATISTICS=1               print at the end what was run
#include "driver.hpp"

#include "../emulator/emulator.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>

#include <cxxabi.h>

using namespace fake_driver;

namespace {

// ---- settings

std::string setting(char const* name) {
  char const* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}
[[noreturn]] void reject(std::string const& name, std::string const& value) {
  std::fprintf(stderr, "emulated GPU: %s=%s is not known\n", name.c_str(), value.c_str());
  std::_Exit(1);
}

/// The compute capability of all GPUs. Tests may change it afterwards.
void set_capability(std::string const& text) {
  int major = 0, minor = 0;
  if (std::sscanf(text.c_str(), "%d.%d", &major, &minor) != 2)
    reject("EMULATED_GPU_CAPABILITY", text);
  for (fake_gpu& gpu : state().gpus) gpu.major = major, gpu.minor = minor;
}

struct settings {
  bool races = false, initialized = false, statistics = false;
  ptx::block_order order = ptx::block_order::last_first;
  ptx::u64 seed = 1;
  unsigned threads = std::max(std::thread::hardware_concurrency(), 1u);
};
settings settings_of_environment() {
  settings s;
  std::string const checks = setting("EMULATED_GPU_CHECKS");
  for (std::string_view check : ptx::split(checks)) {
    if (check == "races") s.races = true;
    else if (check == "initialized") s.initialized = true;
    else if (check == "order") state().checks_order = true;
    else reject("EMULATED_GPU_CHECKS", std::string(check));
  }
  std::string const order = setting("EMULATED_GPU_ORDER");
  if (order == "first_last") s.order = ptx::block_order::first_last;
  else if (order == "random") s.order = ptx::block_order::random;
  else if (!order.empty() && order != "last_first") reject("EMULATED_GPU_ORDER", order);
  if (std::string const seed = setting("EMULATED_GPU_SEED"); !seed.empty())
    s.seed = std::stoull(seed);
  if (std::string const threads = setting("EMULATED_GPU_THREADS"); !threads.empty())
    s.threads = static_cast<unsigned>(std::stoul(threads));
  if (std::string const capability = setting("EMULATED_GPU_CAPABILITY"); !capability.empty())
    set_capability(capability);
  s.statistics = setting("EMULATED_GPU_STATISTICS") == "1";
  return s;
}

/// What the emulated GPUs of the process share.
struct emulation {
  settings const with = settings_of_environment();
  ptx::statistics stats;
  ptx::initialized_bytes initialized;
};
emulation& emulated() {
  static emulation& all = *new emulation;
  return all;
}
bool in_gpu_memory(void const* p) {
  auto const address = reinterpret_cast<CUdeviceptr>(p);
  auto const next = pages().upper_bound(address);
  if (next == pages().begin()) return false;
  auto const& [base, one] = *std::prev(next);
  return address < base + one.bytes;
}
/// Follows copies from now on, so that kernels can be checked for uninitialized reads.
void follow_copies() {
  after_copy = [](void* to, void const* from, std::size_t bytes) {
    auto const target = reinterpret_cast<ptx::u64>(to);
    if (!in_gpu_memory(to)) return;
    if (in_gpu_memory(from))
      emulated().initialized.copy(target, reinterpret_cast<ptx::u64>(from), bytes);
    else emulated().initialized.set(target, bytes);
  };
  after_free = [](CUdeviceptr p, std::size_t bytes) {
    emulated().initialized.set(p, bytes, false);
  };
}

/// Prints the statistics, and ends a program in failure if it launched kernels and misused the
/// driver.
struct end_of_program {
  end_of_program() {
    if (emulated().with.initialized) follow_copies();
  }
  ~end_of_program() {
    if (emulated().with.statistics) print_statistics();
    if (emulated().stats.launches == 0 || state().misuse.empty()) return;
    for (std::string const& what : state().misuse)
      std::fprintf(stderr, "emulated GPU: misuse of the driver: %s\n", what.c_str());
    std::fflush(nullptr);
    std::_Exit(1);
  }
  static void print_statistics() {
    ptx::statistics const& s = emulated().stats;
    std::fprintf(stderr,
                 "emulated GPU: %llu launches, %llu blocks, %llu instructions of warps, "
                 "%llu accesses to memory\n",
                 static_cast<unsigned long long>(s.launches),
                 static_cast<unsigned long long>(s.blocks),
                 static_cast<unsigned long long>(s.warp_instructions),
                 static_cast<unsigned long long>(s.accesses));
  }
} const at_end;

// ---- code

struct library {
  std::vector<std::unique_ptr<ptx::module>> modules;
};
struct kernel_handle {
  library* in;
  std::string name;
  ptx::kernel const* ready = nullptr;
};

template <class T> T value_at(unsigned char const* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
/// The PTX in what nvcc embeds: a header, then an entry for each architecture. Entries begin with
/// their kind (1 is PTX), the size of their own header, and the size of their content.
std::vector<std::string> ptx_in(unsigned char const* p) {
  constexpr std::uint32_t wrapper = 0x466243B1u, fat_binary = 0xBA55ED50u;
  if (value_at<std::uint32_t>(p) == wrapper) p = value_at<unsigned char const*>(p + 8);
  std::vector<std::string> all;
  if (value_at<std::uint32_t>(p) != fat_binary) return all;
  unsigned char const* const end =
      p + value_at<std::uint16_t>(p + 6) + value_at<std::uint64_t>(p + 8);
  for (p += value_at<std::uint16_t>(p + 6); p < end;) {
    auto const kind = value_at<std::uint16_t>(p);
    auto const header = value_at<std::uint32_t>(p + 4);
    std::size_t const bytes = value_at<std::uint64_t>(p + 8);
    char const* const text = reinterpret_cast<char const*>(p) + header;
    // compressed PTX has no directive at its beginning
    if (kind == 1 && std::memchr(text, '.', std::min<std::size_t>(bytes, 512)) != nullptr)
      all.emplace_back(text, ::strnlen(text, bytes));
    p += header + bytes;
  }
  return all;
}

std::string readable(std::string const& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string s = status == 0 ? text : name;
  std::free(text);
  constexpr std::string_view own = "placement::v0_1::";
  for (std::size_t i = 0; (i = s.find(own, i)) != s.npos;) s.erase(i, own.size());
  return s;
}
void report(std::string const& kernel, char const* what) {
  std::string const text = "kernel " + readable(kernel) + ": " + what;
  std::fprintf(stderr, "emulated GPU: %s\n", text.c_str());
  state().kernel_errors.push_back(text);
}
/// The code of a kernel for the newest architecture that the GPU runs; null if there is none.
ptx::module* best_code(kernel_handle const& k, fake_gpu const& on) {
  ptx::module* best = nullptr;
  for (auto const& m : k.in->modules)
    if (m->has(k.name) && m->target() <= 10 * on.major + on.minor &&
        (best == nullptr || best->target() < m->target()))
      best = m.get();
  return best;
}
/// Finds and decodes a kernel.
CUresult prepare(kernel_handle& k, fake_gpu const& on) {
  if (k.ready != nullptr) return CUDA_SUCCESS;
  ptx::module* const best = best_code(k, on);
  try {
    if (best != nullptr) k.ready = &best->find(k.name);
  } catch (std::exception const& e) {
    report(k.name, e.what());
    return CUDA_ERROR_INVALID_PTX;
  }
  return k.ready == nullptr ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

// ---- running

/// All memory that a GPU reaches now. The mapped pieces of one address range are one.
ptx::reachable_memory memory_of(int gpu, library const& code) {
  std::vector<ptx::range> all;
  auto const add = [&](ptx::u64 from, std::size_t bytes) { all.push_back({from, from + bytes}); };
  bool joined = false;
  for (auto const& [base, p] : pages()) {
    bool const mapped = p.backing != nullptr, open = p.open_to.contains(gpu);
    if (open && joined && mapped && all.back().to == base) all.back().to += p.bytes;
    else if (open) add(base, p.bytes);
    joined = open && mapped;
  }
  for (auto const& [base, bytes] : pinned()) add(reinterpret_cast<ptx::u64>(base), bytes);
  for (auto const& m : code.modules) m->each_variable(add);
  return ptx::reachable_memory(std::move(all));
}
/// Host memory and variables are initialized.
void initialize_others(library const& code) {
  for (auto const& [base, bytes] : pinned())
    emulated().initialized.set(reinterpret_cast<ptx::u64>(base), bytes);
  for (auto const& m : code.modules)
    m->each_variable([](ptx::u64 at, std::size_t n) { emulated().initialized.set(at, n); });
}
CUresult error_of(ptx::fault::kind kind) {
  switch (kind) {
    case ptx::fault::kind::address: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case ptx::fault::kind::misaligned: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case ptx::fault::kind::trap: return CUDA_ERROR_ILLEGAL_INSTRUCTION;
    case ptx::fault::kind::assertion: return CUDA_ERROR_ASSERT;
    default: return CUDA_ERROR_LAUNCH_FAILED;
  }
}
void run_kernel(kernel_handle const& k, context& in, std::vector<ptx::u64> const& params,
                ptx::dimensions grid, ptx::dimensions block, unsigned shared) {
  if (in.lost != CUDA_SUCCESS) return;
  emulation& e = emulated();
  ptx::reachable_memory const memory = memory_of(in.gpu, *k.in);
  ptx::block_races races;
  ptx::access_log accessed;
  if (e.with.initialized) initialize_others(*k.in);
  ptx::launch const l{.code = *k.ready,
                      .memory = memory,
                      .params = params,
                      .grid = grid,
                      .threads = block,
                      .dynamic_shared_bytes = shared,
                      .host_threads = e.with.threads,
                      .initialized = e.with.initialized ? &e.initialized : nullptr,
                      .races = e.with.races ? &races : nullptr,
                      .accessed = state().checks_order ? &accessed : nullptr};
  try {
    ptx::run(l, e.stats, e.with.order, e.with.seed + e.stats.launches);
  } catch (ptx::fault const& f) {
    report(k.name, f.what());
    in.lost = error_of(f.what_kind);
  }
  accessed.each([](ptx::u64 at, bool write) { see(at, ptx::access_log::granule, write); });
}

bool launchable(ptx::dimensions const& grid, ptx::dimensions const& block, std::size_t shared) {
  bool const empty = grid.count() == 0 || block.count() == 0;
  return !empty && grid.x <= 0x7fffffffu && grid.y <= 65535 && grid.z <= 65535 &&
         block.count() <= 1024 && block.z <= 64 && shared <= std::size_t{227} * 1024;
}

}  // namespace

EXPORT CUresult cuLibraryLoadData(CUlibrary* made, void const* binary, CUjit_option*, void**,
                                  unsigned, CUlibraryOption*, void**, unsigned) {
  CALL(cuLibraryLoadData);
  auto own = std::make_unique<library>();
  try {
    for (std::string& text : ptx_in(static_cast<unsigned char const*>(binary)))
      own->modules.push_back(std::make_unique<ptx::module>(std::move(text)));
  } catch (std::exception const& e) {
    report("of a module", e.what());
    return CUDA_ERROR_INVALID_PTX;
  }
  if (own->modules.empty()) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  *made = reinterpret_cast<CUlibrary>(own.release());
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLibraryGetKernel(CUkernel* made, CUlibrary from, char const* name) {
  CALL(cuLibraryGetKernel);
  *made = reinterpret_cast<CUkernel>(new kernel_handle{reinterpret_cast<library*>(from), name});
  return CUDA_SUCCESS;
}
EXPORT CUresult cuFuncGetAttribute(int* value, CUfunction_attribute what, CUfunction f) {
  CALL_IN_CONTEXT(cuFuncGetAttribute);
  if (what != CU_FUNC_ATTRIBUTE_PTX_VERSION) return CUDA_ERROR_INVALID_VALUE;
  ptx::module const* const code =
      best_code(*reinterpret_cast<kernel_handle*>(f), gpu_at(current->gpu));
  if (code == nullptr) return CUDA_ERROR_NO_BINARY_FOR_GPU;
  *value = code->target();
  return CUDA_SUCCESS;
}
EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                               unsigned block_x, unsigned block_y, unsigned block_z,
                               unsigned shared, CUstream s, void** arguments, void**) {
  CALL_IN_CONTEXT(cuLaunchKernel);
  auto& k = *reinterpret_cast<kernel_handle*>(f);
  stream* const own = known(s, "cuLaunchKernel");
  if (own == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult const code = prepare(k, gpu_at(current->gpu)); code != CUDA_SUCCESS) return code;
  ptx::dimensions const grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
  if (!launchable(grid, block, k.ready->shared_bytes + std::size_t{shared}))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<ptx::u64> params((k.ready->param_bytes + 7) / 8);
  auto* const bytes = reinterpret_cast<unsigned char*>(params.data());
  for (std::size_t i = 0; i != k.ready->params.size(); ++i)
    std::memcpy(bytes + k.ready->params[i].first, arguments[i], k.ready->params[i].second);
  context& in = *own->in;
  give(*own,
       [&k, &in, params, grid, block, shared] { run_kernel(k, in, params, grid, block, shared); });
  return CUDA_SUCCESS;
}
