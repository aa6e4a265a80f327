#pragma once
/// A decoded kernel: instructions on numbered registers, and what a block needs to run them.

#include "types.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ptx {

class block;

/// How an instruction changes the flow of a warp.
enum class flow : u8 {
  plain,
  branch,
  exit,
  barrier,   ///< waits for other warps: `bar`
  exchange,  ///< waits for the other lanes of its mask: `shfl`, `vote`, `bar.warp.sync`, ...
};

/// The state space of an access. All others have addresses of the host.
enum class space : u8 { host, shared };

/// What an instruction does with undefined bytes, which come from uninitialized shared memory.
enum class bytes_of_result : u8 {
  computed,  ///< an operand without a defined byte is a fault
  copied,    ///< those of the first `copied` operands
  loaded,
  stored,
};

/// An instruction. Registers are byte offsets into those of a warp. A register has 32 elements side
/// by side, one for each lane; a predicate is one word with a bit for each lane.
struct instruction {
  void (*work)(block&, instruction const&, lane_mask) = nullptr;
  u32 to[4]{};
  u32 from[4]{};
  u32 address = 0;  ///< register of the address, the carry or the mask
  s64 offset = 0;   ///< added to the address
  s32 guard = -1;   ///< predicate register; -1 without
  u32 target = 0;   ///< instruction to which a branch goes
  u32 line = 0;     ///< index into kernel::lines
  flow kind = flow::plain;
  space where = space::host;
  bool guard_negated = false;
  bool unordered = true;  ///< an access that takes part in races: neither atomic nor ordered
  u8 count = 1;           ///< of elements or results
  u8 width = 8;           ///< bytes of an address, or of an element
  u8 mode = 0;            ///< what the function of `work` takes it for
  bytes_of_result result = bytes_of_result::computed;
  u8 copied = 0;  ///< number of operands whose bytes the result has

  instruction& copies(u8 operands) {
    result = bytes_of_result::copied, copied = operands;
    return *this;
  }
};

struct special_registers {
  u32 tid[3], ntid[3], ctaid[3], nctaid[3], laneid, warpid, nwarpid, local_base, carry;
  u32 masks[5];  ///< %lanemask_eq, lt, le, gt, ge
};

/// A register that has one value in all lanes. Width 0: a predicate.
struct constant {
  u32 at;
  u8 width;
  u64 value;
};

/// A line of PTX, for messages.
struct source_line {
  u32 number;
  std::string text;
};

struct kernel {
  std::string name;
  std::vector<instruction> code;
  std::vector<constant> constants;
  std::vector<source_line> lines;
  std::vector<u8> widths;                   ///< of the register at 8 times the index; 0: none
  std::vector<std::pair<u32, u32>> params;  ///< offset and bytes of each
  u32 register_bytes = 0, param_bytes = 0, shared_bytes = 0, local_bytes = 0;
  special_registers special{};
};

}  // namespace ptx
