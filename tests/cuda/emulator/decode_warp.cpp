// Decodes what threads do together: `shfl`, `vote`, `match`, `redux`, `bar`.
#include "families.hpp"

#include "schedule.hpp"

namespace ptx {

namespace {

/// An instruction for which lanes wait for the others of the mask.
instruction& emit_exchange(decoder& d, std::string_view mask) {
  u32 const members = d.source(mask, "b32");
  instruction& i = d.emit(flow::exchange);
  i.address = members;
  return i;
}
/// Takes `.sync`, without which an instruction is that of GPUs before Volta.
void take_sync(opcode& op) {
  if (!op.take("sync")) throw unknown_ptx("the instruction without .sync");
}

bool decode_shuffle(decoder& d, statement& s) {
  take_sync(s.op);
  static_cast<void>(s.op.take("b32"));
  int const mode = s.op.take_one_of({"bfly", "up", "down", "idx"});
  auto const results = split(s.arg(0), '|');
  u32 const from[3] = {d.source(s.arg(1), "b32"), d.source(s.arg(2), "b32"),
                       d.source(s.arg(3), "b32")};
  u32 const to = d.target(results[0], "b32");
  instruction& i = emit_exchange(d, s.arg(4));
  i.to[0] = to;
  if (results.size() == 2) i.to[1] = d.register_of(results[1]).at, i.count = 2;
  std::copy(from, from + 3, i.from);
  i.mode = static_cast<u8>(mode);
  i.copies(1).work = shuffle;
  d.widen();
  return mode >= 0;
}
bool decode_vote(decoder& d, statement& s) {
  take_sync(s.op);
  for (char const* type : {"pred", "b32"}) static_cast<void>(s.op.take(type));
  int const mode = s.op.take_one_of({"all", "any", "uni", "ballot"});
  u32 const p = d.predicate(s.arg(1));
  bool const ballot = mode == static_cast<int>(vote_mode::ballot);
  u32 const to = ballot ? d.target(s.arg(0), "b32") : d.register_of(s.arg(0)).at;
  instruction& i = emit_exchange(d, s.arg(2));
  i.to[0] = to, i.from[0] = p;
  i.mode = static_cast<u8>(mode);
  i.work = vote;
  d.widen();
  return mode >= 0;
}
bool decode_match(decoder& d, statement& s) {
  take_sync(s.op);
  std::string_view const type = s.op.take_type();
  bool const any = s.op.take("any");
  if (!any && !s.op.take("all")) return false;
  auto const results = split(s.arg(0), '|');
  u32 const from = d.source(s.arg(1), type), to = d.target(results[0], "b32");
  instruction& i = emit_exchange(d, s.arg(2));
  i.to[0] = to, i.from[0] = from;
  if (results.size() == 2) i.to[1] = d.register_of(results[1]).at, i.count = 2;
  if (width_of(type) == 8) i.work = any ? match_any<u64> : match_all<u64>;
  else i.work = any ? match_any<u32> : match_all<u32>;
  d.widen();
  return true;
}
bool decode_redux(decoder& d, statement& s) {
  take_sync(s.op);
  std::string_view const type = s.op.take_type();
  int const what = s.op.take_one_of({"add", "min", "max", "and", "or", "xor"});
  u32 const from = d.source(s.arg(1), type), to = d.target(s.arg(0), type);
  instruction& i = emit_exchange(d, s.arg(2));
  i.to[0] = to, i.from[0] = from;
  with_integer(type, [&]<class T>(tag<T>) {
    switch (what) {
      case 0: i.work = reduce_lanes<wrapped_sum<T>, T>; break;
      case 1: i.work = reduce_lanes<smaller<T>, T>; break;
      case 2: i.work = reduce_lanes<larger<T>, T>; break;
      case 3: i.work = reduce_lanes<[](T x, T y) { return static_cast<T>(x & y); }, T>; break;
      case 4: i.work = reduce_lanes<[](T x, T y) { return static_cast<T>(x | y); }, T>; break;
      default: i.work = reduce_lanes<[](T x, T y) { return static_cast<T>(x ^ y); }, T>;
    }
  });
  d.widen();
  return what >= 0;
}

/// `bar.sync 0`, `barrier.sync a, b`, `bar.red.popc.u32 d, a, p`; `bar` is the aligned `barrier`
bool decode_barrier(decoder& d, statement& s) {
  bool const aligned = s.op.name == "bar" || s.op.take("aligned");
  static_cast<void>(s.op.take("cta"));
  if (s.op.take("warp")) {
    take_sync(s.op);
    emit_exchange(d, s.arg(0)).work = warp_barrier;
    return true;
  }
  auto mode = barrier_mode::sync;
  if (s.op.take("red")) {
    int const which = s.op.take_one_of({"popc", "and", "or"});
    if (which < 0) return false;
    mode = static_cast<barrier_mode>(which + 1);
    for (char const* type : {"u32", "pred"}) static_cast<void>(s.op.take(type));
  } else if (!s.op.take("sync")) {
    return false;
  }
  bool const reduces = mode != barrier_mode::sync;
  std::size_t const first = reduces ? 1 : 0;
  u32 to = 0, p = 0;
  if (reduces) {
    to = mode == barrier_mode::red_popc ? d.target(s.arg(0), "u32") : d.register_of(s.arg(0)).at;
    p = d.predicate(s.args.back());
  }
  u32 const number = d.source(s.arg(first), "u32");
  bool const counted = s.args.size() - first - (reduces ? 1 : 0) == 2;
  u32 const count = counted ? d.source(s.arg(first + 1), "u32") : 0;
  instruction& i = d.emit(flow::barrier);
  i.to[0] = to;
  i.from[0] = number, i.from[1] = count, i.from[2] = p;
  i.count = counted ? 2 : 1;
  i.mode = static_cast<u8>(mode);
  i.offset = aligned ? 1 : 0;
  d.widen();
  return true;
}

}  // namespace

bool decode_warp(decoder& d, statement& s) {
  std::string_view const name = s.op.name;
  if (name == "shfl") return decode_shuffle(d, s);
  if (name == "vote") return decode_vote(d, s);
  if (name == "match") return decode_match(d, s);
  if (name == "redux") return decode_redux(d, s);
  if (name == "bar" || name == "barrier") return decode_barrier(d, s);
  return false;
}

}  // namespace ptx
