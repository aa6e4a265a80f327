#pragma once
/// Runs the warps of a block until they end. Lanes of a warp with different program counters run
/// separately, those with the lowest first: that unites them again behind a branch.

#include "exchange.hpp"
#include "undefined.hpp"

#include <string>

namespace ptx {

enum class barrier_mode : u8 { sync, red_popc, red_and, red_or };

class scheduler {
 public:
  explicit scheduler(block& b) : block_(b), code_(b.of.code.code) {}

  /// Runs at most about `instructions` more. Returns whether the block has ended. Throws: fault.
  bool run(u64 instructions) {
    u64 const end = block_.stats.warp_instructions + instructions;
    while (block_.stats.warp_instructions < end) {
      bool ran = false;
      for (std::size_t j = 0; j != block_.warps.size(); ++j) {
        warp& w = block_.warps[block_.number % 2 == 0 ? j : block_.warps.size() - 1 - j];
        if (w.ready() == 0) continue;
        ran = true;
        block_.use(w);
        advance(w);
      }
      if (ran) continue;
      if (ended()) return true;
      if (!release_barriers()) fail_waiting();
    }
    return false;
  }

 private:
  /// Instructions of a warp until others of the block have their turn.
  static constexpr u32 turn = 1 << 16;
  static constexpr u32 turn_of_highest = 1 << 10;

  /// Lanes at one program counter, and the next higher program counter of a lane that is ready.
  struct group {
    u32 pc, next;
    lane_mask mask;
  };
  static group lowest(warp const& w) {
    group g{~u32{0}, ~u32{0}, 0};
    each_lane(w.ready(), [&](int lane) {
      u32 const pc = w.pc[lane];
      if (pc < g.pc) g = {pc, g.pc, lane_mask{1} << lane};
      else if (pc == g.pc) g.mask |= lane_mask{1} << lane;
      else if (pc < g.next) g.next = pc;
    });
    return g;
  }
  static group highest(warp const& w) {
    group g{0, ~u32{0}, 0};
    each_lane(w.ready(), [&](int lane) {
      u32 const pc = w.pc[lane];
      if (g.mask == 0 || pc > g.pc) g = {pc, ~u32{0}, lane_mask{1} << lane};
      else if (pc == g.pc) g.mask |= lane_mask{1} << lane;
    });
    return g;
  }

  /// Runs a warp until all its lanes wait or have ended, or its turn is over.
  void advance(warp& w) {
    u64 const end = block_.stats.warp_instructions + turn;
    while (w.ready() != 0) {
      if (block_.stats.warp_instructions >= end) {
        // lanes may wait in a loop for lanes behind it
        w.highest_pc = !w.highest_pc;
        return;
      }
      if (w.highest_pc) run_group(w, highest(w), block_.stats.warp_instructions + turn_of_highest);
      else run_group(w, lowest(w), end);
    }
  }

  /// Runs lanes together until they diverge, wait, or meet others at the next program counter.
  void run_group(warp& w, group g, u64 end) {
    u32 pc = g.pc;
    while (pc < g.next && block_.stats.warp_instructions < end) {
      instruction const& i = code_[pc];
      lane_mask active = g.mask;
      if (i.guard >= 0) {
        u32 const p = block_.predicate(static_cast<u32>(i.guard));
        active &= i.guard_negated ? ~p : p;
      }
      ++block_.stats.warp_instructions;
      if (active == 0) {
        ++pc;
      } else if (i.kind == flow::plain) {
        block_.execute(i, active);
        ++pc;
      } else if (i.kind == flow::branch && active == g.mask) {
        pc = i.target;
        if (g.next != ~u32{0}) break;  // others may now have the lowest program counter
      } else {
        divide(w, i, pc, g.mask, active);
        return;
      }
    }
    each_lane(g.mask, [&](int lane) { w.pc[lane] = pc; });
  }

  /// The lanes of `active` branch, end or wait; the others of `mask` go on.
  void divide(warp& w, instruction const& i, u32 pc, lane_mask mask, lane_mask active) {
    each_lane(mask, [&](int lane) { w.pc[lane] = pc + 1; });
    switch (i.kind) {
      case flow::branch: each_lane(active, [&](int lane) { w.pc[lane] = i.target; }); break;
      case flow::exit: w.alive &= ~active; break;
      case flow::barrier:
        each_lane(active, [&](int lane) { w.pc[lane] = pc; });
        w.at_barrier |= active;
        break;
      default:
        each_lane(active, [&](int lane) { w.pc[lane] = pc; });
        w.at_exchange |= active;
        exchange(w, i, pc);
    }
  }

  /// Lanes that wait at this instruction. Any two `bar.warp.sync` are one.
  lane_mask waiting_at(warp const& w, instruction const& i, u32 pc) const {
    lane_mask all = 0;
    each_lane(w.at_exchange, [&](int lane) {
      bool const barriers = i.work == &warp_barrier && code_[w.pc[lane]].work == &warp_barrier;
      if (w.pc[lane] == pc || barriers) all |= lane_mask{1} << lane;
    });
    return all;
  }
  u32 members(instruction const& i, int lane) { return block_.at<u32>(i.address)[lane]; }

  /// Executes an exchange for each mask whose lanes are all there.
  void exchange(warp& w, instruction const& i, u32 pc) {
    for (lane_mask left = waiting_at(w, i, pc); left != 0;) {
      int const first = std::countr_zero(left);
      lane_mask const named = members(code_[w.pc[first]], first);
      lane_mask here = 0;
      each_lane(left, [&](int lane) {
        if (members(code_[w.pc[lane]], lane) == named) here |= lane_mask{1} << lane;
      });
      left &= ~here;
      if ((here & ~named) != 0)
        block_.fail(fault::kind::synchronization, i, std::countr_zero(here & ~named),
                    "the mask does not name its own lane");
      if ((named & ~here & w.alive) != 0) continue;
      if (named != here)
        block_.fail(fault::kind::synchronization, i, first, "the mask names lanes that have ended");
      block_.execute(i, here);
      w.at_exchange &= ~here;
      each_lane(here, [&](int lane) { ++w.pc[lane]; });
    }
  }

  bool ended() const {
    for (warp const& w : block_.warps)
      if (w.alive != 0) return false;
    return true;
  }

  // ---- barriers between warps

  /// Calls f(warp, lane, instruction) for each thread that waits at a barrier.
  template <class F> void each_waiting(F const& f) {
    for (warp& w : block_.warps) {
      block_.use(w);
      each_lane(w.at_barrier, [&](int lane) { f(w, lane, code_[w.pc[lane]]); });
    }
  }
  u32 barrier_number(instruction const& i, int lane) { return block_.at<u32>(i.from[0])[lane]; }
  /// The number of threads for which a barrier waits: 0 stands for all.
  u32 expected(instruction const& i, int lane) {
    return i.count == 2 ? block_.at<u32>(i.from[1])[lane] : 0;
  }

  /// Releases each barrier at which all its threads wait. Returns whether there was one.
  bool release_barriers() {
    u32 here[16]{}, needed[16]{}, alive = 0;
    for (warp const& w : block_.warps) alive += static_cast<u32>(std::popcount(w.alive));
    each_waiting([&](warp const& w, int lane, instruction const& i) {
      u32 const id = barrier_number(i, lane) % 16;
      bool const aligned = i.offset != 0 && w.at_exchange == 0;
      int const first = std::countr_zero(w.at_barrier);
      if (aligned && (w.at_barrier != w.alive || w.pc[first] != w.pc[lane]))
        block_.fail(fault::kind::synchronization, i, lane,
                    "barrier at which not all lanes of the warp arrive");
      ++here[id];
      needed[id] = expected(i, lane);
    });
    bool any = false;
    for (u32 id = 0; id != 16; ++id)
      if (here[id] != 0 && here[id] >= (needed[id] == 0 ? alive : needed[id])) {
        release(id);
        any = true;
      }
    return any;
  }
  void release(u32 id) {
    u32 votes = 0, threads = 0;
    each_waiting([&](warp const&, int lane, instruction const& i) {
      if (barrier_number(i, lane) != id || i.mode == 0) return;
      u32 const p = block_.predicate(i.from[2]) >> lane & 1;
      votes += p;
      ++threads;
    });
    each_waiting([&](warp& w, int lane, instruction const& i) {
      if (barrier_number(i, lane) != id) return;
      lane_mask const bit = lane_mask{1} << lane;
      auto const mode = static_cast<barrier_mode>(i.mode);
      if (mode == barrier_mode::red_popc) block_.at<u32>(i.to[0])[lane] = votes;
      else if (mode != barrier_mode::sync) {
        bool const result = mode == barrier_mode::red_and ? votes == threads : votes != 0;
        u32& d = block_.predicate(i.to[0]);
        d = merged(d, result ? all_lanes : 0, bit);
      }
      w.at_barrier &= ~bit;
      ++w.pc[lane];
    });
    ++block_.phase;
  }
  [[noreturn]] void fail_waiting() {
    for (warp& w : block_.warps) {
      if (w.alive == 0) continue;
      block_.use(w);
      lane_mask const stuck = w.at_exchange != 0 ? w.at_exchange : w.at_barrier;
      int const lane = std::countr_zero(stuck);
      block_.fail(fault::kind::synchronization, code_[w.pc[lane]], lane,
                  w.at_exchange != 0 ? "lanes that the mask names never come to this instruction"
                                     : "threads of the block never come to this barrier");
    }
    throw fault(fault::kind::synchronization, "no thread of the block can continue");
  }

  block& block_;
  std::vector<instruction> const& code_;
};

}  // namespace ptx
