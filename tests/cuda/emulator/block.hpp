#pragma once
/// A thread block: the state of its warps, its shared memory, and checked accesses.

#include "fault.hpp"
#include "kernel.hpp"
#include "memory.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace ptx {

struct dimensions {
  u32 x = 1, y = 1, z = 1;
  u64 count() const { return u64{x} * y * z; }
};
inline dimensions position(u64 number, dimensions const& in) {
  return {static_cast<u32>(number % in.x), static_cast<u32>(number / in.x % in.y),
          static_cast<u32>(number / in.x / in.y)};
}

struct statistics {
  u64 launches = 0, blocks = 0, warp_instructions = 0, accesses = 0;

  void add(statistics const& s) {
    launches += s.launches, blocks += s.blocks, warp_instructions += s.warp_instructions;
    accesses += s.accesses;
  }
};

/// A kernel launch. `initialized` and `races` are checked, and `accessed` is written, unless null.
struct launch {
  kernel const& code;
  reachable_memory const& memory;
  std::vector<u64> params;  ///< the bytes of the parameters; u64 aligns them
  dimensions grid, threads;
  u32 dynamic_shared_bytes = 0;
  unsigned host_threads = 1;     ///< most threads of the host that run blocks
  u64 instructions_alone = 1e6;  ///< of warps, before a second thread begins
  initialized_bytes* initialized = nullptr;
  block_races* races = nullptr;
  access_log* accessed = nullptr;
  std::FILE* output = stdout;  ///< where `printf` writes
};

struct warp {
  std::vector<u8> registers, locals;
  lane_mask alive = 0;
  lane_mask at_barrier = 0, at_exchange = 0;  ///< lanes that wait, at their pc
  u32 pc[lanes]{};
  u32 step = 0;                 ///< number of `bar.warp.sync`s so far
  std::vector<u8> undefined{};  ///< for each byte of a register 0xff if undefined; empty: none is
  u32 undefined_line = 0;       ///< of the last load of such bytes
  bool highest_pc = false;      ///< whether lanes with the highest pc run first, after a long wait

  lane_mask ready() const { return alive & ~at_barrier & ~at_exchange; }
};

class block {
 public:
  block(launch const& l, statistics& count) : of(l), stats(count) {
    kernel const& k = of.code;
    auto const threads = static_cast<u32>(of.threads.count());
    local_stride_ = (k.local_bytes + 15) / 16 * 16;
    shared.resize(k.shared_bytes + of.dynamic_shared_bytes);
    shared_accesses_.resize(shared.size());
    if (of.initialized != nullptr) shared_undefined_.resize(shared.size());
    warps.resize((threads + lanes - 1) / lanes);
    for (u32 i = 0; i != warps.size(); ++i) make(warps[i], i);
  }
  block(block const&) = delete;
  block& operator=(block const&) = delete;

  /// Begins block `n` of the grid.
  void begin(u64 n) {
    number = n;
    dimensions const at_grid = position(n, of.grid);
    index = at_grid;
    ++phase;
    fenced = false;
    std::fill(shared.begin(), shared.end(), u8{0xA5});
    std::fill(shared_undefined_.begin(), shared_undefined_.end(), u8{0xff});
    u64 threads = of.threads.count();
    for (warp& w : warps) {
      use(w);
      u32 const at_dimension[3] = {at_grid.x, at_grid.y, at_grid.z};
      for (int d = 0; d != 3; ++d) fill(of.code.special.ctaid[d], at_dimension[d]);
      w.alive = threads >= lanes ? all_lanes : (lane_mask{1} << threads) - 1;
      threads -= std::min<u64>(threads, lanes);
      w.at_barrier = w.at_exchange = 0;
      w.undefined.clear();
      std::fill(w.pc, w.pc + lanes, 0u);
    }
  }
  void use(warp& w) {
    current = static_cast<u32>(&w - warps.data());
    registers_ = w.registers.data();
  }
  /// The 32 elements of a register of the current warp.
  template <class T> T* at(u32 offset) { return reinterpret_cast<T*>(registers_ + offset); }
  u32& predicate(u32 offset) { return *at<u32>(offset); }
  u8 const* params() const { return reinterpret_cast<u8 const*>(of.params.data()); }
  u32 thread(int lane) const { return current * lanes + static_cast<u32>(lane); }

  [[noreturn]] void fail(fault::kind kind, instruction const& i, int lane,
                         std::string const& what) const {
    dimensions const t = position(thread(lane), of.threads);
    auto const text = [](dimensions const& d) {
      return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) +
             ")";
    };
    source_line const& line = of.code.lines[i.line];
    throw fault(kind, what + ", in block " + text(index) + " thread " + text(t) + ", line " +
                          std::to_string(line.number) + ": " + line.text);
  }

  /// Executes an instruction, and follows undefined bytes where that is checked.
  void execute(instruction const& i, lane_mask mask) {
    if (of.initialized == nullptr || warps[current].undefined.empty()) i.work(*this, i, mask);
    else execute_with_undefined(i, mask);
  }
  [[noreturn]] void fail_undefined(instruction const& i, int lane) const {
    fail(fault::kind::uninitialized, i, lane,
         "use of shared memory that nothing has initialized, which line " +
             std::to_string(of.code.lines[warps[current].undefined_line].number) + " has read");
  }
  /// The host's address of an access, after all checks.
  u8* access(instruction const& i, u64 address, u32 bytes, bool write, int lane);
  /// Whether accesses to global memory are in the range of the last access, and no byte is
  /// examined. Then no lane needs a check of its own.
  bool within_last(u64 low, u64 high) const {
    return last_.from <= low && high <= last_.to && of.initialized == nullptr &&
           of.races == nullptr && of.accessed == nullptr;
  }

  launch const& of;
  statistics& stats;
  std::vector<warp> warps;
  std::vector<u8> shared;
  u64 number = 0;
  dimensions index;
  u32 current = 0;      ///< number of the warp that runs
  u32 phase = 0;        ///< number of barriers so far
  bool fenced = false;  ///< whether a thread executed a fence: races are not examined after it

 private:
  void make(warp& w, u32 number_of_warp);
  void fill(u32 offset, u32 value) { std::fill(at<u32>(offset), at<u32>(offset) + lanes, value); }
  void see_shared(instruction const& i, u64 offset, u32 bytes, bool write, int lane);
  void execute_with_undefined(instruction const& i, lane_mask mask);
  void check_defined(instruction const& i, u32 offset, lane_mask mask) const;
  void see_undefined_shared(instruction const& i, u64 offset, u32 bytes, bool write, int lane);
  bool stores_undefined(instruction const& i, u32 bytes, int lane) const;
  void see_global(instruction const& i, u64 address, u32 bytes, bool write, int lane);
  bool holds_param(u64 address, u64 bytes) const {
    auto const first = reinterpret_cast<u64>(params());
    return range{first, first + of.code.param_bytes}.holds(address, bytes);
  }

  u8* registers_ = nullptr;
  std::vector<shared_access> shared_accesses_;
  std::vector<u8> shared_undefined_;  ///< for each byte 0xff if undefined; empty: unchecked
  u32 local_stride_ = 0;
  range last_{1, 0};
};

inline void block::make(warp& w, u32 number_of_warp) {
  kernel const& k = of.code;
  special_registers const& s = k.special;
  w.registers.assign(k.register_bytes, 0xA5);
  w.locals.assign(lanes * local_stride_, 0xA5);
  use(w);
  for (constant const& c : k.constants) {
    if (c.width == 0) {
      predicate(c.at) = c.value != 0 ? all_lanes : 0;
      continue;
    }
    for (u32 lane = 0; lane != lanes; ++lane)
      std::memcpy(registers_ + c.at + lane * c.width, &c.value, c.width);
  }
  for (u32 lane = 0; lane != lanes; ++lane) {
    dimensions const t = position(number_of_warp * lanes + lane, of.threads);
    at<u32>(s.tid[0])[lane] = t.x;
    at<u32>(s.tid[1])[lane] = t.y;
    at<u32>(s.tid[2])[lane] = t.z;
    at<u32>(s.laneid)[lane] = lane;
    u32 const bit = u32{1} << lane;
    u32 const masks[5] = {bit, bit - 1, bit | (bit - 1), ~(bit | (bit - 1)), ~(bit - 1)};
    for (int i = 0; i != 5; ++i) at<u32>(s.masks[i])[lane] = masks[i];
    at<u64>(s.local_base)[lane] =
        reinterpret_cast<u64>(w.locals.data()) + u64{lane} * local_stride_;
  }
  u32 const of_block[3] = {of.threads.x, of.threads.y, of.threads.z};
  u32 const of_grid[3] = {of.grid.x, of.grid.y, of.grid.z};
  for (int d = 0; d != 3; ++d) fill(s.ntid[d], of_block[d]), fill(s.nctaid[d], of_grid[d]);
  fill(s.warpid, number_of_warp);
  fill(s.nwarpid, static_cast<u32>(warps.size()));
}

inline u8* block::access(instruction const& i, u64 address, u32 bytes, bool write, int lane) {
  ++stats.accesses;
  auto const shared_base = reinterpret_cast<u64>(shared.data());
  bool const in_shared = i.where == space::shared || address - shared_base < shared.size();
  if (in_shared) {
    u64 const offset = i.where == space::shared ? address : address - shared_base;
    if (offset + bytes > shared.size() || offset + bytes < offset)
      fail(fault::kind::address, i, lane,
           "access of " + std::to_string(bytes) + " bytes at " + std::to_string(offset) +
               " of shared memory, which has " + std::to_string(shared.size()));
    if (offset % bytes != 0)
      fail(fault::kind::misaligned, i, lane,
           "misaligned access of " + std::to_string(bytes) + " bytes of shared memory");
    see_shared(i, offset, bytes, write, lane);
    if (of.initialized != nullptr) see_undefined_shared(i, offset, bytes, write, lane);
    return shared.data() + offset;
  }
  if (address % bytes != 0)
    fail(fault::kind::misaligned, i, lane,
         "misaligned access of " + std::to_string(bytes) + " bytes");
  if (!last_.holds(address, bytes)) {
    if (range const* const found = of.memory.find(address, bytes)) {
      last_ = *found;
    } else {
      auto const own = reinterpret_cast<u64>(warps[current].locals.data()) +
                       static_cast<u32>(lane) * u64{local_stride_};
      bool const local = range{own, own + local_stride_}.holds(address, bytes);
      if (local || (!write && holds_param(address, bytes))) return reinterpret_cast<u8*>(address);
      char text[32];
      std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
      fail(fault::kind::address, i, lane,
           std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at " +
               text + ", which is not in the memory of the GPU");
    }
  }
  see_global(i, address, bytes, write, lane);
  return reinterpret_cast<u8*>(address);
}

inline void block::see_global(instruction const& i, u64 address, u32 bytes, bool write, int lane) {
  if (of.accessed != nullptr) of.accessed->see(address, bytes, write);
  if (of.initialized != nullptr) {
    if (write && stores_undefined(i, bytes, lane)) fail_undefined(i, lane);
    if (write) of.initialized->set(address, bytes);
    else if (!of.initialized->all(address, bytes))
      fail(fault::kind::uninitialized, i, lane,
           "read of " + std::to_string(bytes) + " bytes of memory that nothing has initialized");
  }
  if (of.races == nullptr || !i.unordered || fenced) return;
  s64 const other = of.races->enter(address, bytes, write, number);
  if (other != block_races::nobody)
    fail(fault::kind::race, i, lane,
         std::string("race: ") + (write ? "write" : "read") + " of memory that block " +
             std::to_string(other) + " accesses in the same launch");
}

inline void block::see_shared(instruction const& i, u64 offset, u32 bytes, bool write, int lane) {
  auto const me = static_cast<s16>(thread(lane));
  auto const my_warp = static_cast<s16>(current);
  u32 const step = warps[current].step;
  auto const race = [&](char const* did, s16 other) {
    fail(fault::kind::race, i, lane,
         std::string("race: ") + (write ? "write" : "read") + " of shared memory that thread " +
             std::to_string(other) + " " + did + " since the last barrier");
  };
  for (u32 n = 0; n != bytes; ++n) {
    shared_access& byte = shared_accesses_[offset + n];
    if (i.unordered && byte.write_phase == phase && byte.writer != me &&
        (byte.writer / lanes != my_warp || byte.write_step == step))
      race("wrote", byte.writer);
    bool const read_before = byte.read_phase == phase;
    if (write) {
      bool const same_warp = byte.reader / lanes == my_warp && !byte.readers_of_warps;
      bool const only_me = byte.reader == me && !byte.readers_of_a_warp && !byte.readers_of_warps;
      if (i.unordered && read_before && !only_me && !(same_warp && byte.read_step != step))
        race("read", byte.reader);
      if (i.unordered) byte.write_phase = phase, byte.writer = me, byte.write_step = step;
      continue;
    }
    if (!i.unordered) continue;
    bool const other_warp = read_before && byte.reader / lanes != my_warp;
    bool const same_step = read_before && !other_warp && byte.read_step == step;
    byte.readers_of_warps = read_before && (byte.readers_of_warps || other_warp);
    byte.readers_of_a_warp = same_step && (byte.readers_of_a_warp || byte.reader != me);
    byte.read_phase = phase, byte.read_step = step, byte.reader = me;
  }
}

}  // namespace ptx
