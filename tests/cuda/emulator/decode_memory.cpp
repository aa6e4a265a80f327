// Decodes accesses to memory: `ld`, `st`, `atom`, `red`, `cp.async`, and fences.
#include "families.hpp"

#include "access.hpp"

namespace ptx {

namespace {

/// Takes the words that do not change what an access does here: caches, scopes, vectors.
void take_hints(opcode& op) {
  for (char const* word : {"ca",
                           "cg",
                           "cs",
                           "lu",
                           "cv",
                           "wb",
                           "wt",
                           "nc",
                           "v2",
                           "v4",
                           "weak",
                           "cta",
                           "cluster",
                           "gpu",
                           "sys",
                           "noftz",
                           "L1::no_allocate",
                           "L1::evict_last",
                           "L1::evict_first",
                           "L2::64B",
                           "L2::128B",
                           "L2::256B"})
    static_cast<void>(op.take(word));
}
/// Takes an ordering. Returns whether there was one.
bool take_order(opcode& op) {
  return op.take_one_of({"relaxed", "acquire", "release", "acq_rel", "volatile", "sc"}) >= 0;
}
/// Takes the state space.
space take_space(opcode& op) {
  for (char const* word : {"global", "const", "param", "local", "param::entry", "param::func"})
    static_cast<void>(op.take(word));
  return op.take("shared") || op.take("shared::cta") ? space::shared : space::host;
}

void decode_load_or_store(decoder& d, statement& s) {
  bool const loads = s.op.name != "st";
  std::string_view const type = s.op.take_type();
  bool const ordered = take_order(s.op);
  take_hints(s.op);
  space const where = take_space(s.op);
  auto const names = decoder::vector_of(s.arg(loads ? 0 : 1));
  decoder::memory_operand const at = d.memory(s.arg(loads ? 1 : 0));
  u32 registers[4]{};
  if (names.size() > 4) throw unknown_ptx("a vector of more than 4 elements");
  for (std::size_t n = 0; n != names.size(); ++n)
    registers[n] = loads ? d.target(names[n], type) : d.source(names[n], type);
  instruction& i = d.emit();
  std::copy(registers, registers + 4, loads ? i.to : i.from);
  i.count = static_cast<u8>(names.size());
  i.where = where, i.unordered = !ordered;
  i.result = loads ? bytes_of_result::loaded : bytes_of_result::stored;
  i.address = at.base, i.width = at.width, i.offset = at.offset;
  with_width(width_of(type), [&]<class T>(tag<T>) {
    if (ordered) i.work = loads ? load_ordered<T> : store_ordered<T>;
    else i.work = loads ? load<T> : store<T>;
  });
  d.widen();
}

template <class T> bool set_atomic(instruction& i, opcode& op) {
  using enum atomic_operation;
  if constexpr (std::is_class_v<T>) {  // floats of 16 bits, and pairs of them
    if (op.take("add")) i.work = atomic<T, add>;
    else return false;
    return true;
  } else if constexpr (std::is_floating_point_v<T>) {
    if (op.take("exch")) i.work = atomic<T, exch>;
    else if (op.take("add")) i.work = atomic<T, add>;
    else return false;
    return true;
  } else {
    if (op.take("add")) i.work = atomic<T, add>;
    else if (op.take("min")) i.work = atomic<T, min>;
    else if (op.take("max")) i.work = atomic<T, max>;
    else if (op.take("exch")) i.work = atomic<T, exch>;
    else if (op.take("cas")) i.work = atomic<T, cas>;
    else if (op.take("and")) i.work = atomic<T, and_>;
    else if (op.take("or")) i.work = atomic<T, or_>;
    else if (op.take("xor")) i.work = atomic<T, xor_>;
    else if (op.take("inc")) i.work = atomic<T, inc>;
    else if (op.take("dec")) i.work = atomic<T, dec>;
    else return false;
    return true;
  }
}
bool decode_atomic(decoder& d, statement& s) {
  bool const returns = s.op.name == "atom";
  std::size_t const first = returns ? 1 : 0;
  std::string_view const type = s.op.take_type();
  static_cast<void>(take_order(s.op));
  take_hints(s.op);
  space const where = take_space(s.op);
  decoder::memory_operand const at = d.memory(s.arg(first));
  u32 const x = d.source(s.arg(first + 1), type);
  u32 const y = s.args.size() > first + 2 ? d.source(s.arg(first + 2), type) : x;
  u32 const to = returns ? d.target(s.arg(0), type) : d.fresh(width_of(type));
  instruction& i = d.emit();
  i.to[0] = to, i.from[0] = x, i.from[1] = y;
  i.where = where, i.unordered = false;
  i.address = at.base, i.width = at.width, i.offset = at.offset;
  bool known = false;
  with_type(type, [&]<class T>(tag<T>) { known = set_atomic<T>(i, s.op); });
  d.widen();
  return known;
}
/// `cp.async.ca.shared.global [to], [from], bytes, present`: copies at once, so that waiting for it
/// does nothing.
bool decode_async_copy(decoder& d, statement& s) {
  if (!s.op.take("async")) return false;
  if (s.op.take("commit_group") || s.op.take("wait_group") || s.op.take("wait_all")) return true;
  if (!s.op.take("shared") && !s.op.take("shared::cta")) return false;
  static_cast<void>(s.op.take("global"));
  take_hints(s.op);
  decoder::memory_operand const to = d.memory(s.arg(0)), from = d.memory(s.arg(1));
  std::optional<u64> const bytes = literal(s.arg(2), "");
  if (!bytes || from.offset != 0 || from.width != 8) return false;
  u32 const present = s.args.size() > 3 ? d.source(s.arg(3), "u32") : d.constant_of(*bytes, 4);
  instruction& i = d.emit();
  i.address = to.base, i.width = to.width, i.offset = to.offset;
  i.where = space::shared, i.count = static_cast<u8>(*bytes);
  i.from[0] = from.base, i.from[1] = present;
  i.work = copy_to_shared;
  return true;
}

}  // namespace

bool decode_memory(decoder& d, statement& s) {
  std::string_view const name = s.op.name;
  if (name == "ld" || name == "st" || name == "ldu") return decode_load_or_store(d, s), true;
  if (name == "atom" || name == "red") return decode_atomic(d, s);
  if (name == "cp") return decode_async_copy(d, s);
  if (name == "membar" || name == "fence") {
    static_cast<void>(take_order(s.op));
    bool const of_block = s.op.take("cta");
    for (char const* word : {"gl", "gpu", "sys", "cluster"}) static_cast<void>(s.op.take(word));
    if (!of_block) d.emit().work = fence;
    return true;
  }
  if (name == "prefetch" || name == "prefetchu") {
    for (char const* word : {"global", "local", "L1", "L2"}) static_cast<void>(s.op.take(word));
    return true;
  }
  return false;
}

}  // namespace ptx
